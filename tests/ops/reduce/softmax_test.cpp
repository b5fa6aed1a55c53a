// Softmax and log-sum-exps: values from PyTorch 1.13 or by hand.
#include <limits>

#include "support/mask_cases.h"
#include "tamis/reduce.h"

namespace tamis {
namespace {

using namespace mask_cases;

const double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Softmax, HasPyTorchsValues) {
  const Tensor x = tensor({{1., 2., 3.}, {-1., 0., 1000.}});
  expect_near(softmax(x, 1), {0.09003057, 0.24472848, 0.66524094, 0, 0, 1});
  expect_near(log_softmax(x, 1), {-2.4076059, -1.4076059, -0.4076059, -1001, -1000, 0}, 1e-4);
  expect_near(softmin(x, 1), {0.66524094, 0.24472848, 0.09003057, 0.73105860, 0.26894143, 0});
  expect_near(softmax(x, 0), {0.88079703, 0.88079703, 0, 0.11920292, 0.11920292, 1});
}

TEST(Softmax, SumsToOneAlongEveryDimension) {
  const Tensor x = (values_of(float32, {5, 70, 33}) / 9).settle();
  for (int64_t dim : {0, 1, 2}) {
    const Tensor total = softmax(x, dim).sum({dim});
    EXPECT_LT((total - 1).abs().amax().item<double>(), 1e-5);
    EXPECT_TRUE(allclose(log_softmax(x, dim).exp(), softmax(x, dim), 1e-4, 1e-6));
  }
}

TEST(Softmax, DoesNotChangeItsInput) {
  const Tensor x = tensor({1.f, 2.f}), expression = x * 2;
  softmax(expression, 0);
  softmax(x, 0);
  expect_same(x, tensor({1.f, 2.f}));
  expect_same(expression, tensor({2.f, 4.f}));
}

TEST(Softmax, RefusesIntegers) {
  EXPECT_THROW(softmax(tensor({1, 2}), 0), Error);
  EXPECT_THROW(log_softmax(tensor({true}), 0), Error);
  EXPECT_THROW(softmax(tensor({1.}), 1), Error);
  expect_near(softmax(tensor({1, 1}), 0, float32), {0.5, 0.5});
}

TEST(LogSumExp, DoesNotOverflow) {
  expect_near(logsumexp(tensor({{1000., 1000.}, {-kInf, -kInf}, {kInf, 1.}}), {1}),
              {1000.6931, -kInf, kInf}, 1e-3);
  expect_near(logaddexp(tensor({1000., -kInf, kInf, 0.}), tensor({1000., -kInf, kInf, kNaN})),
              {1000.6931, -kInf, kInf, kNaN}, 1e-3);
  expect_near(logaddexp2(tensor({3., 0.}), tensor({3., -40.})), {4, 0});
  EXPECT_EQ(logsumexp(zeros({2, 0}), {1})[1].item<double>(), -kInf);
  EXPECT_EQ(logsumexp(tensor({1, 2}), {0}).dtype(), float32);
}

}  // namespace
}  // namespace tamis
