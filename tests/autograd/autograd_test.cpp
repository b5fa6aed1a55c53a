// Autograd: recording, the walk back, leaves, views and writes, hooks, graphs of any depth.
#include "tamis/autograd.h"

#include <cmath>
#include <functional>

#include "backend/attempt.h"
#include "support/pointwise_cases.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using namespace testing;
using Doubles = std::vector<double>;

Tensor leaf(std::initializer_list<double> values) {
  return tensor(Doubles(values)).requires_grad_();
}

TEST(Autograd, ChainRule) {
  const Tensor x = leaf({1, 2, 3});
  (x * x + x.exp() * 0).sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Doubles{2, 4, 6}));
}

TEST(Autograd, GradientsAddUp) {
  const Tensor x = leaf({1, 2});
  (x * 3).sum().backward();
  (x * x).sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Doubles{5, 7}));
  x.set_grad(Tensor());
  EXPECT_FALSE(x.grad().defined());
}

TEST(Autograd, BroadcastGradientsAreSummed) {
  const Tensor x = leaf({1, 2, 3}),
               y = tensor(Doubles{10, 20}).view({2, 1}).detach().requires_grad_();
  (x * y).sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Doubles{30, 30, 30}));
  EXPECT_EQ(y.grad().shape(), (Shape{2, 1}));
  EXPECT_EQ(y.grad().to_vector<double>(), (Doubles{6, 6}));
}

TEST(Autograd, StructuralZerosDoNotLeak) {
  const Tensor x = leaf({0, 1, -1, 4});
  where(x > 0, log(x), 0).sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Doubles{0, 1, 0, 0.25}));
  const Tensor y = leaf({0, 1, -1, 4});
  sqrt(y).masked_fill(y <= 0, 0).sum().backward();
  EXPECT_EQ(y.grad().to_vector<double>(), (Doubles{0, 0.5, 0, 0.25}));
  const Tensor z = leaf({0, 1, -1, 4});
  log(z)[z > 0].get().sum().backward();
  EXPECT_EQ(z.grad().to_vector<double>(), (Doubles{0, 1, 0, 0.25}));
  const Tensor w = leaf({0, 2});
  log(w).select(0, 1).backward();
  EXPECT_EQ(w.grad().to_vector<double>(), (Doubles{0, 0.5}));
}

TEST(Autograd, SecondDerivatives) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor g = grad({(x * x * x).sum()}, {x}, {}, {}, true)[0];
  EXPECT_EQ(g.to_vector<double>(), (Doubles{3, 12, 27}));
  g.sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Doubles{6, 12, 18}));
}

TEST(Autograd, ReluHasASecondDerivative) {  // zero, as in PyTorch
  const Tensor x = leaf({-1, 0, 2, NAN});
  const Tensor g = grad({relu(x).sum()}, {x}, {}, {}, true)[0];
  EXPECT_EQ(g.to_vector<double>(), (Doubles{0, 0, 1, 1}));
  ASSERT_TRUE(g.requires_grad());
  EXPECT_EQ(grad({g.sum()}, {x})[0].to_vector<double>(), (Doubles{0, 0, 0, 0}));
  const Tensor y = leaf({-1, 2});
  const Tensor h = grad({(relu(y) * relu(y)).sum()}, {y}, {}, {}, true)[0];
  EXPECT_EQ(grad({h.sum()}, {y})[0].to_vector<double>(), (Doubles{0, 2}));
}

TEST(Autograd, ExtremesOfNaNGiveTheGradientToBoth) {  // as in PyTorch
  const Tensor a = leaf({NAN, 1, NAN, 2, 3}), b = leaf({1, NAN, NAN, 2, 1});
  const auto gradients = [&](const Tensor& y) { return grad({y.sum()}, {a, b}); };
  const std::vector<Tensor> low = gradients(minimum(a, b)), high = gradients(maximum(a, b));
  EXPECT_EQ(low[0].to_vector<double>(), (Doubles{1, 1, 1, 0.5, 0}));
  EXPECT_EQ(low[1].to_vector<double>(), (Doubles{1, 1, 1, 0.5, 1}));
  EXPECT_EQ(high[0].to_vector<double>(), (Doubles{1, 1, 1, 0.5, 1}));
  EXPECT_EQ(high[1].to_vector<double>(), (Doubles{1, 1, 1, 0.5, 0}));
}

