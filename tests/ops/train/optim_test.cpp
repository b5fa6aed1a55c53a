// Optimisers: four steps each, against PyTorch's.
#include "tamis/optim.h"

#include "support/pointwise_cases.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using namespace testing;
using Doubles = std::vector<double>;

/// p after four steps down (p^2 * [1, 2, 3] + p).sum() from [1, -2, 3].
template <class O, class Options>
Doubles after_four_steps(const Options& options) {
  const Tensor p = tensor(Doubles{1, -2, 3}).requires_grad_(), w = tensor(Doubles{1, 2, 3});
  O optimizer({p}, options);
  for (int i = 0; i < 4; ++i) {
    optimizer.zero_grad();
    (p * p * w + p).sum().backward();
    optimizer.step();
  }
  return p.to_vector<double>();
}

void expect_near(const Doubles& got, const Doubles& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-12) << i;
}

TEST(Optim, SGDStepsAsPyTorchDoes) {
  expect_near(after_four_steps<SGD>(0.05), {0.48415, -0.9667999999999999, 0.5936499999999999});
  expect_near(after_four_steps<SGD>(SGD::Options{
                  .lr = 0.05, .momentum = 0.9, .dampening = 0.1, .weight_decay = 0.01}),
              {-0.1037291412334483, 0.2070975426576653, -2.0814439386007573});
  expect_near(after_four_steps<SGD>(SGD::Options{.lr = 0.05, .momentum = 0.9, .nesterov = true}),
              {-0.35916813500000005, 0.3184403200000001, -1.517145785});
}

TEST(Optim, AdamStepsAsPyTorchDoes) {
  expect_near(after_four_steps<Adam>(0.1),
              {0.6021989364677947, -1.6017891595160985, 2.6008568420268525});
  expect_near(
      after_four_steps<Adam>(Adam::Options{.lr = 0.1, .betas = {0.8, 0.9}, .weight_decay = 0.1}),
      {0.602447780733034, -1.601943695481355, 2.60094193048863});
  expect_near(
      after_four_steps<Adam>(Adam::Options{.lr = 0.1, .weight_decay = 0.1, .decoupled = true}),
      {0.5690260331399557, -1.5294037538446448, 2.488907006216224});
}

TEST(Optim, RefusesWhatItCannotOptimise) {
  const Tensor p = zeros({2}).requires_grad_();
  EXPECT_THROW(SGD({}, 0.1), Error);
  EXPECT_THROW(SGD({zeros({2})}, 0.1), Error);
  EXPECT_THROW(SGD({p * 2}, 0.1), Error);
  EXPECT_THROW(SGD({p}, -1.0), Error);
  EXPECT_THROW(SGD({p}, SGD::Options{.nesterov = true}), Error);
  EXPECT_THROW(Adam({p}, Adam::Options{.betas = {1.0, 0.9}}), Error);
}

TEST(Optim, LeavesParametersWithoutGradientAlone) {
  const Tensor p = ones({2}).requires_grad_(), q = ones({2}).requires_grad_();
  Adam optimizer({p, q}, 0.1);
  p.sum().backward();
  optimizer.step();
  EXPECT_EQ(q.to_vector<float>(), (std::vector<float>{1, 1}));
  EXPECT_NE(p.to_vector<float>(), (std::vector<float>{1, 1}));
  EXPECT_TRUE(p.is_leaf() && p.requires_grad());
}

}  // namespace
}  // namespace tamis
