// Elementary functions: how far from the true value, on the whole range; the same bits on every
// instruction set, at every place and in place.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "backend/cpu/kernels/kernels.h"
#include "support/kernels.h"

namespace tamis::testing {
namespace {

using cpu::Kernels;

struct Function {
  Op op;
  double (*in_double)(double);
  long double (*in_long_double)(long double);
  double ulp32, ulp64;  // the errors allowed
};

template <class T>
T exact_sigmoid(T x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

/// The value to reach: f of x, but PyTorch's sigmoid is 0 where exp(-x) is infinite.
template <class T, class Wide>
Wide wanted(Op op, Wide (*f)(Wide), T x) {
  return op == Op::sigmoid && std::isinf(std::exp(-x)) ? 0 : f(x);
}

const Function kFunctions[] = {
    {Op::exp, std::exp, std::exp, 1.1, 1},
    {Op::expm1, std::expm1, std::expm1, 0.51, 1.3},
    {Op::log, std::log, std::log, 0.51, 1},
    {Op::log2, std::log2, std::log2, 0.51, 1},
    {Op::log10, std::log10, std::log10, 0.51, 1},
    {Op::log1p, std::log1p, std::log1p, 0.51, 1},
    {Op::sin, std::sin, std::sin, 0.6, 1},
    {Op::cos, std::cos, std::cos, 0.6, 1},
    {Op::tan, std::tan, std::tan, 1.5, 1.5},  // with libm's own, for large angles
    {Op::tanh, std::tanh, std::tanh, 0.51, 2},
    {Op::sigmoid, exact_sigmoid<double>, exact_sigmoid<long double>, 1.65, 2},
    {Op::erf, std::erf, std::erf, 0.51, 1},
};

/// Numbers of every size and sign, special ones, and those where these functions change.
template <class T>
std::vector<T> wide_samples(size_t n, uint64_t seed) {
  std::vector<T> all = samples<T>(n, seed);
  std::mt19937_64 random(seed + 1);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const double turn = sizeof(T) == 4 ? 0x1p27 : 0x1p20;
  for (size_t i = 0; i + 8 <= n; i += 8) {
    all[i] = static_cast<T>(20 * unit() - 10);
    all[i + 1] = static_cast<T>(sizeof(T) == 4 ? 220 * unit() - 110 : 1500 * unit() - 750);
    all[i + 2] = static_cast<T>(turn * (2 * unit() - 1));
    all[i + 3] = static_cast<T>(std::ldexp(unit() - 0.5, -static_cast<int>(random() % 60)));
    all[i + 4] = static_cast<T>(1 + std::ldexp(unit() - 0.5, -static_cast<int>(random() % 50)));
    all[i + 5] = static_cast<T>(M_PI_2 * static_cast<double>(random() % 600000));
  }
  return all;
}

template <class T>
std::vector<T> apply(const Kernels& kernels, Op op, const std::vector<T>& x) {
  std::vector<T> y(x.size());
  kernels.unary[unary_index(op)][index(dtype_of<T>)](x.data(), y.data(), x.size());
  return y;
}

constexpr size_t kSamples = 400000;

TEST(Math, Float32IsAccurateOnTheWholeRange) {
  std::vector<float> x(kSamples);
  const uint32_t step = static_cast<uint32_t>((uint64_t{1} << 32) / kSamples);
  for (size_t i = 0; i < x.size(); ++i) {
    const uint32_t bits = static_cast<uint32_t>(i) * step;
    std::memcpy(&x[i], &bits, sizeof(bits));
  }
  const std::vector<float> more = wide_samples<float>(kSamples, 3);
  x.insert(x.end(), more.begin(), more.end());
  for (const Function& f : kFunctions) {
    const std::vector<float> y = apply(cpu::kernels(), f.op, x);
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_LE(ulps(y[i], wanted(f.op, f.in_double, x[i])), f.ulp32)
          << name(f.op) << " of " << x[i];
    }
  }
}

TEST(Math, Float64IsAccurateOnTheWholeRange) {
  const std::vector<double> x = wide_samples<double>(kSamples, 5);
  for (const Function& f : kFunctions) {
    const std::vector<double> y = apply(cpu::kernels(), f.op, x);
    const bool circular = f.op == Op::sin || f.op == Op::cos || f.op == Op::tan;
    for (size_t i = 0; i < x.size(); ++i) {
      // The x87's own reduction of such angles is no reference.
      if (circular && std::abs(x[i]) > 0x1p60 && !std::isinf(x[i])) continue;
      ASSERT_LE(ulps(y[i], wanted(f.op, f.in_long_double, x[i])), f.ulp64)
          << name(f.op) << " of " << x[i];
    }
  }
}

template <class T>
class MathOf : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MathOf, Floats);

TYPED_TEST(MathOf, SpecialValuesAreExact) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T largest = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::denorm_min();
  struct Case {
    Op op;
    T x, y;
  };
  const std::vector<Case> cases = {
      {Op::exp, 0, 1},
      {Op::exp, T(-0.0), 1},
      {Op::exp, inf, inf},
      {Op::exp, -inf, 0},
      {Op::exp, largest, inf},
      {Op::exp, -largest, 0},
      {Op::exp, least, 1},
      {Op::expm1, 0, 0},
      {Op::expm1, T(-0.0), T(-0.0)},
      {Op::expm1, inf, inf},
      {Op::expm1, -inf, -1},
      {Op::expm1, least, least},
      {Op::log, 1, 0},
      {Op::log, 0, -inf},
      {Op::log, T(-0.0), -inf},
      {Op::log, inf, inf},
      {Op::log, -1, nan},
      {Op::log, -inf, nan},
      {Op::log2, 1, 0},
      {Op::log2, 8, 3},
      {Op::log2, T(0.125), -3},
      {Op::log2, 0, -inf},
      {Op::log2, inf, inf},
      {Op::log2, -least, nan},
      {Op::log10, 1, 0},
      {Op::log10, 1000, 3},
      {Op::log10, 0, -inf},
      {Op::log10, inf, inf},
      {Op::log10, -1, nan},
      {Op::log1p, 0, 0},
      {Op::log1p, T(-0.0), T(-0.0)},
      {Op::log1p, -1, -inf},
      {Op::log1p, inf, inf},
      {Op::log1p, -2, nan},
      {Op::log1p, least, least},
      {Op::sin, 0, 0},
      {Op::sin, T(-0.0), T(-0.0)},
      {Op::sin, inf, nan},
      {Op::sin, least, least},
      {Op::cos, 0, 1},
      {Op::cos, -inf, nan},
      {Op::cos, least, 1},
      {Op::tan, 0, 0},
      {Op::tan, T(-0.0), T(-0.0)},
      {Op::tan, inf, nan},
      {Op::tanh, 0, 0},
      {Op::tanh, T(-0.0), T(-0.0)},
      {Op::tanh, inf, 1},
      {Op::tanh, -inf, -1},
      {Op::tanh, least, least},
      {Op::tanh, -largest, -1},
      {Op::erf, 0, 0},
      {Op::erf, T(-0.0), T(-0.0)},
      {Op::erf, inf, 1},
      {Op::erf, -inf, -1},
      {Op::erf, largest, 1},
      {Op::erf, -largest, -1},
      {Op::erf, nan, nan},
      {Op::sigmoid, 0, T(0.5)},
      {Op::sigmoid, inf, 1},
      {Op::sigmoid, -inf, 0},
      {Op::sigmoid, largest, 1},
      {Op::sigmoid, -largest, 0},
  };
  for (const Kernels* k : all_kernels()) {
    for (const Case& c : cases) {
      EXPECT_PRED2(same<T>, apply<T>(*k, c.op, {c.x})[0], c.y) << name(c.op) << " of " << c.x;
    }
    for (const Function& f : kFunctions) {
      EXPECT_TRUE(std::isnan(apply<T>(*k, f.op, {nan})[0])) << name(f.op);
    }
  }
}

