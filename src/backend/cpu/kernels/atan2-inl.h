// The angle of a point, without branches, for both precisions; once per instruction set. All
// inverse circular functions of real numbers are made of it.
#if defined(TAMIS_CPU_ATAN2_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_CPU_ATAN2_INL_H
#undef TAMIS_CPU_ATAN2_INL_H
#else
#define TAMIS_CPU_ATAN2_INL_H
#endif

#include <cmath>
#include <limits>

#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/math64-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE::math {

// atan(low / high) of 0 <= low <= high is that of u and one of three angles: 0, atan(1/2), atan(1).
struct Turned {
  double u, angle, lost;  // |u| <= 1/4; what the angle lacks
};
HWY_INLINE Turned turned(double low, double high) {
  const bool first = low < 0.25 * high, second = low < 0.75 * high;
  const double c = first ? 0 : second ? 0.5 : 1;
  // The difference is exact.
  return {(low - c * high) / (high + c * low),
          first    ? 0
          : second ? 0x1.dac670561bb4fp-2
                   : 0x1.921fb54442d18p-1,
          first    ? 0
          : second ? 2.2698777452961687e-17
                   : 3.0616169978683829e-17};
}

// The angle in the first quarter, moved to the quarter of the point: a + lost, beyond 45 degrees if
// `steep`, and left of the axis if `left`.
HWY_INLINE double in_quarter(double a, double lost, bool steep, bool left) {
  const double steep_a = 0x1.921fb54442d18p+0 - (a - (6.1232339957367659e-17 - lost));
  const double b = steep ? steep_a : a + lost;
  return left ? 0x1.921fb54442d18p+1 - (b - 1.2246467991473532e-16) : b;
}

// As std::signbit, which compilers do not vectorise.
HWY_INLINE bool is_negative(double x) { return static_cast<int64_t>(bits_of(x)) < 0; }

// Both at once, so that the quotient of the two stays what it is: infinities become 1 or 0 beside
// another, zeros stay zeros.
struct Sides {
  double low, high;
};
HWY_INLINE Sides sides(double a, double b) {
  double low = a < b ? a : b, high = a < b ? b : a;
  low = high == kInf ? (low == kInf ? 1 : 0) : low;
  high = high == kInf ? 1 : high;
  high = high == 0 ? 1 : high;
  return {low, high};
}

// (1 - atan(u) / u) / u^2 by u^2; 2^-56 of it.
HWY_INLINE double atan_tail(double z) {
  return 0x1.5555555555555p-2 +
         z * (-0x1.9999999999815p-3 +
              z * (0x1.2492492469c29p-3 +
                   z * (-0x1.c71c719302309p-4 +
                        z * (0x1.745d067597759p-4 +
                             z * (-0x1.3b10a28e789aap-4 +
                                  z * (0x1.10bd064002fffp-4 +
                                       z * (-0x1.d7412a8d5c85ap-5 + z * 0x1.5005923b76ca6p-5)))))));
}

// The error is below 2 ulp.
HWY_INLINE double atan2(double y, double x) {
  auto [low, high] = sides(std::abs(y), std::abs(x));
  // Halves and sums of the sides must neither overflow nor be rounded.
  const double scale = high > 0x1p1000 ? 0x1p-100 : high < 0x1p-900 ? 0x1p120 : 1;
  low *= scale;
  high *= scale;
  const auto [u, angle, lost] = turned(low, high);
  const double z = u * u, less = u * (z * atan_tail(z));
  const double a = angle + (u - (less - lost)), rest = (angle - a) + (u - (less - lost));
  const bool steep = std::abs(y) > std::abs(x), left = is_negative(x);
  const double result = std::copysign(in_quarter(a, angle == 0 ? 0 : rest, steep, left), y);
  return x != x || y != y ? kNan : result;
}

// As above, by fewer terms: 2^-29.
HWY_INLINE float atan2(float given_y, float given_x) {
  const double y = given_y, x = given_x;
  const auto [low, high] = sides(std::abs(y), std::abs(x));
  const auto [u, angle, lost] = turned(low, high);
  const double z = u * u;
  const double tail =
      0x1.555554ac6aef1p-2 +
      z * (-0x1.9996f5e72b8e4p-3 + z * (0x1.23bd965d22babp-3 + z * -0x1.9bae6d3ad6eb0p-4));
  const double a = angle + (u - u * (z * tail));
  const double result =
      std::copysign(in_quarter(a, 0, std::abs(y) > std::abs(x), is_negative(x)), y);
  return x != x || y != y ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(result);
}

}  // namespace tamis::cpu::HWY_NAMESPACE::math
HWY_AFTER_NAMESPACE();

#endif