TEST(Autograd, WritesThroughViewsReachTheBase) {
  const Tensor w = leaf({2, 3});
  Tensor x = zeros({2, 2}, float64);
  x.select(0, 1).copy_(w * w);
  EXPECT_TRUE(x.requires_grad());
  (x * tensor(Doubles{1, 1, 10, 100}).view({2, 2})).sum().backward();
  EXPECT_EQ(w.grad().to_vector<double>(), (Doubles{40, 600}));
}

TEST(Autograd, ABaseWithoutGradientsGetsThemThroughAnyView) {
  const Tensor w = leaf({2});
  const struct {
    const char* name;
    std::function<Tensor(const Tensor&)> view;
  } kinds[] = {
      {"select", [](const Tensor& x) { return x.select(0, 0); }},
      {"x[0]", [](const Tensor& x) { return x[0]; }},
      {"index by a number", [](const Tensor& x) { return x.index({0}); }},
      {"index by slices",
       [](const Tensor& x) {
         return x.index({Slice(0, 1), Slice(1)});
       }},
      {"index by None", [](const Tensor& x) { return x.index({None}); }},
      {"index by Ellipsis", [](const Tensor& x) { return x.index({Ellipsis}); }},
      {"transposed", [](const Tensor& x) { return x.t(); }},
      {"diagonal", [](const Tensor& x) { return x.diagonal(); }},
      {"split", [](const Tensor& x) { return x.split(1)[0]; }},
      {"unbind", [](const Tensor& x) { return x.unbind(1)[2]; }},
      {"ravel", [](const Tensor& x) { return x.ravel(); }},
  };
  for (const auto& kind : kinds) {
    SCOPED_TRACE(kind.name);
    const Tensor x = zeros({2, 3}, float64);
    Tensor view = kind.view(x);
    view += w.sum();
    ASSERT_TRUE(x.requires_grad());
    w.set_grad({});
    (x * 3).sum().backward();
    EXPECT_EQ(w.grad().item<double>(), 3.0 * static_cast<double>(view.numel()));
  }
}

TEST(Autograd, AWriteToAPartOfAResultKeepsTheRest) {
  const struct {
    const char* name;
    std::function<Tensor(const Tensor&)> result;
    Doubles expected;
  } kinds[] = {
      {"max", [](const Tensor& x) { return x.max(0).first; }, {0, 0, 0, 2, 1, 1}},
      {"min", [](const Tensor& x) { return x.min(1).first; }, {2, 0, 0, 1, 0, 0}},
      {"rows",
       [](const Tensor& x) {
         return x[tensor({true, true})].get();
       },
       {2, 2, 2, 1, 1, 1}},
      {"median", [](const Tensor& x) { return x.median(0).first; }, {2, 1, 1, 0, 0, 0}},
      {"quantile", [](const Tensor& x) { return x.quantile(1, 1); }, {0, 0, 2, 0, 0, 1}},
      {"gather",
       [](const Tensor& x) {
         return x.index({{0, 1}, {0, 1}});
       },
       {2, 0, 0, 0, 1, 0}},
  };
  for (const auto& kind : kinds) {
    SCOPED_TRACE(kind.name);
    const Tensor w = leaf({1, 2, 3, 4, 5, 6});
    Tensor y = kind.result((w * 1).view({2, 3}));
    y[0] *= 2;
    y.sum().backward();
    EXPECT_EQ(w.grad().to_vector<double>(), kind.expected);
  }
}

