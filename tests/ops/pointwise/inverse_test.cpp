// Inverse circular functions, hyperbolic functions and their inverses; values from PyTorch.
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
    EXPECT_TRUE(is_same || std::fabs(v - w) <= 1e-15 * std::fabs(w)) << v << " for " << w;
  }
}

TEST(Inverse, HasTheValuesOfPyTorch) {
  const Tensor x = tensor(Doubles{-0.75, 0, 0.5, 1});
  expect_close(asin(x), {-0.848062078981481, 0, 0.5235987755982989, 1.5707963267948966});
  expect_close(acos(x), {2.4188584057763776, 1.5707963267948966, 1.0471975511965976, 0});
  expect_close(atan(x), {-0.6435011087932844, 0, 0.4636476090008061, 0.7853981633974483});
  expect_close(sinh(x), {-0.82231673193583, 0, 0.5210953054937474, 1.1752011936438014});
  expect_close(cosh(x), {1.2946832846768448, 1, 1.1276259652063807, 1.5430806348152437});
  expect_close(asinh(x), {-0.6931471805599453, 0, 0.48121182505960347, 0.881373587019543});
  expect_close(atanh(x), {-0.9729550745276566, 0, 0.5493061443340548, inf});
  expect_close(acosh(tensor(Doubles{1, 1.5, 40})), {0, 0.9624236501192069, 4.381870348040067});
}

TEST(Inverse, IsNanWhereThereIsNoValue) {
  const Tensor beyond = tensor(Doubles{1.5, -1.5, inf, nan});
  for (auto* f : {asin, acos, atanh}) expect_close(f(beyond), {nan, nan, nan, nan});
  expect_close(acosh(tensor(Doubles{0.5, -3, -1e12, -inf, nan})), {nan, nan, nan, nan, nan});
}

TEST(Inverse, NeitherOverflowsNorUnderflowsInBetween) {
  const Tensor x = tensor(Doubles{-1e300, 1e-300, inf});
  expect_close(asinh(x), {-691.4686750787736, 1e-300, inf});
  expect_close(acosh(tensor(Doubles{1e300, inf})), {691.4686750787736, inf});
  expect_close(atan(x), {-1.5707963267948966, 1e-300, 1.5707963267948966});
  expect_close(sinh(tensor(Doubles{-710, 1e-300, 720})), {-1.1169973830808557e308, 1e-300, inf});
  expect_close(cosh(tensor(Doubles{-710, 720})), {1.1169973830808557e308, inf});
}

TEST(Inverse, KeepsTheSignOfZero) {
  const Tensor zero = tensor(Doubles{-0.0});
  for (auto* f : {asin, atan, sinh, asinh, atanh}) {
    EXPECT_TRUE(std::signbit(f(zero).item<double>()));
  }
}

TEST(Inverse, TurnsIntegersAndBoolsIntoFloat32) {
  EXPECT_EQ(asin(tensor({1, 0})).dtype(), float32);
  EXPECT_EQ(cosh(tensor({true})).dtype(), float32);
  EXPECT_EQ(atan(tensor({1.f}).to(bfloat16)).dtype(), bfloat16);
}

TEST(Inverse, TakesComplexNumbers) {
  const Tensor z = complex(tensor(Doubles{0.5}), tensor(Doubles{-0.25}));
  const Tensor back = sinh(asinh(z)) + cosh(acosh(z)) + tanh(atanh(z));
  EXPECT_LT(abs(back - z * 3).item<double>(), 1e-15);
  EXPECT_LT(abs(sin(asin(z)) + cos(acos(z)) + tan(atan(z)) - z * 3).item<double>(), 1e-15);
}

TEST(Atan2, KnowsTheQuarter) {
  const Tensor y = tensor(Doubles{1, -1, 0, -0.0}), x = tensor(Doubles{-1, -1, -2, -2});
  expect_close(atan2(y, x), {2.356194490192345, -2.356194490192345, M_PI, -M_PI});
  expect_close(atan2(tensor(Doubles{inf, 1, nan}), tensor(Doubles{inf, -inf, 1})),
               {0.7853981633974483, M_PI, nan});
  EXPECT_EQ(atan2(tensor({1}), tensor({{2}, {3}})).shape(), (Shape{2, 1}));
  expect_error(ErrorKind::dtype, "\"atan2_cpu\" not implemented for 'ComplexFloat'",
               [] { atan2(zeros({1}, complex64), tensor({1})); });
}

TEST(Inverse, WritesInPlace) {
  Tensor x = tensor(Doubles{0, 0.5});
  x.asin_();
  expect_close(x, {0, 0.5235987755982989});
  Tensor ints = tensor({1, 2});
  expect_error(ErrorKind::dtype, "result type Float can't be cast to the desired output type Long",
               [&] { ints.sinh_(); });
}

}  // namespace
}  // namespace tamis
