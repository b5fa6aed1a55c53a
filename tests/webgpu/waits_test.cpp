// What a device is asked to do: how many kernels an expression takes, when the host waits for
// numbers, and that chains of padded selections and gradients never do.
#include <gtest/gtest.h>

#include <cmath>

#include "support/layouts.h"
#include "support/observe.h"
#include "support/webgpu.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::Asked;
using testing::random_mask;
using testing::random_values;
using testing::same;
using testing::to_gpu;

/// In eager mode there are more kernels; the number of waits is the same.
class WebGpuWaits : public testing::WebGpuTest {
 protected:
  void SetUp() override {
    WebGpuTest::SetUp();
    x_ = (arange(100000) % 1009).to(float32) * 0.25f - 100;
    x_.settle();
    g_ = x_.to("webgpu");
  }
  testing::ModeGuard mode_{false};
  Tensor x_, g_;
};

// ---- kernels ------------------------------------------------------------------------------------

TEST_F(WebGpuWaits, AnExpressionIsOneKernel) {
  const Asked asked;
  const Tensor y = where((g_ * 2 + 1).abs() > 3, g_.minimum(7), g_ / 3 - g_ * g_);
  EXPECT_EQ(asked.dispatches(), 0) << "deferred";
  y.settle();
  EXPECT_EQ(asked.dispatches(), 1);
  EXPECT_EQ(asked.readbacks(), 0);
  EXPECT_EQ(asked.submits(), 0) << "nobody has asked for values";
}

TEST_F(WebGpuWaits, TheSameExpressionIsCompiledOnce) {
  (g_.narrow(0, 3, 50) * 2.5f + 1.5f).settle();
  const Asked asked;
  for (int64_t n : {7, 100, 99999}) (g_.narrow(0, 1, n) * 7.25f + 0.5f).settle();
  EXPECT_EQ(asked.dispatches(), 3);
  EXPECT_EQ(asked.pipelines(), 0) << "sizes, offsets and numbers are parameters";
}

TEST_F(WebGpuWaits, AnInPlaceWriteIsOneKernel) {
  Tensor y = g_.clone();
  y.settle();
  Asked asked;
  y += g_ * 2;
  EXPECT_EQ(asked.dispatches(), 1);
  asked.restart();
  y[y > 3] = 0;
  EXPECT_EQ(asked.dispatches(), 1);
  asked.restart();
  y.masked_fill_(g_ < 5, -1);
  EXPECT_EQ(asked.dispatches(), 1);
  EXPECT_EQ(asked.readbacks(), 0);
}

TEST_F(WebGpuWaits, AnExactSelectionReadsItsCountAndNothingElse) {
  const Asked asked;
  const Tensor y = masked_select(g_, g_ > 3);
  y.settle();
  EXPECT_LE(asked.dispatches(), 3);
  EXPECT_EQ(asked.readbacks(), 1);
  EXPECT_EQ(asked.readback_bytes(), 4);
  EXPECT_TRUE(same(y, masked_select(x_, x_ > 3)));
}

TEST_F(WebGpuWaits, OtherResultsWhoseShapeDependsOnValuesReadOneCount) {
  Asked asked;
  const auto [kept, rejected] = partition(g_, g_ > 3);
  EXPECT_EQ(asked.readbacks(), 1);
  asked.restart();
  const Tensor found = nonzero(g_ > 3);
  EXPECT_EQ(asked.readbacks(), 1);
  asked.restart();
  const Tensor rows = g_.view({1000, 100})[(g_ > 3).view({1000, 100}).select(1, 5)];
  EXPECT_EQ(asked.readbacks(), 1);
  EXPECT_EQ(asked.readback_bytes(), 4);
  EXPECT_TRUE(same(kept, partition(x_, x_ > 3).first));
  EXPECT_TRUE(same(rejected, partition(x_, x_ > 3).second));
  EXPECT_TRUE(same(found, nonzero(x_ > 3)));
  EXPECT_TRUE(same(rows, x_.view({1000, 100})[(x_ > 3).view({1000, 100}).select(1, 5)]));
}

TEST_F(WebGpuWaits, AMaskedSumIsATreeOfTwoKernels) {
  const Asked asked;
  const Tensor sum = masked::sum(g_, g_ > 3);
  sum.settle();
  EXPECT_EQ(asked.dispatches(), 2);
  EXPECT_EQ(asked.readbacks(), 0);
  EXPECT_NEAR(sum.item<double>(), masked::sum(x_, x_ > 3).item<double>(), 10);
}

TEST_F(WebGpuWaits, WhatIsNotWantedIsNotComputed) {
  const Asked asked;
  { const Tensor y = (g_ * 3).exp(); }
  (void)(g_ + 1);
  EXPECT_EQ(asked.dispatches(), 0);
}

// ---- no waits -----------------------------------------------------------------------------------

/// Ten steps, of which each needs the ones before it.
Tensor chain(const Tensor& x) {
  const auto [a, count_a] = masked_select_padded(x, x > 0, 60000);
  const Tensor valid = arange(60000, x.device()) < count_a;
  const Tensor mean = masked::sum(a, valid) / count_a;
  const auto [b, count_b] = masked_select_padded(a - mean, (a > mean) & valid, 30000, -1);
  const Tensor total = b.sum() + masked::amax(b, b > 0);
  const Tensor clipped = where(b > total / 100000, b, mean);
  const auto [c, count_c] = masked_select_padded(clipped, clipped != mean, 20000);
  const Tensor few = count_c < count_b;
  Tensor d = where(few, c, -c);
  d.masked_fill_(d > 50, 50);
  const Tensor rows = nonzero_static(d > 3, 100);
  return masked::mean(d, arange(20000, x.device()) < count_c) + rows.sum().to(float32) +
         (count_a + count_b + count_c).to(float32);
}

