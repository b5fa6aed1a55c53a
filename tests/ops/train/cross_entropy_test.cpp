// Losses of classes: values by hand and from PyTorch, and masks.
#include "tamis/loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/errors.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::kind_of;

const double kNaN = std::nan("");
const double kInf = HUGE_VAL;

std::vector<double> numbers(const Tensor& x) { return x.to_vector<double>(); }

TEST(Loss, OfClassesByHand) {
  const Tensor x = tensor({{-1., -2., -3.}, {-4., -5., -6.}}, float64), target = tensor({2, 0});
  EXPECT_EQ(numbers(nll_loss(x, target, {}, {}, -100, "none")), (std::vector<double>{3, 4}));
  const Tensor weight = tensor({1., 1., 3.}, float64);
  EXPECT_EQ(nll_loss(x, target, weight).item<double>(), (9. + 4) / 4);
  EXPECT_EQ(nll_loss(x, target, weight, tensor({true, false})).item<double>(), 3);
  EXPECT_EQ(nll_loss(x, target, {}, {}, 2).item<double>(), 4);
}

TEST(Loss, OfClassesAsPyTorchHasIt) {  // torch.nn.functional.cross_entropy
  const Tensor x = tensor({{1., 2., 3.}, {-1., 0., 4.}}, float64), target = tensor({0, 2});
  EXPECT_NEAR(cross_entropy(x, target).item<double>(), 1.2161754272916017, 1e-14);
  EXPECT_NEAR(cross_entropy(x, target, {}, {}, -100, "mean", 0.1).item<double>(),
              1.3161754272916018, 1e-14);
  const Tensor share = tensor({{0.2, 0.3, 0.5}, {1., 0., 0.}}, float64);
  EXPECT_NEAR(cross_entropy(x, share).item<double>(), 3.0661754272916015, 1e-14);
}

TEST(Loss, OfClassesIgnoresWhateverIsMaskedOut) {
  const Tensor x = tensor({{1., 2.}, {kNaN, kInf}, {0., 0.}}, float64);
  const Tensor mask = tensor({true, false, true});
  EXPECT_NEAR(cross_entropy(x, tensor({1, 77, 0}), {}, mask, -100, "sum").item<double>(),
              std::log1p(std::exp(-1.)) + std::log(2), 1e-15);
  EXPECT_EQ(kind_of([&] { cross_entropy(x, tensor({1, 77, 0})); }), ErrorKind::index);
  EXPECT_EQ(kind_of([&] { nll_loss(x, tensor({1, 0, -1})); }), ErrorKind::index);
}

}  // namespace
}  // namespace tamis
