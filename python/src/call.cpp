// Calls: matching Python arguments with the overloads of a function, calling the op without the
// GIL, and returning the result in the kind of array that was given.
#include <algorithm>
#include <array>
#include <memory>

#include "functions.h"
#include "gil.h"

namespace tamis::python {

namespace {

constexpr size_t kMaxParams = kMostParameters;

// ---- errors -------------------------------------------------------------------------------------

/// Why an overload does not take some arguments. Later kinds are closer to a match.
struct Mismatch {
  enum class Kind : uint8_t { too_many, unknown_keyword, twice, missing, wrong_type };
  Kind kind = Kind::too_many;
  size_t index = 0;            // of the parameter
  PyObject* object = nullptr;  // the keyword, or the argument
  bool by_position = false;
};

const char* type_text(ParamType type) {
  switch (type) {
    case ParamType::tensors:
      return "tuple of Tensors";
    case ParamType::scalar:
      return "Number";
    case ParamType::dtype:
      return "tamis.dtype";
    case ParamType::integers:
      return "tuple of ints";
    case ParamType::generator:
      return "tamis.Generator";
    case ParamType::device:
      return "tamis.device";
    default:
      return name(type);
  }
}

/// What a parameter must be. That a tensor may be written in other ways is left out.
std::string type_text(const Parameter& p) {
  std::string text = type_text(p.type());
  for (size_t i = 1; i < p.types.size() && p.type() != ParamType::tensor; ++i) {
    text += std::string(" or ") + type_text(p.types[i]);
  }
  return text;
}

std::string wrong_type_text(const Function& f, const Overload& o, const Mismatch& m) {
  const Parameter& p = o.signature.params[m.index];
  std::string text = "argument '" + p.name + "' ";
  if (m.by_position) {
    text += "(position " + std::to_string(m.index + 1 - (f.is_method ? 1 : 0)) + ") ";
  }
  if (p.literal && PyBool_Check(m.object)) {
    return text + "must be " + (*p.literal ? "True" : "False");
  }
  return text + "must be " + type_text(p) + ", not " +
         (p.type() == ParamType::dtype ? described(m.object) : Py_TYPE(m.object)->tp_name);
}

std::string too_many_text(const Function& f, const Overload& o, size_t given) {
  const size_t self = f.is_method ? 1 : 0;
  const size_t most = o.signature.positional - self;
  return "takes " + std::to_string(most) + " positional argument" + (most == 1 ? "" : "s") +
         " but " + std::to_string(given - self) + (given - self == 1 ? " was" : " were") + " given";
}

std::string missing_text(const Overload& o, PyObject* const* given) {
  std::string names;
  int count = 0;
  for (size_t i = 0; i < o.signature.params.size(); ++i) {
    const Parameter& p = o.signature.params[i];
    if (!p.required || given[i] != nullptr) continue;
    names += (count++ > 0 ? ", \"" : "\"") + p.name + "\"";
  }
  return "missing " + std::to_string(count) + " required positional arguments: " + names;
}

// ---- arguments --------------------------------------------------------------------------------

/// The arguments of one call, matched with the parameters of an overload. Borrowed references; null
/// if not given.
struct Given {
  std::array<PyObject*, kMaxParams> args{};
  size_t by_position = 0;
  py::object varargs;
  Shape integers;  // those that were given one by one instead of varargs
  bool has_integers = false;
  Mismatch mismatch;

  /// False, with the reason in mismatch, if the overload lacks the parameters for them.
  bool match(const Overload& o, PyObject* const* values, size_t count, PyObject* names) {
    const Signature& s = o.signature;
    by_position = count;
    if (o.variadic && collect(o, values, count)) {
      by_position = s.positional;
    } else if (count > s.positional) {
      return fail({Mismatch::Kind::too_many});
    }
    const bool has_rest = varargs || has_integers;
    const size_t plain = has_rest ? s.positional - 1 : count;
    for (size_t i = 0; i < plain; ++i) args[i] = values[i];
    if (has_rest) args[plain] = has_integers ? values[plain] : varargs.ptr();
    uint32_t found = (uint32_t{1} << (has_rest ? s.positional : count)) - 1;
    const Py_ssize_t keywords = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    for (Py_ssize_t k = 0; k < keywords; ++k) {
      PyObject* key = PyTuple_GET_ITEM(names, k);
      const size_t i = find_keyword(o, key);
      if (i == s.params.size()) return fail({Mismatch::Kind::unknown_keyword, 0, key});
      if (args[i] != nullptr) return fail({Mismatch::Kind::twice, i});
      args[i] = values[count + static_cast<size_t>(k)];
      found |= uint32_t{1} << i;
    }
    return (o.required & ~found) == 0 || fail({Mismatch::Kind::missing});
  }

