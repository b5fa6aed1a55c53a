// Methods and properties of Tensor that are not ops: what it is, its values as Python objects, and
// the protocols by which other libraries see its memory.
#include "convert.h"
#include "core/check.h"
#include "expr/expr.h"
#include "ops/forms/forms.h"
#include "ops/pointwise/pointwise.h"
#include "slots.h"
#include "tamis/complex.h"
#include "tamis/view.h"

namespace tamis::python {

namespace {

// ---- what it is ---------------------------------------------------------------------------------

PyObject* get_shape(PyObject* self, void*) {
  return guard([&] { return shape_tuple(tensor_of(self).shape()); });
}
PyObject* get_dtype(PyObject* self, void*) {
  PyObject* o = dtype_object(tensor_of(self).dtype());
  Py_INCREF(o);
  return o;
}
PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromLongLong(tensor_of(self).dim()); }
/// A number that can be called: the standard's attribute and PyTorch's method.
PyObject* get_size(PyObject* self, void*) {
  return guard([&] {
    // Not in the initialiser: importing lets other threads run, and they would wait for it forever.
    static PyObject* type = nullptr;
    if (type == nullptr) {
      type = py::object(py::module_::import("tamis._size").attr("Size")).release().ptr();
    }
    const Tensor& x = tensor_of(self);
    py::object size = borrow(type)(x.numel());
    size.attr("_shape") = steal(shape_tuple(x.shape()));
    return size.release().ptr();
  });
}
PyObject* get_itemsize(PyObject* self, void*) {
  return PyLong_FromSize_t(tensor_of(self).itemsize());
}
PyObject* get_nbytes(PyObject* self, void*) {
  const Tensor& x = tensor_of(self);
  return PyLong_FromLongLong(x.numel() * static_cast<int64_t>(x.itemsize()));
}
PyObject* get_device(PyObject* self, void*) {
  return guard([&] { return py::cast(tensor_of(self).device()).release().ptr(); });
}
PyObject* get_false(PyObject*, void*) { Py_RETURN_FALSE; }
PyObject* get_priority(PyObject*, void*) { return PyLong_FromLong(1000); }
PyObject* get_transposed(PyObject* self, void*) {
  return guard([&] {
    const Tensor& x = tensor_of(self);
    Shape order;
    for (int64_t d = x.dim(); d-- > 0;) order.push_back(d);
    return wrap(x.permute(order));
  });
}
PyObject* get_matrix_transposed(PyObject* self, void*) {
  return guard([&] { return wrap(tensor_of(self).transpose(-2, -1)); });
}
PyObject* get_adjoint(PyObject* self, void*) {
  return guard([&] {
    const Tensor x = tensor_of(self);
    check(x.dim() != 1, ErrorKind::shape,
          "tensor.mH is only supported on matrices or batches of matrices. Got 1-D tensor.");
    return wrap(without_gil([&] { return adjoint(x); }));
  });
}
PyObject* get_matrix_adjoint(PyObject* self, void*) {
  return guard([&] {
    const Tensor x = tensor_of(self);
    check(x.dim() == 0 || x.dim() == 2, ErrorKind::shape,
          "tensor.H is only supported on matrices (2-D tensors). Got {}-D tensor.{}", x.dim(),
          x.dim() > 2 ? " For batches of matrices, consider using tensor.mH" : "");
    return wrap(without_gil([&] { return adjoint(x); }));
  });
}
PyObject* get_data(PyObject* self, void*) {
  return guard([&] { return wrap(tensor_of(self).detach()); });
}
/// x takes over the memory of another tensor. What gradients know of x stays right only if shape
/// and dtype do.
int set_data(PyObject* self, PyObject* value, void*) {
  return guard_int([&] {
    if (value == nullptr || Py_TYPE(value) != tensor_type) {
      raise_python(PyExc_TypeError, "x.data = y: y must be a tensor");
    }
    Tensor x = tensor_of(self);
    const Tensor y = tensor_of(value).detach();
    check(!x.requires_grad() || (x.shape() == y.shape() && x.dtype() == y.dtype()),
          ErrorKind::value,
          "x.data = y: x requires a gradient, so y must have its shape and dtype, {} and {}, but "
          "has {} and {}; make a new tensor with y.clone().requires_grad_()",
          x.shape(), scalar_type_name(x.dtype()), y.shape(), scalar_type_name(y.dtype()));
    check(x.is_leaf() && !x.impl().base, ErrorKind::unsupported,
          "x.data = y: x is a view or the result of an operation that gradients flow through");
    rebind(x, y);
    x.impl().dtype = y.dtype();
    return 0;
  });
}
PyObject* get_real(PyObject* self, void*) {
  return guard([&] {
    const Tensor x = tensor_of(self);
    return wrap(without_gil([&] { return real(x); }));
  });
}
/// PyTorch's error for the imag of real numbers, which hasattr takes as false: libraries check it.
PyObject* imag_error() {
  static PyObject* const type = checked(PyErr_NewException(
      "tamis.ImagError",
      py::make_tuple(py::handle(PyExc_RuntimeError), py::handle(PyExc_AttributeError)).ptr(),
      nullptr));
  return type;
}
PyObject* get_imag(PyObject* self, void*) {
  return guard([&] {
    const Tensor x = tensor_of(self);
    if (!is_complex(x.dtype())) {
      raise_python(imag_error(), "imag is not implemented for tensors with non-complex dtypes.");
    }
    return wrap(without_gil([&] { return imag(x); }));
  });
}
PyObject* get_array_interface(PyObject* self, void*) {
  return guard([&] {
    const Tensor x = tensor_of(self);
    check_address(x, PyExc_AttributeError);
    if (x.dtype() == DType::bfloat16) {
      raise_python(PyExc_AttributeError, "NumPy has no dtype bfloat16");
    }
    Shape strides = x.strides();
    for (int64_t& s : strides) s *= static_cast<int64_t>(x.itemsize());
    const char* order = x.itemsize() == 1 ? "|" : "<";
    const auto address = reinterpret_cast<uintptr_t>(exported_data(x));
    py::dict interface;
    interface["version"] = 3;
    interface["shape"] = steal(shape_tuple(x.shape()));
    interface["strides"] = steal(shape_tuple(strides));
    interface["typestr"] =
        order + std::string(1, numpy_kind(x.dtype())) + std::to_string(x.itemsize());
    interface["data"] = py::make_tuple(address, is_read_only(x));
    return interface.release().ptr();
  });
}

PyObject* is_deferred(PyObject* self, PyObject*) {
  return PyBool_FromLong(tensor_of(self).is_deferred());
}
PyObject* is_contiguous(PyObject* self, PyObject*) {
  return PyBool_FromLong(tensor_of(self).is_contiguous());
}
PyObject* is_float(PyObject* self, PyObject*) {
  return PyBool_FromLong(is_floating_point(tensor_of(self).dtype()));
}
PyObject* dim(PyObject* self, PyObject*) { return get_ndim(self, nullptr); }
PyObject* numel(PyObject* self, PyObject*) { return PyLong_FromLongLong(tensor_of(self).numel()); }
PyObject* element_size(PyObject* self, PyObject*) { return get_itemsize(self, nullptr); }
PyObject* storage_offset(PyObject* self, PyObject*) {
  return PyLong_FromLongLong(tensor_of(self).storage_offset());
}
PyObject* data_ptr(PyObject* self, PyObject*) {
  return guard([&] { return PyLong_FromVoidPtr(exported_data(tensor_of(self))); });
}

PyObject* stride(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dim", nullptr};
  PyObject* which = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", const_cast<char**>(names), &which))
    return nullptr;
  return guard([&] {
    const Tensor x = tensor_of(self);
    const Shape& entries = x.strides();
    if (which == Py_None) return shape_tuple(entries);
    const Py_ssize_t d = PyNumber_AsSsize_t(which, PyExc_IndexError);
    if (d == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    x.size(d);  // checks the range
    return PyLong_FromLongLong(entries[static_cast<size_t>(d < 0 ? d + x.dim() : d)]);
  });
}

// ---- values -------------------------------------------------------------------------------------

PyObject* settle_method(PyObject* self, PyObject*) {
  return guard([&] {
    const Tensor x = tensor_of(self);
    without_gil([&] { x.settle(); });
    Py_INCREF(self);
    return self;
  });
}

PyObject* to_number(const char* data, DType dtype) {
  return visit_dtype(dtype, [&](auto type) -> PyObject* {
    using T = decltype(type);
    if constexpr (std::is_same_v<T, bool>) {
      return PyBool_FromLong(*data != 0);
    } else if constexpr (std::is_same_v<T, uint64_t>) {
      return PyLong_FromUnsignedLongLong(*reinterpret_cast<const T*>(data));
    } else if constexpr (std::is_integral_v<T>) {
      return PyLong_FromLongLong(*reinterpret_cast<const T*>(data));
    } else if constexpr (std::is_same_v<T, double>) {
      return PyFloat_FromDouble(*reinterpret_cast<const double*>(data));
    } else if constexpr (is_complex(dtype_of<T>)) {
      const T z = *reinterpret_cast<const T*>(data);
      return PyComplex_FromDoubles(z.real(), z.imag());
    } else {
      return PyFloat_FromDouble(static_cast<float>(*reinterpret_cast<const T*>(data)));
    }
  });
}

PyObject* nested_list(const Tensor& x, const char* data, size_t level) {
  if (level == x.shape().size()) return checked(to_number(data, x.dtype()));
  const int64_t n = x.shape()[level];
  const int64_t step = x.strides()[level] * static_cast<int64_t>(x.itemsize());
  py::object list = steal(PyList_New(n));
  for (int64_t i = 0; i < n; ++i) {
    PyList_SET_ITEM(list.ptr(), i, nested_list(x, data + i * step, level + 1));
  }
  return list.release().ptr();
}

/// x with its values where they can be read. Takes a handle of its own (cycles.h).
Tensor readable(Tensor x) {
  return without_gil([&] { return to_host(x).settle(); });
}
const char* data_of(const Tensor& x) { return static_cast<const char*>(x.data_ptr()); }

PyObject* tolist(PyObject* self, PyObject*) {
  return guard([&] {
    const Tensor x = readable(tensor_of(self));
    return nested_list(x, data_of(x), 0);
  });
}

PyObject* item(PyObject* self, PyObject*) {
  return guard([&] {
    const Tensor own = tensor_of(self);
    if (own.numel() != 1) own.item();  // throws
    const Tensor x = readable(own);
    return to_number(data_of(x), x.dtype());
  });
}

PyObject* format(PyObject* self, PyObject* spec) {
  return guard([&] {
    const Tensor x = tensor_of(self);
    if (x.dim() == 0) return checked(PyObject_Format(steal(item(self, nullptr)).ptr(), spec));
    if (PyUnicode_GetLength(spec) == 0) return checked(PyObject_Str(self));
    raise_python(PyExc_TypeError, "unsupported format string passed to Tensor.__format__");
  });
}

// ---- other libraries ----------------------------------------------------------------------------

PyObject* numpy(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  const Py_ssize_t keywords = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  if (count > 0 || keywords > 1) {
    PyErr_SetString(PyExc_TypeError, "numpy() takes no arguments but force=");
    return nullptr;
  }
  int force = 0;
  if (keywords == 1) {
    PyObject* const name = PyTuple_GET_ITEM(names, 0);
    if (PyUnicode_CompareWithASCIIString(name, "force") != 0) {
      PyErr_Format(PyExc_TypeError, "numpy() got an unexpected keyword argument '%U'", name);
      return nullptr;
    }
    force = PyObject_IsTrue(args[0]);
    if (force < 0) return nullptr;
  }
  return guard([&] {
    const Ref<Storage>& storage = storage_of(tensor_of(self));
    if (force == 0 && storage->ready() && !storage->has_readers()) {  // needs no handle of its own
      return to_ndarray(tensor_of(self));
    }
    const Tensor x = tensor_of(self);
    return to_ndarray(force ? without_gil([&] { return to_host(x); }) : x);
  });
}

PyObject* torch(PyObject* self, PyObject*) {
  return guard([&] { return to_torch(tensor_of(self)); });
}

PyObject* array(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dtype", "copy", nullptr};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO", const_cast<char**>(names), &dtype, &copy)) {
    return nullptr;
  }
  return guard([&] {
    const py::object shared = steal(to_ndarray(tensor_of(self)));
    py::object result = shared;
    if (dtype != Py_None) result = shared.attr("astype")(borrow(dtype), py::arg("copy") = false);
    if (copy == Py_True && result.is(shared)) result = shared.attr("copy")();
    if (copy == Py_False && !result.is(shared)) {
      raise_python(PyExc_ValueError, "converting the dtype needs a copy, but copy=False was given");
    }
    return result.release().ptr();
  });
}

