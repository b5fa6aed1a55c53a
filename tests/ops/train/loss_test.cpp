// Losses: values by hand and from PyTorch, masks, and what they allocate.
#include "tamis/loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/errors.h"
#include "support/observe.h"
#include "tamis/masks.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::kind_of;
using testing::ModeGuard;
using testing::random_mask;

const double kNaN = std::nan("");
const double kInf = HUGE_VAL;

std::vector<double> numbers(const Tensor& x) { return x.to_vector<double>(); }

const std::vector<double> kX = {1, 4, -2, 0.5}, kY = {2, 1, -2, 0};

TEST(Loss, OfNumbersByHand) {
  const Tensor x = tensor(kX), y = tensor(kY);
  EXPECT_EQ(numbers(mse_loss(x, y, {}, "none")), (std::vector<double>{1, 9, 0, 0.25}));
  EXPECT_EQ(mse_loss(x, y).item<double>(), 10.25 / 4);
  EXPECT_EQ(numbers(l1_loss(x, y, {}, "none")), (std::vector<double>{1, 3, 0, 0.5}));
  EXPECT_EQ(numbers(huber_loss(x, y, {}, "none", 2)), (std::vector<double>{0.5, 4, 0, 0.125}));
  EXPECT_EQ(numbers(smooth_l1_loss(x, y, {}, "none", 2)),
            (std::vector<double>{0.25, 2, 0, 0.0625}));
  EXPECT_EQ(smooth_l1_loss(x, y, {}, "sum", 0).item<double>(), 4.5);
}

TEST(Loss, SecondDerivativesOfTheSmoothOnes) {  // 1 where they are quadratic, as in PyTorch
  using Loss = Tensor (*)(const Tensor&, const Tensor&, const std::optional<Tensor>&,
                          const std::string&, double);
  for (const Loss loss : {Loss(huber_loss), Loss(smooth_l1_loss)}) {
    const Tensor x = tensor({-3., 0., 0.5, 1.}).requires_grad_();
    const Tensor first = grad({loss(x, zeros_like(x), {}, "sum", 1)}, {x}, {}, {}, true)[0];
    EXPECT_EQ(numbers(first), (std::vector<double>{-1, 0, 0.5, 1}));
    EXPECT_EQ(numbers(grad({first.sum()}, {x})[0]), (std::vector<double>{0, 1, 1, 0}));
  }
}

TEST(Loss, WithAMaskDividesByWhatIsKept) {
  const Tensor x = tensor(kX), y = tensor(kY), mask = tensor({true, true, false, false});
  EXPECT_EQ(mse_loss(x, y, mask).item<double>(), 5);
  EXPECT_EQ(mse_loss(x, y, mask, "sum").item<double>(), 10);
  EXPECT_EQ(numbers(mse_loss(x, y, mask, "none")), (std::vector<double>{1, 9, 0, 0}));
  EXPECT_EQ(l1_loss(x, y, mask).item<double>(), 2);
  EXPECT_EQ(huber_loss(x, y, mask, "mean", 2).item<double>(), 2.25);
}

TEST(Loss, BroadcastsTheMask) {
  const Tensor x = arange(6.).view({2, 3}).to_double(), y = zeros({2, 3}, float64);
  EXPECT_EQ(l1_loss(x, y, tensor({true, false, false})).item<double>(), 1.5);
  EXPECT_EQ(l1_loss(x, y, tensor({{false}, {true}})).item<double>(), 4);
  EXPECT_EQ(l1_loss(x, y, masks::from_lengths(tensor({1, 2}), 3)).item<double>(), 7. / 3);
  EXPECT_EQ(kind_of([&] { l1_loss(x, y, ones({2}, boolean)); }), ErrorKind::shape);
  EXPECT_EQ(kind_of([&] { l1_loss(x, y, ones({4, 2, 3}, boolean)); }), ErrorKind::shape);
  EXPECT_EQ(kind_of([&] { l1_loss(x, y, x); }), ErrorKind::dtype);
}

TEST(Loss, IgnoresWhateverIsMaskedOut) {
  const Tensor mask = tensor({true, false, false, true});
  const Tensor x = tensor(std::vector<double>{1, kNaN, kInf, 2});
  const Tensor y = tensor(std::vector<double>{0, -kInf, kInf, 0});
  for (auto* loss : {mse_loss, l1_loss}) {
    EXPECT_TRUE(std::isfinite(loss(x, y, mask, "mean").item<double>()));
    EXPECT_EQ(numbers(loss(x, y, mask, "none"))[1], 0);
  }
  EXPECT_EQ(huber_loss(x, y, mask, "sum").item<double>(), 2);
  EXPECT_EQ(smooth_l1_loss(x, y, mask, "sum").item<double>(), 2);
  EXPECT_NEAR(binary_cross_entropy_with_logits(x, y, {}, mask, "sum").item<double>(),
              3.4401896985611957, 1e-14);
  const Tensor p = tensor(std::vector<double>{0.5, kNaN, 7, 0.5});
  EXPECT_NEAR(binary_cross_entropy(p, y, {}, mask).item<double>(), std::log(2), 1e-15);
}

