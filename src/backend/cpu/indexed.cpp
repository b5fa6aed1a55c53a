// Reading and writing the elements that indices name: lines along the innermost dimension, copied
// whole where the indices do not change within a line.
#include "backend/cpu/indexed.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstdlib>
#include <cstring>

#include "backend/cpu/indexed_lines.h"
#include "backend/cpu/kernels/loop_helpers.h"
#include "backend/cpu/threads.h"
#include "tamis/runtime.h"

namespace tamis::cpu {

namespace {

constexpr int64_t kGrain = 16384;

/// An element of any dtype of W bytes.
template <int W>
struct Unit {
  using type = typename Word<W>::type;
};
template <>
struct Unit<16> {
  struct __attribute__((may_alias)) type {
    uint64_t low, high;
  };
};

// ---- moving ---------------------------------------------------------------------------------------

/// memcpy without a call for the few bytes of a short line.
inline void copy_bytes(char* to, const char* from, size_t bytes) {
  if (bytes > 128) {
    std::memcpy(to, from, bytes);
  } else if (bytes >= 16) {
    for (size_t i = 0; i + 16 < bytes; i += 16) std::memcpy(to + i, from + i, 16);
    std::memcpy(to + bytes - 16, from + bytes - 16, 16);
  } else if (bytes >= 8) {
    std::memcpy(to, from, 8);
    std::memcpy(to + bytes - 8, from + bytes - 8, 8);
  } else if (bytes >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + bytes - 4, from + bytes - 4, 4);
  } else {
    for (size_t i = 0; i < bytes; ++i) to[i] = from[i];
  }
}

template <int W>
void take(const IndexedElements& indexed, const Space& space, const void* from, void* out) {
  using T = typename Unit<W>::type;
  const Line line(indexed, space);
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(out);
  parallel_for(numel(space.shape), kGrain, [&](int64_t begin, int64_t end) {
    for_lines(space, begin, end, [&](const int64_t* offsets, int64_t lines, int64_t n) {
      if (line.is_reversed()) {
        line.each_line(offsets, lines, [=](int64_t element, int64_t packed) {
          for (int64_t i = 0; i < n; ++i) y[packed + i] = x[element - i];
        });
        return;
      }
      if (!line.is_dense()) {
        line.each(offsets, lines, n,
                  [x, y](int64_t element, int64_t packed) { y[packed] = x[element]; });
        return;
      }
      const size_t bytes = static_cast<size_t>(n) * W;
      line.each_line(offsets, lines, [=](int64_t element, int64_t packed) {
        copy_bytes(reinterpret_cast<char*>(y + packed), reinterpret_cast<const char*>(x + element),
                   bytes);
      });
    });
  });
}

/// Runs body(part of the space) on several threads if the space has a dimension of the target's
/// own: parts of it write to different elements. Several positions may name one element; within a
/// part they come in row-major order.
template <class Body>
void for_parts(const Space& space, Body&& body) {
  const int64_t threads = get_num_threads();
  size_t split = 0;
  int64_t size = 1, step = 0;
  for (size_t d = 0; d < space.shape.size(); ++d) {
    const int64_t stride = std::abs(space.strides[0][d]);
    if (stride == 0 || space.shape[d] == 1) continue;
    // The outermost dimension that is long enough: parts of an inner one lie between each other in
    // memory, and the caches of two cores would take lines from each other all the time.
    const bool is_better =
        space.shape[d] >= 2 * threads ? size < 2 * threads || stride > step : space.shape[d] > size;
    if (!is_better) continue;
    split = d;
    size = space.shape[d];
    step = stride;
  }
  constexpr int64_t kLongRun = 4096, kBeyondCaches = 1 << 22;
  const bool is_torn = step == 1 && size < threads * kLongRun && numel(space.shape) < kBeyondCaches;
  if (size == 1 || (is_torn && size < numel(space.shape))) return body(space);
  // Parts as wide as possible: short pieces of lines would cost more than they move.
  const int64_t whole = numel(space.shape) / size;
  const int64_t grain = std::max((size + threads - 1) / threads, kGrain / whole);
  parallel_for(size, grain, [&](int64_t begin, int64_t end) {
    Space part = space;
    part.shape[split] = end - begin;
    for (size_t o = 0; o < part.strides.size(); ++o) {
      part.origins[o] += begin * part.strides[o][split];
    }
    body(part);
  });
}

template <int W>
void assign(const IndexedElements& indexed, const Space& space, void* to, const void* source) {
  using T = typename Unit<W>::type;
  const Line line(indexed, space);
  T* y = static_cast<T*>(to);
  const T* x = static_cast<const T*>(source);
  for_parts(space, [&](const Space& part) {
    for_lines(part, 0, numel(part.shape), [&](const int64_t* offsets, int64_t lines, int64_t n) {
      if (!line.is_dense()) {
        line.each(offsets, lines, n,
                  [x, y](int64_t element, int64_t packed) { y[element] = x[packed]; });
        return;
      }
      const size_t bytes = static_cast<size_t>(n) * W;
      line.each_line(offsets, lines, [=](int64_t element, int64_t packed) {
        copy_bytes(reinterpret_cast<char*>(y + element), reinterpret_cast<const char*>(x + packed),
                   bytes);
      });
    });
  });
}

// ---- arithmetic ---------------------------------------------------------------------------------

/// What an element is computed in.
template <class T>
struct Wide {
  using type = T;
};
template <>
struct Wide<Half> {
  using type = float;
};
template <>
struct Wide<BFloat16> {
  using type = float;
};

template <class T>
concept Ordered = requires(T a, T b) {
  { a < b } -> std::same_as<bool>;
};

template <class T>
using Small = std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>;

/// Integers wrap.
template <Combine kCombine, class T>
T combined(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return kCombine == Combine::add || kCombine == Combine::amax ? a | b : a & b;
  } else if constexpr (kCombine == Combine::amax || kCombine == Combine::amin) {
    // Bitwise, because a choice is compiled to a branch, and which is larger is unpredictable.
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t,
                                    std::conditional_t<sizeof(T) == 4, uint32_t, Small<T>>>;
    const bool second = (kCombine == Combine::amax ? b > a : b < a) | (b != b);
    const auto mask = static_cast<Bits>(-static_cast<Bits>(second));
    return std::bit_cast<T>(
        static_cast<Bits>((std::bit_cast<Bits>(a) & ~mask) | (std::bit_cast<Bits>(b) & mask)));
  } else if constexpr (std::is_integral_v<T>) {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    return static_cast<T>(kCombine == Combine::add ? x + y : x * y);
  } else {
    return kCombine == Combine::add ? a + b : a * b;
  }
}