/// By the array API standard; there are no streams.
PyObject* move_to_device(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"", "stream", nullptr};
  PyObject* device = nullptr;
  PyObject* stream = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O", const_cast<char**>(names), &device,
                                   &stream)) {
    return nullptr;
  }
  if (stream != Py_None) {
    return PyErr_Format(PyExc_ValueError, "to_device(): there are no streams; pass stream=None");
  }
  return guard([&] {
    const Tensor x = tensor_of(self);
    Tensor there;
    try {
      const Device to = to_device(borrow(device));
      there = without_gil([&] { return x.to(to); });
    } catch (const Error& e) {
      raise_python(PyExc_ValueError, e.what());  // as in the standard
    }
    return there.shares_storage(x) ? borrow(self).release().ptr() : wrap(there);
  });
}

PyObject* cpu(PyObject* self, PyObject*) {
  return guard([&] {
    const Tensor x = tensor_of(self);
    if (is_on_host(x)) return borrow(self).release().ptr();
    return wrap(without_gil([&] { return x.cpu(); }));
  });
}

PyObject* array_namespace(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"api_version", nullptr};
  PyObject* version = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$O", const_cast<char**>(names), &version))
    return nullptr;
  return guard([&] {
    const py::module_ api = py::module_::import("tamis.array_api");
    return api.attr("_for_version")(borrow(version)).release().ptr();
  });
}

