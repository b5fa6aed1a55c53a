// Plan: evaluating steps, and the values of passes.
#include "language/plan.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "language/binder.h"
#include "tamis/create.h"
#include "tamis/pointwise.h"
#include "tamis/reduce.h"

namespace tamis::cli {

namespace {

/// i, j or k in a box: as many dimensions as stand behind it, of size 1, so that it lines up.
Tensor index_window(size_t dim, const Box& box) {
  Shape shape(box.size.size() - dim, 1);
  shape[0] = box.size[dim];
  return arange(box.start[dim], box.start[dim] + box.size[dim]).view(shape);
}

/// What a step over numbers alone gives, if it is arithmetic.
std::optional<Scalar> calculate(const Step& step, const std::vector<Tensor>& results) {
  std::vector<Scalar> numbers;
  for (int arg : step.args) {
    if (arg >= 0) numbers.push_back(results[arg].item());
  }
  return calculate(step.row->symbol, numbers, step.span);
}

/// Whether the last operand is an integer with a zero in it, by which division is refused.
bool has_zero_divisor(const Step& step, const std::vector<Tensor>& results) {
  const auto divisor =
      std::find_if(step.args.rbegin(), step.args.rend(), [](int a) { return a >= 0; });
  if (divisor == step.args.rend()) return false;
  const Tensor& x = results[*divisor];
  return !is_floating_point(x.dtype()) && !is_complex(x.dtype()) && any(x == 0).item<bool>();
}

Tensor evaluate_call(const Step& step, const std::vector<Tensor>& results) {
  if (step.prepared) return step.prepared(results[step.args[0]]);
  if (step.comparison) {
    return compare(*step.comparison, results[step.args[0]], results[step.args[1]]);
  }
  if (step.is_number && !step.has_options) {
    if (const std::optional<Scalar> number = calculate(step, results)) return Tensor(*number);
  }
  std::vector<Value> args = step.fixed;
  for (size_t i = 0; i < args.size(); ++i) {
    if (step.args[i] >= 0) args[i] = results[step.args[i]];
  }
  try {
    return call_row(step, std::move(args));
  } catch (const Error& e) {
    // Every other value that a row refuses was refused when the plan was made.
    if (e.kind() == ErrorKind::value && has_zero_divisor(step, results)) {
      throw ConditionError("integer division by zero", step.span);
    }
    throw;
  }
}

Tensor evaluate_step(const Plan& plan, const Step& step, BoxOfArrays& inputs,
                     const std::vector<Tensor>& results) {
  switch (step.kind) {
    case Step::Kind::constant:
      return step.constant;
    case Step::Kind::whole:
      return Tensor(plan.values[step.which].value);
    case Step::Kind::index:
      return index_window(step.which, inputs.box());
    case Step::Kind::builder: {
      const Box box = restrict_to(inputs.box(), step.shape);
      return step.build(box.start, box.size);
    }
    case Step::Kind::array:
      return inputs[step.which];
    case Step::Kind::call:
      break;
  }
  return evaluate_call(step, results);
}

}  // namespace

Plan make_plan(const Node& root, std::span<const Array> arrays, const Shape& base) {
  return Binder(arrays).run(root, base);
}

Tensor call_row(const Step& step, std::vector<Value> args) {
  for (size_t i = 0; i < args.size() && step.computed_in; ++i) {
    auto* x = std::get_if<Tensor>(&args[i]);
    if (x == nullptr || step.args[i] < 0) continue;
    const bool is_meant = is_integral(x->dtype()) ||
                          (is_floating_point(x->dtype()) && is_floating_point(*step.computed_in));
    if (!is_meant) continue;
    // A number would be weak in promotion, and float32 where it has a fraction.
    *x = x->dim() == 0 ? full({}, x->item(), *step.computed_in) : x->to(*step.computed_in);
  }
  const Tensor result = step.comparison ? compare(*step.comparison, std::get<Tensor>(args[0]),
                                                  std::get<Tensor>(args[1]))
                                        : std::get<Tensor>(step.row->call(args));
  return step.is_number ? Tensor(result.item()) : result;
}

Tensor evaluate(const Plan& plan, const Steps& steps, BoxOfArrays& inputs) {
  std::vector<Tensor> results;
  results.reserve(steps.list.size());
  for (const Step& step : steps.list) {
    results.push_back(evaluate_step(plan, step, inputs, results));
  }
  return results.back();
}

Scalar value_of(const WholeValue& value, const Summary& s) {
  switch (value.what) {
    case Whole::count:
    case Whole::sum:
      return s.sum;
    case Whole::any:
      return s.count > 0 && s.max.to_bool();
    case Whole::all:
      return s.count == 0 || s.min.to_bool();
    case Whole::mean:
      return s.mean;
    case Whole::std:
      return s.std;
    case Whole::var:
      return s.var;
    case Whole::min:
      return s.min;
    case Whole::max:
      return s.max;
    case Whole::median:
    case Whole::quantile:
      break;
  }
  return s.quantiles[value.quantile];
}

Scalar sample_of(const WholeValue& value, const Pass& pass) {
  // No round number, so that what is made of it is hardly zero.
  const Scalar some = is_floating_point(pass.steps.dtype) ? Scalar(1000003.7) : Scalar(1000003);
  Summary summary;
  summary.count = 1;
  summary.mean = summary.var = summary.std = 1000003.7;
  summary.sum = summary.min = summary.max = some;
  for (const Quantile& q : pass.quantiles) {
    summary.quantiles.push_back(q.lower ? some : Scalar(1000003.7));
  }
  return value_of(value, summary);
}

}  // namespace tamis::cli