/// Any nonzero byte is true.
template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<bool> {
  using type = uint8_t;
};

template <class T, Combine kCombine>
void combine_into(const IndexedElements& indexed, const Space& space, void* to,
                  const void* source) {
  using S = typename Stored<T>::type;
  using W = typename Wide<T>::type;
  const Line line(indexed, space);
  S* y = static_cast<S*>(to);
  const S* x = static_cast<const S*>(source);
  for_parts(space, [&](const Space& part) {
    for_lines(part, 0, numel(part.shape), [&](const int64_t* offsets, int64_t lines, int64_t n) {
      const auto combine = [](S a, S b) {
        return static_cast<S>(combined<kCombine, W>(static_cast<W>(a), static_cast<W>(b)));
      };
      if (!line.is_dense()) {
        line.each(offsets, lines, n, [x, y, combine](int64_t element, int64_t packed) {
          y[element] = combine(y[element], x[packed]);
        });
        return;
      }
      line.each_line(offsets, lines, [=](int64_t element, int64_t packed) {
        S* const a = y + element;
        const S* const b = x + packed;
        TAMIS_INDEPENDENT
        for (int64_t i = 0; i < n; ++i) a[i] = combine(a[i], b[i]);
      });
    });
  });
}

/// An upper bound on how many elements of the target are indexed, if the space has none of the
/// target's own dimensions; -1 if there is no simple answer.
int64_t extent(const IndexedElements& indexed) {
  int64_t last = 0;
  for (size_t d = 0; d < indexed.shape.size(); ++d) {
    if (indexed.strides[d] != 0 && indexed.shape[d] > 1) return -1;
  }
  for (const IndexColumn& column : indexed.columns) {
    if (column.step < 0) return -1;
    last += (column.size - 1) * column.step;
  }
  return last + 1;
}

/// Sums of integers do not depend on the order: where many are added to few elements, each thread
/// adds to zeros of its own. False if that is not worth it.
template <class T>
bool add_apart(const IndexedElements& indexed, const Space& space, T* y, const T* x) {
  constexpr int64_t kFew = 1 << 15;
  const int64_t n = numel(space.shape), size = extent(indexed), parts = get_num_threads();
  if (parts == 1 || size < 1 || size > kFew || n < 8 * size || n < 8 * kGrain) return false;
  const Line line(indexed, space);
  std::vector<std::vector<T>> sums(static_cast<size_t>(parts));
  parallel_for(parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) {
      auto& own = sums[static_cast<size_t>(p)];
      own.resize(static_cast<size_t>(size));
      T* const to = own.data();
      for_lines(space, n * p / parts, n * (p + 1) / parts,
                [&](const int64_t* offsets, int64_t lines, int64_t length) {
                  line.each(offsets, lines, length, [x, to](int64_t element, int64_t packed) {
                    to[element] = combined<Combine::add>(to[element], x[packed]);
                  });
                });
    }
  });
  for (const auto& own : sums) {
    for (size_t i = 0; i < own.size(); ++i) {
      // Elements that are not indexed must not be written.
      if (own[i] != 0) y[i] = combined<Combine::add>(y[i], own[i]);
    }
  }
  return true;
}

/// add(at(i)) for all i < n, some at a time: the next indices are read before an element is
/// written.
template <class At, class Add>
void add_in_order(int64_t n, At at, Add add) {
  constexpr int64_t kTogether = 4;
  int64_t i = 0;
  for (; i + kTogether <= n; i += kTogether) {
    int64_t next[kTogether];
    for (int64_t k = 0; k < kTogether; ++k) next[k] = at(i + k);
    for (const int64_t element : next) add(element);
  }
  for (; i < n; ++i) add(at(i));
}

