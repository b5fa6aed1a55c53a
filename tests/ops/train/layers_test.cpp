// Layers: rows by number, and elements left out at random.
#include "tamis/layers.h"
#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/autograd.h"
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

TEST(Embedding, ScalesRowsToANorm) {
  Tensor table = tensor({{3.f, 4.f}, {0.5f, 0.f}, {6.f, 8.f}});
  const Tensor found = embedding(tensor({0, 1}), table, {}, 1.0);
  EXPECT_NEAR(table[0].norm().item<double>(), 1, 1e-6);
  EXPECT_EQ(table[1].to_vector<float>(), (std::vector<float>{0.5f, 0}));
  EXPECT_EQ(table[2].to_vector<float>(), (std::vector<float>{6, 8}));
  EXPECT_TRUE(equal(found, table.narrow(0, 0, 2)));
  EXPECT_KIND(embedding_renorm_(table, tensor({7}), 1.0), index);
}

TEST(Embedding, DividesGradientsByFrequency) {
  const Tensor table = ones({3, 1}, float64).requires_grad_();
  (embedding(tensor({2, 0, 2, 2}), table, {}, {}, 2, true) * tensor({1., 5., 2., 6.}).view({4, 1}))
      .sum()
      .backward();
  EXPECT_EQ(table.grad().to_vector<double>(), (std::vector<double>{5, 0, 3}));
}

TEST(EmbeddingBag, ReducesRows) {
  const Tensor table = arange(12, float32).view({4, 3}), line = tensor({0, 1, 2, 3, 1, 1});
  const Tensor starts = tensor({0, 2, 2, 5});
  const auto bag = [&](const char* mode, std::optional<int64_t> padding = {}) {
    return embedding_bag(line, table, starts, {}, 2, false, mode, {}, false, padding)
        .select(1, 0)
        .to_vector<float>();
  };
  EXPECT_EQ(bag("sum"), (std::vector<float>{3, 0, 18, 3}));
  EXPECT_EQ(bag("mean"), (std::vector<float>{1.5, 0, 6, 3}));
  EXPECT_EQ(bag("max"), (std::vector<float>{3, 0, 9, 3}));
  EXPECT_EQ(bag("mean", 1), (std::vector<float>{0, 0, 7.5, 0}));
  EXPECT_EQ(bag("max", -3), (std::vector<float>{0, 0, 9, 0}));
  EXPECT_EQ(embedding_bag(line, table, tensor({0, 2, 3}), {}, 2, false, "max", {}, true)
                .select(1, 2)
                .to_vector<float>(),
            (std::vector<float>{5, 8}));
}

TEST(EmbeddingBag, RefusesOffsetsOutOfOrder) {
  const Tensor table = ones({4, 3}), line = tensor({0, 1, 2});
  EXPECT_KIND(embedding_bag(line, table), value);
  EXPECT_KIND(embedding_bag(line, table, tensor({1, 2})), value);
  EXPECT_KIND(embedding_bag(line, table, tensor({0, 4})), value);
  EXPECT_KIND(embedding_bag(line, table, tensor({0, 2, 1})), value);
  EXPECT_KIND(embedding_bag(tensor({4}), table, tensor({0})), index);
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