PyObject* as_complex(PyObject* self, PyObject*) {
  return guard([&] {
    const Tensor x = tensor_of(self);
    const std::complex<double> z = without_gil([&] { return x.item().to_complex(); });
    return PyComplex_FromDoubles(z.real(), z.imag());
  });
}

// ---- tables -------------------------------------------------------------------------------------

PyCFunction with_keywords(PyCFunctionWithKeywords f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f));
}

PyMethodDef methods[] = {
    {"settle", settle_method, METH_NOARGS,
     "Computes the values now if they are deferred; returns the tensor."},
    {"is_deferred", is_deferred, METH_NOARGS, "Whether the values are not computed yet."},
    {"is_contiguous", is_contiguous, METH_NOARGS,
     "Whether the elements lie in row-major order without gaps."},
    {"is_floating_point", is_float, METH_NOARGS, "Whether the dtype is a floating point one."},
    {"dim", dim, METH_NOARGS, "The number of dimensions."},
    {"ndimension", dim, METH_NOARGS, "The number of dimensions."},
    {"numel", numel, METH_NOARGS, "The number of elements."},
    {"nelement", numel, METH_NOARGS, "The number of elements."},
    {"element_size", element_size, METH_NOARGS, "Bytes per element."},
    {"storage_offset", storage_offset, METH_NOARGS,
     "The offset of the first element in the storage."},
    {"data_ptr", data_ptr, METH_NOARGS, "The address of the first element."},
    {"stride", with_keywords(stride), METH_VARARGS | METH_KEYWORDS,
     "stride(dim=None): the strides, or one of them, in elements."},
    {"tolist", tolist, METH_NOARGS, "The values as nested lists; of a 0-d tensor, a number."},
    {"item", item, METH_NOARGS, "The only element, as a Python number."},
    {"numpy", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(numpy)),
     METH_FASTCALL | METH_KEYWORDS,
     "A NumPy array over the same memory; with force=True over a copy if it is not on the CPU."},
    {"torch", torch, METH_NOARGS, "A torch tensor over the same memory."},
    {"to", with_keywords(convert_to), METH_VARARGS | METH_KEYWORDS,
     "to(dtype), to(device, dtype) or to(other): the tensor in that dtype and on that device, or "
     "those of other; itself if it has them."},
    {"astype", with_keywords(convert_astype), METH_VARARGS | METH_KEYWORDS,
     "astype(dtype, copy=True), as NumPy has it: a copy in that dtype; with copy=False the tensor "
     "itself if it has it."},
    {"copy", copy_values, METH_NOARGS, "A copy, as NumPy has it: clone()."},
    {"cpu", cpu, METH_NOARGS, "A copy on the CPU; the tensor itself if it is there."},
    {"to_device", with_keywords(move_to_device), METH_VARARGS | METH_KEYWORDS,
     "A copy on that device; the tensor itself if it is there."},
    {"__array__", with_keywords(array), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__arrow_c_array__", with_keywords(arrow_c_array), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack__", with_keywords(export_dlpack), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack_device__", dlpack_device, METH_NOARGS, nullptr},
    {"__array_namespace__", with_keywords(array_namespace), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__complex__", as_complex, METH_NOARGS, nullptr},
    {"__copy__", copy_tensor, METH_NOARGS, nullptr},
    {"__deepcopy__", deepcopy_tensor, METH_O, nullptr},
    {"__reduce_ex__", reduce_tensor, METH_O, nullptr},
    {"__format__", format, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"shape", get_shape, nullptr, "The sizes of the dimensions, a tuple.", nullptr},
    {"dtype", get_dtype, nullptr, "The type of the elements.", nullptr},
    {"ndim", get_ndim, nullptr, "The number of dimensions.", nullptr},
    {"size", get_size, nullptr,
     "The number of elements; size(dim=None), as in PyTorch, is the shape or one size of it.",
     nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes per element.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"device", get_device, nullptr, "Where the elements are: device(type='cpu').", nullptr},
    {"requires_grad", get_false, nullptr, "Always False.", nullptr},
    {"is_cuda", get_false, nullptr, "Always False.", nullptr},
    {"T", get_transposed, nullptr, "A view with the dimensions in reverse order.", nullptr},
    {"mT", get_matrix_transposed, nullptr, "A view with the last two dimensions swapped.", nullptr},
    {"H", get_matrix_adjoint, nullptr, "The conjugate of the transposed matrix.", nullptr},
    {"mH", get_adjoint, nullptr, "The conjugate of the transposed matrices.", nullptr},
    {"data", get_data, set_data,
     "The same memory in a tensor that no gradient flows through; x.data = y makes x take over the "
     "memory of y.",
     nullptr},
    {"real", get_real, nullptr, "The real parts, as a view.", nullptr},
    {"imag", get_imag, nullptr, "The imaginary parts, as a view.", nullptr},
    {"__array_interface__", get_array_interface, nullptr, nullptr, nullptr},
    {"__array_priority__", get_priority, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

void add_method_slots(std::vector<PyType_Slot>& slots) {
  slots.push_back({Py_tp_methods, methods});
  slots.push_back({Py_tp_getset, properties});
}

}  // namespace tamis::python
