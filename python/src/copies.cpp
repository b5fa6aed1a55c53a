// Copies of a tensor: in another dtype, by the module copy, and by pickle.
#include "convert.h"
#include "expr/expr.h"
#include "ops/forms/forms.h"
#include "slots.h"
#include "tamis/create.h"

namespace tamis::python {

namespace {

// ---- to(...) ------------------------------------------------------------------------------------

/// What the arguments of x.to(...) ask for.
struct Target {
  std::optional<DType> dtype;
  std::optional<Device> device;
  bool copy = false;
  int bools = 0;

  /// One argument: a dtype, another tensor, a device; or bools, PyTorch's non_blocking and copy.
  void take(PyObject* o) {
    DType named;
    Device where;
    Origins origins;
    if (o == Py_None) return;
    if (PyBool_Check(o)) {
      if (++bools == 2) copy = o == Py_True;
    } else if (dtype_from(o, named)) {
      dtype = named;
    } else if (device_from(o, where)) {
      device = where;
    } else if (const auto other = array_to_tensor(o, origins, Copying::if_needed)) {
      dtype = other->dtype();
      device = other->device();
    } else {
      raise_python(
          PyExc_TypeError,
          std::string("to(): expected a dtype, a device or a Tensor, not ") + Py_TYPE(o)->tp_name);
    }
  }
};

/// The copy as a leaf that collects a gradient, if one flows to x.
Tensor as_leaf(Tensor copy, const Tensor& x) {
  if (x.requires_grad()) copy.requires_grad_();
  return copy;
}

}  // namespace

PyObject* convert_to(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guard([&] {
    Target target;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) target.take(PyTuple_GET_ITEM(args, i));
    PyObject *key, *value;
    for (Py_ssize_t i = 0; kwargs != nullptr && PyDict_Next(kwargs, &i, &key, &value);) {
      const auto name = py::str(borrow(key)).cast<std::string>();
      if (name == "dtype" || name == "device" || name == "other") {
        target.take(value);
      } else if (name == "copy") {
        target.copy = value == Py_True;
      } else if (name != "non_blocking") {
        raise_python(PyExc_TypeError, "to() got an unexpected keyword argument '" + name + "'");
      }
    }
    const Tensor x = tensor_of(self);
    const DType dtype = target.dtype.value_or(x.dtype());
    const Tensor there = target.device ? without_gil([&] { return x.to(*target.device); }) : x;
    const bool moved = !there.shares_storage(x);
    if (dtype != x.dtype()) return wrap(without_gil([&] { return there.to(dtype); }));
    if (target.copy && !moved) return wrap(without_gil([&] { return x.clone(); }));
    return moved ? wrap(there) : borrow(self).release().ptr();
  });
}

// ---- NumPy's names ------------------------------------------------------------------------------

PyObject* convert_astype(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dtype", "copy", nullptr};
  PyObject* to = nullptr;
  int copy = 1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$p", const_cast<char**>(names), &to, &copy))
    return nullptr;
  return guard([&] {
    DType dtype;
    if (!dtype_from(to, dtype)) {
      raise_python(PyExc_TypeError, "astype(): expected a dtype, not " + described(to));
    }
    const Tensor x = tensor_of(self);
    if (dtype == x.dtype() && copy == 0) return borrow(self).release().ptr();
    return wrap(without_gil([&] { return dtype == x.dtype() ? x.clone() : x.to(dtype); }));
  });
}

PyObject* copy_values(PyObject* self, PyObject*) {
  return guard([&] {
    const Tensor x = tensor_of(self);
    return wrap(without_gil([&] { return x.clone(); }));
  });
}

// ---- the module copy ----------------------------------------------------------------------------

PyObject* copy_tensor(PyObject* self, PyObject*) {
  return guard([&] {
    const Tensor x = tensor_of(self);
    return wrap(as_leaf(x.detach(), x));
  });
}

PyObject* deepcopy_tensor(PyObject* self, PyObject* memo) {
  return guard([&] {
    const py::object id = steal(PyLong_FromVoidPtr(self));
    if (PyDict_Check(memo)) {
      if (PyObject* known = PyDict_GetItemWithError(memo, id.ptr()))
        return borrow(known).release().ptr();
    }
    const Tensor x = tensor_of(self);
    if (!x.is_leaf()) {
      raise_python(
          PyExc_RuntimeError,
          "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
          "protocol at the moment; write x.detach() or x.clone()");
    }
    Tensor result = without_gil([&] { return as_leaf(x.detach().clone().settle(), x); });
    if (const Tensor grad = x.grad(); grad.defined()) result.set_grad(grad.detach().clone());
    py::object copied = steal(wrap(std::move(result)));
    if (PyDict_Check(memo)) PyDict_SetItem(memo, id.ptr(), copied.ptr());
    return copied.release().ptr();
  });
}

// ---- pickle -------------------------------------------------------------------------------------

/// The values as bytes, in row-major order; from protocol 5 on without a copy in between. A tensor
/// that is not on the CPU comes back where it was.
PyObject* reduce_tensor(PyObject* self, PyObject* protocol) {
  return guard([&] {
    const Tensor own = tensor_of(self);
    const Tensor x = without_gil([&] { return to_host(own.detach()).contiguous().settle(); });
    const int64_t size = x.numel() * static_cast<int64_t>(x.itemsize());
    void* data = const_cast<void*>(x.data_ptr());
    const Tensor raw = from_blob(data, {size}, DType::uint8, [x](void*) {});
    set_read_only(raw);
    const py::object bytes = steal(wrap(raw));
    const py::object view = steal(PyMemoryView_FromObject(bytes.ptr()));
    const bool out_of_band = PyLong_AsLong(protocol) >= 5;
    const py::object payload = out_of_band ? steal(PyPickleBuffer_FromObject(view.ptr()))
                                           : steal(PyBytes_FromObject(view.ptr()));
    const py::object rebuild = py::module_::import("tamis").attr("_rebuild");
    py::tuple args = py::make_tuple(payload, borrow(dtype_object(x.dtype())),
                                    steal(shape_tuple(x.shape())), own.requires_grad());
    if (!is_on_host(own)) args = args + py::make_tuple(own.device().str());
    return py::make_tuple(rebuild, args).release().ptr();
  });
}

}  // namespace tamis::python
