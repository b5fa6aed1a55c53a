// Losses of margins: values from PyTorch, and what masks leave out.
#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/autograd.h"
#include "tamis/loss.h"

namespace tamis {
namespace {

using namespace testing;
using Floats = std::vector<float>;

const Tensor kX = tensor({{0.5f, -2.f, 3.f}, {0.f, 1.5f, -0.25f}});
const Tensor kY = tensor({{1.f, 0.5f, 2.f}, {-1.f, 2.f, 0.75f}});
const Tensor kSigns = tensor({{1, -1, 1}, {-1, -1, 1}});

void expect_near(const Tensor& x, const Floats& want) {
  const Floats got = x.to_vector<float>();
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 2e-6f) << i;
}

TEST(MarginLoss, OfSignsAndPairs) {
  expect_near(soft_margin_loss(kX, kSigns, {}, "sum"), {3.87009239f});
  expect_near(hinge_embedding_loss(kX, kSigns, 1, {}, "none"), {0.5f, 3, 3, 1, 0, -0.25f});
  expect_near(margin_ranking_loss(kX, flip(kX, {0}), kSigns, 0.5, {}, "none"),
              {0, 0, 0, 0, 4, 3.75f});
  expect_near(cosine_embedding_loss(kX, kY, tensor({1, -1}), 0, {}, "none"),
              {0.34056032f, 0.78418159f});
  expect_near(triplet_margin_loss(kX, kY, kX + kY, 2, 2, 0, false, {}, "none"),
              {2.44732523f, 1.14150476f});
}

TEST(MarginLoss, OfLargeNumbersDoesNotOverflow) {
  EXPECT_EQ(soft_margin_loss(tensor({-1000.f}), tensor({1})).item<float>(), 1000.f);
  EXPECT_EQ(soft_margin_loss(tensor({1000.f}), tensor({1})).item<float>(), 0.f);
}

TEST(MarginLoss, IgnoresWhatTheMaskLeavesOut) {
  const Tensor mask = tensor({{true, false, true}, {true, true, true}});
  Tensor x = kX.clone();
  x.select(0, 0).select(0, 1).fill_(NAN);
  x.requires_grad_();
  const Tensor loss = hinge_embedding_loss(x, kSigns, 1, mask);
  EXPECT_NEAR(loss.item<float>(), (0.5f + 3 + 1 + 0 - 0.25f) / 5, 1e-6f);
  loss.backward();
  EXPECT_FALSE(any(isnan(x.grad())).item<bool>());
  EXPECT_KIND(hinge_embedding_loss(kX, kSigns, 1, tensor({true, false})), shape);
  EXPECT_KIND(hinge_embedding_loss(kX, kSigns, 1, {}, "most"), value);
}

TEST(MarginLoss, RefusesOtherRanks) {
  EXPECT_KIND(cosine_embedding_loss(kX, kY, kSigns), shape);
  EXPECT_KIND(cosine_embedding_loss(kX[0], kY, tensor({1, 1})), shape);
  EXPECT_KIND(margin_ranking_loss(kX, kY, tensor(1)), shape);
  EXPECT_KIND(triplet_margin_loss(kX, kY, kX[0]), shape);
}

}  // namespace
}  // namespace tamis
