// Devices: names, moving tensors, mixing devices, what a device lacks; on the guarded device, which
// shows that nothing outside of a backend touches its memory.
#include "tamis/device.h"

#include <gtest/gtest.h>

#include <sstream>

#include "backend/device.h"
#include "core/tensor_impl.h"
#include "support/guarded_device.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using Floats = std::vector<float>;

/// The text of the error that f throws.
template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

class Devices : public ::testing::Test {
 protected:
  Devices() { testing::add_guarded_device(); }
  const Options guarded_ = device("guarded");
};

TEST_F(Devices, HaveATypeAndAnIndex) {
  const Device plain("webgpu"), second("webgpu:1");
  EXPECT_EQ(plain.type(), "webgpu");
  EXPECT_FALSE(plain.has_index());
  EXPECT_EQ(second.index(), 1);
  EXPECT_EQ(second.str(), "webgpu:1");
  EXPECT_NE(plain, second);
  EXPECT_NE(Device("webgpu"), Device("webgpu:0"));
  EXPECT_EQ(Device(), Device("cpu"));
  std::ostringstream out;
  out << second << ' ' << Device();
  EXPECT_EQ(out.str(), "webgpu:1 cpu");
}

TEST_F(Devices, TextThatNamesNoneIsRefused) {
  for (const char* text : {"", ":", ":0", "cpu:", "cpu:x", "cpu:-1", "cpu:01", "cpu:1:2", "CPU",
                           "cpu 0", "cpu:99999999999"}) {
    EXPECT_EQ(error_of([&] { (void)Device(text); }),
              std::string("Invalid device string: '") + text + "'");
  }
}

TEST_F(Devices, ThatDoNotExistAreRefused) {
  EXPECT_EQ(error_of([] { (void)zeros({2}, device("cuda")); }),
            "Expected one of cpu, webgpu, guarded device type at start of device string: cuda");
  EXPECT_EQ(error_of([] { (void)tensor({1, 2}).to("cpu:3"); }), "there is no device 'cpu:3'");
  EXPECT_EQ(device_types(), (std::vector<std::string>{"cpu", "webgpu", "guarded"}));
}

TEST_F(Devices, TensorsAreMadeWhereTheyAreAsked) {
  EXPECT_EQ(zeros({2}).device(), Device("cpu"));
  const Device there("guarded:0");
  manual_seed(3);
  const Tensor x = tensor({{1, 2}, {3, 4}}, guarded_);
  for (const Tensor& made : {x,
                             empty({2}, guarded_),
                             zeros({2}, {int64, "guarded"}),
                             ones({5000}, guarded_),
                             full({2}, 7, guarded_),
                             arange(5, guarded_),
                             arange(1, 9, 2, guarded_),
                             arange(1, 9, guarded_),
                             linspace(0, 1, 5, guarded_),
                             eye(3, {}, guarded_),
                             rand({3}, guarded_),
                             randn({3}, guarded_),
                             randint(9, {3}, guarded_),
                             randperm(5, guarded_),
                             zeros_like(x),
                             ones_like(x),
                             full_like(x, 3),
                             empty_like(x),
                             rand_like(x, float32),
                             tensor(std::vector<int>{1, 2}, guarded_)}) {
    EXPECT_EQ(made.device(), there) << made;
    EXPECT_EQ(made.cpu().device(), Device("cpu"));
  }
  EXPECT_EQ(zeros_like(x, device("cpu")).device(), Device("cpu"));
  EXPECT_EQ(arange(1, 9, 2, guarded_).to_vector<int64_t>(), (std::vector<int64_t>{1, 3, 5, 7}));
  EXPECT_EQ(ones({5000}, guarded_).sum().item<float>(), 5000);
}

TEST_F(Devices, RandomNumbersAreTheSameEverywhere) {
  const auto draw = [](const Options& where) {
    manual_seed(11);
    return rand({100}, where).to_vector<float>();
  };
  EXPECT_EQ(draw({}), draw(guarded_));
}

