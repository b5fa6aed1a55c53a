// Elementary functions of float32, without branches, once per instruction set. All but exp are
// computed in float64 by short polynomials and rounded at the end, which gives errors of hardly
// more than half an ulp. The polynomials interpolate at Chebyshev nodes; beside each is its largest
// error.
#if defined(TAMIS_CPU_MATH32_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_CPU_MATH32_INL_H
#undef TAMIS_CPU_MATH32_INL_H
#else
#define TAMIS_CPU_MATH32_INL_H
#endif

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/loop_helpers.h"
#include "backend/cpu/kernels/math64-inl.h"
#include "backend/cpu/kernels/vector_types-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE::math {

// exp in float32 throughout, because softmax depends on its speed; the error is below 1.1 ulp. Of
// -104 <= x <= 89, beyond which the result is zero or infinite; NaN stays NaN.
HWY_INLINE float exp_within(float x) {
  // As math64's kShift, and twice the bias of exponents.
  constexpr float kBiased32 = 0x1.8p23f + 254;
  const float moved = x * 1.44269504f + kBiased32, n = moved - kBiased32;
  // ln 2 in two parts: 355/512, whose products are exact, and the rest.
  const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  // (exp(r) - 1 - r) / r^2; 2^-23.9.
  const float p =
      0.5f + r * (0.16666577f + r * (0.041666555f + r * (0.0083631791f + r * 0.0013926184f)));
  const float y = 1.f + (r + (r * r) * p);
  // 2^n in two factors, for results below 2^-126.
  const uint32_t bits = std::bit_cast<uint32_t>(moved), half = bits >> 1;
  return y * std::bit_cast<float>(half << 23) * std::bit_cast<float>((bits - half) << 23);
}

// Chosen at the end: clamping x first makes compilers generate three code paths.
HWY_INLINE float exp_at_most_one(float x) { return x < -104.f ? 0.f : exp_within(x); }

// Elements of a vector, and vectors that are computed together.
inline constexpr size_t kFloats = kVectorBytes / sizeof(float), kTogether = kFloats > 8 ? 4 : 8;
using Floats = Vector<float, kFloats>;

// Above this, 2^n exp(r) can be computed as 2^n + 2^n (exp(r) - 1), which rounds the same way.
inline constexpr float kNear = -60;

// x = exp_at_most_one(x) of each vector, all of them above kNear (or NaN) if kIsNear. Each step is
// taken for all vectors before the next: vector by vector, a processor would only overlap about two
// chains.
template <bool kIsNear = false, size_t kCount>
HWY_INLINE void exp_at_most_one(Floats (&x)[kCount]) {
  // As kBiased32, for a single factor 2^n, or 2^(n + 65), which n <= 0 allows.
  constexpr float kRaised = 0x1.8p23f + (kIsNear ? 127 : 192);
  using Words = Vector<uint32_t, kFloats>;
  Floats moved[kCount], n[kCount], r[kCount], p[kCount];
#define TAMIS_EACH for (size_t i = 0; i < kCount; ++i)
  TAMIS_EACH moved[i] = x[i] * 1.44269504f + kRaised;
  TAMIS_EACH n[i] = moved[i] - kRaised;
  TAMIS_EACH r[i] = x[i] - n[i] * 0.693359375f;
  TAMIS_EACH r[i] = r[i] - n[i] * -2.12194440e-4f;
  TAMIS_EACH p[i] = 0.0083631791f + r[i] * 0.0013926184f;
  TAMIS_EACH p[i] = 0.041666555f + r[i] * p[i];
  TAMIS_EACH p[i] = 0.16666577f + r[i] * p[i];
  TAMIS_EACH p[i] = 0.5f + r[i] * p[i];
  TAMIS_EACH p[i] = r[i] + (r[i] * r[i]) * p[i];
  TAMIS_EACH moved[i] = reinterpret_cast<Floats>(reinterpret_cast<Words>(moved[i]) << 23);
  if constexpr (kIsNear) {
    TAMIS_EACH x[i] = moved[i] + moved[i] * p[i];
  } else {
    TAMIS_EACH p[i] = (1.f + p[i]) * moved[i] * 0x1p-65f;
    TAMIS_EACH {
      const Words kept = ~reinterpret_cast<Words>(x[i] < -104.f);
      x[i] = reinterpret_cast<Floats>(reinterpret_cast<Words>(p[i]) & kept);
    }
  }
#undef TAMIS_EACH
}

// y = exp_at_most_one(x - less), 64 times.
HWY_INLINE void exp_at_most_one(const float* x, float less, float* y) {
  Floats v[kTogether];
  for (size_t i = 0; i < 64; i += kTogether * kFloats) {
    for (size_t k = 0; k < kTogether; ++k) v[k] = load<Floats>(x + i + k * kFloats) - less;
    exp_at_most_one(v);
    std::memcpy(y + i, v, sizeof(v));
  }
}

