// Plan: a condition as steps in the order in which they are computed for a window.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "array.h"
#include "language/functions.h"
#include "language/numbers.h"
#include "language/parser.h"
#include "summary.h"
#include "windows.h"

namespace tamis::cli {

/// One step: an input, or a row applied to the results of steps before it.
struct Step {
  enum class Kind { constant, array, index, builder, call, whole };
  Kind kind = Kind::constant;
  Shape shape;             // of the whole result; {} for indices and numbers
  bool is_number = false;  // it needs no element of any array
  Tensor constant;         // constant: a number
  size_t which = 0;        // array: its number; index: the dimension; whole: the number of it
  // builder: a box of its shape
  std::function<Tensor(const Shape& start, const Shape& size)> build;
  TextSpan span;                                  // call: in the text
  const Row* row = nullptr;                       // call
  std::vector<int> args;                          // call: a step per parameter, or -1 for
  std::vector<Value> fixed;                       // what is the same in all windows
  bool has_options = false;                       // call: an argument that is no operand was given
  std::function<Tensor(const Tensor&)> prepared;  // call: instead of the row, on the first argument
  std::optional<Comparison> comparison;           // call: instead of the row, by value
  std::optional<DType> computed_in;  // call: what integers become before the row sees them
};

/// Steps over one common shape; the last one is the result.
struct Steps {
  std::vector<Step> list;
  Shape shape;  // all steps broadcast to it
  DType dtype = DType::boolean;
};

/// A number that is known when all of `steps` has been summarised.
struct WholeValue {
  Whole what = Whole::count;
  size_t pass = 0;      // of those in the plan
  size_t quantile = 0;  // median, quantile: of those in the pass
  Scalar value = 0;
};

/// A pass over a sub-expression.
struct Pass {
  std::string key;  // the sub-expression, so that equal ones share a pass
  Steps steps;
  std::vector<Quantile> quantiles;
};

struct Plan {
  std::span<const Array> arrays;
  std::vector<Pass> passes;  // each needs only values of those before it
  std::vector<WholeValue> values;
  Steps result;
};

/// Checks a condition and makes its plan. The common shape of the result includes base. Throws
/// ConditionError.
Plan make_plan(const Node& root, std::span<const Array> arrays, const Shape& base);

/// The row of a step on these arguments, computed in the step's dtype.
Tensor call_row(const Step& step, std::vector<Value> args);

/// The result of steps in a box.
Tensor evaluate(const Plan& plan, const Steps& steps, BoxOfArrays& inputs);

/// The value that the summary of its pass gives.
Scalar value_of(const WholeValue& value, const Summary& summary);
/// A value of the dtype that value_of is going to have.
Scalar sample_of(const WholeValue& value, const Pass& pass);

}  // namespace tamis::cli
