// Functions of complex numbers that the C++ library does not have, in double; once per instruction
// set.
#if defined(TAMIS_CPU_COMPLEX_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_CPU_COMPLEX_MATH_INL_H
#undef TAMIS_CPU_COMPLEX_MATH_INL_H
#else
#define TAMIS_CPU_COMPLEX_MATH_INL_H
#endif

#include <cmath>
#include <complex>
#include <limits>

#include "backend/cpu/kernels/isa_macros-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE::math {

// exp(x) - 1. The plain difference would lose all digits of a small x, and 1 - cos(im) those of a
// small im. In double, and from 40 on by exp; where that overflows, times the sine of a small angle
// it need not.
HWY_INLINE std::complex<double> expm1(std::complex<double> x) {
  const double re = x.real(), im = x.imag();
  if (im == 0) return {std::expm1(re), im};
  if (re > 709 && std::isfinite(re)) {
    const double root = std::exp(re / 2);
    return {root * std::cos(im) * root - 1.0, root * std::sin(im) * root};
  }
  if (re > 40) return std::exp(x) - 1.0;
  if (re == -std::numeric_limits<double>::infinity()) {
    return {-1, std::copysign(0.0, std::isfinite(im) ? std::sin(im) : im)};
  }
  const double half = std::sin(im / 2);
  return {std::expm1(re) * std::cos(im) - 2 * half * half, std::exp(re) * std::sin(im)};
}

// a + b, and what rounding took from it.
struct Sum {
  double value, rest;
};
HWY_INLINE Sum exact_sum(double a, double b) {
  const double sum = a + b, rest = sum - a;
  return {sum, (a - (sum - rest)) + (b - rest)};
}

// log(1 + x). Near 1, what the square of the size has more than 1 is summed up with all digits,
// since it can be much smaller than the parts are.
HWY_INLINE std::complex<double> log1p(std::complex<double> x) {
  const double re = x.real(), im = x.imag();
  if (im == 0 && re >= -1) return {std::log1p(re), im};
  if (std::abs(re) < 2 && std::abs(im) < 2) {
    const double re2 = re * re, im2 = im * im;
    const Sum squares = exact_sum(re2, im2), all = exact_sum(2 * re, squares.value);
    const double rest = std::fma(re, re, -re2) + std::fma(im, im, -im2) + squares.rest + all.rest;
    if (all.value > -0.5) return {std::log1p(all.value + rest) / 2, std::atan2(im, 1 + re)};
  }
  return std::log(std::complex<double>(1 + re, im));
}

}  // namespace tamis::cpu::HWY_NAMESPACE::math
HWY_AFTER_NAMESPACE();

#endif
