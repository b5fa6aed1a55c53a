// NumPy: arrays and scalars in, arrays out, without copying where the layout allows it. The module
// works without NumPy; then no object can be one of its arrays.
#include <pybind11/numpy.h>

#include <algorithm>

#include "autograd/node.h"
#include "convert.h"
#include "core/tensor_impl.h"
#include "expr/expr.h"

namespace tamis::python {

namespace {

using Api = py::detail::npy_api;

PyTypeObject* generic_type = nullptr;
PyTypeObject* masked_type = nullptr;

bool numpy_loaded() { return generic_type != nullptr; }

/// Null for bfloat16, which NumPy does not have.
PyObject* descriptor(DType dtype) {
  static PyObject* table[kDTypeCount] = {};
  PyObject*& entry = table[static_cast<int>(dtype)];
  if (entry == nullptr && dtype != DType::bfloat16) {
    entry = py::dtype(std::string(name(dtype))).release().ptr();
  }
  return entry;
}

bool dtype_of_descriptor(const py::dtype& descr, DType& dtype) {
  const char kind = descr.kind();
  const auto size = descr.itemsize();
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto d = static_cast<DType>(i);
    if (d != DType::bfloat16 && numpy_kind(d) == kind &&
        static_cast<py::ssize_t>(itemsize(d)) == size) {
      dtype = d;
      return true;
    }
  }
  return false;
}

/// "float64, float32, ..., " in the order of PyTorch's message.
std::string supported_names() {
  std::string names;
  const auto add = [&](DType dtype) { names += std::string(name(dtype)) + ", "; };
  for (int i = kDTypeCount; i-- > 0;) {
    const auto dtype = static_cast<DType>(i);
    if (is_floating_point(dtype) && dtype != DType::bfloat16) add(dtype);
  }
#define X(constant, ...) add(DType::constant);
  TAMIS_COMPLEX_DTYPES(X)
#undef X
  for (int i = kDTypeCount; i-- > 0;) {
    if (is_integral(static_cast<DType>(i))) add(static_cast<DType>(i));
  }
  return names;
}

DType array_dtype(const py::array& array) {
  DType dtype;
  if (dtype_of_descriptor(array.dtype(), dtype)) return dtype;
  raise_python(PyExc_TypeError,
               "can't convert np.ndarray of type " + py::str(array.dtype()).cast<std::string>() +
                   ". The only supported types are: " + supported_names() + "and bool.");
}

bool is_native(const py::array& array) {
  static PyObject* const isnative = PyUnicode_InternFromString("isnative");
  return steal(PyObject_GetAttr(array.dtype().ptr(), isnative)).ptr() == Py_True;
}

void check_numpy() {
  if (!numpy_loaded()) raise_python(PyExc_RuntimeError, "Numpy is not available");
}

/// Why the array's memory cannot be a tensor's, or null.
const char* obstacle(const py::array& array, DType dtype) {
  const size_t width = itemsize(dtype), alignment = itemsize(real_dtype(dtype));
  if (!is_native(array)) return "its bytes are swapped";
  if (reinterpret_cast<uintptr_t>(array.data()) % alignment != 0) return "it is not aligned";
  for (py::ssize_t d = 0; d < array.ndim(); ++d) {
    if (array.shape(d) <= 1) continue;
    if (array.strides(d) < 0) return "at least one stride is negative";
    if (array.strides(d) % static_cast<py::ssize_t>(width) != 0) {
      return "its strides are no multiples of the element size";
    }
  }
  return nullptr;
}

/// What keeps the memory of an array alive. Not the tensor, which may be given other memory (out=)
/// while the array lives.
struct PyMemory {
  PyObject_HEAD Ref<Storage> storage;
};

FreeObjects free_memories;

void free_memory(PyObject* self) {
  reinterpret_cast<PyMemory*>(self)->storage.~Ref<Storage>();
  PyTypeObject* type = Py_TYPE(self);
  if (!free_memories.put(self)) type->tp_free(self);
  Py_DECREF(type);
}

PyTypeObject* make_memory_type() {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(free_memory)},
      {Py_tp_doc, const_cast<char*>("The memory of a tensor, kept alive by an array.")},
      {0, nullptr}};
  PyType_Spec spec = {"tamis.Memory", sizeof(PyMemory), 0, Py_TPFLAGS_DEFAULT, slots};
  return reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
}

/// A new reference to an object that holds x's memory.
PyObject* hold_memory(const Tensor& x) {
  static PyTypeObject* const type = make_memory_type();
  PyObject* self = free_memories.take();
  if (self != nullptr) {
    PyObject_Init(self, type);
  } else {
    self = checked(type->tp_alloc(type, 0));
  }
  new (&reinterpret_cast<PyMemory*>(self)->storage) Ref<Storage>(storage_of(x));
  return self;
}

/// The class of that name in a module, which is never freed.
PyTypeObject* class_of(const char* module, const char* name) {
  py::object type = py::module_::import(module).attr(name);
  return reinterpret_cast<PyTypeObject*>(type.release().ptr());
}

Shape shape_of(const py::array& array) {
  return Shape(std::vector<int64_t>(array.shape(), array.shape() + array.ndim()));
}

/// Strides in elements, of an array that can be shared. Where a dimension has one element, NumPy
/// may have put anything.
Shape strides_of(const py::array& array) {
  Shape strides;
  for (py::ssize_t d = 0; d < array.ndim(); ++d) {
    strides.push_back(std::max<int64_t>(array.strides(d) / array.itemsize(), 0));
  }
  return strides;
}