  bool wrong_type(size_t i) {
    PyObject* o = args[i] == varargs.ptr() ? first_wrong() : args[i];
    return fail({Mismatch::Kind::wrong_type, i, o, i < by_position});
  }

 private:
  bool fail(const Mismatch& why) {
    mismatch = why;
    return false;
  }

  /// The number of parameters if there is none of that name.
  static size_t find_keyword(const Overload& o, PyObject* key) {
    const size_t count = o.keys.size();
    for (size_t i = 0; i < count; ++i) {
      if (o.keys[i] == key || o.others[i] == key) return i;
    }
    if (PyUnicode_CHECK_INTERNED(key)) return count;  // as all names of the library are
    for (size_t i = 0; i < count; ++i) {
      if (PyUnicode_Compare(o.keys[i], key) == 0) return i;
      if (o.others[i] != nullptr && PyUnicode_Compare(o.others[i], key) == 0) return i;
    }
    return count;
  }

  /// Of items given one by one, the one that is not an int.
  PyObject* first_wrong() const {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(varargs.ptr()); ++i) {
      PyObject* o = PyTuple_GET_ITEM(varargs.ptr(), i);
      if (!PyLong_Check(o) || PyBool_Check(o)) return o;
    }
    return varargs.ptr();
  }

  /// False if there is another object among them, or none at all.
  bool take_integers(PyObject* const* values, size_t count) {
    Shape taken;
    for (size_t i = 0; i < count; ++i) {
      if (!PyLong_CheckExact(values[i])) return false;
      int overflow = 0;
      taken.push_back(PyLong_AsLongLongAndOverflow(values[i], &overflow));
      if (overflow != 0) return false;
    }
    integers = std::move(taken);
    return has_integers = count > 0;
  }

  /// Packs the arguments from the last positional parameter on into a tuple, unless there is just
  /// one and it is a list already.
  bool collect(const Overload& o, PyObject* const* values, size_t count) {
    const size_t first = o.signature.positional - 1;
    if (count < first) return false;
    if (count == first && o.signature.params[first].type() != ParamType::tensors) return false;
    if (count == first + 1 && (PyTuple_Check(values[first]) || PyList_Check(values[first]))) {
      return false;
    }
    if (o.signature.params[first].type() == ParamType::integers &&
        take_integers(values + first, count - first)) {
      return true;
    }
    varargs = steal(PyTuple_New(static_cast<Py_ssize_t>(count - first)));
    for (size_t i = first; i < count; ++i) {
      Py_INCREF(values[i]);
      PyTuple_SET_ITEM(varargs.ptr(), static_cast<Py_ssize_t>(i - first), values[i]);
    }
    return true;
  }
};

/// Space for the values of one call; only as many are made as there are parameters.
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

/// False, with the reason in given, if an argument is of a type that its parameter does not take.
bool convert(const Overload& o, bool is_method, Given& given, Values& args, Origins& origins) {
  const auto& params = o.signature.params;
  for (size_t i = 0; i < params.size(); ++i) {
    PyObject* object = given.args[i];
    const bool written = o.writes == static_cast<int>(i);
    if (given.has_integers && i == o.signature.positional - 1) {
      args[i] = given.integers;
    } else if (object == nullptr) {
      if ((o.valued >> i & 1) != 0) args[i] = params[i].fallback;
    } else if (object == Py_None && (params[i].optional || !params[i].required)) {
      args[i] = params[i].optional ? Value() : params[i].fallback;
    } else if (!convert_argument(params[i], object, args[i], origins,
                                 written ? Copying::never : Copying::if_needed,
                                 is_method && i == 0)) {
      return given.wrong_type(i);
    }
  }
  return true;
}

// ---- results ------------------------------------------------------------------------------------

/// The argument that the result is, if it is one: x.contiguous() of a contiguous x is x.
PyObject* same_object(const Tensor& result, const Given& given) {
  PyObject* first = given.args[0];
  if (first != nullptr && is_tensor(first) && &tensor_of(first).impl() == &result.impl()) {
    return first;
  }
  return nullptr;
}

PyObject* tensors_to_tuple(const Overload& f, std::vector<Tensor>& tensors, ArrayKind kind) {
  py::object tuple = steal(PyTuple_New(static_cast<Py_ssize_t>(tensors.size())));
  for (size_t i = 0; i < tensors.size(); ++i) {
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i),
                     checked(tensor_to_array(std::move(tensors[i]), kind)));
  }
  if (f.fields == nullptr) return tuple.release().ptr();
  // What the __new__ of a named tuple does, which is a function of Python.
  const py::object args = steal(PyTuple_Pack(1, tuple.ptr()));
  auto* const type = reinterpret_cast<PyTypeObject*>(f.fields);
  return checked(PyTuple_Type.tp_new(type, args.ptr(), nullptr));
}

