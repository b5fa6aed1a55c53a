// Gamma functions, with values by hand: closed forms, and a sum in forty digits.
#include <numbers>

#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/pointwise.h"

namespace tamis {
namespace {

using namespace testing;

double one(const Tensor& x) { return x.item<double>(); }

TEST(Gamma, SharesAreExact) {
  const Tensor a = tensor(50., float64), x = tensor(48., float64);
  EXPECT_NEAR(one(igammac(a, x)), 0.59459560499523855777, 1e-15);
  EXPECT_NEAR(one(igamma(a, x)) + one(igammac(a, x)), 1, 1e-15);
  // Of shape 1 it is the exponential distribution.
  for (double at : {1e-3, 0.4, 1.05, 3., 30.}) {
    const Tensor shape = tensor(1., float64), z = tensor(at, float64);
    EXPECT_NEAR(one(igammac(shape, z)) / std::exp(-at), 1, 1e-14) << at;
    EXPECT_NEAR(one(igamma(shape, z)) / -std::expm1(-at), 1, 1e-14) << at;
  }
  EXPECT_KIND(igamma(tensor({1}), tensor({2})), dtype);
}

TEST(Gamma, DerivativesOfDigamma) {
  using std::numbers::pi;
  const Tensor half = tensor(0.5, float64), whole = tensor(1., float64);
  EXPECT_NEAR(one(polygamma(1, half)), pi * pi / 2, 1e-14);
  EXPECT_NEAR(one(polygamma(2, whole)), -2 * 1.2020569031595942854, 1e-14);
  EXPECT_NEAR(one(polygamma(3, half)), pi * pi * pi * pi, 1e-12);
  EXPECT_KIND(polygamma(-1, half), value);
}

TEST(Gamma, OfSeveralDimensions) {
  // gamma(2) gamma(3/2) sqrt(pi) = pi / 2
  EXPECT_NEAR(one(mvlgamma(tensor(2., float64), 2)), std::log(std::numbers::pi / 2), 1e-15);
  EXPECT_KIND(mvlgamma(tensor({true}), 1), dtype);
  EXPECT_KIND(mvlgamma(tensor({1.f}), 0), value);
}

}  // namespace
}  // namespace tamis
