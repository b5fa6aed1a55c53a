// Replacing: bounds, numbers instead of NaN and infinities, rounded quotients.
#include <cmath>

#include "support/pointwise_cases.h"
#include "tamis/autograd.h"

namespace tamis {
namespace {

using namespace testing;
using Doubles = std::vector<double>;

const double nan = std::nan(""), inf = INFINITY;

TEST(NanToNum, TakesTheLimitsOfTheDtype) {
  const struct {
    DType dtype;
    double most;
  } limits[] = {{float16, 65504},
                {bfloat16, 3.3895313892515355e38},
                {float32, 3.4028234663852886e38},
                {float64, 1.7976931348623157e308}};
  for (const auto& [dtype, most] : limits) {
    SCOPED_TRACE(name(dtype));
    const Tensor x = tensor(Doubles{nan, inf, -inf, 1.5}).to(dtype);
    const Tensor y = nan_to_num(x);
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_EQ(y.to_vector<double>(), (Doubles{0, most, -most, 1.5}));
    EXPECT_EQ(x.nan_to_num(2, 3, -4).to_vector<double>(), (Doubles{2, 3, -4, 1.5}));
  }
}

TEST(NanToNum, LeavesIntegersAloneAndCopies) {
  const Tensor x = tensor({1, 2});
  Tensor y = nan_to_num(x);
  y.fill_(7);
  EXPECT_EQ(x.to_vector<int64_t>(), (std::vector<int64_t>{1, 2}));
  expect_error(ErrorKind::dtype, "\"nan_to_num\" not implemented for 'ComplexFloat'",
               [] { nan_to_num(zeros({1}, complex64)); });
}

TEST(NanToNum, WorksInPlaceOnAView) {
  Tensor x = tensor(Doubles{nan, 1, nan, 2});
  Tensor part = x.slice(0, 0, {}, 2);
  part.nan_to_num_(-1);
  EXPECT_EQ(x.to_vector<double>(), (Doubles{-1, 1, -1, 2}));
}

TEST(NanToNum, GivesWhatItReplacesNoGradient) {
  const Tensor x = tensor(Doubles{nan, 2, inf}).requires_grad_();
  (nan_to_num(x, 1, 1) * tensor(Doubles{5, 6, 7})).sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Doubles{0, 6, 0}));
}

TEST(ClampByOneBound, IsClamp) {
  Tensor x = tensor({-2, 0, 3});
  EXPECT_EQ(clamp_min(x, 0).to_vector<int64_t>(), (std::vector<int64_t>{0, 0, 3}));
  EXPECT_EQ(x.clamp_max(tensor({1, -1, 1})).to_vector<int64_t>(),
            (std::vector<int64_t>{-2, -1, 1}));
  x.clamp_min_(-1).clamp_max_(2);
  EXPECT_EQ(x.to_vector<int64_t>(), (std::vector<int64_t>{-1, 0, 2}));
}

TEST(Infinities, AreToldApart) {
  const Tensor x = tensor(Doubles{inf, -inf, nan, 0});
  EXPECT_EQ(isposinf(x).to_vector<int>(), (std::vector<int>{1, 0, 0, 0}));
  EXPECT_EQ(isneginf(x).to_vector<int>(), (std::vector<int>{0, 1, 0, 0}));
  EXPECT_EQ(isposinf(tensor({1, 2})).to_vector<int>(), (std::vector<int>{0, 0}));
  EXPECT_EQ(isneginf(tensor({true})).dtype(), boolean);
}

TEST(RoundedDivision, RoundsDownOrTowardZero) {
  const Tensor a = tensor({7, -7, 7, -7}), b = tensor({2, 2, -2, -2});
  const Tensor down = div(a, b, "floor"), to_zero = div(a, b, "trunc");
  EXPECT_EQ(down.dtype(), int64);
  EXPECT_EQ(down.to_vector<int64_t>(), (std::vector<int64_t>{3, -4, -4, 3}));
  EXPECT_EQ(to_zero.dtype(), int64);
  EXPECT_EQ(to_zero.to_vector<int64_t>(), (std::vector<int64_t>{3, -3, -3, 3}));
  EXPECT_EQ(div(a.to_double(), 2, "trunc").to_vector<double>(), (Doubles{3, -3, 3, -3}));
  EXPECT_EQ(div(tensor({true, false}), -1, "trunc").to_vector<int64_t>(),
            (std::vector<int64_t>{-1, 0}));
  const int64_t least = std::numeric_limits<int64_t>::min(), most = -(least + 1);
  EXPECT_EQ(div(tensor(std::vector{least, most}), 2, "trunc").to_vector<int64_t>(),
            (std::vector<int64_t>{least / 2, most / 2}));
}

