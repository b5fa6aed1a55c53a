// Functions: matching Python arguments with a signature, calling the op without the GIL, and giving
// the answer back in the kind of array that came in.
#include "functions.h"

// After Python.h, which pybind11 must include first.
#include <structmember.h>

#include <algorithm>
#include <array>
#include <memory>

#include "gil.h"

namespace tamis::python {

namespace {

constexpr size_t kMaxParams = 12;

struct PyFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  const Function* function;
  PyObject* weakrefs;
};

PyTypeObject* function_type = nullptr;

const Function& function_of(PyObject* o) { return *reinterpret_cast<PyFunction*>(o)->function; }

// ---- errors -------------------------------------------------------------------------------------

const char* type_text(ParamType type) {
  constexpr const char* kTexts[] = {
      "Tensor",      "tuple of Tensors", "Number",        "int", "float",
      "bool",        "tamis.dtype",      "tuple of ints", "str", "tamis.Generator",
      "float or str"};
  return kTexts[static_cast<int>(type)];
}

[[noreturn]] void wrong_type(const Function& f, size_t index, bool by_position, PyObject* got) {
  const Param& p = f.signature.params[index];
  std::string text = f.signature.name + "(): argument '" + p.name + "' ";
  if (by_position) text += "(position " + std::to_string(index + 1 - (f.is_method ? 1 : 0)) + ") ";
  raise_python(PyExc_TypeError,
               text + "must be " + type_text(p.type) + ", not " +
                   (p.type == ParamType::dtype ? described(got) : Py_TYPE(got)->tp_name));
}

[[noreturn]] void too_many(const Function& f, size_t given) {
  const size_t self = f.is_method ? 1 : 0;
  const size_t most = f.signature.positional - self;
  raise_python(PyExc_TypeError, f.signature.name + "() takes " + std::to_string(most) +
                                    " positional argument" + (most == 1 ? "" : "s") + " but " +
                                    std::to_string(given - self) +
                                    (given - self == 1 ? " was" : " were") + " given");
}

[[noreturn]] void missing(const Function& f, const PyObject* const* given) {
  std::string names;
  int count = 0;
  for (size_t i = 0; i < f.signature.params.size(); ++i) {
    const Param& p = f.signature.params[i];
    if (!p.required || given[i] != nullptr) continue;
    names += (count++ > 0 ? ", \"" : "\"") + p.name + "\"";
  }
  raise_python(PyExc_TypeError, f.signature.name + "() missing " + std::to_string(count) +
                                    " required positional arguments: " + names);
}

// ---- arguments --------------------------------------------------------------------------------

/// Names that PyTorch takes in place of its own, for people who come from NumPy.
const char* numpy_name(const std::string& name) {
  if (name == "dim") return "axis";
  if (name == "keepdim") return "keepdims";
  if (name == "input") return "x";
  if (name == "other") return "x2";
  if (name == "correction") return "ddof";
  if (name == "interpolation") return "method";
  return nullptr;
}

size_t find_keyword(const Function& f, PyObject* key) {
  const auto& params = f.signature.params;
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i].key == key) return i;
  }
  for (size_t i = 0; i < params.size(); ++i) {
    if (PyUnicode_Compare(params[i].key, key) == 0) return i;
    const char* other = numpy_name(params[i].name);
    if (other != nullptr && PyUnicode_CompareWithASCIIString(key, other) == 0) return i;
  }
  raise_python(PyExc_TypeError, f.signature.name + "() got an unexpected keyword argument '" +
                                    PyUnicode_AsUTF8(key) + "'");
}

/// The arguments of one call, matched with the parameters. Borrowed references; null if not given.
struct Given {
  std::array<PyObject*, kMaxParams> args{};
  size_t by_position = 0;
  py::object varargs;

  Given(const Function& f, PyObject* const* values, size_t count, PyObject* names) {
    const Signature& s = f.signature;
    by_position = count;
    if (f.varargs && collect(f, values, count)) {
      by_position = s.positional;
    } else if (count > s.positional) {
      too_many(f, count);
    }
    const size_t plain = varargs ? s.positional - 1 : count;
    for (size_t i = 0; i < plain; ++i) args[i] = values[i];
    if (varargs) args[plain] = varargs.ptr();
    const Py_ssize_t keywords = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    for (Py_ssize_t k = 0; k < keywords; ++k) {
      const size_t i = find_keyword(f, PyTuple_GET_ITEM(names, k));
      if (args[i] != nullptr) {
        raise_python(PyExc_TypeError,
                     s.name + "() got multiple values for argument '" + s.params[i].name + "'");
      }
      args[i] = values[count + static_cast<size_t>(k)];
    }
  }

