// Autograd: recording, the walk back, leaves, views and writes, hooks, graphs of any depth.
#include "tamis/autograd.h"

#include <cmath>

#include "pointwise_cases.h"
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

TEST(Autograd, WritesThroughViewsReachTheBase) {
  const Tensor w = leaf({2, 3});
  Tensor x = zeros({2, 2}, float64);
  x.select(0, 1).copy_(w * w);
  EXPECT_TRUE(x.requires_grad());
  (x * tensor(Doubles{1, 1, 10, 100}).view({2, 2})).sum().backward();
  EXPECT_EQ(w.grad().to_vector<double>(), (Doubles{40, 600}));
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

TEST(Autograd, ComplexNumbersCarryNoGradient) {
  const Tensor x = leaf({1, 2});
  expect_error(ErrorKind::unsupported,
               "complex numbers carry no gradient: detach() a tensor that requires one before it "
               "becomes complex",
               [&] { x.to(complex128); });
  EXPECT_EQ(x.detach().to(complex128).dtype(), complex128);
}

}  // namespace
}  // namespace tamis