TEST(Loss, OfNothingIsNaNInTheMeanAndZeroInTheSum) {
  const Tensor x = tensor(kX), y = tensor(kY), none = zeros({4}, boolean);
  EXPECT_TRUE(std::isnan(mse_loss(x, y, none).item<double>()));
  EXPECT_EQ(mse_loss(x, y, none, "sum").item<double>(), 0);
  EXPECT_TRUE(std::isnan(mse_loss(zeros({0}), zeros({0})).item<double>()));
  EXPECT_TRUE(std::isnan(mse_loss(zeros({0}), zeros({0}), zeros({0}, boolean)).item<double>()));
  const Tensor logits = zeros({2, 3}), target = tensor({-100, -100});
  EXPECT_TRUE(std::isnan(cross_entropy(logits, target).item<double>()));
  EXPECT_EQ(cross_entropy(logits, target, {}, {}, -100, "sum").item<double>(), 0);
}

TEST(Loss, OfHalvesDoesNotOverflowInTheMean) {
  const Tensor x = full({1000}, 200, float16), y = zeros({1000}, float16);
  EXPECT_EQ(mse_loss(x, y, ones({1000}, boolean)).item<double>(), 40000);
}

TEST(Loss, RefusesWhatItCannotCompute) {
  const Tensor x = zeros({2, 3}), whole = zeros({2, 3}, int64);
  EXPECT_EQ(kind_of([&] { mse_loss(x, x, {}, "max"); }), ErrorKind::value);
  EXPECT_EQ(kind_of([&] { mse_loss(whole, whole); }), ErrorKind::dtype);
  EXPECT_EQ(kind_of([&] { l1_loss(whole, whole, ones({3}, boolean)); }), ErrorKind::dtype);
  EXPECT_EQ(kind_of([&] { huber_loss(x, x, {}, "mean", 0); }), ErrorKind::value);
  EXPECT_EQ(kind_of([&] { smooth_l1_loss(x, x, {}, "mean", -1); }), ErrorKind::value);
  EXPECT_EQ(kind_of([&] { binary_cross_entropy(x - 1, x); }), ErrorKind::value);
  EXPECT_EQ(kind_of([&] { binary_cross_entropy_with_logits(x, zeros({3})); }), ErrorKind::value);
  EXPECT_EQ(kind_of([&] { cross_entropy(x, zeros({3}, int64)); }), ErrorKind::value);
  EXPECT_EQ(kind_of([&] { cross_entropy(x, zeros({2}, int32)); }), ErrorKind::dtype);
  EXPECT_EQ(kind_of([&] { cross_entropy(x, zeros({2}, int64), zeros({2})); }), ErrorKind::shape);
}

TEST(Loss, GivesNoGradientToWhatIsMaskedOut) {
  const Tensor mask = tensor({true, false, false, true});
  const Tensor y = tensor(std::vector<double>{0, kInf, kNaN, 0});
  const std::vector<std::function<Tensor(const Tensor&)>> losses = {
      [&](const Tensor& x) { return mse_loss(x, y, mask); },
      [&](const Tensor& x) { return l1_loss(x, y, mask); },
      [&](const Tensor& x) { return huber_loss(x, y, mask); },
      [&](const Tensor& x) { return smooth_l1_loss(x, y, mask); },
      [&](const Tensor& x) { return binary_cross_entropy_with_logits(x, y, {}, mask); }};
  for (size_t i = 0; i < losses.size(); ++i) {
    const Tensor x = tensor(std::vector<double>{1, kNaN, kInf, 2}).requires_grad_();
    backward({losses[i](x)});
    const std::vector<double> grad = numbers(x.grad());
    EXPECT_EQ(grad[1], 0) << i;
    EXPECT_EQ(grad[2], 0) << i;
    EXPECT_GT(grad[0], 0) << i;
  }
  const Tensor logits = tensor({{1., 2.}, {kNaN, kInf}, {0., 0.}}, float64).requires_grad_();
  backward({cross_entropy(logits, tensor({1, 0, 0}), {}, tensor({true, false, true}))});
  EXPECT_NEAR(numbers(logits.grad())[4], -0.25, 1e-15);
  EXPECT_EQ(numbers(logits.grad())[2], 0);
  EXPECT_EQ(numbers(logits.grad())[3], 0);
}

/// Bytes that a call allocates, deferred.
int64_t allocated(const std::function<void()>& call) {
  const ModeGuard mode(false);
  const int64_t before = memory_stats().allocated_bytes;
  call();
  return memory_stats().allocated_bytes - before;
}

TEST(Loss, MakesNoTemporaryOfTheInputsSize) {
  constexpr int64_t kSmall = 20000;
  const Tensor x = rand({512, 1024}), y = rand({512, 1024}), mask = random_mask({512, 1024}, 3);
  EXPECT_LT(allocated([&] { mse_loss(x, y, mask); }), kSmall);
  EXPECT_LT(allocated([&] { l1_loss(x, y, mask); }), kSmall);
  EXPECT_LT(allocated([&] { huber_loss(x, y, mask); }), kSmall);
  EXPECT_LT(allocated([&] { smooth_l1_loss(x, y, mask); }), kSmall);
  EXPECT_LT(allocated([&] { binary_cross_entropy(x, y, {}, mask); }), kSmall);
  EXPECT_LT(allocated([&] { binary_cross_entropy_with_logits(x, y, {}, mask, "mean", y[0]); }),
            kSmall);
  const Tensor target = randint(0, 1024, {512}), keep = random_mask({512}, 3);
  EXPECT_LT(allocated([&] { cross_entropy(x, target, y[0], keep, -100, "mean", 0.1); }), 100000);
  EXPECT_LT(allocated([&] { cross_entropy(x, y, {}, keep); }), 100000);
}

}  // namespace
}  // namespace tamis
