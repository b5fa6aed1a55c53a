// Partial: counts, sums, moments and extremes of windows, and joining them.
#include "partial.h"

#include <cmath>
#include <limits>

#include "tamis/tamis.h"

namespace tamis::cli {

namespace {

/// Bools as integers.
Scalar plain(const Scalar& v) { return v.dtype() == DType::boolean ? Scalar(v.to_int64()) : v; }

template <class T>
__int128 sum_in_full(const Tensor& x) {
  __int128 sum = 0;
  const Tensor flat = x.contiguous();
  const T* data = flat.data<T>();
  for (int64_t i = 0, n = flat.numel(); i < n; ++i) sum += data[i];
  return sum;
}

__int128 sum_of_integers(const Tensor& x) {
  if (x.dtype() == DType::int64) return sum_in_full<int64_t>(x);
  if (x.dtype() == DType::uint64) return sum_in_full<uint64_t>(x);
  // Smaller ones cannot overflow within a window.
  return x.sum().item().to_int64();
}

__int128 whole(const Scalar& v) {
  return v.is_beyond_int64() ? static_cast<__int128>(v.to<uint64_t>()) : v.to_int64();
}

bool less(const Scalar& a, const Scalar& b) {
  return a.is_floating_point() ? a.to_double() < b.to_double() : whole(a) < whole(b);
}

}  // namespace

Partial partial_of(const Tensor& window) {
  Partial p;
  Tensor x = window;
  if (is_floating_point(x.dtype())) {
    x.settle();
    p.nan = count(isnan(x));
    if (p.nan > 0) x = masked_select(x, ~isnan(x));
    p.inf = count(isinf(x));
  }
  p.count = x.numel();
  if (p.count == 0) return p;
  const Tensor values = x.to_double();
  if (is_floating_point(x.dtype())) {
    p.sum = values.sum().item().to_double();
  } else {
    p.whole = sum_of_integers(x);
    p.sum = static_cast<double>(p.whole);
  }
  p.mean = p.sum / static_cast<double>(p.count);
  p.m2 = square(values - p.mean).sum().item().to_double();
  p.min = plain(x.amin().item());
  p.max = plain(x.amax().item());
  return p;
}

void join(Partial& a, const Partial& b) {
  a.nan += b.nan;
  a.inf += b.inf;
  if (b.count == 0) return;
  if (a.count == 0) {
    const int64_t nan = a.nan;
    a = b;
    a.nan = nan;
    return;
  }
  a.whole += b.whole;
  const double sum = a.sum + b.sum;
  if (std::isfinite(sum)) {
    a.lost += std::abs(a.sum) >= std::abs(b.sum) ? (a.sum - sum) + b.sum : (b.sum - sum) + a.sum;
  }
  a.sum = sum;
  const double n = static_cast<double>(a.count + b.count), distance = b.mean - a.mean;
  const double share = static_cast<double>(b.count) / n;
  a.mean += distance * share;
  a.m2 += b.m2 + distance * distance * share * static_cast<double>(a.count);
  a.count += b.count;
  if (less(b.min, a.min)) a.min = b.min;
  if (less(a.max, b.max)) a.max = b.max;
}

Summary finish(const Partial& p, bool is_integer) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Summary s;
  s.count = p.count;
  s.nan = p.nan;
  s.inf = p.inf;
  const bool fits = p.whole >= std::numeric_limits<int64_t>::min() &&
                    p.whole <= std::numeric_limits<uint64_t>::max();
  const double sum = is_integer ? static_cast<double>(p.whole) : p.sum + p.lost;
  s.sum = !is_integer || !fits ? Scalar(sum)
          : p.whole < 0        ? Scalar(static_cast<int64_t>(p.whole))
                               : Scalar(static_cast<uint64_t>(p.whole));
  s.mean = p.count > 0 ? sum / static_cast<double>(p.count) : kNan;
  s.var = p.count > 1 ? p.m2 / static_cast<double>(p.count - 1) : kNan;
  s.min = p.count > 0 ? p.min : Scalar(kNan);
  s.max = p.count > 0 ? p.max : Scalar(kNan);
  return s;
}

}  // namespace tamis::cli
