// Kernels of softmax: what one block of a row needs, with the same bits on every instruction set.
#include "backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels_softmax.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <algorithm>
#include <limits>

#include "backend/cpu/kernels.h"
#include "backend/cpu/loops.h"
#include "backend/cpu/math32-inl.h"
#include "backend/cpu/math64-inl.h"
#include "backend/cpu/table-inl.h"
#include "backend/cpu/target-inl.h"
#include "backend/cpu/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {
namespace {

// As in kernels_reduce.cpp: fixed, or the rounding would depend on the instruction set.
constexpr size_t kLanes = 64;

// NaN is passed over: the sum will be NaN by it.
template <class T>
HWY_INLINE void larger(T& a, T b) {
  a = b > a ? b : a;
}

template <class T>
double kept_max(const void* a, const uint64_t* mask, size_t n) {
  const T* x = static_cast<const T*>(a);
  constexpr T kNone = -std::numeric_limits<T>::infinity();
  alignas(64) T lanes[kLanes];
  alignas(64) uint8_t bytes[64];
  for (T& lane : lanes) lane = kNone;
  for (size_t i = 0; i < n; i += kLanes) {
    const size_t here = std::min(kLanes, n - i);
    const uint64_t word = word_at(mask, i, here);
    if (word == 0) continue;
    if (word == ~uint64_t{0}) {
      for (size_t j = 0; j < kLanes; ++j) larger(lanes[j], x[i + j]);
    } else if (here == kLanes) {
      bytes_from_bits(word, bytes);
      for (size_t j = 0; j < kLanes; ++j) larger(lanes[j], choose(bytes[j], x[i + j], kNone));
    } else {
      for (size_t j = 0; j < here; ++j) larger(lanes[j], word >> j & 1 ? x[i + j] : kNone);
    }
  }
  for (size_t half = kLanes / 2; half > 0; half /= 2) {
    for (size_t j = 0; j < half; ++j) larger(lanes[j], lanes[j + half]);
  }
  return lanes[0];
}

template <class T>
double exp_sum(const void* a, const uint64_t* mask, size_t n, double shift, void* out) {
  const T* x = static_cast<const T*>(a);
  T* y = static_cast<T*>(out);
  const T less = static_cast<T>(shift);
  alignas(64) double lanes[kLanes] = {};
  alignas(64) uint8_t bytes[64];
  for (size_t i = 0; i < n; i += kLanes) {
    const size_t here = std::min(kLanes, n - i);
    const uint64_t word = word_at(mask, i, here);
    if (word == 0) {
      std::fill_n(y + i, here, T{0});
    } else if (here == kLanes) {
      TAMIS_INDEPENDENT
      for (size_t j = 0; j < kLanes; ++j) y[i + j] = math::exp_at_most_one(x[i + j] - less);
      if (word != ~uint64_t{0}) {
        bytes_from_bits(word, bytes);
        for (size_t j = 0; j < kLanes; ++j) y[i + j] = choose(bytes[j], y[i + j], T{0});
      }
      for (size_t j = 0; j < kLanes; ++j) lanes[j] += y[i + j];
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
void scale(void* a, size_t n, double factor) {
  T* x = static_cast<T*>(a);
  const T by = static_cast<T>(factor);
  for (size_t i = 0; i < n; ++i) x[i] *= by;
}

template <class T>
void subtract(const void* a, size_t n, double first, double second, void* out) {
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
