// Logic: bitwise and logical operations.
#include "support/pointwise_cases.h"

namespace tamis {
namespace {

using namespace testing;

using Bools = std::vector<bool>;

TEST(Logic, MasksCombine) {
  const Tensor x = tensor({1, 5, 9}), y = tensor({9, 5, 1});
  EXPECT_EQ(((x >= 5) & (y >= 5)).to_vector<bool>(), (Bools{false, true, false}));
  EXPECT_EQ(((x >= 5) | (y >= 5)).to_vector<bool>(), (Bools{true, true, true}));
  EXPECT_EQ(((x >= 5) ^ (y >= 5)).to_vector<bool>(), (Bools{true, false, true}));
  EXPECT_EQ((~(x >= 5)).to_vector<bool>(), (Bools{true, false, false}));
}

TEST(Logic, BitsOfIntegers) {
  const Tensor x = tensor({6, -1, 0});
  EXPECT_EQ((x & 3).to_vector<int>(), (std::vector<int>{2, 3, 0}));
  EXPECT_EQ((x | 1).to_vector<int>(), (std::vector<int>{7, -1, 1}));
  EXPECT_EQ((x ^ x).to_vector<int>(), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ((~x).to_vector<int>(), (std::vector<int>{-7, 0, -1}));
  EXPECT_EQ((~tensor({3}, uint8)).item<int>(), 252);
  // A bool among integers is 0 or 1.
  EXPECT_EQ((x & tensor({true})).to_vector<int>(), (std::vector<int>{0, 1, 0}));
}

TEST(Logic, LogicalOpsAskWhetherAnElementIsNonzero) {
  const Tensor x = tensor({0.0f, -0.0f, std::numeric_limits<float>::quiet_NaN(), 0.5f});
  EXPECT_EQ(logical_not(x).to_vector<bool>(), (Bools{true, true, false, false}));
  EXPECT_EQ(logical_and(x, 2).to_vector<bool>(), (Bools{false, false, true, true}));
  EXPECT_EQ(logical_or(x, tensor({0, 3, 0, 0})).to_vector<bool>(),
            (Bools{false, true, true, true}));
  EXPECT_EQ(logical_xor(x, 1).to_vector<bool>(), (Bools{true, true, false, false}));
  EXPECT_EQ(logical_and(tensor({1, 2}), tensor({2, 1})).to_vector<bool>(), (Bools{true, true}));
}

class LogicSweep : public ::testing::TestWithParam<DType> {};

TEST_P(LogicSweep, LogicalOpsMatchAPlainLoopInEveryLayout) {
  for (const Pair& p : pairs(GetParam(), GetParam())) {
    SCOPED_TRACE(p.layout);
    visit_real(GetParam(), [&](auto type) {
      using T = decltype(type);
      const auto expect = [&](const Tensor& result, auto f) {
        expect_pointwise<T, bool>(result, p.a, p.b, f);
      };
      expect(logical_and(p.a, p.b), [](auto a, auto b) { return a != 0 && b != 0; });
      expect(logical_or(p.a, p.b), [](auto a, auto b) { return a != 0 || b != 0; });
      expect(logical_xor(p.a, p.b), [](auto a, auto b) { return (a != 0) != (b != 0); });
      expect_pointwise<T, bool>(logical_not(p.a), p.a, p.a, [](auto a, auto) { return a == 0; });
    });
  }
}

TEST_P(LogicSweep, BitwiseOpsMatchAPlainLoopInEveryLayout) {
  if (is_floating_point(GetParam())) return;
  for (const Pair& p : pairs(GetParam(), GetParam())) {
    SCOPED_TRACE(p.layout);
    visit_real(GetParam(), [&](auto type) {
      using T = decltype(type);
      if constexpr (std::is_integral_v<T>) {
        const auto expect = [&](const Tensor& result, auto f) {
          expect_pointwise<T, T>(result, p.a, p.b, f);
        };
        expect(p.a & p.b, [](int64_t a, int64_t b) { return a & b; });
        expect(p.a | p.b, [](int64_t a, int64_t b) { return a | b; });
        expect(p.a ^ p.b, [](int64_t a, int64_t b) { return a ^ b; });
        expect_pointwise<T, T>(~p.a, p.a, p.a, [](int64_t a, int64_t) {
          return std::is_same_v<T, bool> ? int64_t{a == 0} : ~a;
        });
      }
    });
  }
}

TEST_P(LogicSweep, InPlaceKeepsTheDType) {
  const Tensor b = operand(GetParam(), {5}, 2);
  const auto check = [&](Tensor (*op)(const Tensor&, const Tensor&),
                         Tensor& (Tensor::*in_place)(const Tensor&)) {
    Tensor x = operand(GetParam(), {5, 4}, 1).t();
    const std::vector<double> want = op(x, b).to_vector<double>();
    EXPECT_EQ(&(x.*in_place)(b), &x);
    EXPECT_EQ(x.dtype(), GetParam());
    EXPECT_EQ(x.to_vector<double>(), want);
  };
  check(logical_and, &Tensor::logical_and_);
  check(logical_or, &Tensor::logical_or_);
  check(logical_xor, &Tensor::logical_xor_);
  Tensor x = operand(GetParam(), {4, 5}, 1);
  const std::vector<double> want = logical_not(x).to_vector<double>();
  EXPECT_EQ(x.logical_not_().to_vector<double>(), want);
  EXPECT_EQ(x.dtype(), GetParam());
  if (is_floating_point(GetParam())) return;
  check(bitwise_and, &Tensor::bitwise_and_);
  check(bitwise_or, &Tensor::bitwise_or_);
  check(bitwise_xor, &Tensor::bitwise_xor_);
}

INSTANTIATE_TEST_SUITE_P(AllDTypes, LogicSweep, ::testing::ValuesIn(kAllDTypes), dtype_name);

TEST(Logic, AnyNonzeroByteIsTrue) {
  uint8_t bytes[] = {0, 1, 2, 255};
  const Tensor x = from_blob(bytes, {4}, boolean), y = ones({4}, boolean);
  EXPECT_EQ((x & y).to_vector<bool>(), (Bools{false, true, true, true}));
  EXPECT_EQ((x ^ y).to_vector<bool>(), (Bools{true, false, false, false}));
  EXPECT_EQ((~x).to_vector<bool>(), (Bools{true, false, false, false}));
  EXPECT_EQ((x & y).data<bool>()[2], true);
  EXPECT_EQ(static_cast<const uint8_t*>((x & y).data_ptr())[3], 1);
}

TEST(Logic, InPlaceOperatorsWriteTheMask) {
  Tensor m = tensor({true, true, false, false});
  const Tensor other = tensor({true, false, true, false});
  m &= other;
  EXPECT_EQ(m.to_vector<bool>(), (Bools{true, false, false, false}));
  m |= tensor({false, true, false, false});
  EXPECT_EQ(m.to_vector<bool>(), (Bools{true, true, false, false}));
  m ^= other;
  EXPECT_EQ(m.to_vector<bool>(), (Bools{false, true, true, false}));
}

TEST(Logic, BitsOfFloatingPointAreRefused) {
  const Tensor x = tensor({1.0f}), i = tensor({1});
  expect_error(ErrorKind::dtype, "\"bitwise_and_cpu\" not implemented for 'Float'", [&] { x & 1; });
  expect_error(ErrorKind::dtype, "\"bitwise_or_cpu\" not implemented for 'Float'",
               [&] { i | 1.0; });
  expect_error(ErrorKind::dtype, "\"bitwise_xor_cpu\" not implemented for 'Double'",
               [&] { i ^ x.to_double(); });
  expect_error(ErrorKind::dtype, "\"bitwise_not_cpu\" not implemented for 'Half'",
               [&] { ~x.to_half(); });
}

TEST(Logic, IntegersDoNotFitIntoAMask) {
  Tensor m = tensor({true, false});
  expect_error(ErrorKind::dtype, "result type Long can't be cast to the desired output type Bool",
               [&] {
                 m &= tensor({1, 0});
               });
  m.logical_and_(tensor({1.0f, 0.0f}));
  EXPECT_EQ(m.to_vector<bool>(), (Bools{true, false}));
}

}  // namespace
}  // namespace tamis
