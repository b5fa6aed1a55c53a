// Kernels of softmax: what one block of a row needs, with the same bits on every instruction set.
#include "backend/cpu/kernels/isa_list.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/softmax.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <algorithm>
#include <cstring>
#include <limits>

#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/kernel_parts-inl.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/kernels/loop_helpers.h"
#include "backend/cpu/kernels/mask_words-inl.h"
#include "backend/cpu/kernels/math32-inl.h"
#include "backend/cpu/kernels/math64-inl.h"
#include "backend/cpu/kernels/vector_types-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {
namespace {

// As in reduce.cpp: fixed, or the rounding would depend on the instruction set.
constexpr size_t kLanes = 64;

template <class T>
constexpr T kNone = -std::numeric_limits<T>::infinity();

// NaN is ignored here: it makes the sum NaN.
template <class T>
HWY_INLINE void larger(T& a, T b) {
  a = b > a ? b : a;
}

// The larger of the lanes and what the word keeps of 64 elements, to the lanes.
template <class T>
HWY_INLINE void raise_kept(uint64_t word, const T* x, T* lanes) {
  alignas(64) uint8_t bytes[64];
  bytes_from_bits(word, bytes);
  for (size_t j = 0; j < kLanes; ++j) larger(lanes[j], choose(bytes[j], x[j], kNone<T>));
}

// Makes zeros of what the word does not keep.
template <class T>
HWY_INLINE void zero_others(uint64_t word, T* y) {
  alignas(64) uint8_t bytes[64];
  bytes_from_bits(word, bytes);
  for (size_t j = 0; j < kLanes; ++j) y[j] = choose(bytes[j], y[j], T{0});
}

#if HWY_TARGET == HWY_AVX2
HWY_INLINE void raise_kept(uint64_t word, const float* x, float* lanes) {
  const __m256 none = _mm256_set1_ps(kNone<float>);
  for (int i = 0; i < 64; i += 8) {
    const __m256 v = _mm256_blendv_ps(none, _mm256_loadu_ps(x + i), lanes_from_bits(word, i));
    _mm256_store_ps(lanes + i, _mm256_max_ps(v, _mm256_load_ps(lanes + i)));
  }
}

HWY_INLINE void zero_others(uint64_t word, float* y) {
  for (int i = 0; i < 64; i += 8) {
    const __m256 v = _mm256_and_ps(_mm256_loadu_ps(y + i), lanes_from_bits(word, i));
    _mm256_storeu_ps(y + i, v);
  }
}
#elif HWY_TARGET == HWY_AVX3_DL
HWY_INLINE void raise_kept(uint64_t word, const float* x, float* lanes) {
  for (int i = 0; i < 64; i += 16) {
    const auto mask = static_cast<__mmask16>(word >> i);
    const __m512 v = _mm512_loadu_ps(x + i), lane = _mm512_load_ps(lanes + i);
    _mm512_store_ps(lanes + i, _mm512_mask_max_ps(lane, mask, v, lane));
  }
}
#endif

// Does the whole words of a row without a mask and returns how many elements those have; the rest
// is for the caller. Where vectors are short, a few lanes are done for all words before the next
// ones, which changes no result.
template <class T>
HWY_INLINE size_t raise_words(const T*, size_t, T*) {
  return 0;
}

using math::Floats;
using math::kFloats;

#if HWY_TARGET != HWY_AVX2 && HWY_TARGET != HWY_AVX3_DL
HWY_INLINE size_t raise_words(const float* x, size_t n, float* lanes) {
  using math::kTogether;
  const size_t whole = n / kLanes * kLanes;
  Floats most[kTogether];
  for (size_t lane = 0; lane < kLanes; lane += kTogether * kFloats) {
    std::memcpy(most, lanes + lane, sizeof(most));
    for (size_t i = lane; i < whole; i += kLanes) {
      for (size_t k = 0; k < kTogether; ++k) {
        const Floats v = load<Floats>(x + i + k * kFloats);
        most[k] = v > most[k] ? v : most[k];
      }
    }
    std::memcpy(lanes + lane, most, sizeof(most));
  }
  return whole;
}

HWY_INLINE void zero_others(uint64_t word, float* y) {
  using Words = Vector<uint32_t, 4>;
  for (int half = 0; half < 64; half += 32) {
    const Words all = Words{} + static_cast<uint32_t>(word >> half);
    Words bits = {1, 2, 4, 8};
    for (int i = half; i < half + 32; i += 4, bits <<= 4) {
      const Words kept = load<Words>(y + i) & reinterpret_cast<Words>((all & bits) != 0);
      std::memcpy(y + i, &kept, sizeof(kept));
    }
  }
}
#endif

template <class T>
double kept_max(const void* a, const uint64_t* mask, size_t n) {
  const T* x = static_cast<const T*>(a);
  alignas(64) T lanes[kLanes];
  for (T& lane : lanes) lane = kNone<T>;
  for (size_t i = mask ? 0 : raise_words(x, n, lanes); i < n; i += kLanes) {
    const size_t here = std::min(kLanes, n - i);
    const uint64_t word = word_at(mask, i, here);
    if (word == 0) continue;
    if (word == ~uint64_t{0}) {
      for (size_t j = 0; j < kLanes; ++j) larger(lanes[j], x[i + j]);
    } else if (here == kLanes) {
      raise_kept(word, x + i, lanes);
    } else if (mask == nullptr) {
      for (size_t j = 0; j < here; ++j) larger(lanes[j], x[i + j]);
    } else {
      for (size_t j = 0; j < here; ++j) larger(lanes[j], word >> j & 1 ? x[i + j] : kNone<T>);
    }
  }
  for (size_t half = kLanes / 2; half > 0; half /= 2) {
    for (size_t j = 0; j < half; ++j) larger(lanes[j], lanes[j + half]);
  }
  return lanes[0];
}

// ---- powers and their sum ------------------------------------------------------------------------
// Sums are of a fixed order. Those of float32 begin within words of 64 elements, in float32: the
// powers are at most 1, and the rounding of so few additions is less than that of the powers. The
// sums of words are added in double.

constexpr size_t kSums = 16;  // of a word; sum j has the elements j, j + 16, j + 32 and j + 48
struct WordSums {
  Floats of[kSums / kFloats] = {};

