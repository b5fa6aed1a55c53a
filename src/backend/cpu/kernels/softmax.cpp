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

// y = exp(x - less), 64 times.
template <class T>
HWY_INLINE void exp_word(const T* x, T less, T* y) {
  TAMIS_INDEPENDENT
  for (size_t j = 0; j < kLanes; ++j) y[j] = math::exp_at_most_one(x[j] - less);
}
HWY_INLINE void exp_word(const float* x, float less, float* y) {
  math::exp_at_most_one(x, less, y);
}

// Makes zeros of what the word does not keep, and adds the rest to the lanes.
template <class T>
HWY_INLINE void add_kept(uint64_t word, T* y, double* lanes) {
  alignas(64) uint8_t bytes[64];
  bytes_from_bits(word, bytes);
  for (size_t j = 0; j < kLanes; ++j) y[j] = choose(bytes[j], y[j], T{0});
  for (size_t j = 0; j < kLanes; ++j) lanes[j] += y[j];
}

#if HWY_TARGET == HWY_AVX2
HWY_INLINE void raise_kept(uint64_t word, const float* x, float* lanes) {
  const __m256 none = _mm256_set1_ps(kNone<float>);
  for (int i = 0; i < 64; i += 8) {
    const __m256 v = _mm256_blendv_ps(none, _mm256_loadu_ps(x + i), lanes_from_bits(word, i));
    _mm256_store_ps(lanes + i, _mm256_max_ps(v, _mm256_load_ps(lanes + i)));
  }
}

HWY_INLINE void add_kept(uint64_t word, float* y, double* lanes) {
  for (int i = 0; i < 64; i += 8) {
    const __m256 v = _mm256_and_ps(_mm256_loadu_ps(y + i), lanes_from_bits(word, i));
    _mm256_storeu_ps(y + i, v);
    add_to(v, lanes + i);
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

// The next two do the whole words of rows without a mask and return how many elements those have;
// the rest is for the caller. Where vectors are short, 64 sums do not fit into registers: a few
// lanes are done for all words before the next ones, which changes no sum.
template <class T>
HWY_INLINE size_t raise_words(const T*, size_t, T*) {
  return 0;
}
template <class T>
HWY_INLINE size_t add_words(const T*, T, T*, size_t, double*) {
  return 0;
}

#if HWY_TARGET != HWY_AVX2 && HWY_TARGET != HWY_AVX3_DL
using math::Floats;
using math::kFloats;
using math::kTogether;
using Doubles = Vector<double, kFloats / 2>;

HWY_INLINE size_t raise_words(const float* x, size_t n, float* lanes) {
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

HWY_INLINE size_t add_words(const float* x, float less, float* y, size_t n, double* lanes) {
  const size_t whole = n / kLanes * kLanes;
  for (size_t lane = 0; lane < kLanes; lane += kTogether * kFloats) {
    Doubles sums[2 * kTogether] = {};
    for (size_t i = lane; i < whole; i += kLanes) {
      Floats v[kTogether];
      for (size_t k = 0; k < kTogether; ++k) v[k] = load<Floats>(x + i + k * kFloats) - less;
      math::exp_at_most_one(v);
      std::memcpy(y + i, v, sizeof(v));
      for (size_t k = 0; k < kTogether; ++k) {
        sums[2 * k] += __builtin_convertvector(__builtin_shufflevector(v[k], v[k], 0, 1), Doubles);
        sums[2 * k + 1] +=
            __builtin_convertvector(__builtin_shufflevector(v[k], v[k], 2, 3), Doubles);
      }
    }
    std::memcpy(lanes + lane, sums, sizeof(sums));
  }
  return whole;
}
#endif

// y = exp(x - less) of the last elements of a row, fewer than 64, which are added to the lanes.
template <class T>
HWY_INLINE void add_rest(const T* x, T less, T* y, size_t n, double* lanes) {
  alignas(64) T padded[kLanes];
  std::fill(std::copy_n(x, n, padded), padded + kLanes, kNone<T>);  // of which exp is 0
  exp_word(padded, less, padded);
  for (size_t j = 0; j < n; ++j) lanes[j] += padded[j];
  std::copy_n(padded, n, y);
}

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

template <class T>
double exp_sum(const void* a, const uint64_t* mask, double shift, void* out, size_t n) {
  const T* x = static_cast<const T*>(a);
  T* y = static_cast<T*>(out);
  const T less = static_cast<T>(shift);
  alignas(64) double lanes[kLanes] = {};
  for (size_t i = mask ? 0 : add_words(x, less, y, n, lanes); i < n; i += kLanes) {
    const size_t here = std::min(kLanes, n - i);
    const uint64_t word = word_at(mask, i, here);
    if (word == 0) {
      std::fill_n(y + i, here, T{0});
    } else if (here == kLanes) {
      prefetch_next(x + i);
      exp_word(x + i, less, y + i);
      if (word != ~uint64_t{0}) {
        add_kept(word, y + i, lanes);
      } else {
        for (size_t j = 0; j < kLanes; ++j) lanes[j] += y[i + j];
      }
    } else if (mask == nullptr) {
      add_rest(x + i, less, y + i, here, lanes);
    } else {
      TAMIS_INDEPENDENT
      for (size_t j = 0; j < here; ++j) y[i + j] = math::exp_at_most_one(x[i + j] - less);
      for (size_t j = 0; j < here; ++j) {
        if (!(word >> j & 1)) y[i + j] = 0;
        lanes[j] += y[i + j];
      }
    }
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
  table.exp_sum[dtype] = &exp_sum<T>;
  table.scale[dtype] = &scale<T>;
  table.subtract[dtype] = &subtract<T>;
}

}  // namespace

void fill_softmax(Kernels& table) {
  set<float>(table);
  set<double>(table);
}

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