TEST(Autograd, TheDeviationOfEqualElementsHasGradientZero) {
  const Tensor w = leaf({3, 3, 3, 1, 2, 6});
  const Tensor x = w.view({2, 3}), mask = tensor({true, true, false});
  (x.std({1}) + std_mean(x, {1}).first + masked::std(x, mask, {1})).sum().backward();
  const Doubles slopes = w.grad().to_vector<double>();
  EXPECT_EQ((Doubles(slopes.begin(), slopes.begin() + 3)), (Doubles{0, 0, 0}));
  for (size_t i = 3; i < 6; ++i) EXPECT_TRUE(std::isfinite(slopes[i]) && slopes[i] != 0);
}

TEST(Autograd, DiagonalsOfExpandedTensors) {
  const Tensor w = leaf({1, 2});
  const Tensor x = w.expand({2, 2});
  (x.diagonal() * tensor(Doubles{3, 5})).sum().backward();
  EXPECT_EQ(w.grad().to_vector<double>(), (Doubles{3, 5}));
}

TEST(Autograd, AProductSavesOnlyWhatItNeeds) {
  const Tensor w = leaf({1, 2}), mask = tensor(Doubles{1, 0});
  Tensor x = w * 1;
  const Tensor left = mask * x, right = x * mask;
  x += 1;  // of use to a gradient of mask only, and there is none
  (left + right).sum().backward();
  EXPECT_EQ(w.grad().to_vector<double>(), (Doubles{2, 0}));
  const Tensor data = tensor(Doubles{1, 2, 3, 4}).view({2, 2});
  Tensor factor = (w * 1).view({2, 1});
  const Tensor product = matmul(data, factor);
  factor += 1;
  w.set_grad({});
  product.sum().backward();
  EXPECT_EQ(w.grad().to_vector<double>(), (Doubles{4, 6}));
}

TEST(Autograd, RoundingSavesNothing) {
  const Tensor w = leaf({1.5, 2.5});
  Tensor x = w * 1;
  const Tensor y = x.round() + x.floor() + x.ceil() + x.trunc() + x.sign() + x;
  x += 1;
  y.sum().backward();
  EXPECT_EQ(w.grad().to_vector<double>(), (Doubles{1, 1}));
}

TEST(Autograd, AViewSeesALaterWriteToItsBase) {
  const Tensor w = leaf({1, 2, 3});
  Tensor x = w * 1, tail = x.narrow(0, 1, 2);
  x.mul_(10);
  tail.sum().backward();
  EXPECT_EQ(w.grad().to_vector<double>(), (Doubles{0, 10, 10}));
}

TEST(Autograd, InPlaceMaskedWrites) {
  const Tensor w = leaf({1, 2, 3}), v = leaf({5});
  Tensor x = w * 2;
  x[tensor({true, false, true})] = v;
  (x * tensor(Doubles{1, 10, 100})).sum().backward();
  EXPECT_EQ(w.grad().to_vector<double>(), (Doubles{0, 20, 0}));
  EXPECT_EQ(v.grad().to_vector<double>(), (Doubles{101}));
}

TEST(Autograd, RefusesToWriteToLeaves) {
  Tensor x = leaf({1, 2});
  expect_error(ErrorKind::unsupported,
               "a leaf Variable that requires grad is being used in an in-place operation.",
               [&] { x.add_(1); });
  expect_error(
      ErrorKind::unsupported,
      "a view of a leaf Variable that requires grad is being used in an in-place operation.",
      [&] { x.select(0, 0).zero_(); });
  NoGradGuard guard;
  x.add_(1);
  EXPECT_EQ(x.to_vector<double>(), (Doubles{2, 3}));
}

TEST(Autograd, NoticesThatWhatItSavedWasOverwritten) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 2;
  const Tensor z = y * y;
  y.add_(1);
  try {
    z.sum().backward();
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("that mul saved is at version"), std::string::npos)
        << e.what();
  }
}

TEST(Autograd, AFreedGraphSaysSo) {
  const Tensor x = leaf({1, 2});
  const Tensor y = (x * x).sum();
  y.backward(Tensor(), true);
  y.backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Doubles{4, 8}));
  EXPECT_THROW(y.backward(), Error);
}