TEST_F(Devices, MovingKeepsTheElementsWhateverTheLayout) {
  const Tensor x = arange(24.f).view({2, 3, 4});
  const Tensor views[] = {x,
                          x.transpose(0, 2),
                          x.slice(2, 1, {}, 2),
                          x.select(1, 1),
                          x.unsqueeze(0).expand({3, 2, 3, 4}),
                          x[0][0][0],
                          x.narrow(0, 0, 0)};
  for (const Tensor& v : views) {
    const Tensor there = v.to("guarded");
    EXPECT_EQ(there.device(), Device("guarded:0"));
    EXPECT_EQ(there.shape(), v.shape());
    EXPECT_TRUE(equal(there.cpu(), v));
    EXPECT_TRUE(equal(there.unsqueeze(0).transpose(0, -1).cpu(), v.unsqueeze(0).transpose(0, -1)));
  }
  const Tensor there = x.to("guarded", float64);
  EXPECT_EQ(there.dtype(), float64);
  EXPECT_TRUE(there.to("guarded:0").shares_storage(there)) << "a copy without need";
  EXPECT_TRUE(x.cpu().shares_storage(x));
}

TEST_F(Devices, ResultsStayOnTheDevice) {
  const Tensor x = tensor({3.f, -1.f, 2.f, 5.f}, guarded_), mask = x > 0;
  for (const Tensor& y : {x + 1,
                          mask,
                          x[mask].get(),
                          masked_select(x, mask),
                          nonzero(mask),
                          x.sum(),
                          x.amax(),
                          argmax(x),
                          softmax(x, 0),
                          cumsum(x, 0),
                          x.sort().first,
                          x.topk(2).second,
                          x.median(),
                          quantile(x, 0.5),
                          unique(x),
                          x[tensor({0, 2}, guarded_)].get(),
                          gather(x, 0, argsort(x)),
                          matmul(x.view({2, 2}), x.view({2, 2})),
                          cat({x, x}),
                          x.clone(),
                          x.to(int64),
                          masked_select_padded(x, mask, 6).second,
                          masks::from_lengths(tensor({1, 2}, guarded_)),
                          isin(x, tensor({2.f, 3.f}, guarded_)),
                          where(mask, x, 0),
                          masked::sum(x, mask),
                          one_hot(x.abs().to(int64)),
                          partition(x, mask).second}) {
    EXPECT_EQ(y.device(), Device("guarded:0")) << y;
  }
}

TEST_F(Devices, PrintAndGiveTheirValues) {
  const Tensor x = tensor({1.5f, -2.f}, guarded_);
  EXPECT_EQ(x[1].item<float>(), -2);
  EXPECT_EQ(x.to_vector<float>(), (Floats{1.5f, -2}));
  EXPECT_EQ(x.to_string(), "tensor([ 1.5000, -2.0000], device='guarded:0')");
}

TEST_F(Devices, MustAgree) {
  const Tensor here = tensor({1.f, 2.f}), there = here.to("guarded");
  const std::string text =
      "Expected all tensors to be on the same device, but found at least two devices, guarded:0 "
      "and "
      "cpu!";
  EXPECT_EQ(error_of([&] { (void)(here + there); }), text);
  EXPECT_EQ(error_of([&] { (void)(there + here); }), text);
  EXPECT_EQ(error_of([&] { (void)masked_select(there, here > 1); }), text);
  EXPECT_EQ(error_of([&] { (void)where(there > 1, here, 0); }), text);
  EXPECT_EQ(error_of([&] { (void)cat({there, here}); }), text);
  EXPECT_EQ(error_of([&] { (void)matmul(there, here); }), text);
  EXPECT_EQ(error_of([&] { (void)isin(there, here); }), text);
  EXPECT_EQ(error_of([&] { (void)searchsorted(there, here); }), text);
  EXPECT_EQ(error_of([&] { (void)index_select(there, 0, tensor({0})); }), text);
  EXPECT_EQ(error_of([&] { (void)gather(there, 0, tensor({0})); }), text);
  EXPECT_EQ(error_of([&] { (void)there[tensor({0})].get(); }), text);
  Tensor target = there.clone();
  EXPECT_EQ(error_of([&] { target += here; }), text);
  EXPECT_EQ(error_of([&] { target[here > 1] = 0; }), text);
  EXPECT_EQ(error_of([&] { target.masked_fill_(here > 1, 0); }), text);
  EXPECT_EQ(error_of([&] { target.scatter_(0, tensor({0}), here); }), text);
  EXPECT_EQ(target.to_vector<float>(), (Floats{1, 2})) << "a refused write changed something";
}