  /// Of sizes that were given one by one, the one that is no int.
  PyObject* first_wrong() const {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(varargs.ptr()); ++i) {
      PyObject* o = PyTuple_GET_ITEM(varargs.ptr(), i);
      if (!PyLong_Check(o) || PyBool_Check(o)) return o;
    }
    return varargs.ptr();
  }

 private:
  /// Packs the arguments from the last positional parameter on into a tuple, unless there is just
  /// one and it is a list already.
  bool collect(const Function& f, PyObject* const* values, size_t count) {
    const size_t first = f.signature.positional - 1;
    if (count < first) return false;
    if (count == first && !(f.signature.params[first].type == ParamType::tensors)) return false;
    if (count == first + 1 && (PyTuple_Check(values[first]) || PyList_Check(values[first]))) {
      return false;
    }
    varargs = steal(PyTuple_New(static_cast<Py_ssize_t>(count - first)));
    for (size_t i = first; i < count; ++i) {
      Py_INCREF(values[i]);
      PyTuple_SET_ITEM(varargs.ptr(), static_cast<Py_ssize_t>(i - first), values[i]);
    }
    return true;
  }
};

/// Room for the values of one call, of which only as many are made as there are parameters.
class Values {
 public:
  explicit Values(size_t count) : count_(count) {
    std::uninitialized_value_construct_n(values_, count_);
  }
  ~Values() { std::destroy_n(values_, count_); }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;

  Value& operator[](size_t i) { return values_[i]; }
  operator std::span<const Value>() const { return {values_, count_}; }

 private:
  const size_t count_;
  union {
    Value values_[kMaxParams];
  };
};

// ---- results ------------------------------------------------------------------------------------

/// The argument that the result is, if it is one: x.contiguous() of a contiguous x is x.
PyObject* same_object(const Tensor& result, const Given& given) {
  PyObject* first = given.args[0];
  if (first != nullptr && is_tensor(first) && &tensor_of(first).impl() == &result.impl()) {
    return first;
  }
  return nullptr;
}

PyObject* tensors_to_tuple(const Function& f, std::vector<Tensor>& tensors, ArrayKind kind) {
  py::object tuple = steal(PyTuple_New(static_cast<Py_ssize_t>(tensors.size())));
  for (size_t i = 0; i < tensors.size(); ++i) {
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i),
                     checked(tensor_to_array(std::move(tensors[i]), kind)));
  }
  if (f.fields == nullptr) return tuple.release().ptr();
  return checked(PyObject_Call(f.fields, tuple.ptr(), nullptr));
}

PyObject* to_python(const Function& f, Value& value, const Given& given, ArrayKind kind) {
  if (auto* tensor = std::get_if<Tensor>(&value)) {
    if (PyObject* same = same_object(*tensor, given)) {
      Py_INCREF(same);
      return same;
    }
    return tensor_to_array(std::move(*tensor), kind);
  }
  if (auto* tensors = std::get_if<std::vector<Tensor>>(&value)) {
    return tensors_to_tuple(f, *tensors, kind);
  }
  if (const auto* number = std::get_if<int64_t>(&value)) return PyLong_FromLongLong(*number);
  if (const auto* number = std::get_if<double>(&value)) return PyFloat_FromDouble(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return PyBool_FromLong(*truth);
  if (const auto* shape = std::get_if<Shape>(&value)) return shape_tuple(*shape);
  if (const auto* dtype = std::get_if<DType>(&value)) {
    PyObject* o = dtype_object(*dtype);
    Py_INCREF(o);
    return o;
  }
  Py_RETURN_NONE;
}

void settle_result(Value& value) {
  if (const auto* tensor = std::get_if<Tensor>(&value)) tensor->settle();
  if (const auto* tensors = std::get_if<std::vector<Tensor>>(&value)) {
    for (const Tensor& t : *tensors) t.settle();
  }
}

bool is_sequence(PyObject* o) { return PyTuple_Check(o) || PyList_Check(o); }

/// What a call writes. An array of another library cannot be given another size by out=.
class Target {
 public:
  Target(PyObject* object, const Value& value) {
    if (const auto* tensor = std::get_if<Tensor>(&value)) add(object, *tensor);
    if (const auto* tensors = std::get_if<std::vector<Tensor>>(&value)) {
      for (size_t i = 0; i < tensors->size(); ++i) {
        add(is_sequence(object) ? PySequence_Fast_GET_ITEM(object, static_cast<Py_ssize_t>(i))
                                : object,
            (*tensors)[i]);
      }
    }
  }
  void check_sizes(const Function& f) const {
    for (const auto& [tensor, shape] : foreign_) {
      if (tensor.shape() == shape) continue;
      raise_python(PyExc_ValueError, f.signature.name +
                                         "(): out has not the shape of the result, "
                                         "and only a tamis.Tensor can be resized");
    }
  }

 private:
  void add(PyObject* object, const Tensor& tensor) {
    if (!is_tensor(object)) foreign_.emplace_back(tensor, tensor.shape());
  }
  std::vector<std::pair<Tensor, Shape>> foreign_;
};

/// Whether a call that writes nothing is quick: its tensors are, and no size that was given, and no
/// broadcasting, makes the result larger than they are.
bool is_quick_call(std::span<const Value> args) {
  const Tensor* first = nullptr;
  for (const Value& value : args) {
    if (const auto* x = std::get_if<Tensor>(&value)) {
      if (!is_quick(*x)) return false;
      if (x->numel() == 1) continue;
      if (first == nullptr) first = x;
      if (x->shape() != first->shape()) return false;
    } else if (std::holds_alternative<std::vector<Tensor>>(value) ||
               std::holds_alternative<int64_t>(value) || std::holds_alternative<Shape>(value)) {
      return false;
    }
  }
  return first != nullptr;
}

PyObject* call_function(const Function& f, PyObject* const* values, size_t count, PyObject* names) {
  const Given given(f, values, count, names);
  const auto& params = f.signature.params;
  Values args(params.size());
  Origins origins;
  for (size_t i = 0; i < params.size(); ++i) {
    PyObject* o = given.args[i];
    const bool written = f.writes == static_cast<int>(i);
    if (o == nullptr) {
      if (params[i].required) missing(f, given.args.data());
      args[i] = params[i].fallback;
    } else if (o == Py_None && (params[i].optional || !params[i].required)) {
      args[i] = params[i].optional ? Value() : params[i].fallback;
    } else if (!convert_argument(params[i], o, args[i], origins,
                                 written ? Copying::never : Copying::if_needed)) {
      wrong_type(f, i, i < given.by_position, o == given.varargs.ptr() ? given.first_wrong() : o);
    }
  }
  PyObject* target = f.writes >= 0 ? given.args[static_cast<size_t>(f.writes)] : nullptr;
  if (target == Py_None) target = nullptr;
  if (target != nullptr && f.dtype >= 0) {
    // As in PyTorch, out decides in which dtype zeros are made and sums are computed.
    PyObject* dtype = given.args[static_cast<size_t>(f.dtype)];
    const auto* out = std::get_if<Tensor>(&args[static_cast<size_t>(f.writes)]);
    if (out != nullptr && (dtype == nullptr || dtype == Py_None)) {
      args[static_cast<size_t>(f.dtype)] = out->dtype();
    }
  }
  Value result;
  const Target written(target, target == nullptr ? result : args[static_cast<size_t>(f.writes)]);
  without_gil_unless(f.writes < 0 && is_quick_call(args), [&] {
    result = f.call(args);
    if (origins.foreign()) settle_result(result);
  });
  if (target != nullptr) {
    written.check_sizes(f);
    if (f.fields != nullptr && is_sequence(target)) {
      const py::object outs = steal(PySequence_Tuple(target));
      return checked(PyObject_Call(f.fields, outs.ptr(), nullptr));
    }
    Py_INCREF(target);
    return target;
  }
  return to_python(f, result, given, origins.answer());
}

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
                              f.signature.name.c_str());
}