TEST(Autograd, AFaultOnTheWayLeavesTheGradientsAlone) {
  const Tensor x = leaf({1, 2, 3}), y = leaf({5, 7, 11}), z = leaf({1, 1, 1});
  (x + y).sum().backward();  // gradients of 1 to add to
  bool fails = true;
  const Tensor inner = x.exp() * y;
  inner.register_hook([&](const Tensor&) -> Tensor {
    if (fails) throw Error(ErrorKind::value, "stop");
    return Tensor();
  });
  // The newer path to y and z is walked before the hook, and so is the logarithm.
  const Tensor loss = (inner.log() * 2 + y * z).sum();
  const auto is_unchanged = [&] {
    return x.grad().to_vector<double>() == Doubles{1, 1, 1} &&
           y.grad().to_vector<double>() == Doubles{1, 1, 1} && !z.grad().defined();
  };
  Attempt attempt;  // keeps what is saved, too
  for (int i = 0; i < 2; ++i) {
    const Attempt::Run run(attempt);
    EXPECT_THROW(loss.backward(), Error);
    EXPECT_TRUE(is_unchanged());
    EXPECT_THROW(grad({loss}, {x}), Error);
  }
  fails = false;
  {
    const Attempt::Run run(attempt);
    EXPECT_THROW(grad({loss}, {x, leaf({1})}), Error) << "that one is not used is known at the end";
  }
  EXPECT_TRUE(allclose(grad({loss}, {x}, {}, true)[0], tensor(Doubles{2, 2, 2})));
  fails = true;
  EXPECT_THROW(loss.backward(), Error);
  EXPECT_TRUE(is_unchanged());
}

TEST(Autograd, HooksSeeAndChangeGradients) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2;
  Doubles seen;
  const int64_t id = y.register_hook([&](const Tensor& g) {
    seen = g.to_vector<double>();
    return g * 10;
  });
  (y * 3).sum().backward(Tensor(), true);
  EXPECT_EQ(seen, (Doubles{3, 3}));
  EXPECT_EQ(x.grad().to_vector<double>(), (Doubles{60, 60}));
  y.remove_hook(id);
}

TEST(Autograd, DeepGraphsNeedNoStack) {
  const Tensor x = leaf({1});
  Tensor y = x * 1;
  for (int i = 0; i < 100000; ++i) y = y + 1;
  y.backward();
  EXPECT_EQ(x.grad().item<double>(), 1);
}

TEST(Autograd, CustomFunctions) {
  const CustomFunction cube{"cube",
                            [](const std::vector<Tensor>& in) { return in[0] * in[0] * in[0]; },
                            [](const Tensor& g, const std::vector<Tensor>& saved) {
                              return std::vector<Tensor>{g * saved[0] * saved[0] * 3};
                            },
                            {}};
  const Tensor x = leaf({2, -1});
  EXPECT_TRUE(gradcheck([&](const std::vector<Tensor>& in) { return cube(in); }, {x}));
  EXPECT_TRUE(gradgradcheck([&](const std::vector<Tensor>& in) { return cube(in); }, {x}));
}

TEST(Autograd, GradcheckFindsAWrongGradient) {
  const CustomFunction wrong{"wrong",
                             [](const std::vector<Tensor>& in) { return in[0] * in[0]; },
                             [](const Tensor& g, const std::vector<Tensor>& saved) {
                               return std::vector<Tensor>{g * saved[0] * 2.1};
                             },
                             {}};
  EXPECT_THROW(gradcheck([&](const std::vector<Tensor>& in) { return wrong(in); }, {leaf({2, -1})}),
               Error);
}

