// Numbers: exact arithmetic on the numbers of a condition, and comparisons with elements by value.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "language/error.h"
#include "ops/pointwise/by_value.h"

namespace tamis::cli {

using tamis::Comparison;

/// The comparison that an operator is, if it is one.
std::optional<Comparison> comparison_of(std::string_view symbol);

/// Element by element, by value: nothing wraps into the dtype of the other side. A number (a 0-d
/// tensor) with a fraction is rounded to the dtype of floating point elements first, so that 0.1
/// finds the float32 next to it; a whole number is compared exactly. Integers and floating point
/// elements meet in float64. Complex numbers have eq and ne only.
Tensor compare(Comparison comparison, const Tensor& a, const Tensor& b);

/// The element of a real dtype that a number equals in the sense of compare, if there is one.
std::optional<Scalar> as_element(const Scalar& number, DType dtype);

/// What an operator gives for numbers: of integers exactly, with a fraction in float64.
/// None for those that are not about numbers alone. Throws ConditionError if integers give one of
/// more than 64 bits, or are divided by zero.
std::optional<Scalar> calculate(std::string_view symbol, std::span<const Scalar> numbers,
                                TextSpan span);

}  // namespace tamis::cli
