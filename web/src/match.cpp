// Matching: which overload of a function takes the arguments of a call.
#include <algorithm>

#include <fmt/format.h>

#include "expr/expr.h"
#include "functions.h"

namespace tamis::web {

namespace {

/// Why an overload does not take some arguments. Later kinds are closer to a match.
struct Mismatch {
  enum class Kind : uint8_t { too_many, unknown_name, twice, missing, wrong_type };
  Kind kind = Kind::too_many;
  size_t index = 0;                    // of the parameter
  const Argument* argument = nullptr;  // wrong_type
  std::string_view name = {};          // unknown_name
};

/// The arguments beside the parameters of an overload; null if not given.
struct Given {
  std::vector<const Argument*> args;
  Argument collected;  // what was given one by one, as a list
  Mismatch mismatch;

  bool fail(Mismatch why) {
    mismatch = why;
    return false;
  }

  /// False, with the reason in mismatch, if the overload lacks the parameters for them.
  bool match(const Overload& o, const Arguments& given) {
    const Signature& s = o.signature;
    args.assign(s.params.size(), nullptr);
    size_t count = given.positional.size();
    if (o.variadic && collect(s, given)) count = s.positional - 1;
    if (count > s.positional) return fail({Mismatch::Kind::too_many});
    for (size_t i = 0; i < count; ++i) args[i] = &given.positional[i];
    for (const auto& [name, value] : given.named) {
      const int i = s.find(name);
      if (i < 0) return fail({Mismatch::Kind::unknown_name, 0, nullptr, name});
      const Argument*& arg = args[static_cast<size_t>(i)];
      if (arg != nullptr) return fail({Mismatch::Kind::twice, static_cast<size_t>(i)});
      arg = &value;
    }
    for (size_t i = 0; i < args.size(); ++i) {
      if (args[i] != nullptr && args[i]->kind == Kind::undefined) args[i] = nullptr;
      if (s.params[i].required && args[i] == nullptr) return fail({Mismatch::Kind::missing});
    }
    return true;
  }

