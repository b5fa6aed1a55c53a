// Kernels that reduce one block to one value, with the same bits on every instruction set.
#include "backend/cpu/kernels/isa_list.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/reduce.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <algorithm>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <type_traits>

#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/kernel_parts-inl.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/kernels/loop_helpers.h"
#include "backend/cpu/kernels/mask_words-inl.h"
#include "backend/cpu/kernels/vector_types-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {
namespace {

// Enough for two registers of the widest vectors in flight; fixed, or the order of the additions
// and with it the rounding would depend on the instruction set.
constexpr size_t kLanes = 64;

// Functors add an element to a partial result; their Join puts partial results together.
template <class T>
struct Plus {
  using Join = Plus;
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return a + b;
  }
};

// NaN adds nothing, unless it is the sum of infinities.
template <class T>
struct PlusNumber {
  using Join = Plus<T>;
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return a + (b == b ? b : V{});
  }
};

template <class T>
struct PlusSquare {
  using Join = Plus<T>;
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return a + b * b;
  }
};

template <class T>
struct Times {
  using Join = Times;
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return a * b;
  }
};

// NaN wins.
template <class T>
struct Larger {
  using Join = Larger;
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    if constexpr (std::is_integral_v<T>) {
      return a > b ? a : b;
    } else {
      return ((a > b) | (a != a)) ? a : b;
    }
  }
};

template <class T>
struct Smaller {
  using Join = Smaller;
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    if constexpr (std::is_integral_v<T>) {
      return a < b ? a : b;
    } else {
      return ((a < b) | (a != a)) ? a : b;
    }
  }
};

// The same of numbers alone, in one instruction. A NaN may get lost, so it is watched for.
template <class T>
struct LargerNumber {
  using Join = LargerNumber;
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return a > b ? a : b;
  }
};

template <class T>
struct SmallerNumber {
  using Join = SmallerNumber;
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return a < b ? a : b;
  }
};

// Where a or b is NaN.
template <class V>
HWY_INLINE auto is_nan(V a, V b) {
#if HWY_TARGET == HWY_AVX2
  if constexpr (std::is_same_v<V, Vector<float, 8>>) {
    return reinterpret_cast<Vector<int32_t, 8>>(_mm256_cmp_ps(a, b, _CMP_UNORD_Q));
  } else if constexpr (std::is_same_v<V, Vector<double, 4>>) {
    return reinterpret_cast<Vector<int64_t, 4>>(_mm256_cmp_pd(a, b, _CMP_UNORD_Q));
  } else
#endif
  {
    return (a != a) | (b != b);
  }
}

template <class V, class W>
HWY_INLINE V convert(W v) {
  return __builtin_convertvector(v, V);
}

// g++ 12 converts by halves.
#if HWY_TARGET == HWY_AVX3_DL
template <>
HWY_INLINE __m512d convert<__m512d, __m256>(__m256 v) {
  return _mm512_maskz_cvtps_pd(0xFF, v);
}
#elif HWY_TARGET == HWY_AVX2
template <>
HWY_INLINE __m256d convert<__m256d, __m128>(__m128 v) {
  return _mm256_cvtps_pd(v);
}
#endif

// What the word keeps of 64 elements, to the lanes.
template <class F, class T, class Sum>
HWY_INLINE void add_kept(const F& f, uint64_t word, const T* x, T identity, Sum* lanes) {
  alignas(64) uint8_t bytes[64];
  bytes_from_bits(word, bytes);
  for (size_t j = 0; j < kLanes; ++j) {
    lanes[j] = f(lanes[j], static_cast<Sum>(choose(bytes[j], x[j], identity)));
  }
}

#if HWY_TARGET == HWY_AVX2
HWY_INLINE void add_kept(const Plus<double>&, uint64_t word, const float* x, float, double* lanes) {
  for (int i = 0; i < 64; i += 8) {
    add_to(_mm256_and_ps(_mm256_loadu_ps(x + i), lanes_from_bits(word, i)), lanes + i);
  }
}
#endif

template <class F, class Sum>
HWY_INLINE Sum fold(Sum* lanes, size_t used) {
  const typename F::Join f;
  for (size_t half = used / 2; half > 0; half /= 2) {
    for (size_t j = 0; j < half; ++j) lanes[j] = f(lanes[j], lanes[j + half]);
  }
  return lanes[0];
}

// Rows of a few elements: lanes that get none are left out.
template <class F, class T, class Sum>
Sum reduce_few(const T* x, const uint64_t* mask, size_t n, Sum start) {
  const F f;
  alignas(64) Sum lanes[kLanes];
  const size_t used = std::bit_ceil(n);
  const uint64_t word = word_at(mask, 0, n);
  for (size_t j = 0; j < used; ++j) lanes[j] = start;
  for (size_t j = 0; j < n; ++j) {
    if (word >> j & 1) lanes[j] = f(lanes[j], static_cast<Sum>(x[j]));
  }
  return fold<F>(lanes, used);
}

