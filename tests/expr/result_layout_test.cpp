// How the results of pointwise operations are laid out in memory: like operands that fill memory in
// one order, else row-major. Expected strides are PyTorch's.
#include <gtest/gtest.h>

#include <tuple>

#include "support/layouts.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::ModeGuard;

/// Numbers, no two neighbours equal.
Tensor numbers(const Shape& shape, int64_t factor) {
  return (arange(numel(shape)) * factor % 101).reshape(shape).to(float32);
}

class ResultLayout : public ::testing::TestWithParam<std::tuple<bool, int64_t>> {
 protected:
  const ModeGuard mode{std::get<0>(GetParam())};
  const int64_t n = std::get<1>(GetParam());
  const Tensor x = numbers({n, n + 1}, 7), y = numbers({n, n + 1}, 11);
};

TEST_P(ResultLayout, IsThatOfTransposedOperands) {
  const Tensor sum = x.t() + y.t(), scaled = x.t() * 2, mask = x.t() > y.t();
  for (const Tensor& result : {sum, scaled, mask, exp(x.t()), x.t().to(float64)}) {
    EXPECT_EQ(result.strides(), (Shape{1, n + 1}));
  }
  EXPECT_TRUE(equal(sum.t(), x + y));
  EXPECT_TRUE(equal(scaled.contiguous(), (x * 2).t().contiguous()));
  EXPECT_TRUE(
      equal(x.t().masked_select(mask), x.t().contiguous().masked_select(mask.contiguous())));
  EXPECT_TRUE(equal(where(mask, x.t(), y.t()).t(), where(x > y, x, y)));
}

TEST_P(ResultLayout, IsThatOfPermutedOperandsOfAnyRank) {
  const Tensor cube = numbers({n, 3, 4}, 13).permute({2, 0, 1});
  const Tensor doubled = cube + cube;
  EXPECT_EQ(doubled.strides(), (Shape{1, 12, 4}));
  EXPECT_TRUE(equal(doubled.contiguous(), cube.contiguous() * 2));
}

TEST_P(ResultLayout, IsRowMajorForDifferentOperands) {
  const Tensor square = numbers({n, n}, 3), row = numbers({n}, 5);
  const Tensor slices = numbers({n, 2 * n}, 17).slice(1, 0, {}, 2);
  for (const Tensor& result : {square.t() + square, square.t() + row, slices + 1}) {
    EXPECT_TRUE(result.is_contiguous());
  }
}

TEST_P(ResultLayout, DoesNotChangeInPlaceWrites) {
  Tensor a = x.clone(), b = x.clone();
  a.t().add_(y.t()).mul_(x.t());
  b.add_(y).mul_(x);
  EXPECT_TRUE(equal(a, b));
}

INSTANTIATE_TEST_SUITE_P(Modes, ResultLayout,
                         ::testing::Combine(::testing::Bool(), ::testing::Values(5, 70)));

}  // namespace
}  // namespace tamis
