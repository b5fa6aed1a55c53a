// Conversion: recognising arrays, numbers and nested lists, and borrowing or copying their memory.
#include "convert.h"

#include <cstring>

#include "core/check.h"
#include "core/convert.h"
#include "core/tensor_impl.h"
#include "expr/expr.h"
#include "tamis/create.h"
#include "tamis/view.h"

namespace tamis::python {

// ---- memory -------------------------------------------------------------------------------------

void Release::operator()(void*) const noexcept {
  // Tensors in static variables may outlive the interpreter; the object is gone with it.
  if (!Py_IsInitialized()) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(owner);
  PyGILState_Release(state);
}

Tensor borrow_memory(void* data, const Shape& shape, const Shape& strides, DType dtype,
                     py::object owner, bool read_only) {
  Tensor tensor = from_blob(data, shape, dtype, Release{owner.ptr()}, strides);
  owner.release();
  if (read_only) set_read_only(tensor);
  return tensor;
}

bool is_read_only(const Tensor& x) { return storage_of(x)->read_only(); }
void set_read_only(const Tensor& x) { storage_of(x)->set_read_only(); }

void* exported_data(const Tensor& x) {
  Storage& storage = *storage_of(x);
  if (storage.ready() && !storage.has_readers() && is_on_host(x)) {  // nothing to compute
    storage.check_intact();
    if (!storage.read_only()) storage.set_counts_up(false);
    return static_cast<char*>(storage.data()) +
           layout_of(x).offset * static_cast<int64_t>(x.itemsize());
  }
  py::gil_scoped_release release;
  return exposed_data(x);
}

void check_address(const Tensor& x, PyObject* type) {
  if (is_on_host(x)) return;
  raise_python(type, "this tensor is on " + x.device().str() +
                         ", where its memory has no address; call .cpu() first");
}

namespace {

void copy_dims(const char* from, const Shape& shape, const Shape& strides, size_t dim, size_t width,
               char*& to) {
  if (dim == shape.size()) {
    std::memcpy(to, from, width);
    to += width;
    return;
  }
  for (int64_t i = 0; i < shape[dim]; ++i, from += strides[dim]) {
    copy_dims(from, shape, strides, dim + 1, width, to);
  }
}

}  // namespace

Tensor copy_strided(const void* data, const Shape& shape, const Shape& byte_strides, DType dtype) {
  Tensor result = empty(shape, dtype);
  if (result.numel() == 0) return result;
  char* to = static_cast<char*>(result.mutable_data_ptr());
  copy_dims(static_cast<const char*>(data), shape, byte_strides, 0, itemsize(dtype), to);
  return result;
}

// ---- arrays -------------------------------------------------------------------------------------

namespace {

PyObject* interned(const char* text) { return checked(PyUnicode_InternFromString(text)); }

bool has_attribute(PyObject* o, PyObject* name) {
  // On the type, so that a class (which has the attribute too) is not taken for its instance.
  return PyObject_HasAttr(reinterpret_cast<PyObject*>(Py_TYPE(o)), name) != 0;
}

std::optional<Tensor> other_to_tensor(PyObject* o, Copying copying) {
  static PyObject* const dlpack = interned("__dlpack__");
  static PyObject* const array = interned("__array__");
  if (PyObject_CheckBuffer(o) && !PyBytes_Check(o) && !PyByteArray_Check(o)) {
    return from_buffer(o, copying);
  }
  // Before DLPack, which has neither bits nor nulls.
  if (is_arrow_array(o)) return from_arrow(o, copying);
  if (has_attribute(o, dlpack)) return from_dlpack(o, copying);
  if (has_attribute(o, array)) {
    const py::object converted = steal(PyObject_CallMethodNoArgs(o, array));
    if (is_ndarray(converted.ptr())) return from_ndarray(converted.ptr(), copying);
  }
  return std::nullopt;
}

/// Types that are not arrays and are common enough to be checked first.
bool is_plain(PyObject* o) {
  return o == Py_None || PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o) ||
         PyList_Check(o) || PyTuple_Check(o) || PyUnicode_Check(o) || PySlice_Check(o) ||
         PyDict_Check(o) || PyType_Check(o);
}

}  // namespace

