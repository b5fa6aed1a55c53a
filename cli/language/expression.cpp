// Expression: a tree, its plan, and the passes before its first evaluation.
#include "language/expression.h"

#include <algorithm>

#include <fmt/format.h>

#include "language/plan.h"

namespace tamis::cli {

struct Expression::State {
  std::string text;
  TextSpan root;
  Plan plan;

  Tensor evaluate(const Steps& steps, BoxOfArrays& inputs) const {
    try {
      return cli::evaluate(plan, steps, inputs);
    } catch (ConditionError& e) {
      e.set_source(text);
      throw;
    }
  }
};

namespace {

bool takes_whole(const Node& node, const std::string& name) {
  const Function* f = node.kind == Node::Kind::call ? find_function(node.text) : nullptr;
  for (size_t i = 0; i < node.children.size(); ++i) {
    const Node& child = node.children[i];
    if (takes_whole(child, name)) return true;
    if (f == nullptr || child.kind != Node::Kind::name || child.text != name) continue;
    const auto p =
        std::find_if(f->parameters.begin(), f->parameters.end(), [&](const Parameter& q) {
          return node.names[i].empty() ? &q == &f->parameters[0] + i : node.names[i] == q.name;
        });
    const bool is_whole_set = p != f->parameters.end() && is_set(*f, *p);
    if (is_whole_set || f->evaluation == Evaluation::builder) return true;
  }
  return false;
}

}  // namespace

bool takes_whole(const std::string& text, const std::string& name) {
  try {
    return takes_whole(parse(text), name);
  } catch (ConditionError& e) {
    e.set_source(text);
    throw;
  }
}

Expression::Expression(std::string text, std::span<const Array> arrays, const Shape& base)
    : state_(std::make_unique<State>()) {
  try {
    const Node root = parse(text);
    state_->root = root.span;
    state_->plan = make_plan(root, arrays, base);
  } catch (ConditionError& e) {
    e.set_source(std::move(text));
    throw;
  }
  state_->text = std::move(text);
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;

DType Expression::dtype() const { return state_->plan.result.dtype; }
const Shape& Expression::shape() const { return state_->plan.result.shape; }

bool Expression::is_number() const {
  const std::vector<Step>& steps = state_->plan.result.list;
  return std::all_of(steps.begin(), steps.end(), [](const Step& step) {
    return step.kind == Step::Kind::constant || step.kind == Step::Kind::whole ||
           step.kind == Step::Kind::call;
  });
}

void Expression::check_condition() const {
  if (dtype() == DType::boolean) return;
  ConditionError error(
      fmt::format("a condition must be bool, but this is {}; compare it, as in (...) != 0",
                  name(dtype())),
      state_->root);
  error.set_source(state_->text);
  throw error;
}

void Expression::resolve(const Summarize& summarize) {
  Plan& plan = state_->plan;
  for (size_t number = 0; number < plan.passes.size(); ++number) {
    const Pass& pass = plan.passes[number];
    const Stream stream{pass.steps.dtype, pass.steps.shape, [&](const Box& box) {
                          BoxOfArrays inputs(plan.arrays, box);
                          return state_->evaluate(pass.steps, inputs).broadcast_to(box.size);
                        }};
    const Summary summary = summarize(stream, pass.quantiles);
    for (WholeValue& value : plan.values) {
      if (value.pass == number) value.value = value_of(value, summary);
    }
  }
}

Tensor Expression::evaluate(BoxOfArrays& inputs) const {
  return state_->evaluate(state_->plan.result, inputs);
}

size_t Expression::bytes_per_element() const {
  size_t bytes = 0;
  for (const Step& step : state_->plan.result.list) {
    if (step.kind == Step::Kind::array) bytes += itemsize(state_->plan.arrays[step.which].dtype);
    if (step.kind == Step::Kind::index) bytes += sizeof(int64_t);
  }
  return bytes;
}

}  // namespace tamis::cli