template <class V>
HWY_INLINE bool any(V lanes) {
  bool found = false;
  for (size_t j = 0; j < sizeof(V) / sizeof(lanes[0]); ++j) found |= lanes[j] != 0;
  return found;
}

// Of all elements: as many lanes at a time as the registers hold. Where NaN is watched for, the
// result only counts if none was found.
template <class F, bool watch = false, class T, class Sum>
Sum reduce_all(const T* x, size_t n, Sum start, T identity, bool* found_nan = nullptr) {
  constexpr size_t kWide = std::min(kLanes, kVectorBytes / sizeof(Sum));
  constexpr size_t kCount = kLanes / kWide, kTogether = std::min<size_t>(watch ? 8 : 16, kCount);
  using V = Vector<Sum, kWide>;
  using Part = Vector<T, kWide>;
  const F f;
  const typename F::Join join;
  const size_t whole = n / kLanes * kLanes, rest = n - whole;
  V lanes[kCount];
  [[maybe_unused]] auto nan = V{} != V{};
  for (size_t first = 0; first < kCount; first += kTogether) {
    V v[kTogether];
    for (V& some : v) some = start - V{};  // not plus: a negative zero keeps its sign
    const T* from = x + first * kWide;
    for (size_t i = 0; i < whole; i += kLanes, from += kLanes) {
      prefetch_ahead<kTogether * kWide>(from);
      for (size_t k = 0; k < kTogether; ++k) {
        v[k] = f(v[k], convert<V>(load<Part>(from + k * kWide)));
      }
      if constexpr (watch) {
        for (size_t k = 0; k < kTogether; k += 2) {
          nan |= is_nan(load<V>(from + k * kWide), load<V>(from + (k + 1) * kWide));
        }
      }
    }
    for (size_t k = 0; k < kTogether; ++k, from += kWide) {
      if ((first + k + 1) * kWide <= rest) v[k] = f(v[k], convert<V>(load<Part>(from)));
      lanes[first + k] = v[k];
    }
  }
  if (rest % kWide != 0) {
    T part[kWide];
    for (size_t j = 0; j < kWide; ++j)
      part[j] = j < rest % kWide ? x[n - rest % kWide + j] : identity;
    V& last = lanes[rest / kWide];
    last = f(last, convert<V>(load<Part>(part)));
  }
  if constexpr (watch) {  // what came last has not been lost
    for (V some : lanes) nan |= some != some;
    *found_nan = any(nan);
  }
  for (size_t half = kCount / 2; half > 0; half /= 2) {
    for (size_t k = 0; k < half; ++k) lanes[k] = join(lanes[k], lanes[k + half]);
  }
  Sum left[kWide];
  std::memcpy(left, lanes, sizeof(left));
  return fold<F>(left, kWide);
}

// What is masked out leaves the lanes as they are.
template <class F, class T, class Sum>
Sum reduce_kept(const T* x, const uint64_t* mask, size_t n, Sum start, T identity) {
  const F f;
  alignas(64) Sum lanes[kLanes];
  std::fill_n(lanes, kLanes, start);
  for (size_t i = 0; i < n; i += kLanes) {
    const size_t here = std::min(kLanes, n - i);
    const uint64_t word = word_at(mask, i, here);
    if (word == 0) continue;
    prefetch_next(x + i);
    if (word == ~uint64_t{0}) {
      for (size_t j = 0; j < kLanes; ++j) lanes[j] = f(lanes[j], static_cast<Sum>(x[i + j]));
    } else if (here == kLanes) {
      add_kept(f, word, x + i, identity, lanes);
    } else {
      for (size_t j = 0; j < here; ++j) {
        if (word >> j & 1) lanes[j] = f(lanes[j], static_cast<Sum>(x[i + j]));
      }
    }
  }
  return fold<F>(lanes, kLanes);
}

// Lanes begin with `start`.
template <class F, bool is_neutral, class T, class Sum>
Sum reduce(const T* x, const uint64_t* mask, size_t n, Sum start, T identity) {
  if (is_neutral && n < kLanes) return reduce_few<F>(x, mask, n, start);
  return mask ? reduce_kept<F>(x, mask, n, start, identity) : reduce_all<F>(x, n, start, identity);
}

template <Reduction reduction, class T>
constexpr T kNeutral = neutral_value<T>(row_of(reduction).neutral);

// Accumulates in Sum: double, or uint64_t so that int64 wraps.
template <Reduction reduction, template <class> class F, class T, class Sum>
void accumulate(const void* a, const uint64_t* mask, void* out, size_t n) {
  using Result = std::conditional_t<std::is_integral_v<Sum>, int64_t, double>;
  constexpr T identity = kNeutral<reduction, T>;
  const T* x = static_cast<const T*>(a);
  *static_cast<Result*>(out) =
      static_cast<Result>(reduce<F<Sum>, true>(x, mask, n, static_cast<Sum>(identity), identity));
}

