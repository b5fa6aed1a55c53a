// Binder: calls as steps.
#include <algorithm>

#include <fmt/format.h>

#include "language/binder.h"
#include "language/constants.h"
#include "tamis/create.h"

namespace tamis::cli {

std::vector<const Node*> Binder::match(const Node& node, const Function& f) const {
  std::vector<const Node*> given(f.parameters.size(), nullptr);
  // q(p) is short for q(first array, p).
  const size_t skip = f.name == "q" && node.children.size() == 1 && node.names[0].empty() ? 1 : 0;
  for (size_t i = 0; i < node.children.size(); ++i) {
    const std::string& name = node.names[i];
    const auto p = name.empty() ? f.parameters.begin() + std::min(i + skip, given.size())
                                : std::find_if(f.parameters.begin(), f.parameters.end(),
                                               [&](const Parameter& q) { return q.name == name; });
    if (p == f.parameters.end()) {
      throw ConditionError(
          name.empty() ? fmt::format("too many arguments; write {}", f.usage)
                       : fmt::format("{} has no argument '{}'; write {}", f.name, name, f.usage),
          node.children[i].span);
    }
    const Node*& slot = given[p - f.parameters.begin()];
    if (slot != nullptr) {
      throw ConditionError(fmt::format("the argument '{}' is given twice", p->name),
                           node.children[i].span);
    }
    slot = &node.children[i];
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] == nullptr && f.parameters[i].required) {
      throw ConditionError(
          fmt::format("{} needs '{}'; write {}", f.name, f.parameters[i].name, f.usage), node.span);
    }
  }
  return given;
}

int Binder::bind_call(const Node& node) {
  const Function* f = find_function(node.text);
  if (f == nullptr) unknown_function(node);
  const std::vector<const Node*> given = match(node, *f);
  switch (f->evaluation) {
    case Evaluation::pointwise:
      return bind_pointwise(node, *f, given);
    case Evaluation::builder:
      return bind_builder(node, *f, given);
    case Evaluation::between:
      return bind_between(node, given);
    case Evaluation::whole:
      break;
  }
  return bind_whole(node, *f, given);
}

/// between(x, lo, hi) is lo <= x <= hi, by value as comparisons are.
int Binder::bind_between(const Node& node, const std::vector<const Node*>& given) {
  const int x = bind(*given[0]), lo = bind(*given[1]), hi = bind(*given[2]);
  const int above = bind_operator(node, operator_row(operator_name(">=", 2)), {x, lo});
  const int below = bind_operator(node, operator_row(operator_name("<=", 2)), {x, hi});
  return bind_operator(node, operator_row(operator_name("&", 2)), {above, below});
}

int Binder::bind_pointwise(const Node& node, const Function& f,
                           const std::vector<const Node*>& given) {
  Step step;
  step.row = f.row;
  for (size_t i = 0; i < given.size(); ++i) {
    const Parameter& p = f.parameters[i];
    step.args.push_back(-1);
    step.fixed.push_back(p.fallback);
    if (given[i] == nullptr) continue;
    if (p.type() != ParamType::tensor) {
      step.fixed[i] = fixed_value(*given[i], f, p);
      step.has_options = true;
    } else if (is_set(f, p)) {
      step.fixed[i] = set_of(*given[i], scopes_.back().samples[step.args[0]].dtype());
    } else {
      step.args[i] = bind(*given[i]);
    }
  }
  const int call = add_call(node, std::move(step));
  if (f.row->prepare) {
    // The row would do that in every window anew.
    Step& added = scopes_.back().steps.list[call];
    added.prepared = f.row->prepare(added.fixed, scopes_.back().samples[added.args[0]].dtype());
  }
  return call;
}

int Binder::bind_builder(const Node& node, const Function& f,
                         const std::vector<const Node*>& given) {
  std::vector<Value> args;
  for (size_t i = 0; i < given.size(); ++i) {
    const Parameter& p = f.parameters[i];
    args.push_back(given[i] == nullptr             ? p.fallback
                   : p.type() == ParamType::tensor ? Value(whole_tensor(*given[i]))
                                                   : fixed_value(*given[i], f, p));
  }
  const MaskWindows windows = at_span(node.span, [&] { return f.row->windows(args); });
  Step step;
  step.kind = Step::Kind::builder;
  step.build = windows.window;
  step.shape = windows.shape;
  return add(std::move(step), sample_array(windows.shape.size(), DType::boolean));
}

/// The number of the pass over a sub-expression.
size_t Binder::pass_for(const Node& node) {
  const std::string key = dump(node);
  const auto found = std::find_if(plan_.passes.begin(), plan_.passes.end(),
                                  [&](const Pass& p) { return p.key == key; });
  if (found != plan_.passes.end()) return found - plan_.passes.begin();
  scopes_.emplace_back();
  bind(node);
  Pass pass;
  pass.key = key;
  pass.steps = finish_scope({});
  if (is_complex(pass.steps.dtype)) {
    throw ConditionError("complex numbers have no order, so this value is not defined", node.span);
  }
  plan_.passes.push_back(std::move(pass));
  return plan_.passes.size() - 1;
}