/// An array that NumPy made of x's memory, as a view of x, or copied if no view has that layout.
/// None if it is elsewhere in memory. Without this, two storages would share memory, and a write to
/// one would not settle what reads the other.
py::object part_of(const py::object& x, const py::array& array) {
  const Tensor& tensor = tensor_of(x.ptr());
  const auto& storage = storage_of(tensor);
  const auto* const begin = static_cast<const char*>(storage->data());
  const auto* const first = static_cast<const char*>(array.data());
  if (array.size() == 0 || first < begin || first >= begin + storage->bytes()) return py::none();
  const DType dtype = array_dtype(array);
  const auto width = static_cast<int64_t>(itemsize(dtype));
  Layout layout{shape_of(array), strides_of(array), (first - begin) / width};
  int64_t last = layout.offset;
  for (size_t d = 0; d < layout.sizes.size(); ++d) {
    last += (layout.sizes[d] - 1) * layout.strides[d];
  }
  const bool fits = dtype == tensor.dtype() && obstacle(array, dtype) == nullptr &&
                    (first - begin) % width == 0 && (last + 1) * width <= storage->bytes();
  if (fits) return steal(wrap(user_view(tensor, std::move(layout))));
  return steal(wrap(values_to_tensor(array.ptr(), {})));
}

}  // namespace

void add_numpy(py::module_& m) {
  // Called while tamis is imported: looking up NumPy's functions later, from several threads, could
  // block one that holds the GIL on one that waits for it.
  m.def("_use_numpy", [] {
    Api::get();
    generic_type = class_of("numpy", "generic");
    masked_type = class_of("numpy.ma", "MaskedArray");
  });
  m.def("_part_of", part_of);
}

char numpy_kind(DType dtype) {
  if (dtype == DType::boolean) return 'b';
  if (is_complex(dtype)) return 'c';
  if (is_floating_point(dtype)) return 'f';
  return is_signed(dtype) ? 'i' : 'u';
}

bool is_ndarray(PyObject* o) { return numpy_loaded() && Api::get().PyArray_Check_(o); }

void refuse_masked_array(PyObject* o) {
  if (!numpy_loaded() || !PyType_IsSubtype(Py_TYPE(o), masked_type)) return;
  raise_python(PyExc_TypeError,
               "tensors do not carry a mask, so the mask of this NumPy masked array would be lost; "
               "write a.filled(value) to replace masked elements, or pass a.data, and "
               "mask=~np.ma.getmaskarray(a) to a function that accepts a mask");
}

bool is_numpy_scalar(PyObject* o) {
  return numpy_loaded() && PyType_IsSubtype(Py_TYPE(o), generic_type);
}

Tensor from_ndarray(PyObject* o, Copying copying) {
  refuse_masked_array(o);
  const auto array = py::reinterpret_borrow<py::array>(o);
  const DType dtype = array_dtype(array);
  if (const char* reason = obstacle(array, dtype)) {
    if (copying == Copying::never) {
      raise_python(PyExc_ValueError,
                   std::string("the memory of this NumPy array cannot be shared: ") + reason +
                       "; pass array.copy()");
    }
    const py::object native = array.attr("astype")(borrow(descriptor(dtype)), "C");
    return from_ndarray(native.ptr(), Copying::never);
  }
  return borrow_memory(const_cast<void*>(array.data()), shape_of(array), strides_of(array), dtype,
                       borrow(o), !array.writeable());
}

Tensor from_numpy_scalar(PyObject* o) {
  const auto array = py::array::ensure(borrow(o));
  if (!array) throw py::error_already_set();
  return from_ndarray(array.ptr(), Copying::if_needed);
}

PyObject* to_ndarray(const Tensor& x) {
  check_numpy();
  PyObject* descr = descriptor(x.dtype());
  if (descr == nullptr) {
    raise_python(PyExc_TypeError,
                 "Got unsupported ScalarType BFloat16: NumPy has no such dtype; convert with "
                 ".float() first");
  }
  if (!is_on_host(x)) {
    raise_python(PyExc_TypeError, "can't convert " + x.device().str() +
                                      " device type tensor to numpy. Use Tensor.cpu() to copy the "
                                      "tensor to host memory first.");
  }
  const Api& api = Api::get();
  void* data = exported_data(x);
  const Layout& layout = layout_of(x);
  const size_t rank = layout.sizes.size();
  const auto width = static_cast<int64_t>(x.itemsize());
  py::ssize_t dims[64], steps[64];
  if (rank > 32) raise_python(PyExc_ValueError, "NumPy arrays have at most 32 dimensions");
  for (size_t d = 0; d < rank; ++d) {
    dims[d] = layout.sizes[d];
    steps[d] = layout.strides[d] * width;
  }
  Py_INCREF(descr);  // PyArray_NewFromDescr takes it
  const int flags = is_read_only(x) ? 0 : Api::NPY_ARRAY_WRITEABLE_;
  py::object array = steal(api.PyArray_NewFromDescr_(
      api.PyArray_Type_, descr, static_cast<int>(rank), dims, steps, data, flags, nullptr));
  py::detail::array_proxy(array.ptr())->base = hold_memory(x);
  return array.release().ptr();
}

bool dtype_from_numpy(PyObject* o, DType& dtype) {
  if (!numpy_loaded()) return false;
  const bool scalar_class =
      PyType_Check(o) && PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(o), generic_type);
  if (!scalar_class && !py::isinstance<py::dtype>(o)) return false;
  const py::dtype descr =
      scalar_class ? py::dtype::from_args(borrow(o)) : py::reinterpret_borrow<py::dtype>(o);
  return dtype_of_descriptor(descr, dtype);
}

PyObject* dtype_to_numpy(DType dtype) {
  check_numpy();
  PyObject* descr = descriptor(dtype);
  if (descr == nullptr) raise_python(PyExc_TypeError, "NumPy has no dtype bfloat16");
  Py_INCREF(descr);
  return descr;
}

}  // namespace tamis::python
