// Gradients in Python: properties and methods of Tensor, and what tamis.autograd is made of.
#include "autograd.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "autograd/node.h"
#include "convert.h"
#include "cycles.h"
#include "tamis/autograd.h"
#include "tamis/optim.h"

namespace tamis::python {

Tensor tensor_from(py::handle o) {
  if (!is_tensor(o.ptr())) {
    raise_python(PyExc_TypeError,
                 std::string("expected a tamis.Tensor, but got ") + Py_TYPE(o.ptr())->tp_name);
  }
  return tensor_of(o.ptr());
}
Tensor tensor_or_none(py::handle o) { return o.is_none() ? Tensor() : tensor_from(o); }

std::vector<Tensor> tensors_from(py::handle o) {
  if (o.is_none()) return {};
  if (is_tensor(o.ptr())) return {tensor_from(o)};
  std::vector<Tensor> tensors;
  for (py::handle item : o) tensors.push_back(tensor_or_none(item));
  return tensors;
}

py::object object_of(const Tensor& x) { return x.defined() ? steal(wrap(x)) : py::none(); }

py::list objects_of(std::span<const Tensor> tensors) {
  py::list list;
  for (const Tensor& x : tensors) list.append(object_of(x));
  return list;
}

namespace {

void run_backward(const py::object& tensors, const py::object& grads,
                  std::optional<bool> retain_graph, bool create_graph) {
  const std::vector<Tensor> roots = tensors_from(tensors), given = tensors_from(grads);
  without_gil([&] { backward(roots, given, retain_graph, create_graph); });
}

py::list run_grad(const py::object& outputs, const py::object& inputs, const py::object& grads,
                  std::optional<bool> retain_graph, bool create_graph, bool allow_unused) {
  const std::vector<Tensor> roots = tensors_from(outputs), wanted = tensors_from(inputs),
                            given = tensors_from(grads);
  const std::vector<Tensor> found = without_gil(
      [&] { return grad(roots, wanted, given, retain_graph, create_graph, allow_unused); });
  return objects_of(found);
}

int64_t register_hook(const py::object& self, py::object hook) {
  return tensor_from(self).register_hook(PythonHook{keep(std::move(hook))});
}

/// A tensor with result's values that is, to the graph, made from inputs; backward(grad, saved)
/// returns one gradient or None for each of them.
py::object attach(const py::object& result, const std::string& name, const py::object& inputs,
                  const py::object& saved, py::object backward) {
  const Tensor from = tensor_from(result), y = from.detach();
  std::vector<Tensor> kept_tensors = tensors_from(saved);
  for (Tensor& x : kept_tensors) {
    if (x.defined() && &x.impl() == &from.impl()) x = y;
  }
  record(y, name.c_str(), Flow::mixes, tensors_from(inputs), std::move(kept_tensors),
         PythonVjp{keep(std::move(backward))});
  return object_of(y);
}

using Check = bool (*)(const std::function<Tensor(const std::vector<Tensor>&)>&,
                       const std::vector<Tensor>&, double, double, double);

bool run_check(Check check, const py::object& f, const py::object& inputs, double eps, double atol,
               double rtol) {
  const auto call = [&](const std::vector<Tensor>& x) {
    return tensor_from(f(*py::tuple(objects_of(x))));
  };
  return check(call, tensors_from(inputs), eps, atol, rtol);
}

template <class F, class... Extra>
void add_method(py::object& type, const char* name, F f, const Extra&... extra) {
  type.attr(name) = py::cpp_function(f, py::name(name), py::is_method(type), extra...);
}

void add_methods(py::object& type) {
  add_method(
      type, "requires_grad_",
      [](const py::object& self, bool requires_grad) {
        tensor_of(self.ptr()).requires_grad_(requires_grad);
        return self;
      },
      py::arg("requires_grad") = true, "Makes this tensor a leaf that collects its gradient.");
  add_method(
      type, "backward",
      [](const py::object& self, const py::object& gradient, std::optional<bool> retain_graph,
         bool create_graph) {
        run_backward(self, py::make_tuple(gradient), retain_graph, create_graph);
      },
      py::arg("gradient") = py::none(), py::arg("retain_graph") = py::none(),
      py::arg("create_graph") = false,
      "Adds the gradients of this tensor to .grad of the leaves that it was computed from.");
  add_method(
      type, "retain_grad", [](const py::object& self) { tensor_from(self).retain_grad(); },
      "Makes a tensor that is no leaf collect its gradient too.");
  add_method(type, "_register_hook", register_hook);
  add_method(type, "_remove_hook",
             [](const py::object& self, int64_t id) { tensor_from(self).remove_hook(id); });
}

PyObject* get_requires_grad(PyObject* self, void*) {
  return PyBool_FromLong(tensor_of(self).requires_grad());
}
int set_requires_grad(PyObject* self, PyObject* value, void*) {
  return guard_int([&] {
    tensor_of(self).requires_grad_(value && PyObject_IsTrue(value) == 1);
    return 0;
  });
}
PyObject* get_is_leaf(PyObject* self, void*) { return PyBool_FromLong(tensor_of(self).is_leaf()); }
PyObject* get_grad(PyObject* self, void*) {
  return guard([&] { return object_of(tensor_of(self).grad()).release().ptr(); });
}
int set_grad(PyObject* self, PyObject* value, void*) {
  return guard_int([&] {
    tensor_of(self).set_grad(value ? tensor_or_none(value) : Tensor());
    return 0;
  });
}
PyObject* get_grad_fn(PyObject* self, void*) {
  const Node* const node = node_of(tensor_of(self));
  if (!node || node->is_leaf()) Py_RETURN_NONE;
  return PyUnicode_FromString(node->op.c_str());
}

PyGetSetDef properties[] = {
    {"requires_grad", get_requires_grad, set_requires_grad, "Whether a gradient flows here.",
     nullptr},
    {"is_leaf", get_is_leaf, nullptr, "Whether it is not the result of a recorded operation.",
     nullptr},
    {"grad", get_grad, set_grad, "The gradient collected so far, or None.", nullptr},
    {"grad_fn", get_grad_fn, nullptr, "The name of the operation that made it; None for a leaf.",
     nullptr},
};

void add_optimizers(py::module_& m) {
  py::class_<Optimizer>(m, "_Optimizer")
      .def("step", [](Optimizer& o) { without_gil([&] { o.step(); }); })
      .def("zero_grad", &Optimizer::zero_grad);
  py::class_<SGD, Optimizer>(m, "_SGD").def(
      py::init([](const py::object& parameters, double lr, double momentum, double dampening,
                  double weight_decay, bool nesterov) {
        return new SGD(tensors_from(parameters), {lr, momentum, dampening, weight_decay, nesterov});
      }));
  py::class_<Adam, Optimizer>(m, "_Adam")
      .def(py::init([](const py::object& parameters, double lr, std::pair<double, double> betas,
                       double eps, double weight_decay, bool decoupled) {
        return new Adam(tensors_from(parameters), {lr, betas, eps, weight_decay, decoupled});
      }));
}

}  // namespace

void add_autograd(py::module_& m) {
  py::object type = borrow(reinterpret_cast<PyObject*>(tensor_type));
  add_methods(type);
  for (PyGetSetDef& property : properties) {
    type.attr(property.name) = steal(PyDescr_NewGetSet(tensor_type, &property));
  }
  PyType_Modified(tensor_type);
  m.def("is_grad_enabled", is_grad_enabled, "Whether operations of this thread are recorded.");
  m.def("_set_grad_enabled", set_grad_enabled);
  m.def("_backward", run_backward);
  m.def("_grad", run_grad);
  m.def("_attach", attach);
  m.def("_gradcheck", [](const py::object& f, const py::object& inputs, double eps, double atol,
                         double rtol) { return run_check(gradcheck, f, inputs, eps, atol, rtol); });
  m.def("_gradgradcheck",
        [](const py::object& f, const py::object& inputs, double eps, double atol, double rtol) {
          return run_check(gradgradcheck, f, inputs, eps, atol, rtol);
        });
  add_optimizers(m);
}

}  // namespace tamis::python
