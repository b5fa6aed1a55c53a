// Binder: names, operators and calls as steps.
#include "language/binder.h"

#include <algorithm>

#include <fmt/format.h>

#include "language/constants.h"
#include "nearest.h"
#include "tamis/create.h"

namespace tamis::cli {

namespace {

constexpr std::string_view kIndices = "ijk";

/// broadcast_shapes, whose own text does not name the shapes.
Shape broadcast(const Shape& a, const Shape& b) {
  try {
    return broadcast_shapes(a, b);
  } catch (const Error&) {
    throw Error(
        ErrorKind::shape,
        fmt::format("shapes {} and {} cannot be broadcast: counting from the last dimension, sizes "
                    "must be equal, or one of them 1",
                    to_string(a), to_string(b)));
  }
}

/// Whether a row needs its arguments in the dtype that they have: comparisons find out for
/// themselves, and ~x is about the bits of x.
bool is_about_dtype(const Step& step) { return step.comparison || step.row->symbol == "~"; }

}  // namespace

Tensor sample_array(size_t rank, DType dtype) {
  return rank == 0 ? full({}, 7, dtype) : zeros(Shape(rank, 0), dtype);
}

Binder::Binder(std::span<const Array> arrays) : arrays_(arrays) {}

Plan Binder::run(const Node& root, const Shape& base) {
  plan_.arrays = arrays_;
  scopes_.emplace_back();
  bind(root);
  // Broadcasting against base is the last thing that may fail, so it is the root's fault.
  plan_.result = at_span(root.span, [&] { return finish_scope(base); });
  return std::move(plan_);
}

Steps Binder::finish_scope(const Shape& base) {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  Steps& steps = scope.steps;
  steps.dtype = scope.samples.back().dtype();
  steps.shape = broadcast(steps.list.back().shape, base);
  for (const auto& [dim, span] : scope.indices) {
    if (dim >= steps.shape.size()) {
      throw ConditionError(
          fmt::format("{} is the index along dimension {}, but there {}", kIndices[dim], dim,
                      steps.shape.empty()       ? "are no dimensions"
                      : steps.shape.size() == 1 ? "is only one dimension"
                                                : "are only two dimensions"),
          span);
    }
  }
  return std::move(steps);
}

int Binder::add(Step step, Tensor sample) {
  Scope& scope = scopes_.back();
  scope.steps.list.push_back(std::move(step));
  scope.samples.push_back(std::move(sample));
  return static_cast<int>(scope.steps.list.size()) - 1;
}

int Binder::add_number(Scalar value) {
  Step step;
  step.is_number = true;
  step.constant = Tensor(value);
  const Tensor sample = step.constant;
  return add(std::move(step), sample);
}

/// Runs the row on samples: that settles the dtype and brings out what the row refuses.
int Binder::add_call(const Node& node, Step step) {
  std::vector<Value> args = step.fixed;
  step.kind = Step::Kind::call;
  step.span = node.span;
  step.comparison = comparison_of(step.row->symbol);
  const Scope& scope = scopes_.back();
  step.is_number = true;
  for (size_t i = 0; i < args.size(); ++i) {
    if (step.args[i] < 0) continue;
    args[i] = scope.samples[step.args[i]];
    step.is_number &= scope.steps.list[step.args[i]].is_number;
  }
  return at_span(node.span, [&] {
    for (int arg : step.args) {
      if (arg >= 0) step.shape = broadcast(step.shape, scope.steps.list[arg].shape);
    }
    // Numbers that a small dtype cannot hold must not be refused before it is known what they meet.
    if (!is_about_dtype(step)) step.computed_in = integers_in(step);
    step.computed_in = computed_in(step, call_row(step, args).dtype());
    Tensor sample = call_row(step, args);
    return add(std::move(step), std::move(sample));
  });
}

/// int64, but uint64 if an array has that, and float64 if others have signs.
DType Binder::integers_in(const Step& step) const {
  const Scope& scope = scopes_.back();
  bool is_large = false, has_sign = false;
  for (int arg : step.args) {
    if (arg < 0 || scope.steps.list[arg].is_number) continue;
    const DType dtype = scope.samples[arg].dtype();
    is_large |= dtype == DType::uint64;
    has_sign |= is_integral(dtype) && is_signed(dtype);
  }
  return !is_large ? DType::int64 : has_sign ? DType::float64 : DType::uint64;
}

/// Integers are computed in int64, and in float64 where the result has fractions, so that small
/// dtypes do not wrap and large integers are not rounded to float32. Arrays of floating point keep
/// the dtype that promotion gives.
std::optional<DType> Binder::computed_in(const Step& step, DType result) const {
  const Scope& scope = scopes_.back();
  bool has_number = false;
  for (int arg : step.args) {
    if (arg < 0) continue;
    const bool is_number = scope.steps.list[arg].is_number;
    const DType dtype = scope.samples[arg].dtype();
    has_number |= is_number;
    if (is_complex(dtype) || (is_floating_point(dtype) && !is_number)) return std::nullopt;
  }
  if (is_about_dtype(step)) return std::nullopt;
  if (is_floating_point(result)) return DType::float64;
  const bool has_integers = is_integral(result) || (result == DType::boolean && has_number);
  return has_integers ? std::optional(integers_in(step)) : std::nullopt;
}

int Binder::bind(const Node& node) {
  const std::string key = dump(node);
  if (const auto found = scopes_.back().known.find(key); found != scopes_.back().known.end()) {
    return found->second;
  }
  const int step = bind_new(node);
  scopes_.back().known.emplace(key, step);
  return step;
}

int Binder::bind_new(const Node& node) {
  switch (node.kind) {
    case Node::Kind::number:
      return add_number(node.number);
    case Node::Kind::name:
      return bind_name(node);
    case Node::Kind::comparison:
      return bind_comparison(node);
    case Node::Kind::call:
      return bind_call(node);
    case Node::Kind::operation: {
      if (const std::optional<Scalar> number = constant_of(node)) return add_number(*number);
      std::vector<int> args;
      for (const Node& child : node.children) args.push_back(bind(child));
      return bind_operator(node, operator_row(node.text), std::move(args));
    }
    case Node::Kind::list:
      break;
  }
  throw ConditionError("a list can only be an argument, as in isin(x, [1, 2])", node.span);
}

int Binder::bind_operator(const Node& node, const Row& row, std::vector<int> args) {
  Step step;
  step.row = &row;
  for (const Parameter& p : row.signature.params) step.fixed.push_back(p.fallback);
  step.args = std::move(args);
  step.args.resize(step.fixed.size(), -1);
  return add_call(node, std::move(step));
}

/// a < b <= c is (a < b) & (b <= c).
int Binder::bind_comparison(const Node& node) {
  std::vector<int> operands;
  for (const Node& child : node.children) operands.push_back(bind(child));
  int all = -1;
  for (size_t i = 0; i < node.rows.size(); ++i) {
    const int one = bind_operator(node, operator_row(node.rows[i]), {operands[i], operands[i + 1]});
    all = all < 0 ? one : bind_operator(node, operator_row(operator_name("&", 2)), {all, one});
  }
  return all;
}

const Array* Binder::find_array(const std::string& name) const {
  const auto found =
      std::find_if(arrays_.begin(), arrays_.end(), [&](const Array& a) { return a.name == name; });
  return found == arrays_.end() ? nullptr : &*found;
}

int Binder::bind_name(const Node& node) {
  Step step;
  if (const Array* array = find_array(node.text)) {
    step.kind = Step::Kind::array;
    step.which = array - arrays_.data();
    step.shape = array->shape;
    return add(std::move(step), sample_array(array->shape.size(), array->dtype));
  }
  if (const std::optional<Scalar> value = constant_named(node.text)) return add_number(*value);
  const size_t dim = node.text.size() == 1 ? kIndices.find(node.text[0]) : kIndices.npos;
  if (dim == kIndices.npos) unknown_name(node);
  step.kind = Step::Kind::index;
  step.which = dim;
  scopes_.back().indices.emplace_back(dim, node.span);
  return add(std::move(step), sample_array(1, DType::int64));
}

void Binder::unknown_name(const Node& node) const {
  if (const Function* f = find_function(node.text)) {
    throw ConditionError(fmt::format("{} is a function; write {}", f->name, f->usage), node.span);
  }
  std::vector<std::string> candidates;
  for (const Array& a : arrays_) candidates.push_back(a.name);
  for (const char* constant : {"true", "false", "inf", "nan"}) candidates.emplace_back(constant);
  for (const Function& f : functions()) candidates.push_back(f.name);
  std::string hint = did_you_mean(node.text, candidates);
  if (hint.empty() && !arrays_.empty()) {
    for (const Array& a : arrays_) {
      hint += (hint.empty() ? "; the arrays are named " : ", ") + a.name;
    }
  }
  throw ConditionError(fmt::format("unknown name '{}'{}", node.text, hint), node.span);
}

void Binder::unknown_function(const Node& node) const {
  if (find_array(node.text) != nullptr) {
    throw ConditionError(fmt::format("{} is an array, not a function", node.text), node.span);
  }
  std::vector<std::string> candidates;
  for (const Function& f : functions()) candidates.push_back(f.name);
  throw ConditionError(
      fmt::format("unknown function '{}'{}", node.text, did_you_mean(node.text, candidates)),
      node.span);
}

}  // namespace tamis::cli
