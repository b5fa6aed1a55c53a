// Numbers: comparisons that say what the values say, and integers that never wrap.
#include "language/numbers.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <utility>

#include "tamis/pointwise.h"

namespace tamis::cli {

namespace {

constexpr double kTwo63 = 9223372036854775808.0;

std::partial_ordering order(int64_t a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= kTwo63) return std::partial_ordering::less;
  if (b < -kTwo63) return std::partial_ordering::greater;
  const auto whole = static_cast<int64_t>(b);
  if (a != whole) return a <=> whole;
  return 0.0 <=> b - std::trunc(b);
}

/// Exact, whatever the kinds of numbers.
std::partial_ordering order(const Scalar& a, const Scalar& b) {
  if (a.is_floating_point() && b.is_floating_point()) return a.to_double() <=> b.to_double();
  if (b.is_floating_point()) return order(a.to_int64(), b.to_double());
  if (a.is_floating_point()) return 0 <=> order(b.to_int64(), a.to_double());
  return a.to_int64() <=> b.to_int64();
}

bool holds(Comparison c, std::partial_ordering o) {
  switch (c) {
    case Comparison::eq:
      return o == 0;
    case Comparison::ne:
      return o != 0;
    case Comparison::lt:
      return o < 0;
    case Comparison::le:
      return o <= 0;
    case Comparison::gt:
      return o > 0;
    case Comparison::ge:
      return o >= 0;
  }
  return false;
}

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

Tensor call(Comparison c, const Tensor& a, const Tensor& b) {
  switch (c) {
    case Comparison::eq:
      return eq(a, b);
    case Comparison::ne:
      return ne(a, b);
    case Comparison::lt:
      return lt(a, b);
    case Comparison::le:
      return le(a, b);
    case Comparison::gt:
      return gt(a, b);
    case Comparison::ge:
      break;
  }
  return ge(a, b);
}

Tensor everywhere(const Tensor& x, bool value) { return Tensor(value).expand(x.shape()); }

std::pair<int64_t, int64_t> limits_of(DType dtype) {
  return visit_real(dtype, []<class T>(T) -> std::pair<int64_t, int64_t> {
    if constexpr (std::is_integral_v<T>) {
      return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    }
    return {};
  });
}

/// An integer has the same place among the others as the next whole number on one side.
Tensor compare_integers(Comparison c, const Tensor& x, const Scalar& number) {
  const bool is_equality = c == Comparison::eq || c == Comparison::ne;
  Scalar bound = number;
  if (number.is_floating_point()) {
    const double value = number.to_double();
    const bool from_above = c == Comparison::lt || c == Comparison::ge;  // x < 2.5 is x < 3
    const double whole = from_above ? std::ceil(value) : std::floor(value);
    if (std::isnan(value) || (is_equality && whole != value)) {
      return everywhere(x, c == Comparison::ne);
    }
    bound = whole;
  }
  const auto [smallest, largest] = limits_of(x.dtype());
  if (order(largest, bound) < 0) return everywhere(x, holds(c, std::partial_ordering::less));
  if (order(smallest, bound) > 0) return everywhere(x, holds(c, std::partial_ordering::greater));
  return call(c, x, Tensor(bound.to_int64()));
}

double rounded_to(const Scalar& number, DType dtype) {
  return Tensor(number).to(dtype).item().to_double();
}

/// Whether a number is taken as its neighbour in a dtype: a fraction is, unless it is beyond all
/// finite elements.
bool is_taken_as(const Scalar& number, double neighbour) {
  const bool is_fraction = number.is_floating_point() && std::isfinite(neighbour);
  return is_fraction || order(number, neighbour) == 0;
}

Tensor compare_floats(Comparison c, const Tensor& x, const Scalar& number) {
  const double neighbour = rounded_to(number, x.dtype());
  if (std::isnan(neighbour) || is_taken_as(number, neighbour)) {
    return call(c, x, Tensor(neighbour));
  }
  // No element lies between the number and its neighbour.
  const bool above = order(number, neighbour) < 0;
  switch (c) {
    case Comparison::eq:
    case Comparison::ne:
      return everywhere(x, c == Comparison::ne);
    case Comparison::lt:
    case Comparison::le:
      return call(above ? Comparison::lt : Comparison::le, x, Tensor(neighbour));
    default:
      return call(above ? Comparison::ge : Comparison::gt, x, Tensor(neighbour));
  }
}

Tensor compare_number(Comparison c, const Tensor& x, const Scalar& number) {
  if (is_floating_point(x.dtype())) return compare_floats(c, x, number);
  if (x.dtype() != DType::boolean) return compare_integers(c, x, number);
  if (number.dtype() == DType::boolean) return call(c, x, Tensor(number));
  return compare_integers(c, x.to_byte(), number);
}

[[noreturn]] void refuse_overflow(Place place) {
  throw ConditionError(
      "the result does not fit in 64 bits; write a number with .0 to use floating point", place);
}

int64_t floor_divided(int64_t a, int64_t b, Place place) {
  if (b == 0) throw ConditionError("integer division by zero", place);
  if (a == std::numeric_limits<int64_t>::min() && b == -1) refuse_overflow(place);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int64_t power(int64_t base, int64_t exponent, Place place) {
  int64_t result = 1;
  while (exponent > 0) {
    if (exponent % 2 == 1 && __builtin_mul_overflow(result, base, &result)) refuse_overflow(place);
    exponent /= 2;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) refuse_overflow(place);
  }
  return result;
}

std::optional<Scalar> calculate_integers(std::string_view symbol, int64_t a, int64_t b,
                                         Place place) {
  int64_t result = 0;
  bool overflows = false;
  if (symbol == "+") {
    overflows = __builtin_add_overflow(a, b, &result);
  } else if (symbol == "-") {
    overflows = __builtin_sub_overflow(a, b, &result);
  } else if (symbol == "*") {
    overflows = __builtin_mul_overflow(a, b, &result);
  } else if (symbol == "//") {
    result = floor_divided(a, b, place);
  } else if (symbol == "%") {
    result = b == -1 ? 0 : a - floor_divided(a, b, place) * b;
  } else if (symbol == "**" && b >= 0) {
    result = power(a, b, place);
  } else {
    return std::nullopt;
  }
  if (overflows) refuse_overflow(place);
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
  if (is_complex(a.dtype()) || is_complex(b.dtype())) return call(c, a, b);
  if (a.dim() == 0 && b.dim() == 0) return Tensor(holds(c, order(a.item(), b.item())));
  if (a.dim() == 0) return compare_number(mirrored(c), b, a.item());
  if (b.dim() == 0) return compare_number(c, a, b.item());
  if (is_floating_point(a.dtype()) == is_floating_point(b.dtype())) return call(c, a, b);
  return call(c, a.to_double(), b.to_double());
}

std::optional<Scalar> as_element(const Scalar& number, DType dtype) {
  if (is_floating_point(dtype)) {
    const double neighbour = rounded_to(number, dtype);
    const bool exists = std::isnan(neighbour) || is_taken_as(number, neighbour);
    return exists ? std::optional(Scalar(neighbour)) : std::nullopt;
  }
  const auto [smallest, largest] = limits_of(dtype == DType::boolean ? DType::uint8 : dtype);
  const bool is_whole = order(number, std::floor(number.to_double())) == 0;
  if (number.is_floating_point() && !is_whole) return std::nullopt;
  if (order(number, smallest) < 0 || order(number, largest) > 0) return std::nullopt;
  return Scalar(number.to_int64());
}

std::optional<Scalar> calculate(std::string_view symbol, std::span<const Scalar> numbers,
                                Place place) {
  const auto is_bool = [](const Scalar& v) { return v.dtype() == DType::boolean; };
  const auto is_float = [](const Scalar& v) { return v.is_floating_point(); };
  const auto is_complex_number = [](const Scalar& v) { return v.is_complex(); };
  if (std::all_of(numbers.begin(), numbers.end(), is_bool)) return std::nullopt;
  if (std::any_of(numbers.begin(), numbers.end(), is_complex_number)) return std::nullopt;
  const bool floats = std::any_of(numbers.begin(), numbers.end(), is_float);
  if (numbers.size() == 1 && symbol == "-") {
    if (floats) return Scalar(-numbers[0].to_double());
    return calculate_integers("-", 0, numbers[0].to_int64(), place);
  }
  if (numbers.size() != 2) return std::nullopt;
  if (floats || symbol == "/") {
    return calculate_floats(symbol, numbers[0].to_double(), numbers[1].to_double());
  }
  return calculate_integers(symbol, numbers[0].to_int64(), numbers[1].to_int64(), place);
}

}  // namespace tamis::cli
