// Losses of distributions: values from PyTorch.
#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/autograd.h"
#include "tamis/loss.h"

namespace tamis {
namespace {

using namespace testing;
using Floats = std::vector<float>;

const Tensor kX = tensor({{0.5f, -2.f, 3.f}, {0.f, 1.5f, -0.25f}});
const Tensor kShares = tensor({{0.f, 0.25f, 0.75f}, {0.5f, 0.f, 0.5f}});

void expect_near(const Tensor& x, const Floats& want) {
  const Floats got = x.to_vector<float>();
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 4e-6f) << i;
}

TEST(LikelihoodLoss, OfProbabilities) {
  expect_near(kl_div(kX, kShares, {}, "none"),
              {0, 0.15342641f, -2.46576166f, -0.34657359f, 0, -0.22157359f});
  expect_near(kl_div(kX, kShares, {}, "batchmean"), {-1.44024122f});
}

TEST(LikelihoodLoss, OfNoProbabilityHasASlope) {
  const Tensor t = kShares.clone().requires_grad_();
  kl_div(kX, t, {}, "sum").backward();
  EXPECT_FALSE(any(isnan(t.grad())).item<bool>());
}

TEST(LikelihoodLoss, OfCounts) {
  const Tensor counts = tensor({{0.f, 1.f, 4.f}, {2.f, 0.f, 3.f}});
  expect_near(poisson_nll_loss(kX, counts, true, true, 1e-8, {}, "none"),
              {1.64872122f, 2.13533521f, 11.24279976f, 1.65180647f, 4.48168898f, 3.29288244f});
}

TEST(LikelihoodLoss, OfNormalNumbers) {
  const Tensor y = tensor({{1.f, 0.5f, 2.f}, {-1.f, 2.f, 0.75f}}), var = tensor({0.5f, 2.f});
  expect_near(gaussian_nll_loss(kX, y, var, true, 1e-6, {}, "none"),
              {0.82236493f, 6.82236481f, 1.57236493f, 1.51551211f, 1.32801211f, 1.51551211f});
  EXPECT_KIND(gaussian_nll_loss(kX, y, tensor({0.5f, -2.f})), value);
  EXPECT_KIND(gaussian_nll_loss(kX, y, tensor({0.5f, 2.f, 1.f})), value);
  const Tensor mask = tensor({{true}, {false}});
  EXPECT_NO_THROW(gaussian_nll_loss(kX, y, tensor({0.5f, -2.f}), false, 1e-6, mask));
}

}  // namespace
}  // namespace tamis
