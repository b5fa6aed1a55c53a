// Losses of margins between classes: values from PyTorch and by hand.
#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/autograd.h"
#include "tamis/loss.h"

namespace tamis {
namespace {

using namespace testing;
using Floats = std::vector<float>;

const Tensor kX = tensor({{0.5f, -2.f, 3.f}, {0.f, 1.5f, -0.25f}});

void expect_near(const Tensor& x, const Floats& want) {
  const Floats got = x.to_vector<float>();
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 2e-6f) << i;
}

TEST(ClassMarginLoss, OfOneTarget) {
  const Tensor target = tensor({2, 0});
  expect_near(multi_margin_loss(kX, target, 1, 1, {}, {}, "none"), {0, 1.08333337f});
  expect_near(multi_margin_loss(kX, target, 2, 1, {}, {}, "none"), {0, 2.27083325f});
  // The weight is that of the target.
  expect_near(multi_margin_loss(kX, target, 1, 1, tensor({2.f, 7.f, 7.f}), {}, "none"),
              {0, 2.16666675f});
  expect_near(multi_margin_loss(kX[1], tensor(0)), {1.08333337f});
}

TEST(ClassMarginLoss, OfSeveralTargets) {
  // 1 is the target: (1 - 1.5 + 0) and (1 - 1.5 - 0.25) are below 0; 0 is: 1 - 0 + 1.5 and 0.75.
  const Tensor labels = tensor({{2, 0, -1}, {0, -1, 1}});
  expect_near(multilabel_margin_loss(kX, labels, {}, "none"), {0, (2.5f + 0.75f) / 3});
  expect_near(
      multilabel_soft_margin_loss(kX, tensor({{1.f, 0.f, 1.f}, {0.f, 0.f, 1.f}}), {}, {}, "none"),
      {0.21653080f, 1.07349992f});
}

TEST(ClassMarginLoss, RefusesTargetsThatAreNoClass) {
  EXPECT_KIND(multi_margin_loss(kX, tensor({2, 3})), value);
  EXPECT_KIND(multi_margin_loss(kX, tensor({2, -1})), value);
  EXPECT_KIND(multi_margin_loss(kX, tensor({2})), shape);
  EXPECT_KIND(multi_margin_loss(kX, tensor({2, 0}), 3), value);
  EXPECT_KIND(multilabel_margin_loss(kX, tensor({{2, 0, 3}, {0, 1, 2}})), value);
  EXPECT_KIND(multilabel_margin_loss(kX, tensor({2, 0})), shape);
}

TEST(ClassMarginLoss, TakesAnythingThatTheMaskLeavesOut) {
  const Tensor mask = tensor({false, true});
  expect_near(multi_margin_loss(kX, tensor({99, 0}), 1, 1, {}, mask), {1.08333337f});
  const Tensor labels = tensor({{99, 0, -1}, {0, -1, 1}});
  expect_near(multilabel_margin_loss(kX, labels, mask), {(2.5f + 0.75f) / 3});
}

}  // namespace
}  // namespace tamis
