// Numbers: comparisons that say what the values say, and integers that never wrap.
#include "language/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tamis/create.h"
#include "tamis/pointwise.h"

namespace tamis::cli {

namespace {

/// b c' a says what a c b says.
Comparison mirrored(Comparison c) {
  switch (c) {
    case Comparison::lt:
      return Comparison::gt;
    case Comparison::le:
      return Comparison::ge;
    case Comparison::gt:
      return Comparison::lt;
    case Comparison::ge:
      return Comparison::le;
    default:
      return c;
  }
}

/// A number as it is meant among elements: one with a fraction as the nearest of floating point
/// elements, unless it is beyond all finite ones.
Scalar meant(const Scalar& number, DType dtype) {
  if (!number.is_floating_point() || !is_floating_point(dtype)) return number;
  const double nearest = Tensor(number).to(dtype).item().to_double();
  return std::isfinite(nearest) ? Scalar(nearest) : number;
}

Tensor compare_number(Comparison c, const Tensor& x, const Scalar& number) {
  return compare_by_value(c, x, meant(number, x.dtype()));
}

/// Exact, whatever the kinds of numbers.
bool compare_numbers(Comparison c, const Scalar& a, const Scalar& b) {
  return compare_by_value(c, full({}, a, a.dtype()), b).item().to_bool();
}

[[noreturn]] void refuse_overflow(TextSpan span) {
  throw ConditionError(
      "the result does not fit in 64 bits; write a number with .0 to use floating point", span);
}

int64_t floor_divided(int64_t a, int64_t b, TextSpan span) {
  if (b == 0) throw ConditionError("integer division by zero", span);
  if (a == std::numeric_limits<int64_t>::min() && b == -1) refuse_overflow(span);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int64_t power(int64_t base, int64_t exponent, TextSpan span) {
  int64_t result = 1;
  while (exponent > 0) {
    if (exponent % 2 == 1 && __builtin_mul_overflow(result, base, &result)) refuse_overflow(span);
    exponent /= 2;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) refuse_overflow(span);
  }
  return result;
}

std::optional<Scalar> calculate_integers(std::string_view symbol, const Scalar& first,
                                         const Scalar& second, TextSpan span) {
  if (first.is_beyond_int64() || second.is_beyond_int64()) refuse_overflow(span);
  const int64_t a = first.to_int64(), b = second.to_int64();
  int64_t result = 0;
  bool overflows = false;
  if (symbol == "+") {
    overflows = __builtin_add_overflow(a, b, &result);
  } else if (symbol == "-") {
    overflows = __builtin_sub_overflow(a, b, &result);
  } else if (symbol == "*") {
    overflows = __builtin_mul_overflow(a, b, &result);
  } else if (symbol == "//") {
    result = floor_divided(a, b, span);
  } else if (symbol == "%") {
    result = b == -1 ? 0 : a - floor_divided(a, b, span) * b;
  } else if (symbol == "**" && b >= 0) {
    result = power(a, b, span);
  } else {
    return std::nullopt;
  }
  if (overflows) refuse_overflow(span);
  return Scalar(result);
}

std::optional<Scalar> calculate_floats(std::string_view symbol, double a, double b) {
  if (symbol == "+") return Scalar(a + b);
  if (symbol == "-") return Scalar(a - b);
  if (symbol == "*") return Scalar(a * b);
  if (symbol == "/") return Scalar(a / b);
  return std::nullopt;
}

}  // namespace

std::optional<Comparison> comparison_of(std::string_view symbol) {
  constexpr std::string_view kSymbols[] = {"==", "!=", "<", "<=", ">", ">="};
  const auto* found = std::find(std::begin(kSymbols), std::end(kSymbols), symbol);
  if (found == std::end(kSymbols)) return std::nullopt;
  return static_cast<Comparison>(found - std::begin(kSymbols));
}

Tensor compare(Comparison c, const Tensor& a, const Tensor& b) {
  if (is_complex(a.dtype()) || is_complex(b.dtype())) return compare_by_operator(c, a, b);
  if (a.dim() == 0 && b.dim() == 0) return Tensor(compare_numbers(c, a.item(), b.item()));
  if (a.dim() == 0) return compare_number(mirrored(c), b, a.item());
  if (b.dim() == 0) return compare_number(c, a, b.item());
  if (is_floating_point(a.dtype()) == is_floating_point(b.dtype()))
    return compare_by_operator(c, a, b);
  return compare_by_operator(c, a.to_double(), b.to_double());
}

std::optional<Scalar> as_element(const Scalar& number, DType dtype) {
  // Bools meet other integers as 0 and 1, as bytes.
  return element_by_value(meant(number, dtype), dtype == DType::boolean ? DType::uint8 : dtype);
}

std::optional<Scalar> calculate(std::string_view symbol, std::span<const Scalar> numbers,
                                TextSpan span) {
  const auto is_bool = [](const Scalar& v) { return v.dtype() == DType::boolean; };
  const auto is_float = [](const Scalar& v) { return v.is_floating_point(); };
  const auto is_complex_number = [](const Scalar& v) { return v.is_complex(); };
  if (std::all_of(numbers.begin(), numbers.end(), is_bool)) return std::nullopt;
  if (std::any_of(numbers.begin(), numbers.end(), is_complex_number)) return std::nullopt;
  const bool floats = std::any_of(numbers.begin(), numbers.end(), is_float);
  if (numbers.size() == 1 && symbol == "-") {
    if (floats) return Scalar(-numbers[0].to_double());
    return calculate_integers("-", 0, numbers[0], span);
  }
  if (numbers.size() != 2) return std::nullopt;
  if (floats || symbol == "/") {
    return calculate_floats(symbol, numbers[0].to_double(), numbers[1].to_double());
  }
  return calculate_integers(symbol, numbers[0], numbers[1], span);
}

}  // namespace tamis::cli
