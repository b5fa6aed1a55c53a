// Exact sums, means and variances: the nearest number to what exact arithmetic gives.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/layouts.h"
#include "support/observe.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::observe;

/// A list of numbers would be float32.
Tensor doubles(const std::vector<double>& v) { return tensor(v); }

double exact_sum(const std::vector<double>& v) {
  return tensor(v).sum({}, false, {}, true).item<double>();
}

TEST(ExactSum, LosesNothing) {
  EXPECT_EQ(exact_sum({1e100, 1.0, -1e100}), 1.0);
  EXPECT_EQ(exact_sum({1e308, 1e308, -1e308}), 1e308);
  EXPECT_EQ(exact_sum({1e308, 1e308}), INFINITY);
  EXPECT_EQ(exact_sum({0x1p-1074, 0x1p-1074, 1.0, -1.0}), 0x1p-1073);
  EXPECT_EQ(exact_sum(std::vector<double>(10, 0.1)), 1.0);  // as math.fsum
  EXPECT_EQ(exact_sum({}), 0.0);
}

TEST(ExactSum, RoundsHalvesToEven) {
  // 2^53 + 1 lies between two numbers; any bit below decides.
  EXPECT_EQ(exact_sum({0x1p53, 1.0}), 0x1p53);
  EXPECT_EQ(exact_sum({0x1p53, 1.0, 0x1p-1074}), 0x1p53 + 2);
  EXPECT_EQ(exact_sum({0x1p53, 3.0}), 0x1p53 + 4);
  EXPECT_EQ(exact_sum({-0x1p53, -1.0, -0x1p-1074}), -0x1p53 - 2);
  // The largest number and just less than half of its last bit.
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(exact_sum({most, 0x1p969}), most);
  EXPECT_EQ(exact_sum({most, 0x1p970}), INFINITY);
  EXPECT_EQ(exact_sum({most, 0x1p970, -0x1p-1074}), most);
}

TEST(ExactSum, TakesNanAndInfinitiesInAnyOrder) {
  EXPECT_EQ(exact_sum({1, INFINITY, -5}), INFINITY);
  EXPECT_EQ(exact_sum({-INFINITY, 1e308}), -INFINITY);
  EXPECT_TRUE(std::isnan(exact_sum({INFINITY, -INFINITY})));
  EXPECT_TRUE(std::isnan(exact_sum({1, NAN, INFINITY})));
}

TEST(ExactSum, OfZerosIsPlusZero) {
  EXPECT_FALSE(std::signbit(exact_sum({-0.0, -0.0})));
  EXPECT_FALSE(std::signbit(exact_sum({1.0, -1.0})));
}

/// The sum by long double, which holds the sums of these: 64 bits.
TEST(ExactSum, IsThatOfALongerTypeForEveryLength) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double is no longer";
  std::mt19937 random(5);
  for (int n : {1, 7, 8, 9, 63, 64, 65, 2047, 2048, 2049, 5000}) {
    std::vector<double> v;
    std::vector<float> f;
    long double sum = 0;
    for (int i = 0; i < n; ++i) {
      // So few bits that no sum is rounded.
      f.push_back(static_cast<float>(std::ldexp(static_cast<double>(random() >> 8), -20)));
      v.push_back(std::ldexp(static_cast<double>(static_cast<int32_t>(random())), -21));
      sum += static_cast<long double>(v.back());
    }
    EXPECT_EQ(exact_sum(v), static_cast<double>(sum)) << n;
    long double floats = 0;
    for (float x : f) floats += static_cast<long double>(x);
    EXPECT_EQ(tensor(f).sum({}, false, {}, true).item<float>(), static_cast<float>(floats)) << n;
  }
}

TEST(ExactSum, RoundsHalvesOnceFromTheExactSum) {
  // 2048 + 1 is a tie of float16, and what is added decides.
  const Tensor x = tensor({2048.0, 1.0, 0x1p-24}).to(float16);
  EXPECT_EQ(x.sum({}, false, {}, true).item<float>(), 2050.0f);
  EXPECT_EQ(x.slice(0, 0, 2).sum({}, false, {}, true).item<float>(), 2048.0f);
  const Tensor many = full({100}, 65504.0, float16);
  EXPECT_EQ(many.sum({}, false, {}, true).item<float>(), INFINITY);
  EXPECT_EQ(many.mean({}, false, {}, true).item<float>(), 65504.0f);
  const Tensor b = tensor({256.0, 1.0, 0x1p-130}).to(bfloat16);
  EXPECT_EQ(b.sum({}, false, {}, true).item<float>(), 258.0f);
}

TEST(ExactSum, OfIntegersIsTheSum) {
  const Tensor x = full({3}, std::numeric_limits<int64_t>::max(), int64);
  EXPECT_EQ(observe(x.sum({}, false, {}, true)), observe(x.sum()));
  partial::Sum wide(x);
  EXPECT_EQ(wide.finish(float64).item<double>(), 27670116110564327421.0);
  EXPECT_EQ(masked::sum(x, x > 0, {}, false, {}, true).item<int64_t>(), x.sum().item<int64_t>());
}

