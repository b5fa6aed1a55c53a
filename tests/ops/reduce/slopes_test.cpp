// Slopes: integrals and derivatives of samples, with values from PyTorch and by hand.
#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/reduce.h"

namespace tamis {
namespace {

using namespace testing;
using Floats = std::vector<float>;

TEST(Trapezoid, IsTheArea) {
  const Tensor y = tensor({1.f, 2.f, 4.f}), x = tensor({0.f, 1.f, 3.f});
  EXPECT_EQ(trapezoid(y).item<float>(), 4.5f);
  EXPECT_EQ(trapezoid(y, 2.0).item<float>(), 9.f);
  EXPECT_EQ(trapezoid(y, x).item<float>(), 7.5f);
  EXPECT_EQ(cumulative_trapezoid(y, x).to_vector<float>(), (Floats{1.5f, 7.5f}));
  EXPECT_EQ(cumulative_trapezoid(y, 2.0).to_vector<float>(), (Floats{3, 9}));
  EXPECT_EQ(trapezoid(tensor({{1, 2}, {3, 5}}), 1.0, 0).to_vector<float>(), (Floats{2, 3.5f}));
  EXPECT_EQ(trapezoid(zeros({2, 0})).to_vector<float>(), (Floats{0, 0}));
}

TEST(Trapezoid, RefusesBoolsAndOtherSamples) {
  EXPECT_KIND(trapezoid(tensor({true, false})), dtype);
  EXPECT_KIND(trapezoid(zeros({2, 3}), zeros({2})), shape);
  EXPECT_KIND(trapezoid(tensor(1.f)), shape);
}

TEST(Gradient, IsExactForParabolas) {
  const Tensor x = tensor({1.f, 4.f, 9.f, 16.f, 27.f});
  EXPECT_EQ(gradient(x, 1, {}, 2)[0].to_vector<float>(), (Floats{2, 4, 6, 9, 13}));
  EXPECT_EQ(gradient(x, 2)[0].to_vector<float>(), (Floats{1.5f, 2, 3, 4.5f, 5.5f}));
  const Tensor at = tensor({0.f, 1.f, 3.f, 4.f});
  const Floats found = gradient(x.narrow(0, 0, 4), std::vector<Tensor>{at})[0].to_vector<float>();
  const Floats want{3.f, 2.83333325f, 5.5f, 7.f};
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(found[i], want[i], 1e-6f);
  // x^2 at 0, 1, 3, 4 has slopes 0, 2, 6, 8.
  const Floats slopes = gradient(at * at, std::vector<Tensor>{at}, {}, 2)[0].to_vector<float>();
  for (size_t i = 0; i < slopes.size(); ++i) {
    EXPECT_NEAR(slopes[i], 2 * at.to_vector<float>()[i], 1e-5f);
  }
}

TEST(Gradient, GoesAlongDimensions) {
  const Tensor x = arange(12, float32).view({3, 4});
  const std::vector<Tensor> both = gradient(x, tensor({2.f, 0.5f}));
  ASSERT_EQ(both.size(), 2u);
  EXPECT_TRUE(equal(both[0], full({3, 4}, 2.f)));
  EXPECT_TRUE(equal(both[1], full({3, 4}, 2.f)));
  EXPECT_EQ(gradient(x, 1, {-1}).size(), 1u);
}

TEST(Gradient, NeedsSamples) {
  EXPECT_KIND(gradient(zeros({1})), shape);
  EXPECT_KIND(gradient(zeros({2}), 1, {}, 2), shape);
  EXPECT_KIND(gradient(zeros({3}), 1, {}, 3), value);
  EXPECT_KIND(gradient(zeros({3, 3}), 1, {0, 0}), value);
  EXPECT_KIND(gradient(zeros({3, 3}), tensor({1.f})), value);
  EXPECT_KIND(gradient(zeros({3}), std::vector<Tensor>{zeros({2})}), shape);
}

}  // namespace
}  // namespace tamis
