// Distances: values from PyTorch, and slopes where there is none.
#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/autograd.h"
#include "tamis/linalg.h"

namespace tamis {
namespace {

using namespace testing;
using Floats = std::vector<float>;

TEST(Distance, OfRows) {
  const Tensor x = tensor({{0.f, 0.f}, {1.f, 1.f}}), y = tensor({{3.f, 4.f}});
  EXPECT_EQ(cdist(x, y).to_vector<float>(), (Floats{5.f, 3.60555124f}));
  EXPECT_EQ(cdist(x, y, 1).to_vector<float>(), (Floats{7, 5}));
  EXPECT_EQ(cdist(x, y, HUGE_VAL).to_vector<float>(), (Floats{4, 3}));
  EXPECT_EQ(cdist(x, y, 0).to_vector<float>(), (Floats{2, 2}));
  EXPECT_EQ(pdist(tensor({{0.f, 0.f}, {3.f, 4.f}, {3.f, 0.f}})).to_vector<float>(),
            (Floats{5, 3, 4}));
  EXPECT_EQ(dist(x, y[0]).item<float>(), std::sqrt(25.f + 13.f));
  EXPECT_EQ(pairwise_distance(x, y, 2, 0).to_vector<float>(), (Floats{5.f, 3.60555124f}));
}

TEST(Distance, OfEqualRowsHasNoSlope) {
  const Tensor x = tensor({{1., 2.}, {1., 2.}}, float64).requires_grad_();
  pdist(x).sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (std::vector<double>{0, 0, 0, 0}));
}

TEST(Distance, OfNoColumnsIsZero) {
  EXPECT_EQ(cdist(zeros({2, 0}), zeros({3, 0}), HUGE_VAL).shape(), (Shape{2, 3}));
  EXPECT_EQ(cdist(zeros({2, 0}), zeros({3, 0})).sum().item<float>(), 0);
}

TEST(Distance, IsRefusedForIntegersAndOtherColumns) {
  EXPECT_KIND(cdist(ones({2, 2}, int64), ones({2, 2}, int64)), dtype);
  EXPECT_KIND(cdist(ones({2, 2}), ones({2, 3})), shape);
  EXPECT_KIND(cdist(ones({2, 2}), ones({2, 2}), -1), value);
  EXPECT_KIND(pdist(ones({2})), shape);
}

TEST(CosineSimilarity, IsTheCosineOfTheAngle) {
  const Tensor x = tensor({{1.f, 0.f}, {0.f, 0.f}}), y = tensor({{1.f, 1.f}, {1.f, 1.f}});
  const Floats found = cosine_similarity(x, y).to_vector<float>();
  EXPECT_FLOAT_EQ(found[0], 0.70710677f);
  EXPECT_EQ(found[1], 0.f);
  EXPECT_KIND(cosine_similarity(x.to(int64), y.to(int64)), dtype);
}

TEST(Renorm, ScalesDownOnly) {
  const Tensor x = tensor({{3.f, 4.f}, {0.25f, 0.5f}});
  const Floats found = renorm(x, 2, 0, 1).to_vector<float>();
  EXPECT_FLOAT_EQ(found[0], 0.6f);
  EXPECT_FLOAT_EQ(found[1], 0.8f);
  EXPECT_EQ(found[2], 0.25f);
  EXPECT_EQ(found[3], 0.5f);
  EXPECT_KIND(renorm(x[0], 2, 0, 1), shape);
  EXPECT_KIND(renorm(x, 0, 0, 1), value);
}

}  // namespace
}  // namespace tamis
