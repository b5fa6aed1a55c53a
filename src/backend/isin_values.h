// The numbers that an element of some dtype can equal, for the sets of `isin`.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tamis/dtype.h"

namespace tamis {

/// The same number as a To, if there is one.
template <class To, class From>
std::optional<To> exactly(From x) {
  if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    return std::in_range<To>(x) ? std::optional(static_cast<To>(x)) : std::nullopt;
  } else if constexpr (std::is_integral_v<From>) {
    const To converted = static_cast<To>(x);
    return exactly<From>(converted) == x ? std::optional(converted) : std::nullopt;
  } else if constexpr (std::is_integral_v<To>) {
    // Both bounds are zero or powers of two, so exact; the comparisons are false for NaN.
    constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From end = 2 * static_cast<From>(std::numeric_limits<To>::max() / 2 + 1);
    const bool fits = x >= low && x < end && x == std::trunc(x);
    return fits ? std::optional(static_cast<To>(x)) : std::nullopt;
  } else {
    const To converted = static_cast<To>(x);
    return converted == x ? std::optional(converted) : std::nullopt;
  }
}

template <class T, class Wide>
std::vector<T> representable(const Wide* data, int64_t n) {
  std::vector<T> values;
  values.reserve(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    if (const auto value = exactly<T>(data[i])) values.push_back(*value);
  }
  return values;
}

/// A type that has all numbers of type T; there are but three of them.
template <class T>
using WidestFor = std::conditional_t<std::is_same_v<T, uint64_t>, uint64_t,
                                     std::conditional_t<std::is_integral_v<T>, int64_t, double>>;

/// Returns f(values): of n numbers of the host, those that elements of dtype `elements` can equal,
/// as a vector of what `isin` looks these up as: bools as bytes, 16-bit floating point as float32.
/// None of them is NaN. Neither dtype is complex.
template <class F>
auto visit_isin_values(const void* data, DType dtype, int64_t n, DType elements, F f) {
  const auto from = [&]<class Wide>(const Wide* numbers) {
    return visit_real(elements, [&]<class T>(T) {
      using Whole = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
      using Looked = std::conditional_t<std::is_arithmetic_v<T>, Whole, float>;
      return f(representable<Looked>(numbers, n));
    });
  };
  return visit_real(dtype, [&]<class From>(From) {
    if constexpr (std::is_same_v<From, bool>) {
      // Any nonzero byte is true.
      const auto* const bytes = static_cast<const uint8_t*>(data);
      std::vector<int64_t> values(static_cast<size_t>(n));
      std::transform(bytes, bytes + n, values.begin(), [](uint8_t x) { return x != 0 ? 1 : 0; });
      return from(values.data());
    } else if constexpr (std::is_same_v<From, WidestFor<From>>) {
      return from(static_cast<const From*>(data));
    } else {
      const auto* const numbers = static_cast<const From*>(data);
      std::vector<WidestFor<From>> values(static_cast<size_t>(n));
      std::transform(numbers, numbers + n, values.begin(),
                     [](From x) { return static_cast<WidestFor<From>>(x); });
      return from(values.data());
    }
  });
}

}  // namespace tamis
