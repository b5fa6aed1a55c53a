// dtype objects: one per dtype, named as PyTorch's, and conversion from and to NumPy's and torch's.
#include <string_view>

#include "convert.h"

namespace tamis::python {

namespace {

struct PyDType {
  PyObject_HEAD DType dtype;
};

PyObject* objects[kDTypeCount];

DType value_of(PyObject* self) { return reinterpret_cast<PyDType*>(self)->dtype; }

/// PyTorch's other names for some dtypes.
struct Alias {
  const char* name;
  DType dtype;
};
constexpr Alias kAliases[] = {
    {"float", DType::float32},    {"double", DType::float64},     {"half", DType::float16},
    {"long", DType::int64},       {"int", DType::int32},          {"short", DType::int16},
    {"cfloat", DType::complex64}, {"cdouble", DType::complex128},
};

bool from_python_type(PyObject* o, DType& dtype) {
  if (o == reinterpret_cast<PyObject*>(&PyBool_Type)) {
    dtype = DType::boolean;
  } else if (o == reinterpret_cast<PyObject*>(&PyLong_Type)) {
    dtype = DType::int64;
  } else if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) {
    dtype = DType::float64;
  } else if (o == reinterpret_cast<PyObject*>(&PyComplex_Type)) {
    dtype = DType::complex128;
  } else {
    return false;
  }
  return true;
}

/// False, for a text that could not be read as the name of a dtype. Other errors, such as an
/// interrupt, propagate.
bool is_none_of_these() {
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw py::error_already_set();
  PyErr_Clear();
  return false;
}

/// A name of PyTorch's, such as "float64" or "torch.float64", or what NumPy understands ("f8").
bool from_text(PyObject* o, DType& dtype) {
  Py_ssize_t size = 0;
  const char* const utf8 = PyUnicode_AsUTF8AndSize(o, &size);
  if (utf8 == nullptr) return is_none_of_these();
  std::string_view text(utf8, static_cast<size_t>(size));
  for (const std::string_view prefix : {"torch.", "tamis."}) {
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  }
  for (int i = 0; i < kDTypeCount; ++i) {
    if (text == name(static_cast<DType>(i))) {
      dtype = static_cast<DType>(i);
      return true;
    }
  }
  PyObject* const numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
  if (numpy == nullptr) return false;
  const auto found = py::reinterpret_steal<py::object>(PyObject_CallMethod(numpy, "dtype", "O", o));
  return found ? dtype_from_numpy(found.ptr(), dtype) : is_none_of_these();
}

}  // namespace

PyObject* dtype_object(DType dtype) { return objects[static_cast<int>(dtype)]; }

bool dtype_from(PyObject* o, DType& dtype) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (objects[i] == o) {
      dtype = static_cast<DType>(i);
      return true;
    }
  }
  if (PyUnicode_Check(o)) return from_text(o, dtype);
  return from_python_type(o, dtype) || dtype_from_torch(o, dtype) || dtype_from_numpy(o, dtype);
}

namespace {

/// tamis.dtype(d): the object for the same dtype as d.
PyObject* convert(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dtype", nullptr};
  PyObject* o = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O", const_cast<char**>(names), &o))
    return nullptr;
  return guard([&] {
    DType dtype;
    if (!dtype_from(o, dtype)) {
      raise_python(PyExc_TypeError,
                   "not a dtype that tamis has: " + py::repr(o).cast<std::string>());
    }
    return borrow(dtype_object(dtype)).release().ptr();
  });
}

/// Equal to whatever names the same dtype. As of NumPy's dtypes, the hash is that of the object:
/// torch.float64, np.float64 and "float64" have hashes of their own, so no hash could fit them all.
PyObject* compare(PyObject* self, PyObject* other, int op) {
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  return guard([&]() -> PyObject* {
    DType dtype;
    if (!dtype_from(other, dtype)) Py_RETURN_NOTIMPLEMENTED;
    return PyBool_FromLong((dtype == value_of(self)) == (op == Py_EQ));
  });
}

PyObject* repr(PyObject* self) { return PyUnicode_FromFormat("tamis.%s", name(value_of(self))); }
/// By name, so that unpickled dtypes are the same objects.
PyObject* reduce(PyObject* self, PyObject*) { return PyUnicode_FromString(name(value_of(self))); }
PyObject* to_numpy(PyObject* self, PyObject*) {
  return guard([&] { return dtype_to_numpy(value_of(self)); });
}
PyObject* to_torch_dtype(PyObject* self, PyObject*) {
  return guard([&] { return dtype_to_torch(value_of(self)); });
}

PyObject* get_numpy(PyObject* self, void*) { return to_numpy(self, nullptr); }
PyObject* get_itemsize(PyObject* self, void*) {
  return PyLong_FromSize_t(itemsize(value_of(self)));
}
PyObject* get_kind(PyObject* self, void*) {
  const char kind = numpy_kind(value_of(self));
  return PyUnicode_FromStringAndSize(&kind, 1);
}
PyObject* get_floating(PyObject* self, void*) {
  return PyBool_FromLong(is_floating_point(value_of(self)));
}
PyObject* get_signed(PyObject* self, void*) { return PyBool_FromLong(is_signed(value_of(self))); }
PyObject* get_complex(PyObject* self, void*) { return PyBool_FromLong(is_complex(value_of(self))); }

PyMethodDef methods[] = {
    {"to_numpy", to_numpy, METH_NOARGS, "The NumPy dtype of the same name."},
    {"to_torch", to_torch_dtype, METH_NOARGS, "The torch dtype of the same name."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"itemsize", get_itemsize, nullptr, "Bytes per element.", nullptr},
    {"is_floating_point", get_floating, nullptr, "Whether it holds fractions.", nullptr},
    {"is_signed", get_signed, nullptr, "Whether it holds negative numbers.", nullptr},
    {"is_complex", get_complex, nullptr, "Whether it holds complex numbers.", nullptr},
    {"kind", get_kind, nullptr, "NumPy's letter for it: b, u, i, f or c.", nullptr},
    {"dtype", get_numpy, nullptr, "The NumPy dtype, under the name by which np.dtype() finds it.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

constexpr const char* kDoc =
    "The type of a tensor's elements; tamis.dtype(d) converts a NumPy or torch dtype d, or the "
    "name of one.";

}  // namespace

void add_dtypes(py::module_& m) {
  PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(convert)},
                         {Py_tp_repr, reinterpret_cast<void*>(repr)},
                         {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
                         {Py_tp_hash, reinterpret_cast<void*>(PyBaseObject_Type.tp_hash)},
                         {Py_tp_methods, methods},
                         {Py_tp_getset, properties},
                         {Py_tp_doc, const_cast<char*>(kDoc)},
                         {0, nullptr}};
  PyType_Spec spec = {"tamis.dtype", sizeof(PyDType), 0, Py_TPFLAGS_DEFAULT, slots};
  const py::object type = steal(PyType_FromSpec(&spec));
  m.attr("dtype") = type;
  auto* raw = reinterpret_cast<PyTypeObject*>(type.ptr());
  for (int i = 0; i < kDTypeCount; ++i) {
    objects[i] = checked(raw->tp_alloc(raw, 0));
    reinterpret_cast<PyDType*>(objects[i])->dtype = static_cast<DType>(i);
    m.attr(name(value_of(objects[i]))) = borrow(objects[i]);
  }
  for (const Alias& alias : kAliases) m.attr(alias.name) = borrow(dtype_object(alias.dtype));
}

}  // namespace tamis::python