TEST(Autograd, WritesInPlaceKeepWhatTheyReadThemselves) {
  const Tensor w = leaf({1, 2, 4}), v = leaf({2, 3, 5});
  Tensor x = w * 1;
  x.mul_(v);
  x.log_();
  x.square_();
  x.narrow(0, 0, 2).mul_(v.narrow(0, 1, 2));
  x.sum().backward();
  // x is log(w v)^2, times 3 and 5 in the first two elements.
  const Doubles at_w = {1, 2, 4}, at_v = {2, 3, 5}, factor = {3, 5, 1};
  const Doubles by_w = w.grad().to_vector<double>(), by_v = v.grad().to_vector<double>();
  for (size_t i = 0; i < 3; ++i) {
    const double slope = factor[i] * 2 * std::log(at_w[i] * at_v[i]);
    const double as_factor = i == 0 ? 0 : std::pow(std::log(at_w[i - 1] * at_v[i - 1]), 2);
    EXPECT_NEAR(by_w[i], slope / at_w[i], 1e-14);
    EXPECT_NEAR(by_v[i], slope / at_v[i] + as_factor, 1e-14);
  }
}

TEST(Autograd, NumbersAreAsPreciseAsTheGradient) {
  const Tensor x = leaf({0.5}), y = leaf({0.5});
  pow(x, 0.7).sum().backward();
  EXPECT_NEAR(x.grad().item<double>(), 0.7 * std::pow(0.5, 0.7 - 1), 1e-15);
  pow(0.7, y).sum().backward();
  EXPECT_NEAR(y.grad().item<double>(), std::pow(0.7, 0.5) * std::log(0.7), 1e-15);
}

TEST(Autograd, IndexedWrites) {
  const Tensor w = leaf({1, 2, 3, 4}), v = leaf({10, 20});
  Tensor x = w * w;
  index_put_(x, {tensor(std::vector<int64_t>{3, 0})}, v);
  (x * tensor(Doubles{1, 10, 100, 1000})).sum().backward();
  EXPECT_EQ(w.grad().to_vector<double>(), (Doubles{0, 40, 600, 0}));
  EXPECT_EQ(v.grad().to_vector<double>(), (Doubles{1000, 1}));
}

TEST(Autograd, AMaskedAddKeepsBothGradients) {
  const Tensor w = leaf({1, 2, 3}), v = leaf({10, 20});
  Tensor x = w * 1;
  const Tensor mask = tensor({true, false, true});
  x[mask] += v;
  (x * x).sum().backward();
  EXPECT_EQ(w.grad().to_vector<double>(), (Doubles{22, 4, 46}));
  EXPECT_EQ(v.grad().to_vector<double>(), (Doubles{22, 46}));
}

TEST(Autograd, ViewsOfViewsReachTheBase) {
  const Tensor w = tensor(Doubles{1, 2, 3, 4, 5, 6}, Shape{2, 3}).requires_grad_(), v = leaf({7});
  Tensor x = w * 2;
  Tensor inner = x.transpose(0, 1).narrow(0, 1, 2).select(1, 1);  // 5 and 6 of w
  inner.masked_fill_(tensor({true, false}), v.select(0, 0));
  (x * x).sum().backward();
  EXPECT_EQ(inner.to_vector<double>(), (Doubles{7, 12}));
  EXPECT_EQ(w.grad().to_vector<double>(), (Doubles{8, 16, 24, 32, 0, 48}));
  EXPECT_EQ(v.grad().to_vector<double>(), (Doubles{14}));
}

TEST(Autograd, FreeingTheResultFreesWhatWasSaved) {
  constexpr int64_t kCount = 1 << 18;
  const Tensor x = rand({kCount}).requires_grad_();
  x.sum().item();
  const int64_t before = memory_stats().live_bytes;
  {
    const Tensor y = x.exp().cumsum(0);
    const Tensor loss = (y * y).sum();
    loss.item();
    EXPECT_GE(memory_stats().live_bytes, before + kCount * 4);
  }
  EXPECT_LE(memory_stats().live_bytes, before + 1024);
}

