// The Tensor type: making and freeing its objects.
#include "convert.h"
#include "cycles.h"
#include "slots.h"
#include "tamis/create.h"

// After Python.h, which pybind11 must include first.
#include <structmember.h>

#include <new>
#include <utility>

namespace tamis::python {

PyTypeObject* tensor_type = nullptr;

namespace {

FreeObjects free_objects;

}  // namespace

PyObject* wrap(Tensor tensor) {
  PyObject* self = free_objects.take();
  if (self != nullptr) {
    PyObject_Init(self, tensor_type);
    reinterpret_cast<PyTensor*>(self)->weakrefs = nullptr;
    new (&tensor_of(self)) Tensor(std::move(tensor));
    PyObject_GC_Track(self);
    return self;
  }
  self = checked(tensor_type->tp_alloc(tensor_type, 0));
  new (&tensor_of(self)) Tensor(std::move(tensor));
  return self;
}

PyObject* shape_tuple(const Shape& shape) {
  PyObject* tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  for (size_t i = 0; i < shape.size(); ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), PyLong_FromLongLong(shape[i]));
  }
  return tuple;
}

namespace {

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return visit_functions(tensor_of(self), visit, arg);
}

/// Releases the graph. An empty tensor replaces it, for those who still see the object while the
/// others of its cycle are cleared.
int clear(PyObject* self) {
  static const auto* const nothing = new Tensor(empty({0}));
  const Tensor dead = std::exchange(tensor_of(self), *nothing);
  return 0;
}

void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  auto* object = reinterpret_cast<PyTensor*>(self);
  if (object->weakrefs != nullptr) PyObject_ClearWeakRefs(self);
  object->tensor.~Tensor();
  PyTypeObject* type = Py_TYPE(self);
  if (type != tensor_type || !free_objects.put(self)) type->tp_free(self);
  Py_DECREF(type);
}

PyObject* repr(PyObject* self) {
  return guard([&] {
    const Tensor x = tensor_of(self);
    const std::string text = without_gil([&] { return x.to_string(); });
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  });
}

/// By identity, since == compares elements.
Py_hash_t hash(PyObject* self) {
  const auto bits = reinterpret_cast<uintptr_t>(self) >> 4;
  return static_cast<Py_hash_t>(bits);
}

/// Whether a class or one of its bases comes from a package.
bool is_from(PyTypeObject* type, const char* package) {
  const std::string prefix = std::string(package) + ".";
  for (py::handle base : py::reinterpret_borrow<py::tuple>(type->tp_mro)) {
    const py::object module = py::getattr(base, "__module__", py::none());
    if (!py::isinstance<py::str>(module)) continue;
    if ((module.cast<std::string>() + ".").starts_with(prefix)) return true;
  }
  return false;
}

/// pandas knows only masks of its own and of NumPy, but what it is indexed with may be a function
/// of the frame, and so may what xarray's where is given: frame[mask] asks mask(frame), and gets
/// NumPy's. No one else may call a tensor.
PyObject* call(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guard([&]() -> PyObject* {
    if (PyTuple_GET_SIZE(args) == 1 && (kwargs == nullptr || PyDict_GET_SIZE(kwargs) == 0)) {
      PyTypeObject* caller = Py_TYPE(PyTuple_GET_ITEM(args, 0));
      if (is_from(caller, "pandas") || is_from(caller, "xarray")) {
        return PyObject_CallMethod(self, "numpy", nullptr);
      }
    }
    raise_python(PyExc_TypeError, "'tamis.Tensor' object is not callable");
  });
}

PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "Tensor() cannot be called: tamis.tensor(data) copies data, tamis.asarray(data) "
                  "shares its memory, tamis.empty(shape) allocates");
  return nullptr;
}

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyTensor, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

constexpr const char* kDoc =
    "An n-dimensional array of one dtype, with PyTorch's methods.\n\n"
    "Pointwise operations are deferred: the result is computed when its values are needed.";

}  // namespace

void add_tensor_type(py::module_& m) {
  std::vector<PyType_Slot> slots = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                                    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                                    {Py_tp_clear, reinterpret_cast<void*>(clear)},
                                    {Py_tp_new, reinterpret_cast<void*>(refuse_new)},
                                    {Py_tp_repr, reinterpret_cast<void*>(repr)},
                                    {Py_tp_hash, reinterpret_cast<void*>(hash)},
                                    {Py_tp_call, reinterpret_cast<void*>(call)},
                                    {Py_tp_members, members},
                                    {Py_tp_doc, const_cast<char*>(kDoc)}};
  add_operator_slots(slots);
  add_indexing_slots(slots);
  add_buffer_slots(slots);
  add_method_slots(slots);
  slots.push_back({0, nullptr});
  PyType_Spec spec = {"tamis.Tensor", sizeof(PyTensor), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                      slots.data()};
  tensor_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
  m.attr("Tensor") = borrow(reinterpret_cast<PyObject*>(tensor_type));
}

}  // namespace tamis::python