PyObject* text(const std::string& s) { return PyUnicode_FromStringAndSize(s.data(), s.size()); }
PyObject* get_name(PyObject* self, void*) { return text(function_of(self).signature.name); }
PyObject* get_module(PyObject* self, void*) { return text(function_of(self).module); }
PyObject* get_doc(PyObject* self, void*) { return text(function_of(self).doc); }
PyObject* get_text_signature(PyObject* self, void*) {
  return text(function_of(self).text_signature);
}
PyObject* get_row(PyObject* self, void*) { return text(function_of(self).row); }
/// The names of the parameters that can do this.
template <class Ability>
PyObject* names_with(PyObject* self, Ability ability) {
  return guard([&] {
    py::list names;
    for (const Param& p : function_of(self).signature.params) {
      if (ability(p)) names.append(p.name);
    }
    return py::tuple(names).release().ptr();
  });
}
PyObject* get_numbers(PyObject* self, void*) {
  return names_with(self, [](const Param& p) { return p.number || p.integer; });
}
PyObject* get_lists(PyObject* self, void*) {
  return names_with(self, [](const Param& p) { return p.list; });
}
PyObject* get_varargs(PyObject* self, void*) { return PyBool_FromLong(function_of(self).varargs); }
PyObject* get_qualname(PyObject* self, void*) {
  const Function& f = function_of(self);
  return text((f.is_method ? "Tensor." : "") + f.signature.name);
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
    {"__row__", get_row, nullptr, "The signature with types.", nullptr},
    {"__numbers__", get_numbers, nullptr, "Tensors that may be numbers.", nullptr},
    {"__lists__", get_lists, nullptr, "Tensors that may be lists.", nullptr},
    {"__varargs__", get_varargs, nullptr, "Whether sizes may be given one by one.", nullptr},
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

Function::Function(const Row& from, std::string module_name, bool method)
    : signature(from.signature),
      call(from.call),
      row(from.signature),
      module(std::move(module_name)),
      is_method(method) {
  if (signature.params.size() > kMaxParams) throw std::logic_error("too many parameters: " + row);
  text_signature = signature.python_text(method);
  doc = signature.name + text_signature + "\n\n" + from.summary;
  const size_t self = method ? 1 : 0;
  const ParamType last = signature.params.empty() ? ParamType::boolean
                                                  : signature.params[signature.positional - 1].type;
  varargs = signature.positional == self + 1 && last == ParamType::integers;
}

}  // namespace tamis::python
