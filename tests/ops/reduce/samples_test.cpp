// Samples: covariances, histograms and layer_norm, with values from PyTorch.
#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/reduce.h"

namespace tamis {
namespace {

using namespace testing;
using Floats = std::vector<float>;

const Tensor kRows = tensor({{1.f, 2.f, 4.f}, {0.f, 3.f, 1.f}});

void expect_near(const Tensor& x, const Floats& want) {
  const Floats got = x.to_vector<float>();
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 2e-6f) << i;
}

TEST(Cov, IsThatOfRows) {
  expect_near(cov(kRows), {2.33333349f, 0.33333334f, 0.33333334f, 2.33333325f});
  expect_near(cov(kRows.to(int64)), {2.33333349f, 0.33333334f, 0.33333334f, 2.33333325f});
  EXPECT_EQ(cov(kRows[0]).dim(), 0);
  expect_near(corrcoef(kRows), {1.f, 0.14285713f, 0.14285715f, 1.f});
}

TEST(Cov, CountsByWeights) {
  const Tensor often = tensor({1, 2, 0}), much = tensor({0.5f, 1.f, 2.f});
  expect_near(cov(kRows, 1, often, much), {0.25f, 0.75f, 0.75f, 2.25f});
}

TEST(Cov, RefusesWeightsThatAreNone) {
  EXPECT_KIND(cov(kRows, 1, tensor({1, 2})), shape);
  EXPECT_KIND(cov(kRows, 1, tensor({1, -2, 1})), value);
  EXPECT_KIND(cov(kRows, 1, tensor({1.f, 2.f, 1.f})), dtype);
  EXPECT_KIND(cov(kRows, 1, std::nullopt, tensor({1, 2, 1})), dtype);
  EXPECT_KIND(cov(zeros({1, 1, 1})), shape);
  EXPECT_KIND(cov(tensor({true, false})), dtype);
}

TEST(Histc, CountsWithinLimits) {
  const Tensor x = tensor({1.f, 2.f, 1.f, 4.f, NAN, -7.f});
  EXPECT_EQ(histc(x.narrow(0, 0, 4), 4).to_vector<float>(), (Floats{2, 1, 0, 1}));
  EXPECT_EQ(histc(x, 3, 1, 4).to_vector<float>(), (Floats{2, 1, 1}));
  EXPECT_EQ(histc(zeros({0}), 2).to_vector<float>(), (Floats{0, 0}));
  EXPECT_EQ(histc(tensor({3.f, 3.f}), 2).to_vector<float>(), (Floats{0, 2}));
  EXPECT_KIND(histc(x, 3), value);  // NaN is no limit
  EXPECT_KIND(histc(x, 0), value);
  EXPECT_KIND(histc(arange(3)), dtype);
}

TEST(Histogram, HasEdges) {
  const Tensor x = tensor({1.f, 2.f, 1.f, 4.f});
  const auto [density, edges] = histogram(x, 3, std::nullopt, std::nullopt, true);
  EXPECT_EQ(density.to_vector<float>(), (Floats{0.5f, 0.25f, 0.25f}));
  EXPECT_EQ(edges.to_vector<float>(), (Floats{1, 2, 3, 4}));
  const Tensor uneven = tensor({0.f, 1.f, 1.5f, 2.f});
  EXPECT_EQ(histogram(x, uneven).first.to_vector<float>(), (Floats{0, 2, 1}));
  EXPECT_EQ(histogram(x, uneven, x * 2).first.to_vector<float>(), (Floats{0, 4, 4}));
  EXPECT_KIND(histogram(x, 0), value);
  EXPECT_KIND(histogram(x, tensor({1.f})), shape);
  EXPECT_KIND(histogram(x, uneven, zeros({3})), shape);
}

TEST(LayerNorm, HasMeanZeroAndVarianceOne) {
  expect_near(layer_norm(kRows, {3}),
              {-1.06904137f, -0.26726031f, 1.33630180f, -1.06904161f, 1.33630192f, -0.26726043f});
  const Tensor weight = tensor({2.f, 2.f, 2.f}), bias = tensor({1.f, 1.f, 1.f});
  expect_near(layer_norm(kRows[0], {3}, weight, bias), {-1.13808274f, 0.46547938f, 3.6726036f});
  EXPECT_KIND(layer_norm(kRows, {2}), shape);
  EXPECT_KIND(layer_norm(kRows, {}), shape);
  EXPECT_KIND(layer_norm(kRows, {3}, ones({2})), shape);
  EXPECT_KIND(layer_norm(kRows.to(int64), {3}), dtype);
}

TEST(IsNonzero, NeedsOneElement) {
  EXPECT_TRUE(is_nonzero(tensor({{NAN}})));
  EXPECT_FALSE(is_nonzero(tensor(-0.f)));
  EXPECT_KIND(is_nonzero(zeros({0})), value);
  EXPECT_KIND(is_nonzero(zeros({2})), value);
}

}  // namespace
}  // namespace tamis
