// Comparing by value: a number between two neighbours of a dtype compares as one of them does.
#include "ops/pointwise/by_value.h"
#include "expr/expr.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/convert.h"
#include "tamis/create.h"
#include "tamis/pointwise.h"

namespace tamis {

namespace {

/// The values of a dtype next to a number: the largest that is not above it and the smallest that
/// is not below it, if there are such. Both are the number itself if the dtype has it.
struct Neighbours {
  std::optional<Scalar> below, above;
  bool exact = false;
};

template <class T>
Neighbours among_integers(Scalar number) {
  constexpr T kMin = std::numeric_limits<T>::min(), kMax = std::numeric_limits<T>::max();
  Neighbours found;
  if (!number.is_floating_point()) {
    const auto v = number.to<T>();
    const bool is_below = !number.is_beyond_int64() && std::cmp_less(number.to_int64(), kMin);
    const bool is_above = number.is_beyond_int64() ? std::cmp_greater(number.to<uint64_t>(), kMax)
                                                   : std::cmp_greater(number.to_int64(), kMax);
    if (!is_below) found.below = is_above ? kMax : v;
    if (!is_above) found.above = is_below ? kMin : v;
    found.exact = !is_below && !is_above;
    return found;
  }
  // One more than the maximum, which a double may not be able to hold.
  const double v = number.to_double(), end = std::ldexp(1.0, std::numeric_limits<T>::digits);
  const double down = std::floor(v), up = std::ceil(v), low = static_cast<double>(kMin);
  if (down >= low) found.below = down < end ? static_cast<T>(down) : kMax;
  if (up < end) found.above = up >= low ? static_cast<T>(up) : kMin;
  found.exact = down == up && down >= low && up < end;
  return found;
}

/// As numbers, which is what bools are compared as.
Neighbours among_bools(Scalar number) {
  const Neighbours bytes = among_integers<uint8_t>(number);
  Neighbours found;
  if (bytes.below) found.below = std::min<int64_t>(bytes.below->to_int64(), 1);
  if (bytes.above && bytes.above->to_int64() <= 1) found.above = bytes.above;
  found.exact = bytes.exact && found.above.has_value();
  return found;
}

/// The next value of T in a direction from x, which is neither zero nor infinite.
template <class T>
double next(T x, bool up) {
  using Bits = std::conditional_t<sizeof(T) == 2, uint16_t,
                                  std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
  const auto bits = std::bit_cast<Bits>(x);
  const bool away = (static_cast<double>(x) > 0) == up;
  return static_cast<double>(std::bit_cast<T>(static_cast<Bits>(away ? bits + 1 : bits - 1)));
}

/// The sign of x - v, where x is an integer within a rounding of v.
int sign_of_error(double x, Scalar number) {
  if (number.is_beyond_int64()) {
    if (x >= 0x1p64) return 1;
    const auto whole = static_cast<uint64_t>(x), v = number.to<uint64_t>();
    return (whole > v) - (whole < v);
  }
  if (x >= 0x1p63) return 1;
  const auto whole = static_cast<int64_t>(x), v = number.to_int64();
  return (whole > v) - (whole < v);
}

template <class T>
Neighbours among_floats(Scalar number, DType dtype) {
  const double v = number.to_double(), most = largest_finite(dtype);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (std::isfinite(v) && std::abs(v) > most) {
    return v > 0 ? Neighbours{most, kInfinity} : Neighbours{-kInfinity, -most};
  }
  if (number.is_floating_point()) return {number, number, true};
  // Rounding an integer gives one of its neighbours; what is not exact is far from zero.
  const T nearest = number.to<T>();
  const auto x = static_cast<double>(nearest);
  const int error = sign_of_error(x, number);
  if (error == 0) return {x, x, true};
  return error < 0 ? Neighbours{x, next(nearest, true)} : Neighbours{next(nearest, false), x};
}

Neighbours neighbours(Scalar number, DType dtype) {
  return visit_real(dtype, [&](auto type) -> Neighbours {
    using T = decltype(type);
    if constexpr (std::is_same_v<T, bool>) {
      return among_bools(number);
    } else if constexpr (std::is_integral_v<T>) {
      return among_integers<T>(number);
    } else {
      return among_floats<T>(number, dtype);
    }
  });
}

/// A mask that is the same everywhere, without memory.
Tensor constant(const Tensor& x, bool value) {
  return logical_not(full_on(backend_of(x), {}, !value, DType::boolean).expand(x.shape()));
}

}  // namespace

Tensor compare_by_operator(Comparison how, const Tensor& x, const Tensor& y) {
  switch (how) {
    case Comparison::eq:
      return eq(x, y);
    case Comparison::ne:
      return ne(x, y);
    case Comparison::lt:
      return lt(x, y);
    case Comparison::le:
      return le(x, y);
    case Comparison::gt:
      return gt(x, y);
    default:
      return ge(x, y);
  }
}

Tensor compare_by_value(Comparison how, const Tensor& x, Scalar number) {
  const bool has_order = !is_complex(x.dtype()) && !number.is_complex();
  if (!has_order || std::isnan(number.to_double()))
    return compare_by_operator(how, x, Tensor(number));
  const Neighbours at = neighbours(number, x.dtype());
  using enum Comparison;
  if ((how == eq || how == ne) && !at.exact) return constant(x, how == ne);
  // x < 2.5 is x < 3, and x <= 2.5 is x <= 2.
  const std::optional<Scalar>& bound = how == lt || how == ge ? at.above : at.below;
  if (!bound) return constant(x, how == lt || how == gt);
  return compare_by_operator(how, x, Tensor(*bound));
}

bool lack_common_integer(DType a, DType b) {
  return is_integral(a) && is_integral(b) && is_floating_point(promote_types(a, b));
}

// A negative number is none of uint64, and below all of them.
Tensor less_by_value(const Tensor& a, const Tensor& b) {
  const Tensor large_a = a.to(DType::uint64), large_b = b.to(DType::uint64);
  if (is_signed(a.dtype())) return (a < 0) | (large_a < large_b);
  return (b >= 0) & (large_a < large_b);
}

Tensor equal_by_value(const Tensor& a, const Tensor& b) {
  const Tensor& number = is_signed(a.dtype()) ? a : b;
  return (number >= 0) & (a.to(DType::uint64) == b.to(DType::uint64));
}

std::optional<Scalar> element_by_value(Scalar number, DType dtype) {
  if (std::isnan(number.to_double())) {
    return is_floating_point(dtype) ? std::optional(number) : std::nullopt;
  }
  const Neighbours at = neighbours(number, dtype);
  return at.exact ? at.below : std::nullopt;
}

Scalar rounded_for(Scalar number, DType dtype) {
  if (!number.is_floating_point() || !is_floating_point(dtype) || !fits(number, dtype)) {
    return number;
  }
  return visit_real(dtype, [&](auto type) -> Scalar { return number.to<decltype(type)>(); });
}

}  // namespace tamis
