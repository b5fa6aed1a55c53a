// Functions: what can be called in a condition, most of it made from the rows of ops.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ops/row.h"

namespace tamis::cli {

/// How a function is evaluated, window by window.
enum class Evaluation {
  pointwise,  // its row, on the windows of its arguments
  builder,    // a mask with a shape of its own, made for the window that is asked for
  between,    // two comparisons, which here are by value
  whole,      // a number that a pass over its whole argument gives
};

/// What a pass over a whole argument is made for.
enum class Whole { count, any, all, sum, mean, std, var, min, max, median, quantile };

struct Function {
  std::string name;
  Evaluation evaluation = Evaluation::pointwise;
  std::vector<Parameter> parameters;
  const Row* row = nullptr;  // pointwise, builder
  Whole whole = Whole::count;
  std::string usage;  // "clamp(input, min=None, max=None)"
  std::string summary;
  std::string group;  // a title, for the documentation
};

/// In the order of the documentation.
const std::vector<Function>& functions();
/// Null if there is none of that name.
const Function* find_function(std::string_view name);

/// Whether a condition can write an argument of that type.
bool is_written(const Parameter& p);
/// Whether it is a set of numbers, which is known before the first window: a list, or all of an
/// array.
bool is_set(const Function& f, const Parameter& p);

/// The name of the row that an operator with one or two operands stands for.
const std::string& operator_name(std::string_view symbol, size_t operands);
/// The row of that name.
const Row& operator_row(std::string_view name);

}  // namespace tamis::cli
