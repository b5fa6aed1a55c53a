// Quantiles, percentiles, and the masked median and quantile.
#include <cmath>
#include <limits>

#include "support/mask_cases.h"

namespace tamis {
namespace {

using namespace mask_cases;

TEST(Quantile, InterpolatesAsItIsTold) {
  const Tensor x = tensor({4.f, 1.f, 2.f, 8.f, 16.f, 32.f});
  const std::pair<const char*, float> wanted[] = {
      {"linear", 3.f}, {"lower", 2.f}, {"higher", 4.f}, {"midpoint", 3.f}, {"nearest", 4.f}};
  for (const auto& [how, value] : wanted) {
    expect_same(quantile(x, 0.3, {}, false, how), tensor(value), how);
  }
  expect_same(x.quantile(tensor({0.f, 0.5f, 1.f})), tensor({1.f, 6.f, 32.f}));
}

TEST(Percentile, IsAQuantileInPercent) {
  const Tensor x = tensor({{1., 2., 4.}, {3., 5., 9.}});
  EXPECT_EQ(percentile(x, 25, 1).to_vector<double>(), (std::vector<double>{1.5, 4}));
  EXPECT_EQ(percentile(x, tensor({0, 50, 100}), -1, true).shape(), Shape({3, 2, 1}));
  EXPECT_EQ(percentile(x, tensor({0, 50, 100})).to_vector<double>(),
            (std::vector<double>{1, 3.5, 9}));
  EXPECT_EQ(percentile(x, 50, {}, false, "lower").item<double>(), 3);
  EXPECT_EQ(percentile(x.to(float64), 12.5, 1).dtype(), float64);
  EXPECT_THROW(percentile(x, 100.5), Error);
  EXPECT_THROW(percentile(x, -1), Error);
  EXPECT_THROW(percentile(x, std::nan("")), Error);
  EXPECT_THROW(percentile(x, tensor({{50}})), Error);
  EXPECT_THROW(percentile(tensor({1, 2}), 50), Error);
}

TEST(Quantile, PutsTheQuantilesFirst) {
  const Tensor x = tensor({{1.f, 3.f}, {5.f, 7.f}, {9.f, 11.f}});
  const Tensor q = tensor({0.5f, 0.75f});
  expect_same(quantile(x, q, 0), tensor({{5.f, 7.f}, {7.f, 9.f}}));
  expect_same(quantile(x, q, 1), tensor({{2.f, 6.f, 10.f}, {2.5f, 6.5f, 10.5f}}));
  EXPECT_EQ(quantile(x, q, 1, true).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(quantile(x, 0.5, {}, true).shape(), (Shape{1, 1}));
}

TEST(Quantile, OfAnElementIsThatElement) {
  const float inf = std::numeric_limits<float>::infinity();
  expect_same(quantile(tensor({inf, inf}), 0.5), tensor(inf));
  expect_same(quantile(tensor({-inf, 1.f, inf}), 0.), tensor(-inf));
}

TEST(Quantile, HasNoLimitOfSize) {
  constexpr int64_t kSize = (int64_t{1} << 24) + 5;
  // float32 cannot count this far.
  const Tensor ranks = zeros({kSize});
  Tensor tail = ranks.narrow(0, 16777218, kSize - 16777218);
  tail.fill_(1);
  expect_same(quantile(ranks, 16777217. / (kSize - 1)), tensor(0.f));
  expect_same(quantile(ranks, 16777218. / (kSize - 1)), tensor(1.f));
}

TEST(Quantile, FindsSeveralInALargeSliceAtOnce) {
  constexpr int64_t kLast = 100000;
  manual_seed(8);
  const Tensor x = randn({kLast + 1}), sorted = sort(x).first;
  const Tensor q = tensor({0.5, 0.0, 0.25, 0.25, 0.99, 1.0}).to(float64);
  const Tensor at = (q * kLast).round().to_long();
  expect_same(quantile(x.to(float64), q, {}, false, "nearest").to_float(), sorted[at].get());
}

TEST(MaskedOrder, NeverLooksAtWhatIsMaskedOut) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = tensor({{nan, 1.f, 5.f, 3.f}, {2.f, nan, 7.f, 9.f}});
  const Tensor mask = tensor({{false, true, true, true}, {false, false, false, false}});
  expect_same(masked::median(x, mask, 1), tensor({3.f, nan}));
  expect_same(masked::quantile(x, mask, 0.25, 1), tensor({2.f, nan}));
  expect_same(masked::quantile(x, mask.logical_not(), 0.5, 1), tensor({nan, nan}));
}

}  // namespace
}  // namespace tamis
