// Overloads: rows prepared for calls from Python, and how their signatures read there.
#include <algorithm>
#include <span>
#include <stdexcept>

#include "functions.h"

namespace tamis::python {

namespace {

/// NumPy's names for parameters, which PyTorch takes instead of its own.
constexpr std::pair<std::string_view, const char*> kNumpyNames[] = {
    {"dim", "axis"}, {"keepdim", "keepdims"}, {"input", "x"},
    {"other", "x2"}, {"correction", "ddof"},  {"interpolation", "method"},
};

PyObject* numpy_name(const std::string& name) {
  for (const auto& [ours, numpys] : kNumpyNames) {
    if (name == ours) return checked(PyUnicode_InternFromString(numpys));
  }
  return nullptr;
}

/// "=None". inspect reads plain constants only, and None does the same for lists and dtypes.
std::string default_text(const Parameter& p) {
  const bool plain = !p.required && p.type() != ParamType::integers && p.type() != ParamType::dtype;
  return "=" + (plain ? p.fallback_text : "None");
}

/// One signature that has the parameters of all overloads. What only some of them need has a
/// default; of two that share a position, the second needs its name.
class Merged {
 public:
  explicit Merged(std::span<const Overload> overloads) : overloads_(overloads) {
    for (const Overload& o : overloads) {
      for (size_t i = slots_.size(); i < o.signature.positional; ++i) {
        slots_.push_back(&o.signature.params[i]);
      }
    }
    for (const Overload& o : overloads) {
      for (const Parameter& p : o.signature.params) {
        const auto is_it = [&](const Parameter* q) { return q->name == p.name; };
        if (std::any_of(slots_.begin(), slots_.end(), is_it)) continue;
        if (std::any_of(named_.begin(), named_.end(), is_it)) continue;
        named_.insert(position_of(o, p), &p);
      }
    }
  }

  std::string text(bool is_method) const {
    std::string text = "(";
    bool has_default = false;
    for (const Parameter* p : slots_) {
      text += text.size() > 1 ? ", " : "";
      text += is_method && p == slots_[0] ? "self" : p->name;
      has_default = has_default || !is_required(*p);
      if (has_default) text += default_of(*p);
    }
    for (const Parameter* p : named_) {
      text += (text.size() > 1 ? ", " : "") + std::string(p == named_[0] ? "*, " : "") + p->name;
      if (!is_required(*p)) text += default_of(*p);
    }
    return text + ")";
  }

 private:
  /// Before those that come after it in its overload.
  std::vector<const Parameter*>::iterator position_of(const Overload& o, const Parameter& p) {
    return std::find_if(named_.begin(), named_.end(), [&](const Parameter* q) {
      return o.signature.find(q->name) > o.signature.find(p.name);
    });
  }
  bool is_required(const Parameter& p) const {
    return std::all_of(overloads_.begin(), overloads_.end(), [&](const Overload& o) {
      const int i = o.signature.find(p.name);
      return i >= 0 && o.signature.params[static_cast<size_t>(i)].required;
    });
  }
  /// The first default that an overload has for it.
  std::string default_of(const Parameter& p) const {
    for (const Overload& o : overloads_) {
      const int i = o.signature.find(p.name);
      if (i < 0) continue;
      const Parameter& q = o.signature.params[static_cast<size_t>(i)];
      if (!q.required) return default_text(q);
    }
    return "=None";
  }

  std::span<const Overload> overloads_;
  std::vector<const Parameter*> slots_, named_;
};

/// The signature of one overload.
std::string own_text(const Overload& o, bool is_method) { return Merged({&o, 1}).text(is_method); }

py::dict parameter_of(const Parameter& p) {
  py::list types;
  for (ParamType type : p.types) types.append(name(type));
  py::dict d;
  d["name"] = p.name;
  d["types"] = py::tuple(types);
  d["optional"] = p.optional;
  d["required"] = p.required;
  d["keyword_only"] = p.keyword_only;
  d["default"] = p.fallback_text;
  d["literal"] = p.literal ? py::object(py::bool_(*p.literal)) : py::object(py::none());
  return d;
}

}  // namespace

Overload::Overload(const Row& row, bool is_method, const std::string& module)
    : signature(row.signature),
      call(row.call),
      of_one(row.of_one),
      of_two(row.of_two),
      summary(row.summary),
      view(row.view) {
  if (signature.params.size() > kMostParameters) {
    throw std::logic_error("too many parameters: " + signature.text);
  }
  for (const Parameter& p : signature.params) {
    keys.push_back(checked(PyUnicode_InternFromString(p.name.c_str())));
    others.push_back(numpy_name(p.name));
  }
  for (size_t i = 0; i < signature.params.size(); ++i) {
    const Parameter& p = signature.params[i];
    if (p.required) required |= uint32_t{1} << i;
    if (!std::holds_alternative<std::monostate>(p.fallback)) valued |= uint32_t{1} << i;
  }
  variadic = row.variadic || signature.spreads_integers(is_method);
  dtype = signature.find(ParamType::dtype);
  writes = signature.writes_input() ? 0 : signature.find("out");
  if (!signature.fields.empty()) {
    const py::object namedtuple = py::module_::import("collections").attr("namedtuple");
    py::list names;
    for (const std::string& field : signature.fields) names.append(field);
    fields = namedtuple(signature.name, names, py::arg("module") = module).release().ptr();
  }
}

void Function::add(const Row& row) {
  overloads.emplace_back(row, is_method, module);
  text_signature = Merged(overloads).text(is_method);
  doc = name + text_signature + "\n";
  for (const Overload& o : overloads) {
    doc += "\n" + (overloads.size() == 1 ? "" : name + own_text(o, is_method) + ": ") + o.summary;
  }
}

py::tuple signatures_of(const Function& f) {
  py::list all;
  for (const Overload& o : f.overloads) {
    py::list parameters, fields;
    for (const Parameter& p : o.signature.params) parameters.append(parameter_of(p));
    for (const std::string& field : o.signature.fields) fields.append(field);
    py::dict d;
    d["name"] = o.signature.name;
    d["text"] = own_text(o, f.is_method);
    d["summary"] = o.summary;
    d["parameters"] = parameters;
    d["result"] = name(o.signature.result);
    d["fields"] = fields;
    d["variadic"] = o.variadic;
    all.append(d);
  }
  return py::tuple(all);
}

}  // namespace tamis::python
