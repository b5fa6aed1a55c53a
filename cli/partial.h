// Partial: what some of the elements say, to be joined with what others say.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "summary.h"

namespace tamis::cli {

/// NaN is left out of all but `nan`.
struct Partial {
  int64_t count = 0, nan = 0, inf = 0;
  __int128 whole = 0;        // the sum of integers
  double sum = 0, lost = 0;  // the sum of others, and what rounding took from it
  double mean = 0, m2 = 0;   // m2: squared distances from the mean, summed
  Scalar min = 0.0, max = 0.0;
};

/// What a window of real elements says.
Partial partial_of(const Tensor& window);

/// Adds b, which comes after a. Sums keep what rounding takes from them (Neumaier), and moments are
/// joined by their distance (Chan and others), so neither suffers from many windows.
void join(Partial& a, const Partial& b);

/// Adds one element.
template <class T>
void add(Partial& a, T element) {
  Partial one;
  one.count = 1;
  one.min = one.max = Scalar(element);
  one.sum = one.mean = one.min.to_double();
  if (std::isnan(one.sum)) {
    ++a.nan;
    return;
  }
  one.inf = std::isinf(one.sum);
  if constexpr (std::is_integral_v<T>) {
    one.whole = element;
    one.min = one.max = Scalar(+element);  // of bools too
  }
  join(a, one);
}

/// All but the quantiles.
Summary finish(const Partial& p, bool is_integer);

}  // namespace tamis::cli
