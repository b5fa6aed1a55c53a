// torch: its tensors in and out by address, without copying. torch is not imported here: unless the
// program has done so, no object can be one of its tensors.
#include "convert.h"

namespace tamis::python {

namespace {

/// What is needed of the torch module, looked up once.
struct Torch {
  PyObject* tensor_class;
  PyObject* from_dlpack;
  PyObject* is_grad_enabled;
  PyObject* dtypes[kDTypeCount];
  // Names of attributes and methods.
  PyObject *requires_grad, *is_cpu, *device, *dtype, *is_neg, *resolve_neg, *is_conj, *resolve_conj,
      *data_ptr, *shape, *stride, *view;
};

PyObject* leak(py::object o) { return o.release().ptr(); }

void intern_names(Torch& t) {
  const auto intern = [](const char* text) { return checked(PyUnicode_InternFromString(text)); };
  t.requires_grad = intern("requires_grad");
  t.is_cpu = intern("is_cpu");
  t.device = intern("device");
  t.dtype = intern("dtype");
  t.is_neg = intern("is_neg");
  t.resolve_neg = intern("resolve_neg");
  t.is_conj = intern("is_conj");
  t.resolve_conj = intern("resolve_conj");
  t.data_ptr = intern("data_ptr");
  t.shape = intern("shape");
  t.stride = intern("stride");
  t.view = intern("view");
}

const Torch* find_torch() {
  PyObject* module = PyDict_GetItemString(PyImport_GetModuleDict(), "torch");
  // While torch itself is being imported it is not complete.
  if (module == nullptr || !PyObject_HasAttrString(module, "from_dlpack")) return nullptr;
  const py::object torch = borrow(module);
  auto* found = new Torch;
  found->tensor_class = leak(torch.attr("Tensor"));
  // What torch.utils.dlpack.from_dlpack comes down to for a capsule.
  found->from_dlpack = leak(torch.attr("_C").attr("_from_dlpack"));
  found->is_grad_enabled = leak(torch.attr("is_grad_enabled"));
  for (int i = 0; i < kDTypeCount; ++i) {
    // Not every torch has every dtype.
    const char* const own = name(static_cast<DType>(i));
    found->dtypes[i] = py::hasattr(torch, own) ? leak(torch.attr(own)) : nullptr;
  }
  intern_names(*found);
  return found;
}

const Torch* loaded_torch() {
  static const Torch* torch = nullptr;  // guarded by the GIL
  if (torch == nullptr) torch = find_torch();
  return torch;
}

py::object get(PyObject* o, PyObject* name) { return steal(PyObject_GetAttr(o, name)); }
py::object call(PyObject* o, PyObject* name) { return steal(PyObject_CallMethodNoArgs(o, name)); }

Shape to_shape(const py::object& tuple) {
  Shape shape;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple.ptr()); ++i) {
    shape.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(tuple.ptr(), i)));
  }
  return shape;
}

void check_importable(const Torch& torch, PyObject* o) {
  // Under torch.no_grad() no gradient would flow in PyTorch either.
  if (get(o, torch.requires_grad).ptr() == Py_True &&
      steal(PyObject_CallNoArgs(torch.is_grad_enabled)).ptr() == Py_True) {
    raise_python(
        PyExc_RuntimeError,
        "this torch tensor requires grad, and gradients do not flow through tamis functions; "
        "use tamis.torch, torch.no_grad(), or pass tensor.detach()");
  }
  if (get(o, torch.is_cpu).ptr() != Py_True) {
    raise_python(PyExc_RuntimeError, "expected a torch tensor on the CPU, but got one on " +
                                         py::str(get(o, torch.device)).cast<std::string>());
  }
}

}  // namespace

bool is_torch_tensor(PyObject* o) {
  const Torch* torch = loaded_torch();
  if (torch == nullptr) return false;
  return PyType_IsSubtype(Py_TYPE(o), reinterpret_cast<PyTypeObject*>(torch->tensor_class)) != 0;
}

Tensor from_torch(PyObject* o) {
  const Torch& torch = *loaded_torch();
  check_importable(torch, o);
  DType dtype;
  const py::object torch_dtype = get(o, torch.dtype);
  if (!dtype_from_torch(torch_dtype.ptr(), dtype)) {
    raise_python(PyExc_TypeError,
                 "tamis has no dtype like " + py::str(torch_dtype).cast<std::string>());
  }
  py::object owner = borrow(o);
  if (call(o, torch.is_neg).ptr() == Py_True) owner = call(o, torch.resolve_neg);
  if (call(owner.ptr(), torch.is_conj).ptr() == Py_True) {
    owner = call(owner.ptr(), torch.resolve_conj);
  }
  void* data = PyLong_AsVoidPtr(call(owner.ptr(), torch.data_ptr).ptr());
  const Shape shape = to_shape(get(owner.ptr(), torch.shape));
  const Shape strides = to_shape(call(owner.ptr(), torch.stride));
  return borrow_memory(data, shape, strides, dtype, std::move(owner), false);
}

PyObject* to_torch(const Tensor& x) {
  const Torch* torch = loaded_torch();
  if (torch == nullptr) {
    py::module_::import("torch");
    torch = loaded_torch();
  }
  // Not every torch takes bools through DLPack; it takes bytes, and views them as bools.
  const bool is_bool = x.dtype() == DType::boolean;
  const py::object capsule = steal(to_dlpack(x, false, is_bool));
  py::object result = steal(PyObject_CallOneArg(torch->from_dlpack, capsule.ptr()));
  if (is_bool) {
    result = steal(PyObject_CallMethodOneArg(result.ptr(), torch->view,
                                             torch->dtypes[static_cast<int>(DType::boolean)]));
  }
  return result.release().ptr();
}

bool dtype_from_torch(PyObject* o, DType& dtype) {
  const Torch* torch = loaded_torch();
  if (torch == nullptr) return false;
  for (int i = 0; i < kDTypeCount; ++i) {
    if (torch->dtypes[i] == o) {
      dtype = static_cast<DType>(i);
      return true;
    }
  }
  return false;
}

PyObject* dtype_to_torch(DType dtype) {
  py::module_::import("torch");
  PyObject* o = loaded_torch()->dtypes[static_cast<int>(dtype)];
  if (o == nullptr) {
    raise_python(PyExc_TypeError, std::string("this torch has no dtype ") + name(dtype));
  }
  Py_INCREF(o);
  return o;
}

}  // namespace tamis::python
