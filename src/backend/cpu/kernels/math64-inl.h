// Elementary functions of float64, without branches, so that loops over them become vector code;
// once per instruction set. The methods and constants are those of fdlibm (Sun Microsystems, 1993),
// whose branches have become choices; where not noted, errors are below 1 ulp. Products and sums
// round one by one: all instruction sets give the same bits.
#if defined(TAMIS_CPU_MATH64_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_CPU_MATH64_INL_H
#undef TAMIS_CPU_MATH64_INL_H
#else
#define TAMIS_CPU_MATH64_INL_H
#endif

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "backend/cpu/kernels/isa_macros-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE::math {

// Added to a smaller number, it leaves the nearest integer in the lowest bits.
constexpr double kShift = 0x1.8p52;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

HWY_INLINE uint64_t bits_of(double x) { return std::bit_cast<uint64_t>(x); }
HWY_INLINE double from_bits(uint64_t bits) { return std::bit_cast<double>(bits); }

// |x| < 2^51.
HWY_INLINE double nearest(double x) { return (x + kShift) - kShift; }

// Two to the power n, an integer from -1022 to 1023.
HWY_INLINE double power_of_two(double n) {
  return from_bits((bits_of(n + kShift) << 52) + bits_of(1.0));
}

// To be added like kShift: what is left is n + 2046, twice the bias of exponents.
constexpr double kBiased = kShift + 2046;

// y * 2^n, n from -1076 to 1025, of moved = n + kBiased; rounded once where the result is
// subnormal.
HWY_INLINE double scaled(double y, double moved) {
  const uint64_t bits = bits_of(moved), half = bits >> 1;
  return y * from_bits(half << 52) * from_bits((bits - half) << 52);
}

constexpr double kLog2E = 1.44269504088896338700;
constexpr double kLn2High =
    6.93147180369123816490e-01;  // 32 bits: products with exponents are exact
constexpr double kLn2Low = 1.90821492927058770002e-10;