TEST_F(Devices, NumbersAndTensorsWithoutDimensionsGoWithAny) {
  const Tensor there = tensor({1.f, 2.f}, guarded_), one = tensor(1.0);
  EXPECT_EQ((there + 1).to_vector<float>(), (Floats{2, 3}));
  EXPECT_EQ((one - there).to_vector<float>(), (Floats{0, -1}));
  EXPECT_EQ(where(there > 1, one.to(float32), there).to_vector<float>(), (Floats{1, 1}));
  Tensor target = there.clone();
  target[there > 1] = one;
  EXPECT_EQ(target.to_vector<float>(), (Floats{1, 1}));
  target[0] = 5;
  EXPECT_EQ(target.to_vector<float>(), (Floats{5, 1}));
}

TEST_F(Devices, CopiesGoBetweenThem) {
  Tensor here = zeros({2}), there = zeros({2}, guarded_);
  there.copy_(tensor({3.f, 4.f}));
  here.copy_(there);
  EXPECT_EQ(here.to_vector<float>(), (Floats{3, 4}));
}

TEST_F(Devices, GradientsComeBackToWhereTheInputIs) {
  Tensor x = tensor({1.f, -2.f, 3.f}).requires_grad_();
  const Tensor y = x.to("guarded");
  (y[y > 0].get() * 2).sum().backward();
  EXPECT_EQ(x.grad().device(), Device("cpu"));
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{2, 0, 2}));
}

TEST_F(Devices, WithoutAnAddressTheirMemoryIsNotGivenOut) {
  const Tensor x = tensor({1.f, 2.f}, guarded_);
  const std::string text =
      "this tensor is on guarded:0, where its memory has no address; call .cpu() first";
  EXPECT_EQ(error_of([&] { (void)x.data_ptr(); }), text);
  EXPECT_EQ(error_of([&] { (void)x.data<float>(); }), text);
  EXPECT_EQ(error_of([&] { (void)x.mutable_data<float>(); }), text);
  EXPECT_EQ(error_of([&] { (void)x.data_ptr<float>(); }), text);
}

TEST_F(Devices, WhatTheyLackIsRefusedByName) {
  const Tensor x = tensor({3.f, 1.f}, guarded_);
  const auto expect = [&](Feature feature, const char* what, auto f) {
    const testing::WithoutFeature without(feature);
    EXPECT_EQ(error_of(f), std::string("'") + what +
                               "' of float32 is not available on guarded:0; call .cpu() first");
  };
  expect(Feature::order, "sort", [&] { (void)x.sort(); });
  expect(Feature::arithmetic, "arithmetic", [&] { (void)(x + 1); });
  expect(Feature::select, "selection", [&] { (void)masked_select(x, Tensor(true)); });
  expect(Feature::reduce, "reduction", [&] { (void)x.sum(); });
  expect(Feature::softmax, "softmax", [&] { (void)softmax(x, 0); });
  expect(Feature::scan, "scan", [&] { (void)cumsum(x, 0); });
  expect(Feature::matmul, "matmul", [&] { (void)matmul(x.view({1, 2}), x.view({2, 1})); });
  expect(Feature::random, "random numbers", [&] { (void)rand({2}, guarded_); });
  expect(Feature::index, "indexing", [&] { (void)index_select(x, 0, tensor({0}, guarded_)); });
  EXPECT_EQ(x.sort().first.to_vector<float>(), (Floats{1, 3}));
}

TEST_F(Devices, TheDefaultIsWhereTensorsAreMade) {
  EXPECT_EQ(default_device(), Device("cpu"));
  set_default_device("guarded");
  const Tensor made = zeros({2}), mask = masks::causal(3);
  const Tensor sum = tensor({1.f, 2.f}, Device("cpu")) * 2;  // numbers go with the CPU too
  set_default_device("cpu");
  EXPECT_EQ(made.device(), Device("guarded:0"));
  EXPECT_EQ(mask.device(), Device("guarded:0"));
  EXPECT_EQ(sum.to_vector<float>(), (Floats{2, 4}));
  EXPECT_EQ(error_of([] { set_default_device("none"); }),
            "Expected one of cpu, webgpu, guarded device type at start of device string: none");
  EXPECT_EQ(default_device(), Device("cpu"));
}

#ifdef GTEST_HAS_DEATH_TEST
using DevicesDeathTest = Devices;

/// The guard guards: otherwise the tests on this device would show nothing.
TEST_F(DevicesDeathTest, TouchingGuardedMemoryEndsTheProcess) {
  const Tensor x = tensor({1.f, 2.f}, guarded_);
  const auto* const handle = static_cast<const volatile float*>(storage_of(x)->data());
  EXPECT_DEATH((void)*handle, "");
}
#endif

}  // namespace
}  // namespace tamis
