// Compare: comparisons, tests for NaN and infinity, closeness and equality.
#include "support/pointwise_cases.h"

namespace tamis {
namespace {

using namespace testing;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Bools = std::vector<bool>;

// ---- examples ----------------------------------------------------------------------------------

TEST(Compare, GivesAMask) {
  const Tensor x = tensor({1, 2, 3});
  EXPECT_EQ((x > 1).dtype(), boolean);
  EXPECT_EQ((x > 1).to_vector<bool>(), (Bools{false, true, true}));
  EXPECT_EQ((x <= 2).to_vector<bool>(), (Bools{true, true, false}));
  EXPECT_EQ((2 < x).to_vector<bool>(), (Bools{false, false, true}));
  EXPECT_EQ((x == tensor({{1}, {3}})).to_vector<bool>(),
            (Bools{true, false, false, false, false, true}));
  EXPECT_EQ((x != 2).to_vector<bool>(), (Bools{true, false, true}));
}

TEST(Compare, NanEqualsNothingAndIsNeverInOrder) {
  const Tensor x = tensor({kNan, 1.0}, float64);
  for (DType dtype : {float16, bfloat16, float32, float64}) {
    const Tensor y = x.to(dtype);
    EXPECT_EQ((y == y).to_vector<bool>(), (Bools{false, true}));
    EXPECT_EQ((y != y).to_vector<bool>(), (Bools{true, false}));
    for (auto* op : {lt, le, gt, ge}) {
      EXPECT_FALSE(op(y, kNan).any().item<bool>());
      EXPECT_FALSE(op(y[0], y).any().item<bool>());
    }
  }
}

TEST(Compare, TheNegationOfLessIsNotGreaterOrEqual) {
  const Tensor x = tensor({kNan, 1.0, 3.0}, float64);
  EXPECT_EQ((~(x < 2)).to_vector<bool>(), (Bools{true, false, true}));
  EXPECT_EQ((x >= 2).to_vector<bool>(), (Bools{false, false, true}));
}

TEST(Compare, ZerosAreEqualAndInfinitiesAreOrdered) {
  EXPECT_TRUE((tensor({0.0f}) == tensor({-0.0f})).item<bool>());
  EXPECT_FALSE((tensor({-0.0f}) < tensor({0.0f})).item<bool>());
  EXPECT_TRUE((tensor({-kInf}, float64) < tensor({kInf}, float64)).item<bool>());
  EXPECT_TRUE((tensor({kInf}, float64) == kInf).item<bool>());
}

TEST(Compare, WideIntegersCompareExactly) {
  const int64_t big = (int64_t{1} << 53) + 1;
  EXPECT_FALSE((tensor({big}) == big - 1).item<bool>());
  EXPECT_TRUE((tensor({big}) > big - 1).item<bool>());
  // With a float32 they do not: both become float32, as in PyTorch.
  EXPECT_TRUE((tensor({16777217}) == tensor({16777216.0f})).item<bool>());
}

TEST(Compare, FindsNanAndInfinity) {
  const Tensor x = tensor({kNan, kInf, -kInf, 0.0, 1e30}, float64);
  for (DType dtype : {float32, float64, bfloat16}) {
    const Tensor y = x.to(dtype);
    EXPECT_EQ(isnan(y).to_vector<bool>(), (Bools{true, false, false, false, false}));
    EXPECT_EQ(isinf(y).to_vector<bool>(), (Bools{false, true, true, false, false}));
    EXPECT_EQ(isfinite(y).to_vector<bool>(), (Bools{false, false, false, true, true}));
  }
  EXPECT_TRUE(isinf(x.to_half())[4].item<bool>());
}

TEST(Compare, IntegersAndBoolsAreFinite) {
  for (DType dtype : {boolean, uint8, uint16, uint32, uint64, int8, int16, int32, int64}) {
    const Tensor x = ones({2, 3}, dtype);
    EXPECT_EQ(isnan(x).to_vector<bool>(), Bools(6, false));
    EXPECT_EQ(isinf(x).to_vector<bool>(), Bools(6, false));
    EXPECT_EQ(isfinite(x).to_vector<bool>(), Bools(6, true));
    EXPECT_EQ(isnan(x).shape(), x.shape());
  }
}

// ---- every op, dtype and layout ----------------------------------------------------------------

class CompareSweep : public ::testing::TestWithParam<DType> {};

TEST_P(CompareSweep, MatchesAPlainLoopInEveryLayout) {
  for (const Pair& p : pairs(GetParam(), GetParam())) {
    SCOPED_TRACE(p.layout);
    visit_real(GetParam(), [&](auto type) {
      using T = decltype(type);
      const auto expect = [&](const Tensor& result, auto f) {
        expect_pointwise<T, bool>(result, p.a, p.b, f);
      };
      expect(eq(p.a, p.b), [](auto a, auto b) { return a == b; });
      expect(ne(p.a, p.b), [](auto a, auto b) { return a != b; });
      expect(lt(p.a, p.b), [](auto a, auto b) { return a < b; });
      expect(le(p.a, p.b), [](auto a, auto b) { return a <= b; });
      expect(gt(p.a, p.b), [](auto a, auto b) { return a > b; });
      expect(ge(p.a, p.b), [](auto a, auto b) { return a >= b; });
    });
  }
}

TEST_P(CompareSweep, InPlaceStoresZerosAndOnesOfItsDType) {
  const Tensor b = operand(GetParam(), {5}, 2);
  const auto check = [&](Tensor (*op)(const Tensor&, const Tensor&),
                         Tensor& (Tensor::*in_place)(const Tensor&)) {
    Tensor x = operand(GetParam(), {5, 4}, 1).t();
    const std::vector<bool> want = op(x, b).to_vector<bool>();
    (x.*in_place)(b);
    EXPECT_EQ(x.dtype(), GetParam());
    EXPECT_EQ(x.to_vector<double>(), std::vector<double>(want.begin(), want.end()));
  };
  check(eq, &Tensor::eq_);
  check(ne, &Tensor::ne_);
  check(lt, &Tensor::lt_);
  check(le, &Tensor::le_);
  check(gt, &Tensor::gt_);
  check(ge, &Tensor::ge_);
}

INSTANTIATE_TEST_SUITE_P(AllDTypes, CompareSweep, ::testing::ValuesIn(kAllDTypes), dtype_name);

TEST(Compare, MixedDTypesMeetInTheirCommonOne) {
  // int8 with uint8 meet in int16: 200 stays 200.
  EXPECT_FALSE((tensor({-56}, int8) == tensor({200}, uint8)).item<bool>());
  EXPECT_TRUE((tensor({-1}, int8) < tensor({0}, uint8)).item<bool>());
  EXPECT_TRUE((tensor({true}) < tensor({2})).item<bool>());
  EXPECT_TRUE((tensor({2}) < tensor({2.5f})).item<bool>());
  EXPECT_TRUE((tensor({1}, int8) < 1.5).item<bool>());
}

TEST(Compare, AnyNonzeroByteIsTrue) {
  uint8_t bytes[] = {0, 1, 2, 255};
  const Tensor x = from_blob(bytes, {4}, boolean);
  EXPECT_EQ((x == true).to_vector<bool>(), (Bools{false, true, true, true}));
  EXPECT_EQ((x < true).to_vector<bool>(), (Bools{true, false, false, false}));
  EXPECT_EQ((x == x.flatten()).to_vector<bool>(), (Bools(4, true)));
}

// ---- closeness and equality --------------------------------------------------------------------

TEST(IsClose, ToleranceIsRelativeToTheSecond) {
  const Tensor a = tensor({100.0, 90.0}, float64), b = tensor({90.0, 100.0}, float64);
  // |a - b| = 10: 0.105 * 90 = 9.45 is too little, 0.105 * 100 = 10.5 is enough.
  EXPECT_EQ(isclose(a, b, 0.105, 0).to_vector<bool>(), (Bools{false, true}));
  EXPECT_EQ(a.isclose(b, 0, 10).to_vector<bool>(), (Bools{true, true}));
  EXPECT_EQ(isclose(a, a, 0, 0).to_vector<bool>(), (Bools{true, true}));
}

TEST(IsClose, InfinitiesAndNan) {
  const Tensor a = tensor({kInf, kInf, kNan, 1.0, kInf}, float64);
  const Tensor b = tensor({kInf, -kInf, kNan, kInf, 1.0}, float64);
  EXPECT_EQ(isclose(a, b).to_vector<bool>(), (Bools{true, false, false, false, false}));
  EXPECT_EQ(isclose(a, b, 1e-5, 1e-8, true).to_vector<bool>(),
            (Bools{true, false, true, false, false}));
  EXPECT_EQ(isclose(a, b, kInf, kInf).to_vector<bool>(), (Bools{true, false, false, false, false}));
}

TEST(IsClose, TakesIntegersBoolsAndNumbers) {
  EXPECT_TRUE(isclose(tensor({1000000}), tensor({1000001})).item<bool>());
  EXPECT_TRUE(isclose(tensor({true}), tensor({false}), 0, 2).item<bool>());
  EXPECT_FALSE(isclose(tensor({true}), tensor({false})).item<bool>());
  EXPECT_TRUE(isclose(tensor({0.1f}), 0.1).item<bool>());
  EXPECT_FALSE(isclose(tensor({1.0f}, float16), tensor({1.001f}, float16)).item<bool>());
}

TEST(IsClose, RefusesOtherDTypesAndNegativeTolerances) {
  const Tensor x = tensor({1.0f}), i = tensor({1});
  expect_error(ErrorKind::dtype, "Float did not match Long", [&] { isclose(x, i); });
  expect_error(ErrorKind::value, "rtol must be greater than or equal to zero, but got -1",
               [&] { isclose(x, x, -1); });
  expect_error(ErrorKind::value, "atol must be greater than or equal to zero, but got -1",
               [&] { allclose(x, x, 0, -1); });
}

TEST(AllClose, IsTrueIfEveryElementIs) {
  const Tensor x = tensor({1.0f, 2.0f});
  EXPECT_TRUE(allclose(x, x + 1e-6f));
  EXPECT_FALSE(allclose(x, tensor({1.0f, 2.1f})));
  EXPECT_TRUE(allclose(zeros({0}), zeros({0})));
  EXPECT_FALSE(allclose(tensor({kNan}, float64), tensor({kNan}, float64)));
}

TEST(Equal, NeedsShapeAndValues) {
  const Tensor x = tensor({1, 2});
  EXPECT_TRUE(equal(x, tensor({1, 2})));
  EXPECT_TRUE(equal(x, tensor({1.0f, 2.0f})));
  EXPECT_FALSE(equal(x, tensor({1, 3})));
  EXPECT_FALSE(equal(x, x.unsqueeze(0)));
  EXPECT_FALSE(equal(x, tensor({1})));
  EXPECT_TRUE(equal(zeros({0, 2}), ones({0, 2})));
  EXPECT_FALSE(equal(zeros({0}), zeros({0, 2})));
  EXPECT_FALSE(equal(tensor({kNan}, float64), tensor({kNan}, float64)));
  EXPECT_TRUE(equal(tensor({{1, 2}, {3, 4}}).t(), tensor({{1, 3}, {2, 4}})));
}

TEST(Compare, ShapesThatDoNotBroadcast) {
  expect_error(ErrorKind::shape,
               "The size of tensor a (5) must match the size of tensor b (3) at non-singleton "
               "dimension 0",
               [] { ge(zeros({5}), zeros({3})); });
}

}  // namespace
}  // namespace tamis