HWY_INLINE double exp(double x) {
  // Beyond these the result is infinite or zero.
  x = x > 710 ? 710 : x;
  x = x < -746 ? -746 : x;
  const double moved = x * kLog2E + kBiased, n = moved - kBiased;
  const double high = x - n * kLn2High, low = n * kLn2Low, r = high - low, t = r * r;
  const double p =
      t * (1.66666666666666019037e-01 +
           t * (-2.77777777770155933842e-03 +
                t * (6.61375632143793436117e-05 +
                     t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
  const double c = r - p;
  return scaled(1 - ((low - (r * c) / (2 - c)) - high), moved);
}

// As in math32.
HWY_INLINE double exp_at_most_one(double x) { return exp(x); }

HWY_INLINE double expm1(double given) {
  double x = given > 710 ? 710 : given;
  x = x < -60 ? -60 : x;
  const double moved = x * kLog2E + kBiased, n = moved - kBiased;
  const double high = x - n * kLn2High, low = n * kLn2Low, r = high - low;
  const double c = (high - r) - low;  // what r lacks
  const double half = 0.5 * r, z = r * half;
  const double p =
      1 + z * (-3.33333333333331316428e-02 +
               z * (1.58730158725481460165e-03 +
                    z * (-7.93650757867487942473e-05 +
                         z * (4.00821782732936239552e-06 + z * -2.01099218183624371326e-07))));
  const double t = 3 - p * half;
  const double e = z * ((p - t) / (6 - r * t));
  const double less = (r * (e - c) - c) - z;  // exp(r) = 1 + r - less
  // 2^n (r - less) + (2^n - 1); 2^-n is lost in 1 long before it is cut off.
  const double rest = 1 - power_of_two(-(n > 1000 ? 1000 : n));
  // The other order where the sum is much smaller than its terms.
  const double close = r < -0.25 ? n : 0;
  const double y = close == 1 ? (rest + r) - less : rest + (r - less);
  return given == 0 ? given : scaled(y, moved);
}

// x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2); of finite positive x.
struct Parts {
  double k, f;
};
HWY_INLINE Parts parts(double x, double k) {
  constexpr uint64_t kRootHalf = 0x3FE6A09E00000000, kMantissa = 0x000FFFFFFFFFFFFF;
  const uint64_t moved = bits_of(x) + (bits_of(1.0) - kRootHalf);
  const double exponent = from_bits((moved >> 52) + bits_of(0x1p52)) - 0x1p52;
  return {k + (exponent - 1023), from_bits((moved & kMantissa) + kRootHalf) - 1};
}
HWY_INLINE Parts parts(double x) {
  const bool tiny = x < std::numeric_limits<double>::min();
  return parts(tiny ? x * 0x1p54 : x, tiny ? -54 : 0);
}

// log(1 + f) = f - (square - s * (square + rest)), where s is f / (2 + f) and square f^2 / 2.
struct LogTerms {
  double square, low;  // low: s * (square + rest)
};
HWY_INLINE LogTerms log_terms(double f) {
  const double s = f / (2 + f), z = s * s, w = z * z;
  const double even = w * (3.999999999940941908e-01 +
                           w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double odd = z * (6.666666666666735130e-01 +
                          w * (2.857142874366239149e-01 +
                               w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double square = 0.5 * f * f;
  return {square, s * (square + (odd + even))};
}

// What logarithms are where the formula does not hold.
HWY_INLINE double log_limits(double x, double y) {
  y = x == kInf ? kInf : y;
  y = x == 0 ? -kInf : y;
  return x < 0 ? kNan : y;
}

HWY_INLINE double log(double x) {
  const auto [k, f] = parts(x);
  const auto [square, low] = log_terms(f);
  const double y = k * kLn2High - ((square - (low + k * kLn2Low)) - f);
  return log_limits(x, x != x ? x : y);
}

// log(1 + f) as the sum of two, the first with few enough bits for exact products.
struct LogSum {
  double high, low;
};
HWY_INLINE LogSum log_sum(double f) {
  const auto [square, low] = log_terms(f);
  const double high = from_bits(bits_of(f - square) & 0xFFFFFFFF00000000);
  return {high, ((f - high) - square) + low};
}

HWY_INLINE double log2(double x) {
  constexpr double kHigh = 1.44269504072144627571e+00, kLow = 1.67517131648865118353e-10;
  const auto [k, f] = parts(x);
  const auto [high, low] = log_sum(f);
  const double top = high * kHigh, w = k + top;
  const double rest = (low + high) * kLow + low * kHigh;
  return log_limits(x, x != x ? x : (rest + ((k - w) + top)) + w);
}

HWY_INLINE double log10(double x) {
  constexpr double kHigh = 4.34294481878168880939e-01, kLow = 2.50829467116452752298e-11;
  constexpr double kTwoHigh = 3.01029995663611771306e-01, kTwoLow = 3.69423907715893078616e-13;
  const auto [k, f] = parts(x);
  const auto [high, low] = log_sum(f);
  const double top = high * kHigh, two = k * kTwoHigh, w = two + top;
  const double rest = k * kTwoLow + (low + high) * kLow + low * kHigh;
  return log_limits(x, x != x ? x : (rest + ((two - w) + top)) + w);
}

HWY_INLINE double log1p(double x) {
  const double u = 1 + x;
  const Parts normal = parts(u, 0);
  const bool near = x > -0.29289 && x < 0.41421;  // 1 + x within sqrt(1/2) and sqrt(2)
  const double k = near ? 0 : normal.k, f = near ? x : normal.f;
  // What u lacks, relative to it.
  const double lost = (x > 1 ? 1 - (u - x) : x - (u - 1)) / u;
  const double c = near ? 0 : lost;
  const auto [square, low] = log_terms(f);
  double y = k * kLn2High - ((square - (low + (k * kLn2Low + c))) - f);
  y = x == kInf ? kInf : y;
  y = x == -1 ? -kInf : y;
  y = x < -1 ? kNan : y;
  return ((x == 0) | (x != x)) ? x : y;
}

// The error is below 2 ulp.
HWY_INLINE double tanh(double x) {
  const double a = std::abs(x);
  const bool low = a < 0.55, lowest = a < 0.17;
  const double e = expm1(lowest ? -2 * a : a > 30 ? 60 : 2 * a), sum = e + 2;
  const double quotient = (lowest ? -e : low ? e : -2) / sum;
  // What the sum lacks, over the sum: there 1 / sum is about 0.4.
  const double lost = low ? ((2 - sum) + e) * 0.4 : 0;
  const double y = (low ? 0.0 : 1.0) + (quotient - quotient * lost);
  return x != x ? x : std::copysign(y, x);
}

// A quotient of two polynomials.
struct Ratio {
  double over, under;
};

// (erf(x) - x) / x of |x| < 0.84375, by x^2.
HWY_INLINE Ratio erf_near_zero(double z) {
  return {1.28379167095512558561e-01 +
              z * (-3.25042107247001499370e-01 +
                   z * (-2.84817495755985104766e-02 +
                        z * (-5.77027029648944159157e-03 + z * -2.37630166566501626084e-05))),
          1 + z * (3.97917223959155352819e-01 +
                   z * (6.50222499887672944485e-02 +
                        z * (5.08130628187576562776e-03 +
                             z * (1.32494738004321644526e-04 + z * -3.96022827877536812320e-06))))};
}

// erf(1 + s) - kErfOne of -0.15625 <= s < 0.25.
constexpr double kErfOne = 8.45062911510467529297e-01;
HWY_INLINE Ratio erf_near_one(double s) {
  return {
      -2.36211856075265944077e-03 + s * (4.14856118683748331666e-01 +
                                         s * (-3.72207876035701323847e-01 +
                                              s * (3.18346619901161753674e-01 +
                                                   s * (-1.10894694282396677476e-01 +
                                                        s * (3.54783043256182359371e-02 +
                                                             s * -2.16637559486879084300e-03))))),
      1 + s * (1.06420880400844228286e-01 +
               s * (5.40397917702171048937e-01 +
                    s * (7.18286544141962662868e-02 +
                         s * (1.26171219808761642112e-01 +
                              s * (1.36370839120290507362e-02 +
                                   s * 1.19844998467991074170e-02)))))};
}

// log(x (1 - erf(x))) + x^2 + 0.5625 of x >= 1.25, by 1 / x^2; `far` is x >= 1 / 0.35.
HWY_INLINE Ratio erf_tail(double v, bool far) {
  const double r0 = far ? -9.86494292470009928597e-03 : -9.86494403484714822705e-03;
  const double r1 = far ? -7.99283237680523006574e-01 : -6.93858572707181764372e-01;
  const double r2 = far ? -1.77579549177547519889e+01 : -1.05586262253232909814e+01;
  const double r3 = far ? -1.60636384855821916062e+02 : -6.23753324503260060396e+01;
  const double r4 = far ? -6.37566443368389627722e+02 : -1.62396669462573470355e+02;
  const double r5 = far ? -1.02509513161107724954e+03 : -1.84605092906711035994e+02;
  const double r6 = far ? -4.83519191608651397019e+02 : -8.12874355063065934246e+01;
  const double r7 = far ? 0 : -9.81432934416914548592e+00;
  const double s1 = far ? 3.03380607434824582924e+01 : 1.96512716674392571292e+01;
  const double s2 = far ? 3.25792512996573918826e+02 : 1.37657754143519042600e+02;
  const double s3 = far ? 1.53672958608443695994e+03 : 4.34565877475229228821e+02;
  const double s4 = far ? 3.19985821950859553908e+03 : 6.45387271733267880336e+02;
  const double s5 = far ? 2.55305040643316442583e+03 : 4.29008140027567833386e+02;
  const double s6 = far ? 4.74528541206955367215e+02 : 1.08635005541779435134e+02;
  const double s7 = far ? -2.24409524465858183362e+01 : 6.57024977031928170135e+00;
  const double s8 = far ? 0 : -6.04244152148580987438e-02;
  return {r0 + v * (r1 + v * (r2 + v * (r3 + v * (r4 + v * (r5 + v * (r6 + v * r7)))))),
          1 + v * (s1 + v * (s2 + v * (s3 + v * (s4 + v * (s5 + v * (s6 + v * (s7 + v * s8)))))))};
}

HWY_INLINE double erf(double x) {
  const double a = std::abs(x) > 6 ? 6 : std::abs(x), z = a * a;  // beyond 6, 1 is the nearest
  const bool low = a < 0.84375, middle = a < 1.25;
  const Ratio zero = erf_near_zero(z), one = erf_near_one(a - 1);
  const Ratio tail = erf_tail(1 / z, a >= 1 / 0.35);
  const double ratio = (low      ? zero.over
                        : middle ? one.over
                                 : tail.over) /
                       (low      ? zero.under
                        : middle ? one.under
                                 : tail.under);
  // What rounds in the exponent is lost in 1.
  const double y = middle ? kErfOne + ratio : 1 - exp((ratio - 0.5625) - z) / a;
  return low ? x + x * ratio : x != x ? x : std::copysign(y, x);
}

// 0 where exp(-x) is infinite, as in PyTorch. The error is below 2 ulp.
HWY_INLINE double sigmoid(double x) {
  const double e = exp(-std::abs(x)), sum = 1 + e;
  const double lost = (1 - sum) + e;
  const double y = (x < 0 ? e : 1) / sum;
  return x < -709.782712893384 ? 0 : y - y * (lost * (1 - 0.5 * e));  // 1 / sum is near 1 - e / 2
}

// x = n pi/2 + high + low, |high| <= pi/4; `turns` has n in its lowest bits. NaN beyond 2^20.
struct Angle {
  uint64_t turns;
  double high, low;
};
HWY_INLINE Angle angle(double given) {
  const double x = std::abs(given) <= 0x1p20 ? given : kNan;
  // pi/2 in three parts of 33 bits, and the rest: their products with n < 2^20 are exact.
  constexpr double kPart1 = 1.57079632673412561417e+00, kPart2 = 6.07710050630396597660e-11,
                   kPart3 = 2.02226624871116645580e-21, kPart4 = 8.47842766036889956997e-32;
  const double moved = x * 6.36619772367581382433e-01 + kShift, n = moved - kShift;
  const double r1 = x - n * kPart1, w2 = n * kPart2, r2 = r1 - w2, lost2 = (r1 - r2) - w2;
  const double w3 = n * kPart3, r3 = r2 - w3, lost3 = (r2 - r3) - w3;
  const double rest = n * kPart4 - (lost2 + lost3), high = r3 - rest;
  return {bits_of(moved), high, (r3 - high) - rest};
}

// A value and what it lacks.
struct Sum {
  double value, lost;
};

HWY_INLINE Sum sin_near(double x, double low) {
  const double z = x * x, v = z * x;
  const double r = 8.33333333332248946124e-03 +
                   z * (-1.98412698298579493134e-04 +
                        z * (2.75573137070700676789e-06 +
                             z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  const double less = (z * (0.5 * low - v * r) - low) - v * -1.66666666666666324348e-01;
  const double value = x - less;
  return {value, (x - value) - less};
}

HWY_INLINE Sum cos_near(double x, double low) {
  const double z = x * x, w = z * z;
  const double r = z * (4.16666666666666019037e-02 +
                        z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05)) +
                   w * w *
                       (-2.75573143513906633035e-07 +
                        z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
  const double half = 0.5 * z, top = 1 - half;
  const double more = ((1 - top) - half) + (z * r - x * low), value = top + more;
  return {value, (top - value) + more};
}

// The sine of the angle and `quarters` of a turn more.
HWY_INLINE double sin_of(const Angle& a, uint64_t quarters) {
  const uint64_t turns = a.turns + quarters;
  const double s = sin_near(a.high, a.low).value, c = cos_near(a.high, a.low).value;
  return from_bits(bits_of((turns & 1) != 0 ? c : s) ^ (turns & 2) << 62);
}

// NaN where the argument is too large.
HWY_INLINE double sin(double x) { return sin_of(angle(x), 0); }
HWY_INLINE double cos(double x) { return sin_of(angle(x), 1); }
HWY_INLINE double tan(double x) {
  const Angle a = angle(x);
  const auto [s, s_lost] = sin_near(a.high, a.low);
  const auto [c, c_lost] = cos_near(a.high, a.low);
  const bool odd = (a.turns & 1) != 0;
  const double over = odd ? -c : s, over_lost = odd ? -c_lost : s_lost;
  const double under = odd ? s : c, under_lost = odd ? s_lost : c_lost;
  const double y = over / under, more = (over_lost - y * under_lost) / under;
  return x == 0 ? x : y + more;
}

// size with the sign of a negative number to the power y, |y| < 2^51; NaN where it has none.
HWY_INLINE double with_sign_of_power(double size, double y) {
  const double half = 0.5 * y;
  const double z = nearest(half) == half ? size : -size;
  return nearest(y) == y ? z : kNan;
}

// The upper half of the bits: products of two such numbers are exact.
HWY_INLINE double upper(double x) { return from_bits(bits_of(x) & 0xFFFFFFFF00000000); }

// log2(x) of normal positive x, |low| < 2^-20 |high|, high in the upper half of the bits.
struct Log2 {
  double high, low;
};
HWY_INLINE Log2 long_log2(double x) {
  // x = 2^n m, where m is from sqrt(3)/2 to sqrt(3): near 1, or (upper) near 1.5.
  constexpr uint64_t kFirst = 0x3FEBB67AE8584CAA, kMantissa = 0x000FFFFFFFFFFFFF;
  const uint64_t moved = bits_of(x) + (bits_of(1.0) - kFirst);
  const double n = from_bits((moved >> 52) + bits_of(0x1p52)) - (0x1p52 + 1023);
  const double m = from_bits((moved & kMantissa) + kFirst);
  const bool large = m >= 1.22474487139158905;
  const double base = large ? 1.5 : 1, u = m - base, v = 1 / (m + base), s = u * v;
  const double s_high = upper(s), t_high = upper(m + base), t_low = m - (t_high - base);
  const double s_low = v * ((u - s_high * t_high) - s_high * t_low);
  const double z = s * s;
  const double r =
      z * z *
          (5.99999999999994648725e-01 +
           z * (4.28571428578550184252e-01 +
                z * (3.33333329818377432918e-01 +
                     z * (2.72728123808534006489e-01 +
                          z * (2.30660745775561754067e-01 + z * 2.06975017800338417784e-01))))) +
      s_low * (s_high + s);
  const double square = s_high * s_high, c_high = upper(3 + square + r);
  const double c_low = r - ((c_high - 3) - square);
  const double p = s_high * c_high, q = s_low * c_high + c_low * s;
  const double l_high = upper(p + q), l_low = q - (l_high - p);
  // 2 / (3 ln 2) in two parts, and log2(1.5) in two parts.
  const double high = 9.61796700954437255859e-01 * l_high;
  const double low = -7.02846165095275826516e-09 * l_high + l_low * 9.61796693925975554329e-01 +
                     (large ? 1.35003920212974897128e-08 : 0);
  const double of_base = large ? 5.84962487220764160156e-01 : 0;
  const double sum = upper(((high + low) + of_base) + n);
  return {sum, low - (((sum - n) - of_base) - high)};
}

// NaN also beside the numbers whose powers are ordinary ones.
HWY_INLINE double pow(double x, double y) {
  const double a = std::abs(x);
  const auto [l_high, l_low] = long_log2(a);
  const double y_high = upper(y);
  const double low = (y - y_high) * l_high + y * l_low, high = y_high * l_high, t = low + high;
  const double moved = t + kBiased, n = moved - kBiased;
  const double rest = high - n, sum = upper(low + rest);
  const double u = sum * 6.93147182464599609375e-01;
  const double v =
      (low - (sum - rest)) * 6.93147180559945286227e-01 + sum * -1.90465429995776804525e-09;
  const double z = u + v, w = v - (z - u), zz = z * z;
  const double c =
      z - zz * (1.66666666666666019037e-01 +
                zz * (-2.77777777770155933842e-03 +
                      zz * (6.61375632143793436117e-05 +
                            zz * (-1.65339022054652515390e-06 + zz * 4.13813679705723846039e-08))));
  double power = scaled(1 - (((z * c) / (c - 2) - (w + z * w)) - z), moved);
  power = x < 0 ? with_sign_of_power(power, y) : power;
  power = std::abs(t) < 1000 ? power : kNan;
  power = std::abs(y) < 0x1p51 ? power : kNan;
  power = a >= std::numeric_limits<double>::min() ? power : kNan;
  power = a < kInf ? power : kNan;
  return y == 2 ? x * x : power;
}

}  // namespace tamis::cpu::HWY_NAMESPACE::math
HWY_AFTER_NAMESPACE();

#endif