template <Reduction reduction, template <class> class F, template <class> class OfNumbers, class T>
void extreme(const void* a, const uint64_t* mask, void* out, size_t n) {
  constexpr T identity = kNeutral<reduction, T>;
  const T* x = static_cast<const T*>(a);
  if constexpr (std::is_floating_point_v<T>) {
    bool found_nan = mask != nullptr;
    if (!mask) {
      const T found = reduce_all<OfNumbers<T>, true>(x, n, x[0], identity, &found_nan);
      *static_cast<T*>(out) = found;
    }
    if (!found_nan) return;
  }
  const T start = !mask || mask[0] & 1 ? x[0] : identity;
  *static_cast<T*>(out) = reduce<F<T>, false>(x, mask, n, start, identity);
}

// `count` vectors of columns of all lines.
template <size_t count, class F, class T, class Sum>
HWY_INLINE void add_columns(const F& f, const T* x, size_t lines, size_t width, Sum* acc) {
  constexpr size_t kWide = kVectorBytes / sizeof(Sum);
  using V = Vector<Sum, kWide>;
  V v[count];
  for (size_t k = 0; k < count; ++k) v[k] = load<V>(acc + k * kWide);
  for (size_t line = 0; line < lines; ++line, x += width) {
    for (size_t k = 0; k < count; ++k) {
      v[k] = f(v[k], convert<V>(load<Vector<T, kWide>>(x + k * kWide)));
    }
  }
  for (size_t k = 0; k < count; ++k) std::memcpy(acc + k * kWide, &v[k], sizeof(V));
}

template <class F, class T, class Sum>
void add_lines(const void* a, void* out, size_t lines, size_t width) {
  constexpr size_t kWide = kVectorBytes / sizeof(Sum), kMany = 8;
  const F f;
  const T* x = static_cast<const T*>(a);
  Sum* acc = static_cast<Sum*>(out);
  size_t j = 0;
  for (; j + kMany * kWide <= width; j += kMany * kWide) {
    add_columns<kMany>(f, x + j, lines, width, acc + j);
  }
  for (; j + kWide <= width; j += kWide) add_columns<1>(f, x + j, lines, width, acc + j);
  for (size_t line = 0; line < lines; ++line, x += width) {
    for (size_t i = j; i < width; ++i) acc[i] = f(acc[i], static_cast<Sum>(x[i]));
  }
}

template <Reduction reduction, template <class> class F, template <class> class OfNumbers, class T>
void set_extreme(Kernels& table) {
  constexpr int row = reduction_index(reduction), type = static_cast<int>(dtype_of<T>);
  table.reduce[row][type] = &extreme<reduction, F, OfNumbers, T>;
  table.reduce_lines[row][type] = &add_lines<F<T>, T, T>;
}

template <class T>
void set_extremes(Kernels& table) {
  set_extreme<Reduction::amax, Larger, LargerNumber, T>(table);
  set_extreme<Reduction::amin, Smaller, SmallerNumber, T>(table);
}

template <Reduction reduction, template <class> class F, class T, class Sum>
void set_sum(Kernels& table) {
  constexpr int row = reduction_index(reduction), type = static_cast<int>(dtype_of<T>);
  table.reduce[row][type] = &accumulate<reduction, F, T, Sum>;
  table.reduce_lines[row][type] = &add_lines<F<Sum>, T, Sum>;
}

// Of a mean there are sums here. Those of uint64 have the same bits.
template <class T, class Sum>
void set_sums(Kernels& table) {
  set_sum<Reduction::sum, Plus, T, Sum>(table);
  set_sum<Reduction::mean, Plus, T, Sum>(table);
  set_sum<Reduction::prod, Times, T, Sum>(table);
}

// Of a norm there are the sums of squares here.
template <class T>
void set_squares(Kernels& table) {
  set_sum<Reduction::square_sum, PlusSquare, T, double>(table);
  set_sum<Reduction::norm, PlusSquare, T, double>(table);
}

}  // namespace

void fill_reduce(Kernels& table) {
  set_sums<int64_t, uint64_t>(table);
  for (Reduction sums : {Reduction::sum, Reduction::mean, Reduction::prod}) {
    const int row = reduction_index(sums);
    constexpr int from = static_cast<int>(DType::int64), to = static_cast<int>(DType::uint64);
    table.reduce[row][to] = table.reduce[row][from];
    table.reduce_lines[row][to] = table.reduce_lines[row][from];
  }
  set_sums<float, double>(table);
  set_sums<double, double>(table);
  set_sum<Reduction::nansum, PlusNumber, float, double>(table);
  set_sum<Reduction::nansum, PlusNumber, double, double>(table);
  set_squares<float>(table);
  set_squares<double>(table);
#define X(constant, type, ...) set_extremes<type>(table);
  TAMIS_INTEGER_DTYPES(X)
#undef X
  set_extremes<float>(table);
  set_extremes<double>(table);
}

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
