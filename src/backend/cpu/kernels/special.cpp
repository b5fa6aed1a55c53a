// Kernels of rare functions of analysis: they take branches and loops, so they are compiled once
// and shared by the tables of all instruction sets. float32 is computed in double.
#include "backend/cpu/kernels/special.h"

#include "backend/cpu/kernels/isa_list.h"

#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numbers>

#include "backend/cpu/kernels/math64-inl.h"

namespace tamis::cpu {
namespace {

namespace math = HWY_NAMESPACE::math;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// sin(pi x) and cos(pi x), exact where they are 0 or 1.
struct Circular {
  double sin, cos;
};
Circular at_half_turns(double x) {
  const double n = std::nearbyint(2 * x);  // quarters of a turn
  const double r = (x - 0.5 * n) * std::numbers::pi;
  const double s = math::sin(r), c = math::cos(r);
  const double quarter = n - 4 * std::floor(n / 4);
  if (quarter == 0) return {s, c};
  if (quarter == 1) return {c, -s};
  if (quarter == 2) return {-s, -c};
  return {-c, s};
}

// ---- the error function -------------------------------------------------------------------------

// exp(-x^2) in two factors: the square of the first half of x's bits is exact.
double exp_of_square(double x, double more) {
  const double high = math::upper(x);
  return math::exp(-high * high - 0.5625) * math::exp((high - x) * (high + x) + more);
}

// The quotients of math64's erf; 1 - erf is small without a difference from 1.25 on.
double erfc(double x) {
  if (x != x) return x;
  const double a = std::abs(x);
  if (a < 0.84375) {
    const math::Ratio zero = math::erf_near_zero(a * a);
    const double more = x * (zero.over / zero.under);
    return x < 0.25 ? 1 - (x + more) : 0.5 - ((x - 0.5) + more);
  }
  if (a < 1.25) {
    const math::Ratio one = math::erf_near_one(a - 1);
    const double ratio = one.over / one.under;
    return x < 0 ? 1 + (math::kErfOne + ratio) : (1 - math::kErfOne) - ratio;
  }
  if (x < -6) return 2;
  if (x > 28) return 0;
  const math::Ratio tail = math::erf_tail(1 / (a * a), a >= 1 / 0.35);
  const double y = exp_of_square(a, tail.over / tail.under) / a;
  return x < 0 ? 2 - y : y;
}

// A guess within 0.002, then Halley's method twice, which triples the digits. Near the ends what is
// left to 1 is compared, as y itself has lost it.
double erfinv(double y) {
  const double a = std::abs(y);
  if (!(a < 1)) return a == 1 ? std::copysign(kInf, y) : kNan;
  if (a < 1e-9) return y * (1 / std::numbers::inv_sqrtpi / 2);
  constexpr double kGuess = 0.147;
  const double l = math::log1p(-a * a), t = 2 / (std::numbers::pi * kGuess) + 0.5 * l;
  double x = std::sqrt(std::sqrt(t * t - l / kGuess) - t);
  for (int i = 0; i < 3; ++i) {
    const double error = a < 0.5 ? math::erf(x) - a : (1 - a) - erfc(x);
    const double step = error / (2 * std::numbers::inv_sqrtpi * math::exp(-x * x));
    x -= step / (1 + x * step);
  }
  return std::copysign(x, y);
}

// ---- the gamma function -------------------------------------------------------------------------

// lgamma(2 + s) of -3/4 <= s <= 1/2; 2^-62 of it.
double lgamma_near_two(double s) {
  static constexpr double kTerms[] = {
      0x1.b0ee6072093cep-2,   0x1.4a34cc4a60fa6p-2,  -0x1.13e001a557607p-4,  0x1.51322ac7d8458p-6,
      -0x1.e404fc218f529p-8,  0x1.7add6eadbd2a5p-9,  -0x1.38ac5c2bfe506p-10, 0x1.0b36af82b8b9cp-11,
      -0x1.d3fd4c784b3a0p-13, 0x1.a127b30fe8ad2p-14, -0x1.78de598ab297dp-15, 0x1.580d6c3f44442p-16,
      -0x1.3cbd4eb2636b9p-17, 0x1.25a2c3d9b6330p-18, -0x1.119594af70305p-19, 0x1.ff41e9499b0ecp-21,
      -0x1.e7c495562aeaap-22, 0x1.d64a2b8de6ecdp-23, -0x1.65443daa6d834p-24, 0x1.685408235bb93p-25,
      -0x1.d665f5b41f6a3p-25, 0x1.526d9492eac83p-30, 0x1.4ac27003029b3p-26,  0x1.66958be1826c3p-26};
  double p = 0;
  for (size_t i = std::size(kTerms); i-- > 0;) p = kTerms[i] + s * p;
  return s * p;
}

// Of x > 0. Stirling's series from 8 on; below, recurrence from the numbers around 2.
double lgamma_of_positive(double x) {
  if (x < 0.5) return (lgamma_near_two(x) - math::log1p(x)) - math::log(x);
  if (x < 1.25) return lgamma_near_two(x - 1) - math::log1p(x - 1);
  if (x < 8) {
    double product = 1;
    while (x >= 2.5) product *= x -= 1;
    const double y = lgamma_near_two(x - 2);
    return product == 1 ? y : y + math::log(product);
  }
  if (x > 0x1p58) return x * (math::log(x) - 1);
  const double z = 1 / (x * x);
  const double series =
      (1.0 / 12 +
       z * (-1.0 / 360 +
            z * (1.0 / 1260 +
                 z * (-1.0 / 1680 +
                      z * (1.0 / 1188 +
                           z * (-691.0 / 360360 + z * (1.0 / 156 + z * (-3617.0 / 122400)))))))) /
      x;
  // Half of log(2 pi), less 1/2.
  return (x - 0.5) * (math::log(x) - 1) + (0.41893853320467274178 + series);
}

double lgamma(double x) {
  if (std::isinf(x) || x == 0) return kInf;
  if (x > 0) return lgamma_of_positive(x);
  if (x != x) return x;
  if (x == std::floor(x)) return kInf;
  if (x > -0x1p-60) return -math::log(-x);
  const double s = std::abs(at_half_turns(x).sin);
  return math::log(std::numbers::pi / (s * -x)) - lgamma_of_positive(-x);
}

// Recurrence up to 10, then the asymptotic series.
double digamma(double x) {
  if (x == 0) return std::copysign(kInf, -x);
  if (x < 0) {
    if (x == std::floor(x)) return kNan;
    const auto [s, c] = at_half_turns(x);
    return digamma(1 - x) - std::numbers::pi * c / s;
  }
  double less = 0;
  for (; x < 10; x += 1) less += 1 / x;
  if (x == kInf) return x;
  const double z = 1 / (x * x);
  const double series =
      z * (1.0 / 12 +
           z * (-1.0 / 120 +
                z * (1.0 / 252 +
                     z * (-1.0 / 240 + z * (1.0 / 132 + z * (-691.0 / 32760 + z * (1.0 / 12)))))));
  return ((math::log(x) - 0.5 / x) - series) - less;
}

// ---- Bessel functions ---------------------------------------------------------------------------

// Chebyshev series: of exp(-x) i0(x) and exp(-x) i1(x) / x up to 8, by x / 4 - 1, and of
// sqrt(x) exp(-x) i(x) from there on, by 16 / x - 1.
constexpr double kNear0[] = {
    0x1.5a84e9035a22ap-1,  -0x1.37febc057cd8dp-2,  0x1.5f7ac77ac88c0p-3,  -0x1.84b70342d06eap-4,
    0x1.93e8acea8a32dp-5,  -0x1.84e9ef121b6f0p-6,  0x1.59961f3dde3ddp-7,  -0x1.1b65e201aa849p-8,
    0x1.adc758a12100ep-10, -0x1.2e2fd1f15eb52p-11, 0x1.8b51b74107cabp-13, -0x1.e2b2659c41d5ap-15,
    0x1.13f58be9a2859p-16, -0x1.2866fcba56427p-18, 0x1.2bf24978cf4acp-20, -0x1.1ec638f227f8dp-22,
    0x1.03b769d4d6435p-24, -0x1.beaf68c0b30abp-27, 0x1.6d903a454cb34p-29, -0x1.1d4fe13ae9556p-31,
    0x1.a98becc743c10p-34, -0x1.2fc957a946abcp-36, 0x1.9fe2fe19bd324p-39, -0x1.1164c62ee1af0p-41,
    0x1.59b464b262627p-44, -0x1.a5022c297fbebp-47, 0x1.ee6d893f65ebap-50, -0x1.184eb721ebbb4p-52,
    0x1.33362977da589p-55, -0x1.45cb72134d0efp-58};
constexpr double kFar0[] = {
    0x1.9be62aca809cbp-1,   0x1.b998ca2e59049p-9,   0x1.20fa378999e52p-14,  0x1.8412bc101c586p-19,
    0x1.b8007d9cd616ep-23,  0x1.8569280d6d56dp-26,  0x1.d2c64a9225b87p-29,  0x1.0f9ccc0f46f75p-31,
    0x1.a24feabe8004fp-37,  -0x1.1511d08397425p-35, -0x1.d0fd7357e7bf2p-37, -0x1.f904303178d66p-40,
    0x1.94347fa268cecp-41,  0x1.b1c8c6b83c073p-42,  0x1.156ff0d5fc545p-46,  -0x1.75d99cf68bb32p-45,
    -0x1.583fe7e65629ap-47, 0x1.12a919094e6d7p-48,  0x1.fee7da3eafb1fp-50,  -0x1.8aee7d908de38p-52,
    -0x1.4600babd21fe4p-52, 0x1.3f3dd076041cdp-55,  0x1.9be1812d98421p-55,  -0x1.646da66119130p-58,
    -0x1.0adb754ca8b19p-57};
constexpr double kNear1[] = {
    0x1.02a63724a7ffap-2,  -0x1.694d10469192ep-3,  0x1.a46dad536f53cp-4,  -0x1.b1bbc537c9ebcp-5,
    0x1.951e3e7bb2349p-6,  -0x1.5a29f7913a26ap-7,  0x1.1065349d3a1b4p-8,  -0x1.8cc620b3cd4a4p-10,
    0x1.0c95db6c6df7dp-11, -0x1.533cad3d694fep-13, 0x1.911b542c70d0bp-15, -0x1.bd5f9b8debbcfp-17,
    0x1.d1c4ed511afc5p-19, -0x1.cc0798363992ap-21, 0x1.ae344b347d108p-23, -0x1.7dd3e24b8c3e8p-25,
    0x1.4258e02395010p-27, -0x1.0361b28ea67e6p-29, 0x1.8ea34b43fdf6cp-32, -0x1.2510397eb07dep-34,
    0x1.9cee2b21d3154p-37, -0x1.173835fb70366p-39, 0x1.6af784779d955p-42, -0x1.c628e1c8f0b3bp-45,
    0x1.11d7f0615290cp-47, -0x1.3eaaa7e0d1573p-50, 0x1.663e3e593bfacp-53, -0x1.857d0c38a0576p-56,
    0x1.99f2a0c3c4014p-59};
constexpr double kFar1[] = {
    0x1.8ea18b55b1514p-1,   -0x1.3fda053fcdb4cp-7,  -0x1.cfd7f804aa9a6p-14, -0x1.048df49ca0373p-18,
    -0x1.0dbfd2e9e5443p-22, -0x1.c415394bb46c1p-26, -0x1.0790b9ad53528p-28, -0x1.334ca5423dd80p-31,
    -0x1.4dcf9d4504c0cp-36, 0x1.1e1a1f1587865p-35,  0x1.f101f653c457bp-37,  0x1.1e7d3f6439fa3p-39,
    -0x1.953e1076ab493p-41, -0x1.cbc458e73e255p-42, -0x1.7a9482e6d22a0p-46, 0x1.80d3c26b3281ep-45,
    0x1.776e1762d31e8p-47,  -0x1.12db5138afbc7p-48, -0x1.0efcd8bc4d22ap-49, 0x1.7d68e5f04a2d1p-52,
    0x1.55915fceb588ap-52,  -0x1.2806c9c773320p-55, -0x1.acea3b2532277p-55, 0x1.45b8aea87b950p-58,
    0x1.1556db352e8e6p-57};

template <size_t n>
double chebyshev(const double (&terms)[n], double t) {
  double a = 0, b = 0;
  for (size_t i = n; i-- > 1;) {
    const double c = 2 * t * a - b + terms[i];
    b = a;
    a = c;
  }
  return t * a - b + 0.5 * terms[0];
}

// size exp(x), which is finite for a while after exp(x) is not.
double times_exp(double size, double x) {
  if (x < 700) return size * math::exp(x);
  const double half = math::exp(0.5 * x);
  return half * size * half;
}

// The modified functions of the first kind.
double i0(double given) {
  const double x = std::abs(given);
  if (x == kInf || x != x) return x;
  if (x < 8) return chebyshev(kNear0, 0.25 * x - 1) * math::exp(x);
  return times_exp(chebyshev(kFar0, 16 / x - 1) / std::sqrt(x), x);
}

double i1(double given) {
  const double x = std::abs(given);
  if (x == kInf || x != x) return given;
  const double y = x < 8 ? x * chebyshev(kNear1, 0.25 * x - 1) * math::exp(x)
                         : times_exp(chebyshev(kFar1, 16 / x - 1) / std::sqrt(x), x);
  return std::copysign(y, given);
}

// ---- the table ----------------------------------------------------------------------------------

template <double (*f)(double), class T>
void unary(const void* a, void* out, size_t n) {
  const T* x = static_cast<const T*>(a);
  T* y = static_cast<T*>(out);
  for (size_t i = 0; i < n; ++i) y[i] = static_cast<T>(f(x[i]));
}

template <double (*f)(double)>
void set(Kernels& table, Op op) {
  table.unary[unary_index(op)][static_cast<int>(DType::float32)] = &unary<f, float>;
  table.unary[unary_index(op)][static_cast<int>(DType::float64)] = &unary<f, double>;
}

}  // namespace

void fill_special(Kernels& table) {
  set<erfc>(table, Op::erfc);
  set<erfinv>(table, Op::erfinv);
  set<lgamma>(table, Op::lgamma);
  set<digamma>(table, Op::digamma);
  set<i0>(table, Op::i0);
  set<i1>(table, Op::i1);
}

}  // namespace tamis::cpu