TEST_F(WebGpuWaits, AChainOfPaddedSelectionsIsSubmittedOnceAndReadOnce) {
  webgpu::synchronize();
  const Asked asked;
  const Tensor result = chain(g_);
  result.settle();
  EXPECT_EQ(asked.readbacks(), 0);
  EXPECT_EQ(asked.submits(), 0) << "until somebody wants to know";
  const auto found = result.item<float>();
  EXPECT_EQ(asked.readbacks(), 1);
  EXPECT_EQ(asked.readback_bytes(), 4);
  EXPECT_EQ(asked.submits(), 1);
  const auto expected = chain(x_).item<float>();
  EXPECT_NEAR(found, expected, std::abs(expected) * 1e-5f);
}

TEST_F(WebGpuWaits, LengthsOnTheDeviceMakeAMaskWithoutAWait) {
  const Tensor lengths = tensor({3, 0, 7, 5}).to("webgpu");
  webgpu::synchronize();
  const Asked asked;
  const Tensor mask = arange(7, lengths.device()) < lengths.unsqueeze(1);
  const Tensor sums = masked::sum(g_.narrow(0, 0, 28).view({4, 7}), mask, 1);
  sums.settle();
  EXPECT_EQ(asked.readbacks(), 0);
  const Tensor expected = arange(7) < tensor({3, 0, 7, 5}).unsqueeze(1);
  EXPECT_TRUE(same(mask, expected));
  EXPECT_TRUE(same(sums, masked::sum(x_.narrow(0, 0, 28).view({4, 7}), expected, 1)));
}

TEST_F(WebGpuWaits, WritesByAMaskDoNotWait) {
  Tensor y = g_.clone();
  const Tensor mask = to_gpu(random_mask({100000}, 6)), number = tensor(3.f).to("webgpu");
  const Tensor row = to_gpu(random_values({100}, float32, 4));
  y.settle();
  const Asked asked;
  y.masked_fill_(mask, 2);
  y[mask] = number;
  y[mask] = y[17];
  y[mask] *= 3;
  y[y < 0] = 5;
  y.add_(number);
  y.view({1000, 100})[mask.narrow(0, 0, 1000)] = row;
  y.copy_(where(mask, y, number));
  EXPECT_EQ(asked.readbacks(), 0);
}

TEST_F(WebGpuWaits, ReductionsViewsAndCastsDoNotWait) {
  const Asked asked;
  const Tensor y = g_.view({100, 1000}).t();
  for (const Tensor& r :
       {y.sum(0), y.mean(), y.amax(1), (y > 0).any(1), (y > 0).all(), y.to(int8).sum(),
        y.to(float16).amin(0), y.var(0), (y > 1).sum(), count_nonzero(y), y.norm(), cat({y, y}, 1),
        y.contiguous(), y.flatten().unsqueeze(0), stack({y, y + 1})}) {
    r.settle();
  }
  EXPECT_EQ(asked.readbacks(), 0);
}

// ---- gradients ----------------------------------------------------------------------------------

TEST_F(WebGpuWaits, BackwardOfAnExactSelectionDoesNotWaitAgain) {
  Tensor leaf = g_.clone().requires_grad_();
  const Asked asked;
  const Tensor loss = (masked_select(leaf, leaf > 3) * 2).sum();
  EXPECT_EQ(asked.readbacks(), 1) << "the forward's";
  loss.backward();
  leaf.grad().settle();
  EXPECT_EQ(asked.readbacks(), 1);
  EXPECT_TRUE(same(leaf.grad(), where(x_ > 3, 2.f, 0.f)));
}

TEST_F(WebGpuWaits, BackwardOfAPaddedSelectionNeverWaits) {
  Tensor leaf = g_.clone().requires_grad_();
  const Asked asked;
  const auto [y, count] = masked_select_padded(leaf, leaf > 3, 1000, 7);
  (y * y).sum().backward();
  leaf.grad().settle();
  EXPECT_EQ(asked.readbacks(), 0);
  Tensor expected = x_.clone().requires_grad_();
  const Tensor z = masked_select_padded(expected, expected > 3, 1000, 7).first;
  (z * z).sum().backward();
  EXPECT_TRUE(same(leaf.grad(), expected.grad()));
}

TEST_F(WebGpuWaits, BackwardOfMaskedReductionsAndFillsNeverWaits) {
  Tensor leaf = g_.clone().requires_grad_();
  const Asked asked;
  Tensor y = leaf * 2;
  y.masked_fill_(y > 10, 0);
  (masked::sum(y, y != 0) + masked::mean(where(y > 0, y, -y), y > 1)).backward();
  leaf.grad().settle();
  EXPECT_EQ(asked.readbacks(), 0);
  Tensor expected = x_.clone().requires_grad_();
  Tensor z = expected * 2;
  z.masked_fill_(z > 10, 0);
  (masked::sum(z, z != 0) + masked::mean(where(z > 0, z, -z), z > 1)).backward();
  EXPECT_TRUE(allclose(leaf.grad().cpu(), expected.grad(), 1e-5, 1e-6));
}

}  // namespace
}  // namespace tamis