// By mpmath, with 40 digits. Those that float32 does not hold exactly are not in its range either.
TYPED_TEST(MathOf, RareFunctionsHaveTheirValues) {
  using T = TypeParam;
  struct Case {
    Op op;
    double x, y;
  };
  const Case cases[] = {
      {Op::erfc, -3.0, 1.9999779095030015},
      {Op::erfc, -0.5, 1.5204998778130465},
      {Op::erfc, 0.25, 0.7236736098317631},
      {Op::erfc, 0.75, 0.28884436634648486},
      {Op::erfc, 1.0, 0.15729920705028513},
      {Op::erfc, 2.5, 0.0004069520174449589},
      {Op::erfc, 6.0, 2.1519736712498913e-17},
      {Op::erfc, 20.0, 5.395865611607901e-176},
      {Op::erfinv, -0.9990234375, -2.331467773621948},
      {Op::erfinv, -0.25, -0.2253120550121781},
      {Op::erfinv, 0.0009765625, 0.0008654561979671376},
      {Op::erfinv, 0.5, 0.4769362762044699},
      {Op::erfinv, 0.75, 0.8134198475976185},
      {Op::erfinv, 0.9999999403953552, 3.832506856900711},
      {Op::lgamma, -3.5, -1.309006684993042},
      {Op::lgamma, -0.25, 1.589575312551186},
      {Op::lgamma, 0.0009765625, 6.9309089024194614},
      {Op::lgamma, 0.25, 1.2880225246980774},
      {Op::lgamma, 1.25, -0.09827183642181316},
      {Op::lgamma, 1.5, -0.12078223763524522},
      {Op::lgamma, 2.25, 0.1248717148923966},
      {Op::lgamma, 5.5, 3.9578139676187165},
      {Op::lgamma, 30.0, 71.25703896716801},
      {Op::lgamma, 1000.0, 5905.220423209181},
      {Op::digamma, -3.25, 4.46627587235028},
      {Op::digamma, -0.75, -2.894120200042932},
      {Op::digamma, 0.0009765625, -1024.5756104293407},
      {Op::digamma, 0.25, -4.2274535333762655},
      {Op::digamma, 2.0, 0.42278433509846713},
      {Op::digamma, 7.5, 1.9467574842460869},
      {Op::digamma, 10.0, 2.251752589066721},
      {Op::digamma, 100.0, 4.600161852738087},
      {Op::i0, -2.5, 3.289839144050123},
      {Op::i0, 0.0009765625, 1.0000002384185933},
      {Op::i0, 0.5, 1.0634833707413236},
      {Op::i0, 7.0, 168.5939085102897},
      {Op::i0, 9.0, 1093.5883545113747},
      {Op::i0, 80.0, 2.4751784043341704e+33},
      {Op::i1, -2.5, -2.5167162452886984},
      {Op::i1, 0.0009765625, 0.0004882813082076632},
      {Op::i1, 0.5, 0.2578943053908963},
      {Op::i1, 7.0, 156.03909286995545},
      {Op::i1, 9.0, 1030.9147225169565},
      {Op::i1, 80.0, 2.459659579567541e+33},
  };
  for (const Kernels* k : all_kernels()) {
    for (const Case& c : cases) {
      if (sizeof(T) == 4 && std::abs(c.y) < 1e-30) continue;
      EXPECT_LE(ulps(apply<T>(*k, c.op, {static_cast<T>(c.x)})[0], c.y), 8)
          << k->isa << ' ' << name(c.op) << " of " << c.x;
    }
  }
}

