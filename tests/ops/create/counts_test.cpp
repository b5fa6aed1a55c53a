// Counts: the numbers of events and of successes.
#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/random.h"
#include "tamis/reduce.h"

namespace tamis {
namespace {

using namespace testing;

TEST(Counts, HaveTheirMoments) {
  manual_seed(7);
  for (double rate : {0.5, 9., 40.}) {
    const Tensor x = poisson(full({20000}, rate, float64));
    EXPECT_NEAR(x.mean().item<double>(), rate, 5 * std::sqrt(rate / 20000));
    EXPECT_NEAR(x.var().item<double>() / rate, 1, 0.08);
  }
  for (double p : {0.1, 0.5, 0.9}) {
    for (double n : {12., 300.}) {
      const Tensor x = binomial(full({20000}, n, float64), tensor(p, float64));
      EXPECT_NEAR(x.mean().item<double>(), n * p, 5 * std::sqrt(n * p * (1 - p) / 20000));
      EXPECT_NEAR(x.var().item<double>() / (n * p * (1 - p)), 1, 0.08);
    }
  }
}

TEST(Counts, BeginAgainWithTheSeed) {
  const Tensor rates = full({100}, 30.f);
  EXPECT_TRUE(equal(poisson(rates, Generator(3)), poisson(rates, Generator(3))));
  EXPECT_FALSE(equal(poisson(rates, Generator(3)), poisson(rates, Generator(4))));
}

TEST(Counts, AreCertainAtTheEnds) {
  EXPECT_EQ(
      binomial(tensor({5.f, 5.f, 5.f, -1.f}), tensor({0.f, 1.f, 2.f, .5f})).to_vector<float>(),
      (std::vector<float>{0, 5, 5, 0}));
  EXPECT_EQ(poisson(zeros({2})).to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_KIND(poisson(tensor({-1.f})), value);
  EXPECT_KIND(poisson(tensor({1})), dtype);
  EXPECT_KIND(binomial(tensor({1.f}), tensor({.5}, float64)), dtype);
}

}  // namespace
}  // namespace tamis
