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
  for (size_t n : lengths()) {
    if (n == 0) continue;
    std::vector<T> x = wide_samples<T>(n, n);
    for (T& v : x) v = std::abs(v) < 200 ? v - 200 : T(-300);  // at most the shift
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
      ASSERT_NEAR(sum, static_cast<double>(exact), 1e-12 * static_cast<double>(exact));
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
  }
}

}  // namespace
}  // namespace tamis::testing