int Binder::bind_whole(const Node& node, const Function& f, const std::vector<const Node*>& given) {
  Node first;
  first.kind = Node::Kind::name;
  first.span = node.span;
  if (given[0] == nullptr) {
    if (arrays_.empty()) throw ConditionError("q needs an array, but there is none", node.span);
    first.text = arrays_[0].name;
  }
  const Node& input = given[0] == nullptr ? first : *given[0];
  WholeValue value;
  value.what = f.whole;
  value.pass = pass_for(input);
  Pass& pass = plan_.passes[value.pass];
  const bool of_condition = f.whole <= Whole::all;
  if (of_condition && pass.steps.dtype != DType::boolean) {
    throw ConditionError(
        fmt::format("{} takes a condition, but this is {}", f.name, tamis::name(pass.steps.dtype)),
        input.span);
  }
  if (f.whole == Whole::median || f.whole == Whole::quantile) {
    Quantile wanted{0.5, f.whole == Whole::median};
    if (f.whole == Whole::quantile) {
      wanted.p = std::get<double>(fixed_value(*given[1], f, f.parameters[1]));
      if (!(wanted.p >= 0 && wanted.p <= 1)) {
        throw ConditionError("p must be between 0 and 1", given[1]->span);
      }
    }
    const auto found = std::find(pass.quantiles.begin(), pass.quantiles.end(), wanted);
    value.quantile = found - pass.quantiles.begin();
    if (found == pass.quantiles.end()) pass.quantiles.push_back(wanted);
  }
  Step step;
  step.kind = Step::Kind::whole;
  step.is_number = true;
  step.which = plan_.values.size();
  const Scalar sample = sample_of(value, pass);
  plan_.values.push_back(value);
  return add(std::move(step), Tensor(sample));
}

/// A literal as an argument that is the same in all windows.
Value Binder::fixed_value(const Node& node, const Function& f, const Parameter& p) const {
  const auto refuse = [&](const char* what) -> Value {
    throw ConditionError(fmt::format("{} of {} must be {}", p.name, f.name, what), node.span);
  };
  if (p.type() == ParamType::integers) {
    if (node.kind != Node::Kind::list) return refuse("a list of integers");
    Shape list;
    for (const Node& child : node.children) {
      const std::optional<Scalar> v = constant_of(child);
      if (!v || v->dtype() != DType::int64) return refuse("a list of integers");
      list.push_back(v->to_int64());
    }
    return list;
  }
  const std::optional<Scalar> v = constant_of(node);
  switch (p.type()) {
    case ParamType::integer:
      if (!v || v->dtype() != DType::int64) return refuse("an integer");
      return v->to_int64();
    case ParamType::flag:
      if (!v || v->dtype() != DType::boolean) return refuse("true or false");
      return v->to_bool();
    case ParamType::real:
      if (!v) return refuse("a number");
      return v->to_double();
    case ParamType::scalar:
      if (!v) return refuse("a number");
      return *v;
    default:
      return refuse("left out");
  }
}

/// The numbers of a list.
std::vector<Scalar> Binder::list_of(const Node& node) const {
  if (node.kind != Node::Kind::list) {
    throw ConditionError("expected a list or the name of an array", node.span);
  }
  std::vector<Scalar> values;
  for (const Node& child : node.children) {
    const std::optional<Scalar> v = constant_of(child);
    if (!v) throw ConditionError("a list can contain only numbers", child.span);
    values.push_back(*v);
  }
  return values;
}

/// A list, or all of an array.
Tensor Binder::whole_tensor(const Node& node) const {
  if (node.kind == Node::Kind::name) {
    if (const Array* array = find_array(node.text)) return array->read();
  }
  const std::vector<Scalar> values = list_of(node);
  const auto is_float = [](const Scalar& v) { return v.is_floating_point(); };
  if (std::any_of(values.begin(), values.end(), is_float)) {
    std::vector<double> list;
    for (const Scalar& v : values) list.push_back(v.to_double());
    return tensor(list);
  }
  std::vector<int64_t> list;
  bool is_large = false, is_negative = false;
  for (const Scalar& v : values) {
    is_large |= v.is_beyond_int64();
    is_negative |= v.to_double() < 0;
    list.push_back(v.to_int64());
  }
  if (is_large && is_negative) {
    throw ConditionError("no integer dtype has all of these numbers", node.span);
  }
  return is_large ? tensor(list).to(DType::uint64) : tensor(list);
}

/// A list, or all of an array, for isin: of a list those numbers that an element can equal.
Tensor Binder::set_of(const Node& node, DType elements) const {
  if (node.kind != Node::Kind::list || is_complex(elements)) return whole_tensor(node);
  std::vector<int64_t> integers;
  std::vector<double> floats;
  for (const Scalar& number : list_of(node)) {
    const std::optional<Scalar> element = as_element(number, elements);
    if (!element) continue;
    integers.push_back(is_floating_point(elements) ? 0 : element->to_int64());
    floats.push_back(element->to_double());
  }
  if (is_floating_point(elements)) return tensor(floats).to(elements);
  return elements == DType::uint64 ? tensor(integers).to(elements) : tensor(integers);
}

}  // namespace tamis::cli