std::optional<Tensor> array_to_tensor(PyObject* o, Origins& origins, Copying copying) {
  if (is_tensor(o)) {
    origins.saw(ArrayKind::tamis);
    return tensor_of(o);
  }
  if (is_plain(o)) return std::nullopt;
  if (is_ndarray(o)) {
    origins.saw(ArrayKind::numpy);
    return from_ndarray(o, copying);
  }
  if (is_torch_tensor(o)) {
    origins.saw(ArrayKind::torch);
    return from_torch(o);
  }
  if (is_numpy_scalar(o)) return std::nullopt;
  std::optional<Tensor> tensor = other_to_tensor(o, copying);
  if (tensor) origins.saw(ArrayKind::other);
  return tensor;
}

PyObject* tensor_to_array(Tensor tensor, ArrayKind kind) {
  if (kind == ArrayKind::numpy && tensor.dtype() != DType::bfloat16) return to_ndarray(tensor);
  if (kind == ArrayKind::torch) return to_torch(tensor);
  return wrap(std::move(tensor));
}

// ---- numbers ------------------------------------------------------------------------------------

namespace {

Scalar int_to_scalar(PyObject* o) {
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (overflow == 0) return Scalar(value);
  const uint64_t large = overflow > 0 ? PyLong_AsUnsignedLongLong(o) : 0;
  if (overflow < 0 || PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    raise_python(PyExc_RuntimeError, "Overflow when unpacking long");
  }
  return Scalar(large);
}

}  // namespace

std::optional<Scalar> number_to_scalar(PyObject* o) {
  if (PyFloat_Check(o)) return Scalar(PyFloat_AS_DOUBLE(o));
  if (PyBool_Check(o)) return Scalar(o == Py_True);
  if (PyLong_Check(o)) return int_to_scalar(o);
  if (is_numpy_scalar(o)) return from_numpy_scalar(o).item();
  if (PyComplex_Check(o)) {
    const Py_complex z = PyComplex_AsCComplex(o);
    return Scalar(std::complex<double>(z.real, z.imag));
  }
  return std::nullopt;
}

// ---- nested lists -------------------------------------------------------------------------------

namespace {

bool is_list(PyObject* o) { return PyList_Check(o) || PyTuple_Check(o); }

/// What a nested list holds, found in a first pass; the second pass fills the memory.
class NestedValues {
 public:
  explicit NestedValues(PyObject* o) {
    for (PyObject* level = o; is_list(level); level = PySequence_Fast_GET_ITEM(level, 0)) {
      const Py_ssize_t n = PySequence_Fast_GET_SIZE(level);
      shape_.push_back(n);
      if (shape_.size() > 64)
        raise_python(PyExc_ValueError, "too many dimensions: a list in itself?");
      if (n == 0) break;
    }
    add(o, 0);
  }

  Tensor fill(std::optional<DType> dtype) const {
    const DType to = dtype.value_or(dtype_.value_or(DType::float32));
    Tensor result = empty(shape_, to);
    if (values_.empty()) return result;
    char* out = static_cast<char*>(result.mutable_data_ptr());
    visit_dtype(to, [&](auto type) {
      using T = decltype(type);
      T* at = reinterpret_cast<T*>(out);
      for (const Scalar& v : values_) {
        if (v.is_complex() && !is_complex(to) && to != DType::boolean) {
          raise_python(PyExc_TypeError, "must be real number, not complex");
        }
        if (!dtype) check_in_list(v, to);
        check(is_floating_point(to) || is_complex(to) || fits(v, to), ErrorKind::value,
              "value cannot be converted to type {} without overflow", name(to));
        *at++ = v.to<T>();
      }
    });
    return result;
  }