TYPED_TEST(MathOf, RareFunctionsAreExactAtTheirLimits) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  struct Case {
    Op op;
    T x, y;
  };
  const Case cases[] = {
      {Op::erfc, 0, 1},
      {Op::erfc, inf, 0},
      {Op::erfc, -inf, 2},
      {Op::erfinv, 0, 0},
      {Op::erfinv, T(-0.0), T(-0.0)},
      {Op::erfinv, 1, inf},
      {Op::erfinv, -1, -inf},
      {Op::erfinv, T(1.5), nan},
      {Op::lgamma, 1, 0},
      {Op::lgamma, 2, 0},
      {Op::lgamma, 0, inf},
      {Op::lgamma, -2, inf},
      {Op::lgamma, inf, inf},
      {Op::lgamma, -inf, inf},
      {Op::digamma, 0, -inf},
      {Op::digamma, T(-0.0), inf},
      {Op::digamma, -3, nan},
      {Op::digamma, inf, inf},
      {Op::i0, 0, 1},
      {Op::i0, inf, inf},
      {Op::i0, -inf, inf},
      {Op::i1, 0, 0},
      {Op::i1, -inf, -inf},
  };
  for (const Kernels* k : all_kernels()) {
    for (const Case& c : cases) {
      EXPECT_PRED2(same<T>, apply<T>(*k, c.op, {c.x})[0], c.y) << name(c.op) << " of " << c.x;
    }
    for (Op op : {Op::erfc, Op::erfinv, Op::lgamma, Op::digamma, Op::i0, Op::i1}) {
      EXPECT_TRUE(std::isnan(apply<T>(*k, op, {nan})[0])) << name(op);
    }
  }
}

