// Numbers in conditions: comparisons by value, exact integers, and the dtype of arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/cli.h"
#include "tamis/tamis.h"

namespace tamis::cli {
namespace {

struct Operator {
  const char* symbol;
  const char* row;
  bool (*holds)(long double a, long double b);
};
// long double has the 64 bits that the reference needs to hold every int64 and every double.
static_assert(std::numeric_limits<long double>::digits >= 64);
const Operator kOperators[] = {
    {"==", "eq", [](long double a, long double b) { return a == b; }},
    {"!=", "ne", [](long double a, long double b) { return a != b; }},
    {"<", "lt", [](long double a, long double b) { return a < b; }},
    {"<=", "le", [](long double a, long double b) { return a <= b; }},
    {">", "gt", [](long double a, long double b) { return a > b; }},
    {">=", "ge", [](long double a, long double b) { return a >= b; }},
};

struct Constant {
  const char* text;
  long double value;
};
const Constant kNumbers[] = {
    {"0", 0},
    {"-1", -1},
    {"255", 255},
    {"256", 256},
    {"300", 300},
    {"506", 506},
    {"-128", -128},
    {"-129", -129},
    {"32768", 32768},
    {"2147483648", 2147483648.0L},
    {"16777217", 16777217},
    {"9007199254740993", 9007199254740993.0L},
    {"9223372036854775807", 9223372036854775807.0L},
    {"2.5", 2.5L},
    {"-0.5", -0.5L},
    {"254.5", 254.5L},
    {"1e19", 1e19L},
    {"-1e300", static_cast<long double>(-1e300)},
    {"inf", std::numeric_limits<long double>::infinity()},
    {"-inf", -std::numeric_limits<long double>::infinity()},
    {"nan", std::numeric_limits<long double>::quiet_NaN()},
    {"true", 1},
};

/// Elements of all dtypes at the ends of their ranges and near the numbers above.
std::vector<Tensor> samples() {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Tensor> list = {
      tensor({false, true}),
      tensor({250, 3, 0, 255, 2, 44}, uint8),
      tensor({-128, 127, 0, -1, 2, 3}, int8),
      tensor({-32768, 32767, 300, 256, -129}, int16),
      tensor({-2147483647, 2147483647, 16777217, 16777216, 506}, int32),
      tensor(std::vector<int64_t>{-kMax - 1, kMax, kMax - 1, 9007199254740993, 9007199254740992}),
  };
  const std::vector<double> floats = {0,     -1,   255,  256, 2.5, -0.5, 16777216, 9007199254740992,
                                      -1e38, 1e38, -inf, inf, nan, 2,    3,        300};
  for (DType dtype : {float16, bfloat16, float32, float64})
    list.push_back(tensor(floats).to(dtype));
  return list;
}

long double exact(const Tensor& x, int64_t i) {
  const Scalar v = x.select(0, i).item();
  return v.is_floating_point() ? static_cast<long double>(v.to_double())
                               : static_cast<long double>(v.to_int64());
}

void expect_values(const std::string& text, const Tensor& x,
                   const std::function<bool(long double)>& expected) {
  const Tensor got = evaluate(text, {array_of("x", x)}, 4);
  for (int64_t i = 0; i < x.numel(); ++i) {
    EXPECT_EQ(got.select(0, i).item().to_bool(), expected(exact(x, i)))
        << text << " where x is " << static_cast<double>(exact(x, i)) << " of " << name(x.dtype());
  }
}

TEST(CliNumbers, CompareByValueWithElementsOfEveryDtype) {
  for (const Tensor& x : samples()) {
    for (const Constant& number : kNumbers) {
      const char* text = number.text;
      for (const Operator& o : kOperators) {
        const auto right = [&](long double e) { return o.holds(e, number.value); };
        const auto left = [&](long double e) { return o.holds(number.value, e); };
        expect_values(fmt::format("x {} {}", o.symbol, text), x, right);
        expect_values(fmt::format("{} {} x", text, o.symbol), x, left);
        expect_values(fmt::format("{}(x, {})", o.row, text), x, right);
      }
    }
  }
}

TEST(CliNumbers, AreFoundByValueInSetsAndRanges) {
  for (const Tensor& x : samples()) {
    for (const Constant& low : kNumbers) {
      if (std::isnan(low.value)) continue;
      expect_values(fmt::format("isin(x, [{}])", low.text), x,
                    [&](long double e) { return e == low.value; });
      for (const Constant& high : kNumbers) {
        const auto inside = [&](long double e) { return low.value <= e && e <= high.value; };
        expect_values(fmt::format("between(x, {}, {})", low.text, high.text), x, inside);
        expect_values(fmt::format("{} <= x <= {}", low.text, high.text), x, inside);
      }
    }
  }
  expect_values("isin(x, [9007199254740993, 0.5, 506, -1])",
                tensor(std::vector<int64_t>{9007199254740993, 9007199254740992, 250, -1}),
                [](long double e) { return e == 9007199254740993.0L || e == -1; });
}

TEST(CliNumbers, WithFractionsAreRoundedToTheDtypeOfFloats) {
  expect_values("x == 0.1", tensor({0.1f, 0.2f}), [](long double e) { return e < 0.15L; });
  expect_values("isin(x, [0.1])", tensor({0.1f, 0.2f}), [](long double e) { return e < 0.15L; });
  expect_values("x < 0.1", tensor({0.1f, 0.2f}), [](long double) { return false; });
}

TEST(CliNumbers, OfWholeArraysCompareByValue) {
  const Tensor x = tensor({250, 3, 253}, uint8);  // the sum is 506, which wraps to 250
  expect_values("x == sum(x)", x, [](long double) { return false; });
  expect_values("x < sum(x)", x, [](long double) { return true; });
  const Tensor times = tensor(std::vector<int64_t>{1700000000, 1700000001, 1700000003});
  expect_values("x > mean(x)", times, [](long double e) { return e > 1700000002; });
  expect_values("abs(x - mean(x)) < 1", times, [](long double e) { return e == 1700000001; });
  expect_values("count(x > 0) == 3.0", x, [](long double) { return true; });
}

TEST(CliNumbers, OfZeroDimensionalFilesCompareByValue) {
  const std::vector<Array> arrays = {array_of("x", tensor({250, 3}, uint8)),
                                     array_of("y", tensor(300))};
  EXPECT_EQ(count(evaluate("x < y", arrays)), 2);
  EXPECT_EQ(count(evaluate("x == y - 50", arrays)), 1);
}

TEST(CliNumbers, OfIntegersAndFloatsMeetInFloat64) {
  const std::vector<Array> arrays = {array_of("x", tensor({16777217, 16777216})),
                                     array_of("y", tensor({16777216.f, 16777216.f}))};
  EXPECT_EQ(count(evaluate("x == y", arrays)), 1);
  EXPECT_EQ(count(evaluate("y < x", arrays)), 1);
}

TEST(CliNumbers, AreComputedWithoutWrapping) {
  const Tensor x = tensor({250, 3, 255}, uint8);
  const auto same = [&](const std::string& text, const Tensor& expected) {
    const Tensor got = evaluate(text, {array_of("x", x)});
    EXPECT_EQ(got.dtype(), expected.dtype()) << text;
    EXPECT_TRUE(equal(got, expected)) << text << " is " << got;
  };
  same("x + 1", tensor({251, 4, 256}));
  same("x + 1 > 255", tensor({false, false, true}));
  same("x - 4 < 0", tensor({false, true, false}));
  same("x * x", tensor({62500, 9, 65025}));
  same("square(x)", tensor({62500, 9, 65025}));
  same("-x", tensor({-250, -3, -255}));
  same("x + 300", tensor({550, 303, 555}));
  same("clamp(x, max=300)", tensor({250, 3, 255}));
  same("where(x > 9, 300, x)", tensor({300, 3, 300}));
  same("x | 256", tensor({506, 259, 511}));
  same("~x", tensor({5, 252, 0}, uint8));
  same("isclose(x, 506)", tensor({false, false, false}));
  same("x and 256", tensor({true, true, true}));
  same("x / 2", tensor({125., 1.5, 127.5}).to_double());
  same("x * 0.1 == 25.0", tensor({true, false, false}));
}

TEST(CliNumbers, WithFractionsAreComputedInFloat64) {
  EXPECT_EQ(
      count(evaluate("x == 0.1 + 0.2", {array_of("x", tensor(std::vector<double>{0.1 + 0.2}))})),
      1);
  EXPECT_EQ(
      count(evaluate("x == sqrt(2)", {array_of("x", tensor(std::vector<double>{std::sqrt(2.0)}))})),
      1);
  // 2 * 16777217 needs more bits than float32 has.
  const Array large = array_of("x", tensor(std::vector<double>{16777217.0}));
  EXPECT_EQ(count(evaluate("2 * mean(x) == 33554434", {large})), 1);
}

std::string refusal(const std::string& text) {
  try {
    evaluate(text, {array_of("x", tensor({4, 5}))});
  } catch (const ConditionError& e) {
    return std::string(e.what()) + "\n" + underlined(e.source(), e.span());
  }
  return "accepted";
}

TEST(CliNumbers, AreExactOrRefusedWhereTheyAre) {
  const std::string reason =
      "the result does not fit in 64 bits; write a number with .0 to use floating point\n";
  EXPECT_EQ(refusal("x < 10**19"), reason + "  x < 10**19\n        ^~");
  EXPECT_EQ(refusal("x > 9223372036854775807 + 1"),
            reason + "  x > 9223372036854775807 + 1\n                          ^");
  EXPECT_EQ(refusal("x > 3037000500 * 3037000500"),
            reason + "  x > 3037000500 * 3037000500\n                 ^");
  EXPECT_EQ(refusal("x > -9223372036854775807 - 2").substr(0, reason.size()), reason);
  EXPECT_EQ(refusal("isin(x, [2**63])"), reason + "  isin(x, [2**63])\n            ^~");
  EXPECT_EQ(refusal("x > max(x) * 9223372036854775807"),
            reason + "  x > max(x) * 9223372036854775807\n             ^");
  EXPECT_EQ(refusal("x > 5 // 0").substr(0, 24), "integer division by zero");
  EXPECT_EQ(refusal("x > 5 // (count(x > 0) - 2)").substr(0, 24), "integer division by zero");
  for (const char* text : {"x == 2**2", "x == 10.0**19 - 10.0**19 + 4", "x == -(-4)", "x == 9 % 5",
                           "x == -7 // 2 + 8", "x == (-1)**9223372036854775807 + 5",
                           "x == 9223372036854775807 - 9223372036854775803", "isin(x, [2 * 2])"}) {
    EXPECT_EQ(count(evaluate(text, {array_of("x", tensor({4, 50}))})), 1) << text;
  }
}

}  // namespace
}  // namespace tamis::cli
