// Functions: the type of the callables, and what a callable knows about itself.
#include "functions.h"

// After Python.h, which pybind11 must include first.
#include <structmember.h>

#include <algorithm>

namespace tamis::python {

namespace {

struct PyFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  const Function* function;
  PyObject* weakrefs;
};

PyTypeObject* function_type = nullptr;

const Function& function_of(PyObject* o) { return *reinterpret_cast<PyFunction*>(o)->function; }

// ---- the type -----------------------------------------------------------------------------------

PyObject* vectorcall(PyObject* self, PyObject* const* args, size_t nargs, PyObject* names) {
  return guard([&] {
    return call_function(function_of(self), args, static_cast<size_t>(PyVectorcall_NARGS(nargs)),
                         names);
  });
}

PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
  if (object == nullptr || object == Py_None) {
    Py_INCREF(self);
    return self;
  }
  return PyMethod_New(self, object);
}

PyObject* repr(PyObject* self) {
  const Function& f = function_of(self);
  return PyUnicode_FromFormat("<function %s.%s%s>", f.module.c_str(), f.is_method ? "Tensor." : "",
                              f.name.c_str());
}

PyObject* text(const std::string& s) { return PyUnicode_FromStringAndSize(s.data(), s.size()); }
PyObject* get_name(PyObject* self, void*) { return text(function_of(self).name); }
PyObject* get_module(PyObject* self, void*) { return text(function_of(self).module); }
PyObject* get_doc(PyObject* self, void*) { return text(function_of(self).doc); }
PyObject* get_text_signature(PyObject* self, void*) {
  return text(function_of(self).text_signature);
}
PyObject* get_row(PyObject* self, void*) {
  std::string rows;
  for (const Overload& o : function_of(self).overloads) {
    rows += (rows.empty() ? "" : "\n") + o.signature.text;
  }
  return text(rows);
}
PyObject* get_signatures(PyObject* self, void*) {
  return guard([&] { return signatures_of(function_of(self)).release().ptr(); });
}
PyObject* get_qualname(PyObject* self, void*) {
  const Function& f = function_of(self);
  return text((f.is_method ? "Tensor." : "") + f.name);
}

/// By name, for pickle: functions are found in their module again.
PyObject* reduce(PyObject* self, PyObject*) { return get_qualname(self, nullptr); }

void dealloc(PyObject* self) {
  auto* f = reinterpret_cast<PyFunction*>(self);
  if (f->weakrefs != nullptr) PyObject_ClearWeakRefs(self);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PyFunction, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyFunction, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyGetSetDef getset[] = {
    {"__name__", get_name, nullptr, nullptr, nullptr},
    {"__qualname__", get_qualname, nullptr, nullptr, nullptr},
    {"__module__", get_module, nullptr, nullptr, nullptr},
    {"__doc__", get_doc, nullptr, nullptr, nullptr},
    {"__row__", get_row, nullptr, "The signatures with types, one per line.", nullptr},
    {"__signatures__", get_signatures, nullptr, "The same as dictionaries.", nullptr},
    {"__text_signature__", get_text_signature, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

}  // namespace

void add_function_type(py::module_& m) {
  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                         {Py_tp_repr, reinterpret_cast<void*>(repr)},
                         {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                         {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
                         {Py_tp_members, members},
                         {Py_tp_getset, getset},
                         {Py_tp_methods, methods},
                         {0, nullptr}};
  PyType_Spec spec = {
      "tamis._tamis.Function", sizeof(PyFunction), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, slots};
  function_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
  function_type->tp_new = nullptr;
  m.attr("_Function") = borrow(reinterpret_cast<PyObject*>(function_type));
}

PyObject* make_function(const Function* f) {
  auto* self = reinterpret_cast<PyFunction*>(checked(function_type->tp_alloc(function_type, 0)));
  self->vectorcall = vectorcall;
  self->function = f;
  return reinterpret_cast<PyObject*>(self);
}

}  // namespace tamis::python