TYPED_TEST(MathOf, AnglesAreAccurateAndHaveTheSameBits) {
  using T = TypeParam;
  using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  std::vector<T> y, x;
  std::vector<T> some = samples<T>(40, 1);
  for (T v : {T(0), T(-0.0), T(1), T(-1), T(0.5)}) some.push_back(v);
  for (T a : some) {
    for (T b : some) {
      y.push_back(a);
      x.push_back(b);
    }
  }
  const std::vector<T> more_y = wide_samples<T>(40000, 21), more_x = wide_samples<T>(40000, 22);
  y.insert(y.end(), more_y.begin(), more_y.end());
  x.insert(x.end(), more_x.begin(), more_x.end());
  const auto atan2 = [&](const Kernels& k, const T* a, const T* b, T* out, size_t n) {
    k.binary[binary_index(Op::atan2)][index(dtype_of<T>)](a, b, out, n);
  };
  std::vector<T> expected(x.size()), found(x.size());
  atan2(cpu::kernels(), y.data(), x.data(), expected.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const Wide want = std::atan2(static_cast<Wide>(y[i]), static_cast<Wide>(x[i]));
    ASSERT_LE(ulps<T>(expected[i], want), 2.0) << y[i] << ' ' << x[i];
    if (std::isnan(want)) continue;
    ASSERT_EQ(std::signbit(expected[i]), std::signbit(y[i])) << y[i] << ' ' << x[i];
  }
  for (const Kernels* k : all_kernels()) {
    atan2(*k, y.data(), x.data(), found.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_PRED2(same<T>, found[i], expected[i]) << k->isa << ' ' << y[i] << ' ' << x[i];
    }
  }
}

TYPED_TEST(MathOf, PowersAreAccurateAndSpecialValuesExact) {
  using T = TypeParam;
  using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  // Every pair of special numbers, then numbers whose powers are in range.
  std::vector<T> x, y;
  std::vector<T> some = samples<T>(40, 1);
  for (T v : {T(0), T(-0.0), T(1), T(-1), T(0.5), T(3), T(-3), T(-2.5)}) some.push_back(v);
  for (T a : some) {
    for (T b : some) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  std::mt19937_64 random(9);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const double range = sizeof(T) == 4 ? 88 : 708;
  for (size_t i = 0; i < kSamples / 4; ++i) {
    const double logarithm = std::ldexp(2 * unit() - 1, static_cast<int>(random() % 16) - 10);
    x.push_back(static_cast<T>(std::exp(logarithm)));
    y.push_back(static_cast<T>(range * (2.2 * unit() - 1.1) / logarithm));
    x.push_back(static_cast<T>(20 * unit() - 10));
    y.push_back(static_cast<T>(static_cast<int>(random() % 41) - 20));
  }
  std::vector<T> z(x.size());
  for (const Kernels* k : all_kernels()) {
    k->binary[binary_index(Op::pow)][index(dtype_of<T>)](x.data(), y.data(), z.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const Wide a = x[i], b = y[i];
      ASSERT_LE(ulps<T>(z[i], std::pow(a, b)), 1.0) << k->isa << ' ' << x[i] << " ^ " << y[i];
    }
  }
}

TYPED_TEST(MathOf, BitsDependOnTheArgumentAlone) {
  using T = TypeParam;
  const std::vector<T> x = wide_samples<T>(5000, 11);
  for (const Function& f : kFunctions) {
    const std::vector<T> expected = apply(cpu::kernels(), f.op, x);
    for (const Kernels* k : all_kernels()) {
      const std::vector<T> part = apply(*k, f.op, x);
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_PRED2(same<T>, part[i], expected[i]) << k->isa << ' ' << name(f.op) << ' ' << x[i];
        const T alone = apply<T>(*k, f.op, {x[i]})[0];
        ASSERT_PRED2(same<T>, alone, expected[i]) << k->isa << ' ' << name(f.op) << ' ' << x[i];
      }
    }
  }
}