/// The same on several threads. Each takes a range of the `size` elements, so that fewer of its
/// writes miss the cache.
template <class At, class Add>
void add_by_ranges(int64_t n, int64_t size, int64_t threads, At at, Add add) {
  parallel_for(threads, 1, [&](int64_t first, int64_t last) {
    constexpr int64_t kBatch = 512;
    const int64_t from = size * first / threads, to = size * last / threads;
    int64_t batch[kBatch];
    for (int64_t begin = 0; begin < n; begin += kBatch) {
      const int64_t end = std::min(n, begin + kBatch);
      int64_t count = 0;
      for (int64_t i = begin; i < end; ++i) {
        batch[count] = at(i);
        count += batch[count] >= from && batch[count] < to;
      }
      for (int64_t i = 0; i < count; ++i) add(batch[i]);
    }
  });
}

/// Adds *x to the elements that a single line of indices names. False if the indices are laid out
/// in another way.
template <class T>
bool add_number(const IndexedElements& indexed, const Space& space, T* y, const T* x) {
  constexpr int64_t kFar = 1 << 18;
  const int64_t n = space.shape.back(), size = extent(indexed);
  const bool is_line = space.shape.size() == 2 && space.shape[0] == 1 && size >= 1 &&
                       space.strides[1].back() == 0 && indexed.columns.size() == 1 &&
                       space.strides[2].back() == 1;
  if (!is_line) return false;
  const IndexColumn& column = indexed.columns[0];
  const auto* const indices = address<const int64_t>(column.numbers);
  const auto at = [indices, wrap = column.size, step = column.step](int64_t i) {
    return (indices[i] + (indices[i] >> 63 & wrap)) * step;
  };
  const auto add = [y, number = *x](int64_t i) { y[i] = combined<Combine::add>(y[i], number); };
  const int64_t threads = get_num_threads();
  if (threads > 1 && size >= kFar && n >= 8 * kGrain) {
    add_by_ranges(n, size, threads, at, add);
  } else {
    add_in_order(n, at, add);
  }
  return true;
}

template <class T>
void combine_all(const IndexedElements& indexed, const Space& space, void* to, const void* source,
                 Combine combine) {
  const auto run = [&](auto f) { f(indexed, space, to, source); };
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    T* const y = static_cast<T*>(to);
    const T* const x = static_cast<const T*>(source);
    if (combine == Combine::add &&
        (add_apart(indexed, space, y, x) || add_number(indexed, space, y, x))) {
      return;
    }
  }
  if (combine == Combine::add) return run(combine_into<T, Combine::add>);
  if (combine == Combine::mul) return run(combine_into<T, Combine::mul>);
  if constexpr (Ordered<typename Wide<T>::type>) {
    if (combine == Combine::amax) return run(combine_into<T, Combine::amax>);
    if (combine == Combine::amin) return run(combine_into<T, Combine::amin>);
  }
}

}  // namespace

bool run_within(const int64_t* indices, int64_t n, int64_t low, int64_t high) {
  std::atomic<bool> good = true;
  parallel_for(n, 2 * kGrain, [&](int64_t begin, int64_t end) {
    // The sign of either difference tells; where one wraps around, the other one is negative.
    uint64_t signs = 0;
    const auto from = static_cast<uint64_t>(low), last = static_cast<uint64_t>(high) - 1;
    for (int64_t i = begin; i < end; ++i) {
      const auto index = static_cast<uint64_t>(indices[i]);
      signs |= (index - from) | (last - index);
    }
    if (static_cast<int64_t>(signs) < 0) good.store(false, std::memory_order_relaxed);
  });
  return good.load(std::memory_order_relaxed);
}

void run_take(const IndexedElements& indexed, const void* from, size_t itemsize, void* out) {
  Shape packed(indexed.shape.size(), 1);
  for (size_t d = packed.size(); d-- > 1;) packed[d - 1] = packed[d] * indexed.shape[d];
  const Space space = merged(indexed, packed);
  switch (itemsize) {
    case 1:
      return take<1>(indexed, space, from, out);
    case 2:
      return take<2>(indexed, space, from, out);
    case 4:
      return take<4>(indexed, space, from, out);
    case 8:
      return take<8>(indexed, space, from, out);
    default:
      return take<16>(indexed, space, from, out);
  }
}

void run_put(const IndexedElements& indexed, void* to, const void* source,
             const Shape& source_strides, DType dtype, Combine combine) {
  const Space space = merged(indexed, source_strides);
  if (combine != Combine::assign) {
    return visit_dtype(dtype, [&](auto type) {
      combine_all<decltype(type)>(indexed, space, to, source, combine);
    });
  }
  switch (itemsize(dtype)) {
    case 1:
      return assign<1>(indexed, space, to, source);
    case 2:
      return assign<2>(indexed, space, to, source);
    case 4:
      return assign<4>(indexed, space, to, source);
    case 8:
      return assign<8>(indexed, space, to, source);
    default:
      return assign<16>(indexed, space, to, source);
  }
}

}  // namespace tamis::cpu
