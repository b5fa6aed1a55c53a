// The Python objects of the module: Tensor and dtype, how C++ values become them, and how errors
// cross.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <type_traits>
#include <utility>

#include "core/pool.h"
#include "io/reader.h"
#include "tamis/tensor.h"

namespace py = pybind11;

namespace tamis::python {

/// An instance of tamis.Tensor. There is no __dict__. The collector of cycles sees the hooks and
/// functions of Python that the tensor's graph of gradients keeps (cycles.h); memory borrowed from
/// Python is kept alive by the storage, which the collector does not see.
struct PyTensor {
  PyObject_HEAD Tensor tensor;
  PyObject* weakrefs;
};

extern PyTypeObject* tensor_type;

inline bool is_tensor(PyObject* o) { return Py_TYPE(o) == tensor_type; }
inline Tensor& tensor_of(PyObject* o) { return reinterpret_cast<PyTensor*>(o)->tensor; }
/// A new reference to a new Tensor object.
PyObject* wrap(Tensor tensor);

/// Objects of one type that were freed, for the next ones: most calls make one and free one. The
/// GIL guards it.
class FreeObjects {
 public:
  /// Null if there is none.
  PyObject* take() { return count_ > 0 ? objects_[--count_] : nullptr; }
  /// False if there are enough.
  bool put(PyObject* object) {
    if (!TAMIS_CACHE_MEMORY || count_ == kMost) return false;
    objects_[count_++] = object;
    return true;
  }

 private:
  static constexpr size_t kMost = 64;
  PyObject* objects_[kMost];
  size_t count_ = 0;
};

/// The one dtype object of each dtype; a borrowed reference.
PyObject* dtype_object(DType dtype);
/// From a tamis, torch or NumPy dtype or its name, a NumPy scalar type, or bool, int, float. False
/// if it is none.
bool dtype_from(PyObject* o, DType& dtype);

/// A tuple of ints.
PyObject* shape_tuple(const Shape& shape);

/// Turns the exception in flight into the Python exception that PyTorch raises instead.
void set_python_error() noexcept;

/// Runs f, which returns a new reference, and turns its exceptions into Python's.
template <class F>
PyObject* guard(F&& f) noexcept {
  try {
    return std::forward<F>(f)();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

/// The same for functions whose result says by -1 that there was an error.
template <class F>
auto guard_int(F&& f) noexcept -> decltype(f()) {
  try {
    return std::forward<F>(f)();
  } catch (...) {
    set_python_error();
    return -1;
  }
}

/// Runs f, which may compute for long and touches no Python object, without the GIL. Tensors that f
/// works on need handles of their own: see visit_functions in cycles.h. Raises OSError if a mapped
/// file that f reads is shortened meanwhile.
template <class F>
auto without_gil(F&& f) {
  py::gil_scoped_release release;
  const io::MappedReads reads;
  if constexpr (std::is_void_v<decltype(f())>) {
    std::forward<F>(f)();
    reads.check();
  } else {
    auto result = std::forward<F>(f)();
    reads.check();
    return result;
  }
}

/// Raises a Python exception with a text.
[[noreturn]] inline void raise_python(PyObject* type, const std::string& text) {
  PyErr_SetString(type, text.c_str());
  throw py::error_already_set();
}

/// Throws if a CPython call returned null.
inline PyObject* checked(PyObject* o) {
  if (o == nullptr) throw py::error_already_set();
  return o;
}
inline py::object steal(PyObject* o) { return py::reinterpret_steal<py::object>(checked(o)); }
inline py::object borrow(PyObject* o) { return py::reinterpret_borrow<py::object>(o); }

/// What o is, for the message that it should be something else: its type, or the text that it is.
inline std::string described(PyObject* o) {
  return PyUnicode_Check(o) ? py::repr(o).cast<std::string>() : Py_TYPE(o)->tp_name;
}

// What each file adds to the module.
void add_dtypes(py::module_& m);
void add_device(py::module_& m);
void add_tensor_type(py::module_& m);
void add_functions(py::module_& m);
void add_creation(py::module_& m);
void add_files(py::module_& m);
void add_numpy(py::module_& m);
void add_arrow(py::module_& m);
void add_arrow_export(py::module_& m);
void add_runtime(py::module_& m);
void add_random(py::module_& m);
void add_autograd(py::module_& m);
void add_partial(py::module_& m);
void add_condition(py::module_& m);
void add_webgpu(py::module_& m);
void add_reference(py::module_& m);

}  // namespace tamis::python