TYPED_TEST(MathOf, PowersHaveTheSameBitsOnEveryInstructionSet) {
  using T = TypeParam;
  const std::vector<T> x = wide_samples<T>(5000, 12), y = wide_samples<T>(5000, 13);
  std::vector<T> expected(x.size());
  const auto pow = [](const Kernels& k, const T* a, const T* b, T* out, size_t n) {
    k.binary[binary_index(Op::pow)][index(dtype_of<T>)](a, b, out, n);
  };
  pow(cpu::kernels(), x.data(), y.data(), expected.data(), x.size());
  for (const Kernels* k : all_kernels()) {
    for (size_t i = 0; i < x.size(); ++i) {
      T z;
      pow(*k, &x[i], &y[i], &z, 1);
      ASSERT_PRED2(same<T>, z, expected[i]) << k->isa << ' ' << x[i] << " ^ " << y[i];
    }
    std::vector<T> in_place = y;
    pow(*k, x.data(), in_place.data(), in_place.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) ASSERT_PRED2(same<T>, in_place[i], expected[i]) << k->isa;
  }
}

TYPED_TEST(MathOf, SoftmaxKernelsAgreeOnEveryInstructionSetAndStayInBounds) {
  using T = TypeParam;
  const int dtype = index(dtype_of<T>);
  GuardedArena in(kCapacity), to(kCapacity);
  // What they compare: powers of wide ranges, some of them zero, and of numbers near the shift.
  const auto compare = [&](const std::vector<T>& x) {
    const size_t n = x.size();
    for (const Mask& mask : masks(n)) {
      double largest = -std::numeric_limits<double>::infinity();
      for (size_t i = 0; i < n; ++i) {
        if (mask[i]) largest = std::max(largest, static_cast<double>(x[i]));
      }
      std::vector<T> expected(n);
      const double sum =
          cpu::kernels().exp_sum[dtype](x.data(), mask.words.data(), -1, expected.data(), n);
      long double exact = 0;
      for (size_t i = 0; i < n; ++i) {
        const T power = mask[i] ? apply<T>(cpu::kernels(), Op::exp, {x[i] + 1})[0] : T(0);
        ASSERT_EQ(expected[i], power) << mask.name << ' ' << n;
        exact += power;
      }
      // Of float32, 64 powers are added before the sum is one in double.
      const double error = std::is_same_v<T, float> ? 3e-7 : 1e-12;
      ASSERT_NEAR(sum, static_cast<double>(exact), error * static_cast<double>(exact));
      for (const Kernels* k : all_kernels()) {
        for (Edge edge : {Edge::front, Edge::back}) {
          const T* a = in.place(x, edge);
          T* out = to.place<T>(n, edge);
          ASSERT_EQ(k->kept_max[dtype](a, mask.words.data(), n), largest) << k->isa << mask.name;
          ASSERT_EQ(k->exp_sum[dtype](a, mask.words.data(), -1, out, n), sum) << k->isa;
          ASSERT_TRUE(to.surroundings_intact()) << k->isa << ' ' << n;
          ASSERT_EQ(std::vector<T>(out, out + n), expected) << k->isa << mask.name;
        }
      }
    }
  };
  for (size_t n : lengths()) {
    if (n == 0) continue;
    std::vector<T> far = wide_samples<T>(n, n), near = far;
    for (T& v : far) v = std::abs(v) < 200 ? v - 200 : T(-300);  // at most the shift
    for (T& v : near) v = std::abs(v) < 1e6 ? -1 - std::fmod(std::abs(v), T(50)) : T(-1);
    compare(far);
    compare(near);
  }
}

}  // namespace
}  // namespace tamis::testing
