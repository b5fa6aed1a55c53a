// Signs and parts of numbers; values from PyTorch.
#include <cmath>

#include "support/pointwise_cases.h"
#include "tamis/autograd.h"

namespace tamis {
namespace {

using namespace testing;
using Doubles = std::vector<double>;
using Ints = std::vector<int64_t>;

const double nan = std::nan(""), inf = INFINITY;

TEST(Copysign, TakesTheSignOfZeroToo) {
  const Tensor y = copysign(tensor(Doubles{1, -2, 0, nan}), tensor(Doubles{-0.0, 3, -1, -1}));
  const Doubles values = y.to_vector<double>();
  EXPECT_EQ(values[0], -1);
  EXPECT_EQ(values[1], 2);
  EXPECT_TRUE(std::signbit(values[2]) && std::signbit(values[3]));
  EXPECT_EQ(copysign(tensor({1, -2}), -1).to_vector<float>(), (std::vector<float>{-1, -2}));
}

TEST(Copysign, HasNoSlopeAtZero) {
  const Tensor x = tensor(Doubles{2, -2, 0}).requires_grad_();
  copysign(x, tensor(Doubles{-1, -1, -1})).sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Doubles{-1, 1, 0}));
}

TEST(Signbit, SeesNegativeZero) {
  EXPECT_EQ(signbit(tensor(Doubles{-0.0, 0, -1, inf, -inf})).to_vector<int>(),
            (std::vector<int>{1, 0, 1, 0, 1}));
  EXPECT_EQ(signbit(tensor({-1, 0})).to_vector<int>(), (std::vector<int>{1, 0}));
  EXPECT_EQ(signbit(tensor({true})).to_vector<int>(), (std::vector<int>{0}));
  expect_error(ErrorKind::dtype, "signbit is not implemented for complex tensors.",
               [] { signbit(zeros({1}, complex64)); });
}

TEST(Sgn, HasLengthOne) {
  const Tensor z = complex(tensor(Doubles{3, 0, 0}), tensor(Doubles{4, 0, -2}));
  const Doubles re = real(sgn(z)).to_vector<double>(), im = imag(sgn(z)).to_vector<double>();
  EXPECT_DOUBLE_EQ(re[0], 0.6);
  EXPECT_DOUBLE_EQ(im[0], 0.8);
  EXPECT_TRUE(re[1] == 0 && im[1] == 0 && re[2] == 0 && im[2] == -1);
  EXPECT_EQ(sgn(tensor({-3, 0, 9})).to_vector<int64_t>(), (Ints{-1, 0, 1}));
}

TEST(Positive, IsTheTensorItself) {
  const Tensor x = tensor({1, 2});
  EXPECT_EQ(positive(x).data_ptr(), x.data_ptr());
  expect_error(ErrorKind::dtype, "The `+` operator, on a bool tensor is not supported.",
               [] { positive(tensor({true})); });
}

TEST(Frac, HasTheSignOfTheNumber) {
  EXPECT_EQ(frac(tensor(Doubles{1.25, -2.5, 3})).to_vector<double>(), (Doubles{0.25, -0.5, 0}));
  expect_error(ErrorKind::dtype, "\"frac_cpu\" not implemented for 'Long'",
               [] { frac(tensor({1})); });
}

TEST(Nextafter, GoesOneStep) {
  const Doubles y =
      nextafter(tensor(Doubles{1, 0, inf, 2}), tensor(Doubles{2, -1, 0, 2})).to_vector<double>();
  EXPECT_EQ(y, (Doubles{1 + 0x1p-52, -5e-324, 1.7976931348623157e308, 2}));
  const Tensor x = tensor(Doubles{1, 0, inf, -1, 3.3895313892515355e38}).to(bfloat16);
  const Tensor to = tensor(Doubles{2, -1, 0, 0, inf}).to(bfloat16);
  EXPECT_EQ(nextafter(x, to).to_vector<double>(),
            (Doubles{1.0078125, -9.183549615799121e-41, 3.3895313892515355e38, -0.99609375, inf}));
  expect_error(ErrorKind::dtype, "\"nextafter_cpu\" not implemented for 'Half'",
               [] { nextafter(zeros({1}, float16), zeros({1}, float16)); });
}

TEST(Frexp, SplitsEveryFiniteNumber) {
  const Tensor x = tensor(Doubles{1, -3, 0, 5e-324, 1e308, inf});
  const auto [mantissa, exponent] = frexp(x);
  EXPECT_EQ(mantissa.to_vector<double>(), (Doubles{0.5, -0.75, 0, 0.5, 0.55626846462680035, inf}));
  EXPECT_EQ(exponent.dtype(), int32);
  EXPECT_EQ(exponent.to_vector<int32_t>(), (std::vector<int32_t>{1, 2, 0, -1073, 1024, 0}));
  const auto [m, e] = frexp(tensor({3.f}).to(float16));
  EXPECT_EQ(m.dtype(), float16);
  EXPECT_EQ(e.item<int>(), 2);
}

TEST(Frexp, IsUndoneByLdexp) {
  Doubles values;
  for (int e = -1070; e < 1023; ++e) values.push_back(std::ldexp(1 + 1.0 / (e + 2000), e));
  for (int e = -1022; e < 1023; ++e) values.push_back(std::nextafter(std::ldexp(1.0, e), 0));
  const auto [mantissa, exponent] = frexp(tensor(values));
  const Doubles m = mantissa.to_vector<double>();
  const std::vector<int32_t> e = exponent.to_vector<int32_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::ldexp(m[i], e[i]), values[i]);
    EXPECT_TRUE(m[i] >= 0.5 && m[i] < 1) << values[i];
  }
  EXPECT_EQ(ldexp(tensor({3.f, 1.f}), tensor({2, -1})).to_vector<float>(),
            (std::vector<float>{12, 0.5f}));
}

TEST(FmaxAndFmin, PassOverNan) {
  const Tensor a = tensor(Doubles{nan, 1, nan, 2}), b = tensor(Doubles{3, nan, nan, 5});
  const Doubles most = fmax(a, b).to_vector<double>(), least = fmin(a, b).to_vector<double>();
  EXPECT_EQ(most[0], 3);
  EXPECT_EQ(most[1], 1);
  EXPECT_TRUE(std::isnan(most[2]));
  EXPECT_EQ(most[3], 5);
  EXPECT_EQ(least[3], 2);
  const Tensor x = tensor(Doubles{nan, 1}).requires_grad_();
  const Tensor y = tensor(Doubles{3, nan}).requires_grad_();
  fmax(x, y).sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Doubles{0, 1}));
  EXPECT_EQ(y.grad().to_vector<double>(), (Doubles{1, 0}));
}

TEST(Heaviside, StepsAtZero) {
  EXPECT_EQ(heaviside(tensor(Doubles{-1, 0, 2, nan}), tensor(Doubles{0.5})).to_vector<double>(),
            (Doubles{0, 0.5, 1, 0}));
  expect_error(ErrorKind::dtype,
               "heaviside is not yet implemented for tensors with different dtypes.",
               [] { heaviside(tensor({1}), tensor({1.0})); });
}

}  // namespace
}  // namespace tamis
