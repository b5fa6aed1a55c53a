// Arithmetic: sums, quotients, powers and the like: examples, edges and errors.
#include <bit>
#include <cmath>
#include <random>

#include "support/pointwise_cases.h"

namespace tamis {
namespace {

using namespace testing;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// ---- examples ----------------------------------------------------------------------------------

TEST(Arith, ComputesElementByElement) {
  const Tensor x = tensor({1, 2, 3}), y = tensor({10, 20, 30});
  EXPECT_EQ((x + y).to_vector<int>(), (std::vector<int>{11, 22, 33}));
  EXPECT_EQ((y - x).to_vector<int>(), (std::vector<int>{9, 18, 27}));
  EXPECT_EQ((x * y).to_vector<int>(), (std::vector<int>{10, 40, 90}));
  EXPECT_EQ((-x).to_vector<int>(), (std::vector<int>{-1, -2, -3}));
  EXPECT_EQ((x / 2).to_vector<float>(), (std::vector<float>{0.5f, 1.0f, 1.5f}));
}

TEST(Arith, BroadcastsRowsAndColumns) {
  const Tensor table = tensor({{0}, {10}}) + tensor({1, 2, 3});
  EXPECT_EQ(table.shape(), (Shape{2, 3}));
  EXPECT_EQ(table.to_vector<int>(), (std::vector<int>{1, 2, 3, 11, 12, 13}));
}

TEST(Arith, DivisionRoundsDownAndRemaindersFollowTheDivisor) {
  const Tensor x = tensor({5, -5, 7, -7});
  EXPECT_EQ(floor_divide(x, 2).to_vector<int>(), (std::vector<int>{2, -3, 3, -4}));
  EXPECT_EQ((x % 3).to_vector<int>(), (std::vector<int>{2, 1, 1, 2}));
  EXPECT_EQ(fmod(x, 3).to_vector<int>(), (std::vector<int>{2, -2, 1, -1}));
  EXPECT_EQ(remainder(x, -3).to_vector<int>(), (std::vector<int>{-1, -2, -2, -1}));
}

TEST(Arith, BoolsAddAsOrAndMultiplyAsAnd) {
  const Tensor a = tensor({true, true, false, false}), b = tensor({true, false, true, false});
  EXPECT_EQ((a + b).to_vector<bool>(), (std::vector<bool>{true, true, true, false}));
  EXPECT_EQ((a * b).to_vector<bool>(), (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(maximum(a, b).to_vector<bool>(), (a + b).to_vector<bool>());
  EXPECT_EQ(minimum(a, b).to_vector<bool>(), (a * b).to_vector<bool>());
  EXPECT_EQ(sign(a).to_vector<bool>(), a.to_vector<bool>());
  EXPECT_EQ(square(a).to_vector<int64_t>(), (std::vector<int64_t>{1, 1, 0, 0}));
}

TEST(Arith, RoundingOfIntegersGivesACopy) {
  const Tensor x = tensor({1, -2, 3});
  for (auto* op : std::initializer_list<Tensor (*)(const Tensor&)>{floor, ceil, round, trunc}) {
    Tensor y = op(x);
    EXPECT_EQ(y.dtype(), int64);
    EXPECT_FALSE(y.shares_storage(x));
    y.add_(1);
    EXPECT_EQ(x.to_vector<int>(), (std::vector<int>{1, -2, 3}));
    EXPECT_EQ(y.to_vector<int>(), (std::vector<int>{2, -1, 4}));
  }
}

TEST(Arith, ClampKeepsToBothBounds) {
  const Tensor x = tensor({5, -5, 7, -7});
  EXPECT_EQ(clamp(x, -1, 6).to_vector<int>(), (std::vector<int>{5, -1, 6, -1}));
  EXPECT_EQ(clamp(x, 0, {}).to_vector<int>(), (std::vector<int>{5, 0, 7, 0}));
  EXPECT_EQ(x.clamp({}, 0).to_vector<int>(), (std::vector<int>{0, -5, 0, -7}));
  // The upper bound wins, and bounds broadcast.
  EXPECT_EQ(clamp(x, 3, 1).to_vector<int>(), (std::vector<int>{1, 1, 1, 1}));
  EXPECT_EQ(clamp(x, tensor({1}), tensor({{3}, {6}})).to_vector<int>(),
            (std::vector<int>{3, 1, 3, 1, 5, 1, 6, 1}));
}

TEST(Arith, PowRefusesNumbersOutOfRange) {  // as torch.pow does
  const Tensor x = tensor({250, 3}, uint8), half = tensor({1.f, 2.f}, float16);
  const std::string text = "value cannot be converted to type uint8_t without overflow";
  expect_error(ErrorKind::value, text, [&] { pow(x, 300); });
  EXPECT_EQ(pow(300, x).to_vector<int>(), (std::vector<int>{0, 192}));  // a base wraps
  expect_error(ErrorKind::value, "value cannot be converted to type at::Half without overflow",
               [&] { pow(half, 1e6); });
  EXPECT_EQ(pow(x, 255).to_vector<int>(), (std::vector<int>{0, 171}));
  EXPECT_EQ(pow(tensor({1.f, 2.f}), 1e300).to_vector<float>(), (std::vector<float>{1, INFINITY}));
}

TEST(Arith, PowMatchesRepeatedMultiplication) {
  const Tensor base = tensor({-3, -1, 0, 1, 2, 7});
  for (int n = 0; n < 8; ++n) {
    std::vector<int64_t> want;
    for (int64_t b : base.to_vector<int64_t>()) {
      int64_t power = 1;
      for (int i = 0; i < n; ++i) power *= b;
      want.push_back(power);
    }
    EXPECT_EQ(pow(base, n).to_vector<int64_t>(), want);
    EXPECT_EQ(pow(base, tensor(n)).to_vector<int64_t>(), want);
    const std::vector<double> real(want.begin(), want.end());
    EXPECT_EQ(pow(base.to_double(), n).to_vector<double>(), real);
  }
  EXPECT_EQ(pow(2, tensor({5, -5, 7})).to_vector<int>(), (std::vector<int>{32, 0, 128}));
  EXPECT_EQ(pow(tensor({4, 9}), 0.5).to_vector<float>(), (std::vector<float>{2.0f, 3.0f}));
  EXPECT_EQ(pow(tensor({2, 4}), -1.0).to_vector<float>(), (std::vector<float>{0.5f, 0.25f}));
  EXPECT_EQ(pow(tensor({true, false}), 2).to_vector<int64_t>(), (std::vector<int64_t>{1, 0}));
}

// ---- edges -------------------------------------------------------------------------------------

TEST(Arith, IntegersWrapAround) {
  EXPECT_EQ((tensor({127}, int8) + tensor({1}, int8)).item<int>(), -128);
  EXPECT_EQ((tensor({200}, uint8) * tensor({2}, uint8)).item<int>(), 144);
  EXPECT_EQ((tensor({std::numeric_limits<int64_t>::max()}) + 1).item<int64_t>(),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(abs(tensor({-128}, int8)).item<int>(), -128);
  EXPECT_EQ(neg(tensor({1}, uint8)).item<int>(), 255);
  EXPECT_EQ(pow(tensor({2}, uint8), 255).item<int>(), 0);
}

TEST(Arith, TheSmallestIntegerDividedByMinusOneDoesNotTrap) {
  EXPECT_EQ(floor_divide(tensor({-128}, int8), -1).item<int>(), -128);
  for (DType dtype : {int32, int64}) {
    const Tensor lowest = dtype == int32 ? tensor({INT32_MIN}, int32) : tensor({INT64_MIN});
    EXPECT_EQ(floor_divide(lowest, -1).item<int64_t>(), lowest.item<int64_t>());
    EXPECT_EQ(remainder(lowest, -1).item<int64_t>(), 0);
    EXPECT_EQ(fmod(lowest, -1).item<int64_t>(), 0);
  }
}

TEST(Arith, NegativeExponentsInATensorRoundTowardZero) {
  const Tensor base = tensor({1, -1, -1, 2, 0}), exponent = tensor({-1, -2, -3, -1, -1});
  EXPECT_EQ(pow(base, exponent).to_vector<int>(), (std::vector<int>{1, 1, -1, 0, 0}));
}

TEST(Arith, FloatingPointDivisionByZeroFollowsIeee) {
  const Tensor x = tensor({1.0, -1.0, 0.0}, float64);
  EXPECT_EQ((x / 0.0).slice(0, 0, 2).to_vector<double>(), (std::vector<double>{kInf, -kInf}));
  EXPECT_TRUE(isnan((x / 0.0)[2]).item<bool>());
  EXPECT_EQ((tensor({1, -1}) / 0).to_vector<double>(), (std::vector<double>{kInf, -kInf}));
  EXPECT_EQ(floor_divide(x, 0.0).slice(0, 0, 2).to_vector<double>(),
            (std::vector<double>{kInf, -kInf}));
  EXPECT_TRUE(isnan(remainder(x, 0.0)).all().item<bool>());
  EXPECT_TRUE(isnan(fmod(x, 0.0)).all().item<bool>());
}

// Any two floats, and dividends just beside multiples of the divisor, where quotients round up.
TEST(Arith, FmodOfFloat32IsExactOnTheWholeRange) {
  std::mt19937 random(5);
  std::vector<float> a, b;
  for (int i = 0; i < 200000; ++i) {
    const float divisor = std::bit_cast<float>(static_cast<uint32_t>(random()));
    float dividend = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (i % 2 == 0) {
      dividend = divisor * static_cast<float>(random() % (1u << (i % 31)));
      dividend = std::nextafter(dividend, i % 4 == 0 ? 0.f : static_cast<float>(kInf));
    }
    a.push_back(dividend);
    b.push_back(divisor);
  }
  const std::vector<float> got = fmod(tensor(a), tensor(b)).to_vector<float>();
  for (size_t i = 0; i < a.size(); ++i) {
    const float want = std::fmod(a[i], b[i]);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(got[i])) << a[i] << " by " << b[i];
    } else {
      ASSERT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(want))
          << a[i] << " by " << b[i];
    }
  }
}

TEST(Arith, RemainderByInfinityKeepsPythonsSign) {
  EXPECT_EQ(remainder(tensor({5.0f, -5.0f}), kInf).to_vector<double>(),
            (std::vector<double>{5, kInf}));
  EXPECT_EQ(fmod(tensor({5.0f, -5.0f}), kInf).to_vector<double>(), (std::vector<double>{5, -5}));
  EXPECT_EQ(floor_divide(tensor({5.0f, -5.0f}), kInf).to_vector<double>(),
            (std::vector<double>{0, -1}));
}

TEST(Arith, MinimumMaximumAndClampPropagateNan) {
  const Tensor x = tensor({kNan, 1.0, 1.0}, float64), y = tensor({0.0, kNan, 2.0}, float64);
  for (const Tensor& result : {minimum(x, y), maximum(x, y), clamp(x, y, {}), clamp(x, {}, y)}) {
    EXPECT_EQ(isnan(result).to_vector<bool>(), (std::vector<bool>{true, true, false}));
  }
  EXPECT_EQ(isnan(clamp(x, 0, 2)).to_vector<bool>(), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(isnan(relu(x)).to_vector<bool>(), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(sign(x)[0].item<double>(), 0.0);
}

TEST(Arith, ZerosKeepTheirSign) {
  const Tensor zeros = tensor({0.0f, -0.0f});
  const auto signs = [](const Tensor& x) {
    std::vector<bool> found;
    for (float v : x.to_vector<float>()) found.push_back(std::signbit(v));
    return found;
  };
  EXPECT_EQ(signs(-zeros), (std::vector<bool>{true, false}));
  EXPECT_EQ(signs(abs(zeros)), (std::vector<bool>{false, false}));
  EXPECT_EQ(signs(sqrt(zeros)), (std::vector<bool>{false, true}));
  EXPECT_EQ(signs(round(tensor({0.25f, -0.25f}))), (std::vector<bool>{false, true}));
  EXPECT_EQ(signs(zeros + 0.0f), (std::vector<bool>{false, false}));
  EXPECT_EQ(signs(reciprocal(zeros)), (std::vector<bool>{false, true}));
  EXPECT_EQ(signs(rsqrt(zeros)), (std::vector<bool>{false, true}));
}

TEST(Arith, RoundsHalfToEven) {
  const Tensor x = tensor({0.5f, 1.5f, 2.5f, -0.5f, -1.5f});
  EXPECT_EQ(round(x).to_vector<float>(), (std::vector<float>{0, 2, 2, 0, -2}));
}

TEST(Arith, HalvesRoundAfterEveryOperation) {
  // 2048 + 1 is not a float16; added in float32 and rounded once at the end it would be 2050.
  const Tensor x = tensor({2048.0f}, float16);
  EXPECT_EQ(((x + 1) + 1).item<float>(), 2048.0f);
  EXPECT_EQ((tensor({1.0f}, float16) * 70000).item<double>(), kInf);
  EXPECT_EQ((tensor({256.0f}, bfloat16) + 1).item<float>(), 256.0f);
}

// ---- errors ------------------------------------------------------------------------------------

TEST(ArithErrors, BoolsAreNotNumbers) {
  const Tensor m = tensor({true, false});
  const std::string invert =
      "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.";
  expect_error(ErrorKind::dtype,
               "Negation, the `-` operator, on a bool tensor is not supported. " + invert,
               [&] { neg(m); });
  expect_error(
      ErrorKind::dtype,
      "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
      "`logical_xor()` operator instead.",
      [&] { m - m; });
  const std::string one =
      "Subtraction, the `-` operator, with a bool tensor is not supported. " + invert;
  expect_error(ErrorKind::dtype, one, [&] { m - 1; });
  expect_error(ErrorKind::dtype, one, [&] { 1 - m; });
  expect_error(ErrorKind::dtype, "Boolean inputs not supported for relu", [&] { relu(m); });
  expect_error(ErrorKind::dtype, "\"abs_cpu\" not implemented for 'Bool'", [&] { abs(m); });
  expect_error(ErrorKind::dtype, "\"floor_vml_cpu\" not implemented for 'Bool'", [&] { floor(m); });
  expect_error(ErrorKind::dtype, "\"div_floor_cpu\" not implemented for 'Bool'",
               [&] { floor_divide(m, m); });
  expect_error(ErrorKind::dtype, "\"remainder_cpu\" not implemented for 'Bool'", [&] { m % m; });
  expect_error(ErrorKind::dtype, "\"fmod_cpu\" not implemented for 'Bool'", [&] { fmod(m, m); });
  expect_error(ErrorKind::dtype, "\"pow\" not implemented for 'Bool'", [&] { pow(m, m); });
  expect_error(ErrorKind::dtype, "\"clamp_min_cpu\" not implemented for 'Bool'",
               [&] { clamp(m, false); });
}

TEST(ArithErrors, IntegersRefuseAZeroDivisorAtTheCall) {
  const Tensor x = tensor({1, 2});
  for (auto* op : {floor_divide, remainder, fmod}) {
    expect_error(ErrorKind::value, "ZeroDivisionError", [&] { op(x, 0); });
    expect_error(ErrorKind::value, "ZeroDivisionError", [&] { op(x, tensor({{1}, {0}})); });
    expect_error(ErrorKind::value, "ZeroDivisionError", [&] { op(x, x - x); });
    // 256 is a zero once it is a uint8.
    expect_error(ErrorKind::value, "ZeroDivisionError", [&] { op(tensor({1}, uint8), 256); });
    EXPECT_EQ(op(zeros({0}, int64), 0).shape(), (Shape{0}));
    EXPECT_EQ(op(zeros({0, 1}, int64), tensor({0, 1})).shape(), (Shape{0, 2}));
  }
}

TEST(ArithErrors, IntegersRefuseANegativeNumberAsExponent) {
  const std::string text = "Integers to negative integer powers are not allowed.";
  expect_error(ErrorKind::value, text, [] { pow(tensor({1, 2}), -1); });
  expect_error(ErrorKind::value, text, [] { pow(tensor({true}), -1); });
  expect_error(ErrorKind::value, text, [] { tensor({1, 2}).pow_(-1); });
}

TEST(ArithErrors, ClampNeedsABoundThatFits) {
  expect_error(ErrorKind::value, "torch.clamp: At least one of 'min' or 'max' must not be None",
               [] { clamp(tensor({1})); });
  expect_error(ErrorKind::value, "value cannot be converted to type int8_t without overflow",
               [] { clamp(tensor({1}, int8), 300); });
}

TEST(ArithErrors, ShapesThatDoNotBroadcast) {
  expect_error(
      ErrorKind::shape,
      "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1",
      [] {
        zeros({4, 3}) + zeros({2});
      });
}

}  // namespace
}  // namespace tamis
