// Kernels that convert between dtypes.
#include "backend/cpu/kernels/isa_list.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/cast.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/kernel_parts-inl.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/kernels/loop_helpers.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {
namespace {

template <class T>
constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// Truncates; the smallest integer where the value is outside of I's range or NaN, as x86 does.
template <class I, class F>
HWY_INLINE I truncated(F x) {
  constexpr F low = static_cast<F>(std::numeric_limits<I>::min());  // a power of two: exact
  const bool inside = (x >= low) & (x < -low);
  return static_cast<I>(inside ? x : low);
}

// Values that the small integers lack keep their low bits: PyTorch converts to uint8 and uint32 via
// int64 and to int8 and int16 via int32. uint64 has all numbers below 2^64; others become what they
// are as int64.
template <class From, class To>
HWY_INLINE To converted(From x) {
  if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, uint64_t>) {
    constexpr From half = 0x1p63f;
    const bool is_large = (x >= half) & (x < 2 * half);
    const auto bits = static_cast<uint64_t>(truncated<int64_t>(is_large ? x - half : x));
    return is_large ? bits + (uint64_t{1} << 63) : bits;
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    constexpr bool is_wide = std::is_same_v<To, uint8_t> || std::is_same_v<To, uint32_t>;
    using Between = std::conditional_t<is_wide || sizeof(To) == 8, int64_t, int32_t>;
    return static_cast<To>(truncated<Between>(x));
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
HWY_INLINE void convert(const From* x, To* y, size_t n) {
  TAMIS_INDEPENDENT
  for (size_t i = 0; i < n; ++i) y[i] = converted<From, To>(x[i]);
}

// Vectors have no conversion to int64 before AVX-512, so uint8 goes via int32 where possible.
template <class From>
void convert_to_bytes(const From* x, uint8_t* y, size_t n) {
  for (size_t i = 0; i < n; i += 256) {
    const size_t part = std::min<size_t>(n - i, 256);
    int outside = 0;
    for (size_t j = i; j < i + part; ++j) outside |= !((x[j] > -0x1p31f) & (x[j] < 0x1p31f));
    if (outside != 0) {
      convert(x + i, y + i, part);
    } else {
      for (size_t j = i; j < i + part; ++j) {
        y[j] = static_cast<uint8_t>(static_cast<int32_t>(x[j]));
      }
    }
  }
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3_DL
HWY_INLINE void convert(const Half* x, float* y, size_t n) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i));
    _mm256_storeu_ps(y + i, _mm256_cvtph_ps(halves));
  }
  for (; i < n; ++i) y[i] = x[i];
}

HWY_INLINE void convert(const float* x, Half* y, size_t n) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i), halves);
  }
  for (; i < n; ++i) y[i] = x[i];
}
#endif

// 16-bit floats convert from and to float, everything else via float.
template <class From, class To>
void cast(const void* a, void* out, size_t n) {
  const From* x = static_cast<const From*>(a);
  To* y = static_cast<To*>(out);
  if constexpr (std::is_same_v<From, To>) {
    if (n > 0 && a != out) std::memcpy(out, a, n * sizeof(To));
  } else if constexpr ((is_half<From> && !std::is_same_v<To, float>) ||
                       (is_half<To> && !std::is_same_v<From, float>)) {
    alignas(64) float between[256];
    for (size_t i = 0; i < n; i += 256) {
      const size_t part = std::min<size_t>(n - i, 256);
      convert(x + i, between, part);
      convert(between, y + i, part);
    }
  } else if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, uint8_t>) {
    convert_to_bytes(x, y, n);
  } else {
    convert(x, y, n);
  }
}

// Between integers the sign of the result does not matter, and that of the operand only where it is
// extended.
template <class From, class To>
constexpr Kernels::Unary cast_for() {
  if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    using Source = std::conditional_t<(sizeof(To) > sizeof(From)), From, Signless<From>>;
    return &cast<Source, Signless<To>>;
  } else {
    return &cast<From, To>;
  }
}

template <class From>
void set_row(Kernels& table) {
  Kernels::Unary* row = table.cast[static_cast<int>(dtype_of<From>)];
#define X(constant, type, ...) row[static_cast<int>(DType::constant)] = cast_for<From, type>();
  TAMIS_INTEGER_DTYPES(X)
  TAMIS_FLOAT_DTYPES(X)
#undef X
}

}  // namespace

void fill_cast(Kernels& table) {
#define X(constant, type, ...) set_row<type>(table);
  TAMIS_INTEGER_DTYPES(X)
  TAMIS_FLOAT_DTYPES(X)
#undef X
}

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