HWY_INLINE float exp(float x) {
  return x > 89.f ? std::numeric_limits<float>::infinity() : exp_at_most_one(x);
}

// (exp(r) - 1) / r of |r| <= ln(2) / 2; 2^-31.9.
HWY_INLINE double short_expm1(double r) {
  return 1 + r * (0x1.000000287f871p-1 +
                  r * (0x1.55555567532adp-3 +
                       r * (0x1.5554accfdb593p-5 +
                            r * (0x1.1110c632a3088p-7 +
                                 r * (0x1.6d7543e4127b8p-10 + r * 0x1.a15179d80ae96p-13)))));
}

constexpr double kLn2 = 0.693147180559945309417;

// exp(x) = 2^n (1 + rest), |rest| < 0.42, of |x| < 700.
struct Power {
  double two_n, rest;
};
HWY_INLINE Power power(double x) {
  const double n = nearest(x * kLog2E), r = x - n * kLn2;
  return {power_of_two(n), r * short_expm1(r)};
}

HWY_INLINE double clamped(double x, double limit) {
  x = x > limit ? limit : x;
  return x < -limit ? -limit : x;
}

HWY_INLINE float expm1(float given) {
  const auto [two_n, rest] = power(clamped(given, 200));
  const double y = two_n * rest + (two_n - 1);
  return given == 0 ? given : static_cast<float>(y);
}

// y = 1 / (1 + exp(-x)), 64 times.
HWY_INLINE void sigmoid(const float* x, float* y) {
  alignas(64) float e[64];
  for (int i = 0; i < 64; ++i) e[i] = -std::abs(x[i]);
  exp_at_most_one(e, 0, e);
  TAMIS_INDEPENDENT
  for (int i = 0; i < 64; ++i) {
    const double of = e[i];
    y[i] = x[i] < -88.7228391f ? 0.f : static_cast<float>((x[i] < 0 ? of : 1.0) / (1.0 + of));
  }
}

HWY_INLINE float tanh(float given) {
  const auto [two_n, rest] = power(clamped(2.0 * given, 100));
  const double e = two_n * rest + (two_n - 1);  // exp(2x) - 1
  return given == 0 ? given : static_cast<float>(e / (e + 2));
}

// Up to 1, erf(x) / x is a polynomial in x^2 (2^-34.7); from there to 4, where the result is 1, the
// logarithm of what erf lacks to 1 is one in |x| (2^-30.9 of 1).
HWY_INLINE float erf(float given) {
  const double x = given, a = std::abs(x) > 4 ? 4 : std::abs(x), z = x * x;
  const double slope =
      0x1.20dd7504045d6p+0 +
      z * (-0x1.81274665754c3p-2 +
           z * (0x1.ce2f08fec14f9p-4 +
                z * (-0x1.b829c89792299p-6 +
                     z * (0x1.562a60ddba3b2p-8 +
                          z * (-0x1.bccf664d7d3c7p-11 +
                               z * (0x1.d887505dd7617p-14 + z * -0x1.445f47d3226f2p-17))))));
  const double exponent =
      0x1.4fb06741d2fcp-12 +
      a * (-0x1.2156fa777dfadp+0 +
           a * (-0x1.437eb4486a32ep-1 +
                a * (-0x1.c2e355434c5f7p-4 +
                     a * (0x1.b0e246c451c97p-6 +
                          a * (-0x1.37ecc66bf72f2p-8 +
                               a * (0x1.38e5e5277d24ap-11 +
                                    a * (-0x1.825ce4bea3633p-15 + a * 0x1.b7783044b631p-20)))))));
  const auto [two_n, rest] = power(exponent);
  const double y = 1 - (two_n + two_n * rest);
  return static_cast<float>(a < 1 ? x * slope : std::copysign(y, x));
}

// log(1 + f) for sqrt(1/2) <= 1 + f < sqrt(2).
HWY_INLINE double short_log(double f) {
  const double s = f / (2 + f), z = s * s;
  // log((1 + s) / (1 - s)) / s; 2^-36.8.
  return s *
         (0x1.00000000049e7p+1 +
          z * (0x1.555554daee41ep-1 +
               z * (0x1.999a9c8a467fap-2 + z * (0x1.2432ba683936ep-2 + z * 0x1.e3b159cf31211p-3))));
}

// What is chosen at the end is chosen in float32, where a vector has twice as many elements.
constexpr float kInf32 = std::numeric_limits<float>::infinity();
constexpr float kNan32 = std::numeric_limits<float>::quiet_NaN();

