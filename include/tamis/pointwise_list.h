// The pointwise functions of one and of two operands, by name. Each is a free function
// (pointwise.h), a method and a method in place (tensor.h).
#pragma once

// clang-format off
#define TAMIS_UNARY_METHODS(X)                                                              \
  X(neg) X(abs) X(sign) X(sqrt) X(rsqrt) X(exp) X(log) X(log2) X(log10) X(log1p) X(expm1)   \
  X(sin) X(cos) X(tan) X(tanh) X(sigmoid) X(erf) X(relu) X(floor) X(ceil) X(round) X(trunc) \
  X(reciprocal) X(square) X(bitwise_not) X(logical_not) X(isnan) X(isinf) X(isfinite)       \
  X(asin) X(acos) X(atan) X(sinh) X(cosh) X(asinh) X(acosh) X(atanh) X(exp2) X(sinc)        \
  X(erfc) X(erfinv) X(lgamma) X(digamma) X(i0) X(sgn) X(frac) X(deg2rad) X(rad2deg)         \
  X(positive) X(signbit) X(isreal)
#define TAMIS_BINARY_METHODS(X)                                                             \
  X(add) X(sub) X(mul) X(div) X(floor_divide) X(remainder) X(fmod) X(pow) X(minimum)        \
  X(maximum) X(eq) X(ne) X(lt) X(le) X(gt) X(ge) X(bitwise_and) X(bitwise_or)               \
  X(bitwise_xor) X(logical_and) X(logical_or) X(logical_xor) X(bitwise_left_shift)          \
  X(bitwise_right_shift) X(atan2) X(hypot) X(copysign) X(nextafter) X(fmax) X(fmin)         \
  X(xlogy) X(float_power) X(heaviside) X(ldexp) X(gcd) X(lcm)
// clang-format on