TEST(ExactSum, OfComplexNumbersIsThatOfBothParts) {
  using C = std::complex<double>;
  const Tensor x = tensor(std::vector<C>{{1e100, 1}, {1, 1e100}, {-1e100, -1e100}});
  EXPECT_EQ(x.sum({}, false, {}, true).item<C>(), C(1, 1));
  EXPECT_EQ(observe(x.view({3, 1}).sum({1}, true, {}, true)), observe(x.view({3, 1})));
  // The mean is 1 + i, and the squared distances from it are 5, 5 and 2.
  const Tensor z = tensor(std::vector<C>{{3, 0}, {0, 3}, {0, 0}});
  EXPECT_EQ(z.var({}, 0, false, true).item<double>(), 4.0);
}

TEST(ExactMean, DividesTheExactSum) {
  EXPECT_EQ(doubles({1e100, 1.0, -1e100}).mean({}, false, {}, true).item<double>(), 1.0 / 3);
  EXPECT_EQ(
      doubles({0x1p-1074, 0x1p-1074, 0x1p-1074, 0.0}).mean({}, false, {}, true).item<double>(),
      0x1p-1074);
  // Two and a half of the least number: a tie.
  EXPECT_EQ(doubles({0x1p-1074, 0x1p-1072}).mean({}, false, {}, true).item<double>(), 0x1p-1073);
  EXPECT_TRUE(std::isnan(zeros({0}).mean({}, false, {}, true).item<float>()));
}

TEST(ExactVar, OfLargeNumbersWithSmallDifferences) {
  const Tensor x = doubles({1e15 + 1, 1e15 + 2, 1e15 + 3, 1e15 + 4});
  EXPECT_EQ(x.var({}, 1, false, true).item<double>(), 5.0 / 3);
  EXPECT_EQ(x.var({}, 0, false, true).item<double>(), 1.25);
  EXPECT_EQ(x.std({}, 0, false, true).item<double>(), std::sqrt(1.25));
  EXPECT_EQ(x.var({}, 0.5, false, true).item<double>(), 5.0 / 3.5);
  EXPECT_EQ(x.var({}, 4, false, true).item<double>(), INFINITY);
  EXPECT_TRUE(std::isnan(x.slice(0, 0, 1).var({}, 1, false, true).item<double>()));
  EXPECT_TRUE(std::isnan(doubles({1.0, INFINITY}).var({}, 1, false, true).item<double>()));
}

TEST(ExactVar, SquaresWhatOverflowsAndUnderflows) {
  // The squares of the first are beyond float64, those of the second below it.
  EXPECT_EQ(doubles({1e300, 1e300, 1e300}).var({}, 1, false, true).item<double>(), 0.0);
  EXPECT_EQ(doubles({1e300, -1e300}).var({}, 1, false, true).item<double>(), INFINITY);
  EXPECT_EQ(doubles({0x1p600, -0x1p600}).std({}, 0, false, true).item<double>(), 0x1p600);
  EXPECT_EQ(doubles({0x1p-1074, -0x1p-1074}).std({}, 0, false, true).item<double>(), 0x1p-1074);
  EXPECT_EQ(doubles({0x1p-600, -0x1p-600}).var({}, 0, false, true).item<double>(), 0.0);
}

TEST(ExactReductions, AreTheSameInEveryLayout) {
  for (DType dtype : {float32, float64, float16, complex64}) {
    const Tensor x = testing::random_values({5, 6, 7}, dtype, 3);
    const Tensor sum = x.sum({0, 2}, false, {}, true), var = x.var({1}, 1, true, true);
    for (testing::LayoutKind kind : testing::kLayoutKinds) {
      const auto moved = testing::with_layout(kind, x);
      if (!moved) continue;
      EXPECT_EQ(observe(moved->sum({0, 2}, false, {}, true)), observe(sum));
      EXPECT_EQ(observe(moved->var({1}, 1, true, true)), observe(var));
    }
  }
}

TEST(ExactReductions, HaveTheGradientOfThePlainOnes) {
  for (bool exact : {false, true}) {
    Tensor x = doubles({1.0, 2.0, 4.0}).requires_grad_();
    (x.sum({}, false, {}, exact) + x.mean({}, false, {}, exact) * 3 + x.var({}, 0, false, exact))
        .backward();
    // 1 + 1 + 2 (x - 7/3) / 3
    EXPECT_NEAR(x.grad()[0].item<double>(), 2 + 2 * (1 - 7.0 / 3) / 3, 1e-15);
    EXPECT_NEAR(x.grad()[2].item<double>(), 2 + 2 * (4 - 7.0 / 3) / 3, 1e-15);
  }
}

}  // namespace
}  // namespace tamis