// The logarithm y of x + more, where more is 0 or 1, and what it is where the formula does not
// hold.
HWY_INLINE float log_limits(float x, float more, double y) {
  float z = x == kInf32 ? x : static_cast<float>(y);
  z = x == -more ? -kInf32 : z;
  z = x < -more ? kNan32 : z;
  return x != x ? x : z;
}

HWY_INLINE float log_in_base(float x, double ln2, double ln_e) {
  const auto [k, f] = parts(x, 0);
  return log_limits(x, 0, k * ln2 + short_log(f) * ln_e);
}
HWY_INLINE float log(float x) { return log_in_base(x, kLn2, 1); }
HWY_INLINE float log2(float x) { return log_in_base(x, 1, kLog2E); }
HWY_INLINE float log10(float x) {
  return log_in_base(x, 0.301029995663981195214, 0.434294481903251827651);
}

HWY_INLINE float log1p(float given) {
  const double x = given, u = 1 + x;
  const Parts normal = parts(u, 0);
  const bool near = x > -0.29289 && x < 0.41421;
  const double y = (near ? 0 : normal.k) * kLn2 + short_log(near ? x : normal.f);
  return given == 0 ? given : log_limits(given, 1, y);
}

// As `angle` in math64, in one number; meaningless beyond 2^27.
HWY_INLINE Angle short_angle(double x) {
  const double moved = x * 6.36619772367581382433e-01 + kShift, n = moved - kShift;
  // pi/2 in a part of 25 bits, whose products with n are exact, and the rest.
  return {bits_of(moved), (x - n * 1.57079631090164184570e+00) - n * 1.58932547735281966916e-08, 0};
}

// 2^-37.7 and 2^-34.3.
HWY_INLINE double short_sin(double x) {
  const double z = x * x;
  return x * (0x1.fffffffff679cp-1 +
              z * (-0x1.555555494598bp-3 +
                   z * (0x1.11110749b33f3p-7 +
                        z * (-0x1.a00ee6c400e9cp-13 + z * 0x1.6cb7064fa68a0p-19))));
}
HWY_INLINE double short_cos(double x) {
  const double z = x * x;
  return 0x1.ffffffff976b4p-1 +
         z * (-0x1.ffffffbdc7be0p-2 + z * (0x1.55553a7cd578cp-5 + z * (-0x1.6c078282e149cp-10 +
                                                                       z * 0x1.990637e5c216cp-16)));
}

HWY_INLINE float short_sin_of(const Angle& a, uint64_t quarters) {
  const uint64_t turns = a.turns + quarters;
  const double s = short_sin(a.high), c = short_cos(a.high);
  return static_cast<float>(from_bits(bits_of((turns & 1) != 0 ? c : s) ^ (turns & 2) << 62));
}

// y where the argument is small enough, else NaN.
HWY_INLINE float of_small(float x, float y) { return std::abs(x) <= 0x1p27f ? y : kNan32; }

HWY_INLINE float sin(float x) { return of_small(x, short_sin_of(short_angle(x), 0)); }
HWY_INLINE float cos(float x) { return of_small(x, short_sin_of(short_angle(x), 1)); }
HWY_INLINE float tan(float x) {
  const Angle a = short_angle(x);
  const double s = short_sin(a.high), c = short_cos(a.high);
  const bool odd = (a.turns & 1) != 0;
  return of_small(x, static_cast<float>((odd ? -c : s) / (odd ? s : c)));
}

// |x| < 2^22.
HWY_INLINE float nearest(float x) { return (x + 0x1.8p23f) - 0x1.8p23f; }

// As in math64, |y| < 2^22; NaN beyond.
HWY_INLINE float with_sign_of_power(float size, float y) {
  const float half = 0.5f * y;
  const float z = nearest(half) == half ? size : -size;
  const bool is_whole = nearest(y) == y, is_small = std::abs(y) < 0x1p22f;
  return (is_whole & is_small) ? z : kNan32;
}

// NaN also where a power of zeros or infinities is something else, and of negative numbers to large
// powers.
HWY_INLINE float pow(float x, float y) {
  const double a = std::abs(x), b = y;
  const auto [k, f] = parts(a, 0);
  const double t = clamped(b * (k + short_log(f) * kLog2E), 200), n = nearest(t);
  const double r = (t - n) * kLn2, two_n = power_of_two(n);
  float z = static_cast<float>(two_n + two_n * (r * short_expm1(r)));
  z = x < 0 ? with_sign_of_power(z, y) : z;
  z = std::abs(y) < kInf32 ? z : kNan32;
  z = std::abs(x) > 0 ? z : kNan32;
  z = std::abs(x) < kInf32 ? z : kNan32;
  return y == 2 ? x * x : z;
}

}  // namespace tamis::cpu::HWY_NAMESPACE::math
HWY_AFTER_NAMESPACE();

#endif