TEST(Autograd, BackwardFreesWhatWasSaved) {
  constexpr int64_t kCount = 1 << 18;
  const Tensor x = rand({kCount}).requires_grad_();
  x.sum().item();
  const int64_t before = memory_stats().live_bytes;
  const Tensor loss = x.exp().cumsum(0).square().sum();
  loss.backward();
  EXPECT_LE(memory_stats().live_bytes, before + kCount * 4 + 1024);  // the gradient of x
}

/// The bytes that backward through f(x).sum() allocates, as multiples of x's.
double allocated_by_backward(const std::function<Tensor(const Tensor&)>& f) {
  constexpr int64_t kCount = 1 << 20;
  const Tensor x = rand({kCount}).requires_grad_();
  x.sum().item();
  const Tensor loss = f(x).sum();
  loss.item();
  const int64_t before = memory_stats().allocated_bytes;
  loss.backward();
  return static_cast<double>(memory_stats().allocated_bytes - before) / (kCount * 4);
}

TEST(Autograd, ChainsOfPointwiseGradientsAreFused) {
  if (eager_mode()) GTEST_SKIP() << "every operation has its own result";
  // The gradient itself, and a little.
  EXPECT_LT(allocated_by_backward([](const Tensor& x) {
              const Tensor y = abs(relu((x * 2 + 1).square() - 0.5) * 0.25 - 1);
              return (y / 3 + x) * 0.5;
            }),
            1.1);
  EXPECT_LT(allocated_by_backward([](Tensor x) {
              for (int i = 0; i < 5; ++i) x = (x * 0.5 + 1).sin();
              return x;
            }),
            1.1);
  // What takes too long an expression is stored now and then.
  EXPECT_LT(allocated_by_backward([](Tensor x) {
              for (int i = 0; i < 10; ++i) x = x.sin();
              return x;
            }),
            5.1);
  EXPECT_LT(allocated_by_backward([](const Tensor& x) {
              Tensor y = x * 2;
              for (int i = 0; i < 4; ++i) y = (y * 0.5 + 1).sin() + 2;
              return y;
            }),
            4.1);
}

TEST(Autograd, ALossWithNaNInAllMaskedElementsTrains) {
  constexpr int64_t kCount = 1'000'000;
  manual_seed(3);
  const Tensor mask = rand({kCount}) < 0.3;
  const Tensor x = where(mask, randn({kCount}), std::nanf("")).settle();
  const Tensor target = where(mask, x * 3 - 1, std::nanf("")).settle();
  const Tensor w = zeros({1}).requires_grad_(), b = zeros({1}).requires_grad_();
  SGD optimizer({w, b}, 0.3);
  double first = 0, last = 0;
  for (int step = 0; step < 25; ++step) {
    const Tensor loss = mse_loss(x * w + b, target, mask);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    last = loss.item<double>();
    if (step == 0) first = last;
  }
  EXPECT_GT(first, 1);
  EXPECT_LT(last, 1e-6);
  EXPECT_NEAR(w.item<double>(), 3, 1e-3);
  EXPECT_NEAR(b.item<double>(), -1, 1e-3);
}

TEST(Autograd, ProductsOfMatricesLeaveOutMaskedRows) {
  const auto gradients = [](double padding) {
    manual_seed(4);
    const Tensor mask = tensor({true, false, true, false});
    const Tensor x = where(mask.unsqueeze(1), randn({4, 3}), padding);
    const Tensor w = randn({3, 2}).requires_grad_();
    mse_loss(x.matmul(w).tanh(), zeros({4, 2}), mask.unsqueeze(1)).backward();
    return w.grad().to_vector<float>();
  };
  const std::vector<float> wanted = gradients(0);
  EXPECT_TRUE(std::isfinite(wanted[0]) && wanted[0] != 0);
  EXPECT_EQ(gradients(std::nan("")), wanted);
}

TEST(Autograd, QuantilesOfFloatsByANumber) {
  const Tensor x = tensor(std::vector<float>{4, 1, 3, 2}).requires_grad_();
  quantile(x, 0.5).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{0, 0, 0.5, 0.5}));
}

}  // namespace
}  // namespace tamis
