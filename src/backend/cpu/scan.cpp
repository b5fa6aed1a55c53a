// Scans: running results along one dimension, in place. Lines run in parallel, the elements of a
// line in order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "backend/cpu/sinks.h"
#include "backend/cpu/threads.h"

namespace tamis::cpu {

namespace {

/// Columns that a task carries along at a time.
constexpr int64_t kTile = 256;

/// Calls line(first element, number of columns) for all columns of [outer, n, inner], some at a
/// time.
template <class F>
void for_each_line(int64_t outer, int64_t n, int64_t inner, F&& line) {
  const int64_t tile = std::min(inner, kTile), tiles = (inner + tile - 1) / tile;
  const int64_t grain = std::max<int64_t>(1, kChunk / (n * tile));
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

/// Bool has no running sum.
template <class T>
inline constexpr bool kScans = !std::is_same_v<T, bool>;

}  // namespace

void run_scan(Scan scan, void* data, DType dtype, int64_t outer, int64_t n, int64_t inner) {
  visit_dtype(dtype, [&](auto type) {
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

void run_scan_extreme(bool largest, void* data, DType dtype, int64_t outer, int64_t n,
                      int64_t inner, int64_t* indices) {
  visit_dtype(dtype, [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_constructible_v<float, T>) {
      // Halves are compared as floats.
      using C = std::conditional_t<std::is_integral_v<T> || std::is_same_v<T, double>, T, float>;
      for_each_line(outer, n, inner, [&](int64_t first, int64_t width) {
        T* x = static_cast<T*>(data) + first;
        int64_t* index = indices + first;
        std::fill_n(index, width, 0);
        for (int64_t i = 1; i < n; ++i) {
          for (int64_t c = 0; c < width; ++c) {
            T* const here = x + i * inner + c;
            const C old = static_cast<C>(here[-inner]), now = static_cast<C>(*here);
            const bool takes = now != now || (old == old && (largest ? now >= old : now <= old));
            if (!takes) *here = here[-inner];
            index[i * inner + c] = takes ? i : index[(i - 1) * inner + c];
          }
        }
      });
    }
  });
}

}  // namespace tamis::cpu
