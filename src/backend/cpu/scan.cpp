// Scans: running results along one dimension, in place. Lines run in parallel, the elements of a
// line in order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "backend/cpu/sinks.h"
#include "backend/cpu/threads.h"
#include "core/convert.h"

namespace tamis::cpu {

namespace {

/// Columns that a task carries along at a time.
constexpr int64_t kTile = 256;

/// Calls line(first element, number of columns) for all columns of [outer, n, inner], some at a
/// time.
template <class F>
void for_each_line(int64_t outer, int64_t n, int64_t inner, F&& line) {
  const int64_t tile = std::min(inner, kTile), tiles = (inner + tile - 1) / tile;
  // The columns of one matrix lie between each other in memory: while it is in the caches, two
  // cores would take its lines from each other.
  constexpr int64_t kInCaches = 1 << 22;
  const bool is_torn = outer == 1 && n * inner < kInCaches;
  const int64_t grain = is_torn ? tiles : std::max<int64_t>(1, kChunk / (n * tile));
  parallel_for(outer * tiles, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t col = i % tiles * tile;
      line(i / tiles * n * inner + col, std::min(tile, inner - col));
    }
  });
}

template <class T, class Acc, class F>
void scan_lines(void* data, int64_t outer, int64_t n, int64_t inner, Acc start, F f) {
  for_each_line(outer, n, inner, [&](int64_t first, int64_t width) {
    T* x = static_cast<T*>(data) + first;
    if (width == 1) {
      Acc acc = start;
      for (int64_t i = 0; i < n; ++i, x += inner) {
        acc = f(acc, static_cast<Acc>(*x));
        *x = static_cast<T>(acc);
      }
      return;
    }
    Acc acc[kTile];
    std::fill_n(acc, width, start);
    for (int64_t i = 0; i < n; ++i, x += inner) {
      for (int64_t c = 0; c < width; ++c) {
        acc[c] = f(acc[c], static_cast<Acc>(x[c]));
        x[c] = static_cast<T>(acc[c]);
      }
    }
  });
}

/// log(exp(a) + exp(b)); equal infinities are their own result.
template <class Acc>
Acc log_add_exp(Acc a, Acc b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  const Acc low = std::min(a, b), high = std::max(a, b);
  if (low == high && std::isinf(low)) return a;
  return std::log1p(std::exp(low - high)) + high;
}

/// What running results of T are kept in: uint64_t for integers, so that they wrap.
template <class T>
using Accumulator = std::conditional_t<
    std::is_integral_v<T>, uint64_t,
    std::conditional_t<is_complex(dtype_of<T>), std::complex<double>,
                       std::conditional_t<std::is_floating_point_v<T>, double, float>>>;

/// Bool has no running sum, and unsigned integers are added up as signed ones.
template <class T>
inline constexpr bool kScans = !std::is_unsigned_v<T>;

/// Whether a running extreme goes on to a new element; halves are compared as floats.
template <bool kLargest, class T>
bool takes(T now, T old) {
  using C = std::conditional_t<std::is_integral_v<T> || std::is_same_v<T, double>, T, float>;
  const C a = static_cast<C>(now), b = static_cast<C>(old);
  return (a != a) | ((b == b) & (kLargest ? a >= b : a <= b));
}

template <class T, bool kLargest>
void scan_extremes(void* data, int64_t outer, int64_t n, int64_t inner, int64_t* indices) {
  for_each_line(outer, n, inner, [&](int64_t first, int64_t width) {
    T* x = static_cast<T*>(data) + first;
    int64_t* index = indices + first;
    T best[kTile];
    int64_t at[kTile];
    std::copy_n(x, width, best);
    std::fill_n(at, width, 0);
    for (int64_t i = 0; i < n; ++i, x += inner, index += inner) {
      for (int64_t c = 0; c < width; ++c) {
        const bool better = takes<kLargest>(x[c], best[c]);
        best[c] = better ? x[c] : best[c];
        at[c] = better ? i : at[c];
        x[c] = best[c];
        index[c] = at[c];
      }
    }
  });
}

}  // namespace

void run_scan(Scan scan, void* data, DType dtype, const ReductionShape& shape) {
  const int64_t outer = shape.outer, n = shape.reduced, inner = shape.inner;
  visit_dtype(signless(dtype), [&](auto type) {
    using T = decltype(type);
    if constexpr (kScans<T>) {
      using Acc = Accumulator<T>;
      if (scan == Scan::sum) {
        scan_lines<T>(data, outer, n, inner, Acc{0}, [](Acc a, Acc b) { return a + b; });
      } else if (scan == Scan::prod) {
        scan_lines<T>(data, outer, n, inner, Acc{1}, [](Acc a, Acc b) { return a * b; });
      } else if constexpr (std::is_floating_point_v<Acc>) {
        scan_lines<T>(data, outer, n, inner, -std::numeric_limits<Acc>::infinity(),
                      log_add_exp<Acc>);
      }
    }
  });
}

void run_scan_extreme(bool largest, void* data, DType dtype, const ReductionShape& shape,
                      int64_t* indices) {
  const int64_t outer = shape.outer, n = shape.reduced, inner = shape.inner;
  visit_dtype(dtype, [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_constructible_v<float, T>) {
      (largest ? scan_extremes<T, true> : scan_extremes<T, false>)(data, outer, n, inner, indices);
    }
  });
}

}  // namespace tamis::cpu