 private:
  /// reshape(2, 3): numbers, or tensors, where one list is expected.
  bool collect(const Signature& s, const Arguments& given) {
    const size_t last = s.positional - 1;
    if (given.positional.size() <= last) return false;
    const auto rest = std::span(given.positional).subspan(last);
    const Kind kind = s.params[last].type() == ParamType::tensors ? Kind::tensor : Kind::number;
    const bool fits = std::all_of(rest.begin(), rest.end(), [&](const Argument& a) {
      return a.kind == kind || (kind == Kind::number && a.is_integer());
    });
    if (!fits) return false;
    collected.kind = Kind::list;
    collected.items.assign(rest.begin(), rest.end());
    args[last] = &collected;
    return true;
  }
};

// ---- errors -------------------------------------------------------------------------------------

const char* type_text(ParamType type) {
  switch (type) {
    case ParamType::tensors:
      return "array of Tensors";
    case ParamType::scalar:
    case ParamType::real:
      return "number";
    case ParamType::integer:
      return "integer";
    case ParamType::flag:
      return "boolean";
    case ParamType::integers:
      return "array of integers";
    case ParamType::string:
      return "string";
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
  const Argument& a = *m.argument;
  std::string text = fmt::format("{}(): argument '{}' ", f.name, p.name);
  if (m.index < o.signature.positional) {
    text += fmt::format("(position {}) ", m.index + 1 - (f.is_method ? 1 : 0));
  }
  if (p.literal && a.kind == Kind::boolean) {
    return text + "must be " + (*p.literal ? "true" : "false");
  }
  text += fmt::format("must be {}, not {}", type_text(p), a.type_name());
  if (a.kind == Kind::text) text += fmt::format(" '{}'", a.text);
  if (a.kind == Kind::number && p.type() == ParamType::integer)
    text += fmt::format(" {}", a.number);
  return text;
}

std::string missing_text(const Function& f, const Overload& o, const Given& given) {
  std::string names;
  for (size_t i = 0; i < o.signature.params.size(); ++i) {
    const Parameter& p = o.signature.params[i];
    if (!p.required || given.args[i] != nullptr) continue;
    names += (names.empty() ? "'" : ", '") + p.name + "'";
  }
  return fmt::format("{}(): missing {}", f.name, names);
}

std::string mismatch_text(const Function& f, const Overload& o, const Given& given, size_t count) {
  const Mismatch& m = given.mismatch;
  switch (m.kind) {
    case Mismatch::Kind::too_many: {
      const size_t self = f.is_method ? 1 : 0;
      const size_t most = o.signature.positional - self;
      return fmt::format(
          "{}() takes {} positional argument{}, but {} {} given; others are named "
          "in a last object: {{keepdim: true}}",
          f.name, most, most == 1 ? "" : "s", count - self, count - self == 1 ? "was" : "were");
    }
    case Mismatch::Kind::unknown_name:
      return fmt::format("{}() has no option '{}'", f.name, m.name);
    case Mismatch::Kind::twice:
      return fmt::format("{}(): '{}' was given twice", f.name, o.signature.params[m.index].name);
    case Mismatch::Kind::missing:
      return missing_text(f, o, given);
    case Mismatch::Kind::wrong_type:
      break;
  }
  return wrong_type_text(f, o, m);
}

// ---- values -------------------------------------------------------------------------------------

/// What JavaScript numbers fill a new tensor with are reals, as in tensor([1, 2]): 1 and 1.0 are
/// the same number there, and the dtype must not depend on its value.
bool fills(const Overload& o, const Parameter& p, const Argument& a) {
  return o.creates && p.name == "fill_value" && a.kind == Kind::number;
}

/// False, with the reason in given, if an argument is of a type that its parameter does not take.
bool convert_all(const Function& f, const Overload& o, Given& given, const Objects& objects,
                 Call& call) {
  const auto& params = o.signature.params;
  call.overload = &o;
  call.args.assign(params.size(), {});
  call.handles.assign(params.size(), 0);
  for (size_t i = 0; i < params.size(); ++i) {
    const Argument* a = given.args[i];
    if (a == nullptr) {
      call.args[i] = params[i].fallback;
      continue;
    }
    if (a->kind == Kind::null && (params[i].optional || !params[i].required)) {
      if (!params[i].optional) call.args[i] = params[i].fallback;
      continue;
    }
    if (a->kind == Kind::tensor) call.handles[i] = a->handle;
    if (fills(o, params[i], *a)) {
      call.args[i] = Scalar(a->number);
      continue;
    }
    std::optional<Value> value = convert(params[i], *a, objects, f.is_method && i == 0);
    if (!value) return given.fail({Mismatch::Kind::wrong_type, i, a});
    call.args[i] = std::move(*value);
  }
  return true;
}

/// As in PyTorch, out decides in which dtype zeros are made and sums are computed.
void take_dtype_of_out(const Overload& o, const Given& given, Call& call) {
  if (o.writes < 0 || o.dtype < 0) return;
  const Argument* dtype = given.args[static_cast<size_t>(o.dtype)];
  if (dtype != nullptr && dtype->kind != Kind::null) return;
  const auto* out = std::get_if<Tensor>(&call.args[static_cast<size_t>(o.writes)]);
  if (out != nullptr) call.args[static_cast<size_t>(o.dtype)] = out->dtype();
}

/// Brings lists that stand for tensors to where the first tensor is.
void place_lists(const Given& given, Call& call) {
  const Tensor* first = nullptr;
  for (size_t i = 0; i < call.args.size(); ++i) {
    auto* const x = std::get_if<Tensor>(&call.args[i]);
    if (x == nullptr || !x->defined()) continue;
    const bool is_list = given.args[i] != nullptr && given.args[i]->kind == Kind::list;
    if (!is_list && first == nullptr) first = x;
    if (!is_list || first == nullptr || is_on_host(*first)) continue;
    const bool is_number = x->impl().is_number;
    *x = to_backend(*x, backend_of(*first));
    x->impl().is_number = is_number;
  }
}

}  // namespace

Call match(const Function& f, const Arguments& given, const Objects& objects) {
  if (f.prepare) return {nullptr, {}, {}, f.prepare(given, objects)};
  std::string nearest;
  Mismatch::Kind miss{};
  for (const Overload& o : f.overloads) {
    Given own;
    Call call;
    if (own.match(o, given) && convert_all(f, o, own, objects, call)) {
      take_dtype_of_out(o, own, call);
      place_lists(own, call);
      return call;
    }
    if (nearest.empty() || own.mismatch.kind > miss) {
      miss = own.mismatch.kind;
      nearest = mismatch_text(f, o, own, given.positional.size());
    }
  }
  throw ArgumentError(nearest);
}

}  // namespace tamis::web