  HWY_INLINE void add(size_t at, Floats v) { of[at % kSums / kFloats] += v; }
  // Adds them to four sums of all words.
  HWY_INLINE void add_to(double* lanes) const {
    using Four = Vector<float, 4>;
    using Two = Vector<double, 2>;
    alignas(64) float all[kSums];
    std::memcpy(all, of, sizeof(all));
    const Four even = load<Four>(all) + load<Four>(all + 8);
    const Four odd = load<Four>(all + 4) + load<Four>(all + 12), sum = even + odd;
    const Two low = __builtin_convertvector(__builtin_shufflevector(sum, sum, 0, 1), Two);
    const Two high = __builtin_convertvector(__builtin_shufflevector(sum, sum, 2, 3), Two);
    const Two lanes_low = load<Two>(lanes) + low, lanes_high = load<Two>(lanes + 2) + high;
    std::memcpy(lanes, &lanes_low, sizeof(lanes_low));
    std::memcpy(lanes + 2, &lanes_high, sizeof(lanes_high));
  }
};

// Vectors that are computed together. V8 would only lack registers.
constexpr size_t kStep = HWY_ARCH_WASM ? 1 : math::kTogether;
constexpr size_t kGroup = std::max(kSums, kStep* kFloats);

// y = exp(x - less) of n elements, whole groups, and its sums.
template <bool kIsNear>
HWY_INLINE void exp_word(const float* x, float less, float* y, size_t n, WordSums& sums) {
  for (size_t i = 0; i < n; i += kGroup) {
#pragma GCC unroll 4  // or the sums would not be in registers
    for (size_t j = 0; j < kGroup; j += kStep * kFloats) {
      Floats v[kStep];
      for (size_t k = 0; k < kStep; ++k) v[k] = load<Floats>(x + i + j + k * kFloats) - less;
      math::exp_at_most_one<kIsNear>(v);
      std::memcpy(y + i + j, v, sizeof(v));
      for (size_t k = 0; k < kStep; ++k) sums.add(j + k * kFloats, v[k]);
    }
  }
}

// Whether no power of a block is so small that it needs care. NaN needs none.
HWY_INLINE bool is_near(const float* x, float less, size_t n) {
  float least = less;
  Floats low[4];
  for (Floats& v : low) v = Floats{} + less;
  size_t i = 0;
  for (; i + 4 * kFloats <= n; i += 4 * kFloats) {
    for (size_t k = 0; k < 4; ++k) {
      const Floats v = load<Floats>(x + i + k * kFloats);
      low[k] = v < low[k] ? v : low[k];
    }
  }
  for (const Floats& v : low) {
    for (size_t j = 0; j < kFloats; ++j) least = v[j] < least ? v[j] : least;
  }
  for (; i < n; ++i) least = x[i] < least ? x[i] : least;
  return least - less > math::kNear;
}

// Makes zeros of what the word does not keep; the sums of the rest.
HWY_INLINE WordSums keep(uint64_t word, float* y) {
  zero_others(word, y);
  WordSums sums;
  for (size_t j = 0; j < kLanes; j += kFloats) sums.add(j, load<Floats>(y + j));
  return sums;
}

template <bool kIsNear>
double exp_sum_of(const float* x, const uint64_t* mask, float less, float* y, size_t n) {
  alignas(64) double lanes[4] = {};
  size_t i = 0;
  for (; mask == nullptr && i + kLanes <= n; i += kLanes) {
    WordSums sums;
    prefetch_next(x + i);
    exp_word<kIsNear>(x + i, less, y + i, kLanes, sums);
    sums.add_to(lanes);
  }
  for (; i < n; i += kLanes) {
    const size_t here = std::min(kLanes, n - i);
    const uint64_t word = word_at(mask, i, here);
    if (word == 0) {
      std::fill_n(y + i, here, 0.f);
      continue;
    }
    WordSums sums;
    if (here == kLanes) {
      prefetch_next(x + i);
      exp_word<kIsNear>(x + i, less, y + i, kLanes, sums);
      if (word != ~uint64_t{0}) sums = keep(word, y + i);
    } else {
      alignas(64) float rest[kLanes];
      std::fill(std::copy_n(x + i, here, rest), rest + kLanes, less);
      exp_word<kIsNear>(rest, less, rest, (here + kGroup - 1) / kGroup * kGroup, sums);
      sums = keep(word, rest);
      std::copy_n(rest, here, y + i);
    }
    sums.add_to(lanes);
  }
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

double exp_sum_of_floats(const void* a, const uint64_t* mask, double shift, void* out, size_t n) {
  const auto* x = static_cast<const float*>(a);
  auto* y = static_cast<float*>(out);
  const auto less = static_cast<float>(shift);
  return is_near(x, less, n) ? exp_sum_of<true>(x, mask, less, y, n)
                             : exp_sum_of<false>(x, mask, less, y, n);
}

double exp_sum_of_doubles(const void* a, const uint64_t* mask, double less, void* out, size_t n) {
  const auto* x = static_cast<const double*>(a);
  auto* y = static_cast<double*>(out);
  alignas(64) double lanes[kLanes] = {};
  for (size_t i = 0; i < n; i += kLanes) {
    const size_t here = std::min(kLanes, n - i);
    const uint64_t word = word_at(mask, i, here);
    if (word == 0) {
      std::fill_n(y + i, here, 0.0);
      continue;
    }
    TAMIS_INDEPENDENT
    for (size_t j = 0; j < here; ++j) y[i + j] = math::exp_at_most_one(x[i + j] - less);
    if (here == kLanes) {
      if (word != ~uint64_t{0}) zero_others(word, y + i);
    } else {
      for (size_t j = 0; j < here; ++j) y[i + j] = word >> j & 1 ? y[i + j] : 0;
    }
    for (size_t j = 0; j < here; ++j) lanes[j] += y[i + j];
  }
  for (size_t half = kLanes / 2; half > 0; half /= 2) {
    for (size_t j = 0; j < half; ++j) lanes[j] += lanes[j + half];
  }
  return lanes[0];
}

template <class T>
void scale(double factor, void* a, size_t n) {
  T* x = static_cast<T*>(a);
  const T by = static_cast<T>(factor);
  for (size_t i = 0; i < n; ++i) x[i] *= by;
}

template <class T>
void subtract(const void* a, double first, double second, void* out, size_t n) {
  const T* x = static_cast<const T*>(a);
  T* y = static_cast<T*>(out);
  const T less = static_cast<T>(first), still_less = static_cast<T>(second);
  TAMIS_INDEPENDENT
  for (size_t i = 0; i < n; ++i) y[i] = (x[i] - less) - still_less;
}

template <class T>
void set(Kernels& table) {
  const int dtype = static_cast<int>(dtype_of<T>);
  table.kept_max[dtype] = &kept_max<T>;
  table.scale[dtype] = &scale<T>;
  table.subtract[dtype] = &subtract<T>;
}

}  // namespace

void fill_softmax(Kernels& table) {
  set<float>(table);
  set<double>(table);
  table.exp_sum[static_cast<int>(DType::float32)] = &exp_sum_of_floats;
  table.exp_sum[static_cast<int>(DType::float64)] = &exp_sum_of_doubles;
}

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
