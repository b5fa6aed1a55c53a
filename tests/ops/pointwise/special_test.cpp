// Special functions; values from PyTorch.
#include <cmath>

#include "support/pointwise_cases.h"
#include "tamis/autograd.h"

namespace tamis {
namespace {

using namespace testing;
using Doubles = std::vector<double>;

const double nan = std::nan(""), inf = INFINITY;

void expect_close(const Tensor& found, const Doubles& wanted) {
  ASSERT_EQ(found.dtype(), float64);
  const Doubles values = found.to_vector<double>();
  ASSERT_EQ(values.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const double w = wanted[i], v = values[i];
    const bool is_same = v == w || (std::isnan(v) && std::isnan(w));
    EXPECT_TRUE(is_same || std::fabs(v - w) <= 2e-15 * std::fabs(w)) << v << " for " << w;
  }
}

TEST(Special, HasTheValuesOfPyTorch) {
  const Tensor x = tensor(Doubles{0.5, 3, -1.5});
  expect_close(lgamma(x), {0.5723649429247001, 0.6931471805599453, 0.860047015376481});
  expect_close(digamma(x), {-1.9635100260214229, 0.922784335098467, 0.7031566406452433});
  expect_close(erfc(x), {0.4795001221869535, 2.209049699858544e-05, 1.9661051464753108});
  expect_close(erfinv(tensor(Doubles{0.5, -0.9})), {0.4769362762044699, -1.1630871536766743});
  expect_close(i0(tensor(Doubles{0.5, 3})), {1.0634833707413236, 4.880792585865024});
  expect_close(exp2(tensor(Doubles{-1.5, 0.5, 10})),
               {0.3535533905932738, 1.4142135623730951, 1024});
  expect_close(sinc(tensor(Doubles{0, 0.5, -1.5})), {1, 0.6366197723675814, -0.2122065907891938});
  expect_close(rad2deg(tensor(Doubles{M_PI, -M_PI / 2})), {180, -90});
  expect_close(deg2rad(tensor(Doubles{180, -90})), {M_PI, -M_PI / 2});
  EXPECT_EQ(deg2rad(tensor({180})).dtype(), float32);
}

TEST(Special, RefusesComplexNumbers) {
  const Tensor z = zeros({1}, complex64);
  expect_error(ErrorKind::dtype, "\"lgamma\" not implemented for 'ComplexFloat'",
               [&] { lgamma(z); });
  expect_error(ErrorKind::dtype, "deg2rad is not supported for complex tensors.",
               [&] { deg2rad(z); });
}

TEST(Logit, IsTheInverseOfSigmoid) {
  expect_close(logit(tensor(Doubles{0.25, 0.5, 1, 2})), {-1.0986122886681098, 0, inf, nan});
  expect_close(logit(tensor(Doubles{0, 0.5, 1}), 0.1), {-2.197224577336219, 0, 2.1972245773362196});
  const Tensor x = tensor(Doubles{0.05, 0.5}).requires_grad_();
  logit(x, 0.1).sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Doubles{0, 4}));
}

TEST(Hypot, NeitherOverflowsNorLosesInfinities) {
  expect_close(hypot(tensor(Doubles{3, 1e300, inf, 0}), tensor(Doubles{-4, 1e300, nan, 0})),
               {5, 1.4142135623730952e300, inf, 0});
  expect_error(ErrorKind::dtype, "\"hypot_cpu\" not implemented for 'Long'",
               [] { hypot(tensor({3}), tensor({4})); });
}

TEST(Xlogy, IsZeroWhereItsFactorIs) {
  expect_close(xlogy(tensor(Doubles{0, 0, 2}), tensor(Doubles{0, nan, 3})),
               {0, nan, 2.1972245773362196});
  const Tensor x = tensor(Doubles{0}).requires_grad_(), y = tensor(Doubles{0});
  xlogy(x, y).sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Doubles{0}));
}

TEST(FloatPower, ComputesInFloat64) {
  const Tensor y = float_power(tensor({2, 3}), -1);
  EXPECT_EQ(y.dtype(), float64);
  EXPECT_EQ(y.to_vector<double>(), (Doubles{0.5, 1.0 / 3}));
  EXPECT_EQ(float_power(zeros({1}, complex64), 2).dtype(), complex128);
}

TEST(Sinc, HasAGradientAtZero) {
  const Tensor x = tensor(Doubles{0, 1}).requires_grad_();
  sinc(x).sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>()[0], 0);
  EXPECT_NEAR(x.grad().to_vector<double>()[1], -1, 1e-15);
}

}  // namespace
}  // namespace tamis
