// Layers: rows by number, and elements left out at random.
#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/autograd.h"
#include "tamis/loss.h"
#include "tamis/random.h"

namespace tamis {
namespace {

using namespace testing;

TEST(Embedding, TakesRows) {
  const Tensor table = arange(6, float32).view({3, 2});
  EXPECT_EQ(embedding(tensor({{2, 0}}), table).to_vector<float>(),
            (std::vector<float>{4, 5, 0, 1}));
  EXPECT_EQ(embedding(tensor({{2, 0}}), table).shape(), (Shape{1, 2, 2}));
  EXPECT_KIND(embedding(tensor({3}), table), index);
  EXPECT_KIND(embedding(tensor({1.f}), table), dtype);
  EXPECT_KIND(embedding(tensor({1}), table[0]), shape);
  EXPECT_KIND(embedding(tensor({1}), table, 3), value);
}

TEST(Embedding, GivesPaddingNoGradient) {
  const Tensor table = ones({3, 2}, float64).requires_grad_();
  embedding(tensor({2, 0, 2, 1}), table, -1).sum().backward();
  EXPECT_EQ(table.grad().to_vector<double>(), (std::vector<double>{1, 1, 1, 1, 0, 0}));
}

TEST(Dropout, ScalesWhatItKeeps) {
  manual_seed(3);
  const Tensor x = ones({10000}, float64).requires_grad_();
  const Tensor y = dropout(x, 0.75);
  const Tensor kept = y != 0;
  EXPECT_NEAR(kept.to(float64).mean().item<double>(), 0.25, 0.03);
  EXPECT_TRUE(all((y == 4.0) | ~kept).item<bool>());
  y.sum().backward();
  EXPECT_TRUE(equal(x.grad(), y.detach()));
}

TEST(Dropout, KeepsNaNOutOfWhatItDrops) {
  const Tensor x = full({4}, NAN).requires_grad_();
  const Tensor y = dropout(x, 1);
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{0, 0, 0, 0}));
  y.sum().backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{0, 0, 0, 0}));
}

TEST(Dropout, DoesNothingWithoutTraining) {
  const Tensor x = arange(4, float32);
  EXPECT_TRUE(equal(dropout(x, 0.5, false), x));
  EXPECT_KIND(dropout(x, 1.5), value);
  EXPECT_KIND(dropout(arange(4)), dtype);
}

}  // namespace
}  // namespace tamis