 private:
  void add(PyObject* o, size_t dim) {
    if (is_list(o)) return add_list(o, dim);
    if (dim != shape_.size()) {
      raise_python(PyExc_TypeError, "expected a sequence at dim " + std::to_string(dim) + " (got " +
                                        Py_TYPE(o)->tp_name + ")");
    }
    add_value(o);
  }

  void add_list(PyObject* o, size_t dim) {
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    if (dim >= shape_.size()) {
      raise_python(PyExc_ValueError, "expected a number at dim " + std::to_string(dim) +
                                         " (got a sequence of length " + std::to_string(n) + ")");
    }
    if (n != shape_[dim]) {
      raise_python(PyExc_ValueError, "expected sequence of length " + std::to_string(shape_[dim]) +
                                         " at dim " + std::to_string(dim) + " (got " +
                                         std::to_string(n) + ")");
    }
    for (Py_ssize_t i = 0; i < n; ++i) add(PySequence_Fast_GET_ITEM(o, i), dim + 1);
  }

  void add_value(PyObject* o) {
    DType dtype;
    std::optional<Scalar> value;
    if (!PyFloat_CheckExact(o) && is_numpy_scalar(o)) {
      const Tensor scalar = from_numpy_scalar(o);
      dtype = scalar.dtype();
      value = scalar.item();
    } else if ((value = number_to_scalar(o))) {
      dtype = tamis::detail::default_dtype(*value);
    } else {
      Origins origins;
      const std::optional<Tensor> tensor = array_to_tensor(o, origins, Copying::if_needed);
      if (!tensor) {
        raise_python(PyExc_TypeError, std::string("tensor(): a value of type ") +
                                          Py_TYPE(o)->tp_name + " is no number");
      }
      dtype = tensor->dtype();
      value = tensor->item();
    }
    dtype_ = dtype_ ? promote_numbers(*dtype_, dtype) : dtype;
    values_.push_back(*value);
  }

  Shape shape_;
  std::optional<DType> dtype_;
  std::vector<Scalar> values_;
};

/// Whether the first value in nested lists is an array with dimensions.
bool holds_arrays(PyObject* o) {
  for (int depth = 0; is_list(o) && depth < 64; ++depth) {
    if (PySequence_Fast_GET_SIZE(o) == 0) return false;
    o = PySequence_Fast_GET_ITEM(o, 0);
  }
  Origins origins;
  const auto first = is_list(o) ? std::nullopt : array_to_tensor(o, origins, Copying::if_needed);
  return first && first->dim() > 0;
}

/// [t, t, ...] of arrays with dimensions, stacked.
Tensor stack_arrays(PyObject* o, int depth = 0) {
  if (!is_list(o)) {
    Origins origins;
    auto tensor = array_to_tensor(o, origins, Copying::if_needed);
    if (tensor) return std::move(*tensor);
  }
  if (!is_list(o) || depth > 64)
    raise_python(PyExc_ValueError, "expected arrays of one shape in the lists");
  std::vector<Tensor> rows;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    rows.push_back(stack_arrays(PySequence_Fast_GET_ITEM(o, i), depth + 1));
  }
  return stack(rows);
}

}  // namespace

Tensor values_to_tensor(PyObject* o, std::optional<DType> dtype) {
  Origins origins;
  if (is_numpy_scalar(o)) {
    const Tensor x = from_numpy_scalar(o);
    return dtype ? x.to(*dtype) : x;
  }
  if (const auto array = array_to_tensor(o, origins, Copying::if_needed)) {
    return without_gil([&] {
      return (dtype && *dtype != array->dtype() ? array->to(*dtype) : array->clone()).settle();
    });
  }
  if (holds_arrays(o)) {
    const Tensor stacked = stack_arrays(o);
    return without_gil([&] { return (dtype ? stacked.to(*dtype) : stacked).settle(); });
  }
  return NestedValues(o).fill(dtype);
}

}  // namespace tamis::python