TEST(RoundedDivision, RefusesZeroBoolsAndOtherModes) {
  expect_error(ErrorKind::value, "ZeroDivisionError", [] { div(tensor({1}), 0, "trunc"); });
  expect_error(ErrorKind::dtype, "\"div_trunc_cpu\" not implemented for 'Bool'",
               [] { div(tensor({true}), tensor({true}), "trunc"); });
  expect_error(ErrorKind::value,
               "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'",
               [] { div(tensor({1}), 2, "up"); });
}

TEST(RoundedDivision, IsFlatAlsoWhereItDividesByZero) {
  for (const char* mode : {"floor", "trunc"}) {
    const Tensor a = tensor(Doubles{5, -7, 1}).requires_grad_();
    const Tensor b = tensor(Doubles{2, 3, 0}).requires_grad_();
    const Tensor y = div(a, b, mode);
    EXPECT_TRUE(y.requires_grad()) << mode;
    backward({y.sum()});
    EXPECT_EQ(a.grad().to_vector<double>(), (Doubles{0, 0, 0})) << mode;
    EXPECT_EQ(b.grad().to_vector<double>(), (Doubles{0, 0, 0})) << mode;
    const Tensor row = tensor(Doubles{1, 2}).requires_grad_();
    backward({div(ones({3, 2}, float64), row, mode).sum()});
    EXPECT_EQ(row.grad().shape(), (Shape{2}));
  }
}

TEST(RoundedToDecimals, OfEitherSign) {
  const Tensor x = tensor(Doubles{1234.5678, -0.05, 0.15, 2.5, -1250});
  EXPECT_EQ(round(x, 2).to_vector<double>(), (Doubles{1234.57, -0.05, 0.15, 2.5, -1250}));
  EXPECT_EQ(round(x, 0).to_vector<double>(), (Doubles{1235, -0.0, 0, 2, -1250}));
  EXPECT_EQ(round(x, -2).to_vector<double>(), (Doubles{1200, -0.0, 0, 0, -1200}));
  EXPECT_EQ(x.t().round(1).to_vector<double>(), (Doubles{1234.6, -0.0, 0.2, 2.5, -1250}));
  EXPECT_EQ(round(tensor(1.26f), 1).item<float>(), 1.3f);
  EXPECT_EQ(round(empty({0, 2}), 1).shape(), (Shape{0, 2}));
  // The power is infinite in float32.
  EXPECT_TRUE(isnan(round(tensor({1.5f}), 40)).item<bool>());
  Tensor part = zeros({2, 2}, float64);
  part.select(1, 1).copy_(tensor(Doubles{0.26, 7.77}));
  part.select(1, 1).round_(1);
  EXPECT_EQ(part.to_vector<double>(), (Doubles{0, 0.3, 0, 7.8}));
}

TEST(RoundedToDecimals, IsFlatAndForFloatingPointOnly) {
  for (int64_t decimals : {-1, 0, 1, 400}) {
    const Tensor x = tensor(Doubles{1.26, -3}).requires_grad_();
    backward({round(x, decimals).sum()});
    EXPECT_EQ(x.grad().to_vector<double>(), (Doubles{0, 0})) << decimals;
  }
  expect_error(ErrorKind::dtype, "\"round_cpu\" not implemented for 'Long'",
               [] { round(tensor({1}), 1); });
  expect_error(ErrorKind::dtype, "\"round_cpu\" not implemented for 'Bool'",
               [] { round(tensor({true}), -1); });
  EXPECT_EQ(round(tensor({15}), 0).to_vector<int64_t>(), (std::vector<int64_t>{15}));
}

}  // namespace
}  // namespace tamis