PyObject* to_python(const Overload& f, Value& value, const Given& given, ArrayKind kind) {
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
  void check_sizes(const Overload& f) const {
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

/// A product of sizes that stops growing where a call is not quick any more.
class Bound {
 public:
  static constexpr int64_t kMost = 8 * kQuickElements;

  void times(int64_t n) {
    if (n < -kMost || n > kMost) n = kMost + 1;
    elements_ = std::min(kMost + 1, elements_ * std::max<int64_t>(1, n < 0 ? -n : n));
  }
  bool is_kept() const { return elements_ <= kMost; }

 private:
  int64_t elements_ = 1;
};

/// Whether a call that writes nothing is quick: its tensors are, and even if its result had as many
/// elements as its tensors of different shapes and its integers give when they are multiplied, it
/// would have few. Without tensors, integers may be the sides of a square.
bool is_quick_call(std::span<const Value> args) {
  const Tensor* first = nullptr;
  bool has_size = false, has_fraction = false;
  Bound bound;
  const auto add = [&](const Tensor& x) {
    if (!is_quick(x)) return false;
    if (x.numel() == 1) {
      if (first == nullptr) first = &x;
      return true;
    }
    if (first == nullptr || x.shape() != first->shape()) bound.times(x.numel());
    first = &x;
    return true;
  };
  for (const Value& value : args) {
    if (const auto* x = std::get_if<Tensor>(&value)) {
      if (x->defined() && !add(*x)) return false;
    } else if (const auto* list = std::get_if<std::vector<Tensor>>(&value)) {
      for (const Tensor& item : *list) {
        if (!add(item)) return false;
        bound.times(item.numel());
      }
    } else if (const auto* number = std::get_if<int64_t>(&value)) {
      has_size = true;
      bound.times(*number);
      if (first == nullptr) bound.times(*number);
    } else if (const auto* sizes = std::get_if<Shape>(&value)) {
      has_size = true;
      for (const int64_t n : *sizes) bound.times(n);
    } else if (const auto* scalar = std::get_if<Scalar>(&value)) {
      has_size = true;
      const bool is_whole = !scalar->is_floating_point() && !scalar->is_complex();
      has_fraction = has_fraction || !is_whole;
      if (is_whole && first == nullptr) bound.times(scalar->to_int64());
    }
  }
  return bound.is_kept() && (first != nullptr || (has_size && !has_fraction));
}

/// Whether the result is a view of x, for which no element is touched.
bool is_view_of(const Overload& o, const Tensor& x) {
  return o.view == View::always || (o.view == View::if_contiguous && x.is_contiguous());
}

/// As in PyTorch, out decides in which dtype zeros are made and sums are computed.
void take_dtype_of_out(const Overload& o, const Given& given, Values& args) {
  PyObject* dtype = given.args[static_cast<size_t>(o.dtype)];
  const auto* out = std::get_if<Tensor>(&args[static_cast<size_t>(o.writes)]);
  if (out != nullptr && (dtype == nullptr || dtype == Py_None)) {
    args[static_cast<size_t>(o.dtype)] = out->dtype();
  }
}

/// Brings lists that stand for tensors to where the first tensor is.
void place_lists(const Overload& o, const Given& given, Values& args) {
  const Tensor* first = nullptr;
  for (size_t i = 0; i < o.signature.params.size(); ++i) {
    auto* const x = std::get_if<Tensor>(&args[i]);
    if (x == nullptr || !x->defined()) continue;
    const bool is_list = given.args[i] != nullptr && is_sequence(given.args[i]);
    if (!is_list && first == nullptr) first = x;
    if (!is_list || first == nullptr || is_on_host(*first)) continue;
    const bool is_number = x->impl().is_number;
    *x = to_backend(*x, backend_of(*first));
    x->impl().is_number = is_number;
  }
}

PyObject* call_overload(const Overload& o, const Given& given, Values& args, Origins& origins) {
  place_lists(o, given, args);
  PyObject* target = o.writes >= 0 ? given.args[static_cast<size_t>(o.writes)] : nullptr;
  if (target == Py_None) target = nullptr;
  if (target != nullptr && o.dtype >= 0) take_dtype_of_out(o, given, args);
  Value result;
  const Target written(target, target == nullptr ? result : args[static_cast<size_t>(o.writes)]);
  const bool is_view = o.view != View::never && is_view_of(o, std::get<Tensor>(args[0]));
  without_gil_unless(is_view || (target == nullptr && is_quick_call(args)), [&] {
    result = o.call(args);
    if (origins.foreign()) settle_result(result);
  });
  if (target != nullptr) {
    written.check_sizes(o);
    if (o.fields != nullptr && is_sequence(target)) {
      const py::object outs = steal(PySequence_Tuple(target));
      return checked(PyObject_Call(o.fields, outs.ptr(), nullptr));
    }
    Py_INCREF(target);
    return target;
  }
  return to_python(o, result, given, origins.answer());
}

[[noreturn]] void raise_mismatch(const Function& f, const Overload& o, const Given& given,
                                 size_t count) {
  const Mismatch& m = given.mismatch;
  switch (m.kind) {
    case Mismatch::Kind::too_many:
      raise_python(PyExc_TypeError, f.name + "() " + too_many_text(f, o, count));
    case Mismatch::Kind::unknown_keyword:
      raise_python(PyExc_TypeError, f.name + "() got an unexpected keyword argument '" +
                                        PyUnicode_AsUTF8(m.object) + "'");
    case Mismatch::Kind::twice:
      raise_python(PyExc_TypeError, f.name + "() got multiple values for argument '" +
                                        o.signature.params[m.index].name + "'");
    case Mismatch::Kind::missing:
      raise_python(PyExc_TypeError, f.name + "() " + missing_text(o, given.args.data()));
    case Mismatch::Kind::wrong_type:
      break;
  }
  raise_python(PyExc_TypeError, f.name + "(): " + wrong_type_text(f, o, m));
}

/// Raises the error of the overload that matched best, for which the arguments are matched again.
[[noreturn]] void refuse(const Function& f, const Overload& nearest, PyObject* const* values,
                         size_t count, PyObject* names) {
  Given given;
  if (given.match(nearest, values, count, names)) {
    Values args(nearest.signature.params.size());
    Origins origins;
    (void)convert(nearest, f.is_method, given, args, origins);
  }
  raise_mismatch(f, nearest, given, count);
}

/// A call of a plain function of one tensor or two with nothing but few elements, which most time
/// would go into matching its arguments. Null if it is another.
PyObject* call_plain(const Function& f, PyObject* const* values, size_t count, PyObject* names) {
  const Overload& o = f.overloads[0];
  if (names != nullptr || count == 0 || !is_tensor(values[0])) return nullptr;
  const Tensor& x = tensor_of(values[0]);
  Tensor result;
  if (count == 1 && o.of_one != nullptr && (is_view_of(o, x) || is_quick(x))) {
    result = o.of_one(x);
  } else if (count == 2 && o.of_two != nullptr && is_tensor(values[1]) &&
             is_quick(x, tensor_of(values[1]))) {
    result = o.of_two(x, tensor_of(values[1]));
  } else {
    return nullptr;
  }
  if (&result.impl() != &x.impl()) return wrap(std::move(result));
  Py_INCREF(values[0]);
  return values[0];
}

}  // namespace

PyObject* call_function(const Function& f, PyObject* const* values, size_t count, PyObject* names) {
  if (PyObject* result = call_plain(f, values, count, names)) return result;
  const Overload* nearest = nullptr;
  Mismatch::Kind miss{};
  for (const Overload& o : f.overloads) {
    Given given;
    if (given.match(o, values, count, names)) {
      Values args(o.signature.params.size());
      Origins origins;
      if (convert(o, f.is_method, given, args, origins)) {
        return call_overload(o, given, args, origins);
      }
    }
    if (nearest == nullptr || given.mismatch.kind > miss) {
      nearest = &o;
      miss = given.mismatch.kind;
    }
  }
  refuse(f, *nearest, values, count, names);
}

}  // namespace tamis::python
