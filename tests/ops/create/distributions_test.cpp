// Distributions: moments, limits, and the stream that generators share.
#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/autograd.h"
#include "tamis/random.h"

namespace tamis {
namespace {

using namespace testing;

constexpr int64_t kCount = 20000;

double mean_of(const Tensor& x) { return x.to(float64).mean().item<double>(); }
double std_of(const Tensor& x) { return x.to(float64).std().item<double>(); }

TEST(Distributions, HaveTheirMoments) {
  manual_seed(1);
  Tensor x = empty({kCount});
  uniform_(x, 2, 4);
  EXPECT_NEAR(mean_of(x), 3, 0.02);
  EXPECT_GE(x.min().item<float>(), 2.f);
  EXPECT_LT(x.max().item<float>(), 4.f);
  normal_(x, 5, 2);
  EXPECT_NEAR(mean_of(x), 5, 0.1);
  EXPECT_NEAR(std_of(x), 2, 0.1);
  exponential_(x, 4);
  EXPECT_NEAR(mean_of(x), 0.25, 0.02);
  EXPECT_GE(x.min().item<float>(), 0.f);
  log_normal_(x, 0, 0.25);
  EXPECT_NEAR(log(x).mean().item<double>(), 0, 0.02);
  geometric_(x, 0.25);
  EXPECT_NEAR(mean_of(x), 4, 0.2);
  EXPECT_EQ(x.min().item<float>(), 1.f);
  cauchy_(x, 3, 0.5);
  EXPECT_NEAR(x.median().item<double>(), 3, 0.1);
  bernoulli_(x, 0.25);
  EXPECT_NEAR(mean_of(x), 0.25, 0.02);
}

TEST(Distributions, OfIntegersHaveLimits) {
  manual_seed(2);
  Tensor x = empty({kCount}, uint8);
  random_(x);
  EXPECT_EQ(x.max().item<int64_t>(), 255);
  random_(x, 3, 6);
  EXPECT_EQ(x.min().item<int64_t>(), 3);
  EXPECT_EQ(x.max().item<int64_t>(), 5);
  EXPECT_KIND(random_(x, 0, 300), value);
  EXPECT_KIND(uniform_(x), dtype);
}

TEST(Distributions, OfTensors) {
  manual_seed(3);
  const Tensor mean = tensor({0.f, 10.f}).expand({kCount, 2}), std = tensor({2.f, 0.f});
  const Tensor x = normal(mean, std);
  EXPECT_NEAR(std_of(x.select(1, 0)), 2, 0.1);
  EXPECT_TRUE(all(x.select(1, 1) == 10).item<bool>());
  EXPECT_KIND(normal(mean, tensor({-1.f, 1.f})), value);
  EXPECT_EQ(normal(1.0, 0.0, {2, 2}).to_vector<float>(), (std::vector<float>{1, 1, 1, 1}));
  EXPECT_EQ(randint_like(mean, 5, 6).dtype(), float32);
}

TEST(Distributions, OfAGeneratorBeginAgain) {
  Tensor x = empty({100}), y = empty({100});
  uniform_(x, 0, 1, Generator(7));
  uniform_(y, 0, 1, Generator(7));
  EXPECT_TRUE(equal(x, y));
}

TEST(Distributions, AreNotWrittenToLeaves) {
  Tensor x = ones({3}).requires_grad_();
  EXPECT_KIND(uniform_(x), unsupported);
}

TEST(Logspace, HasPowers) {
  EXPECT_EQ(logspace(0, 3, 4, 2).to_vector<float>(), (std::vector<float>{1, 2, 4, 8}));
  EXPECT_EQ(logspace(0, 3, 4, 2, int64).to_vector<int64_t>(), (std::vector<int64_t>{1, 2, 4, 8}));
}

TEST(EmptyStrided, HasItsStrides) {
  Tensor x = empty_strided({2, 3}, {1, 2}, int64);
  EXPECT_EQ(x.strides(), (Shape{1, 2}));
  x.copy_(arange(6).view({2, 3}));
  EXPECT_EQ(x.to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_KIND(empty_strided({2}, {1, 2}), shape);
  EXPECT_KIND(empty_strided({2}, {-1}), shape);
  EXPECT_KIND(empty_strided({INT64_MAX, 3}, {INT64_MAX, 2}), shape);
}

}  // namespace
}  // namespace tamis
