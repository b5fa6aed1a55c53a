// Attempts: operations that are unwound where they would wait, and run again, as in a browser.
// Every row of the op table gives the same as when it waits, writes once, and computes nothing
// twice.
#include "backend/attempt.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "core/tensor_impl.h"
#include "ops/forms/forms.h"
#include "ops/row.h"
#include "support/guarded_device.h"
#include "support/layouts.h"
#include "support/reference.h"
#include "support/webgpu.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::Asked;
using testing::error_of;
using testing::same;
using testing::to_gpu;

/// Runs f until it has all that it asks for. The number of runs goes to `runs`.
void attempt(const std::function<void()>& f, int* runs = nullptr) {
  Attempt attempt;
  for (int i = 1;; ++i) {
    if (runs) *runs = i;
    try {
      const Attempt::Run run(attempt);
      return f();
    } catch (const Pending&) {
      ASSERT_LT(i, 100) << "it asks without end";
    }
    while (!attempt.is_answered()) webgpu::synchronize();
  }
}

class WebGpuAttempt : public testing::WebGpuTest {
 protected:
  void SetUp() override {
    WebGpuTest::SetUp();
    x_ = (arange(100000) % 1009).to(float32) * 0.25f - 100;
    g_ = x_.settle().to("webgpu");
  }
  const testing::ModeGuard mode_{false};
  Tensor x_, g_;
};

// ---- one by one ---------------------------------------------------------------------------------

TEST_F(WebGpuAttempt, ASelectionRunsTwiceAndReadsOnce) {
  const Tensor mask = g_ > 3;  // deferred
  Tensor y;
  int runs = 0;
  const Asked asked;
  attempt([&] { y = masked_select(g_, mask); }, &runs);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(asked.readbacks(), 1);
  EXPECT_EQ(asked.readback_bytes(), 4);
  EXPECT_LE(asked.dispatches(), 3) << "the mask is counted once";
  EXPECT_TRUE(same(y, masked_select(x_, x_ > 3)));
}

TEST_F(WebGpuAttempt, ASmallSelectionIsThereWhenItsCountIs) {
  const Tensor mask = g_ > 3;
  Tensor y;
  int runs = 0;
  int64_t at_first = 0;
  const Asked asked;
  attempt(
      [&] {
        if (runs == 2) at_first = asked.dispatches();
        y = masked_select(g_, mask);
      },
      &runs);
  EXPECT_EQ(at_first, asked.dispatches()) << "the second run has nothing left to do";
  EXPECT_TRUE(same(y, masked_select(x_, x_ > 3)));
  EXPECT_TRUE(same(y + 1, masked_select(x_, x_ > 3) + 1));
}

TEST_F(WebGpuAttempt, NobodyWaitsForWhatTheHostHasWritten) {
  const Tensor mask = (x_ > 3).narrow(0, 0, 5000).clone(), m = mask.to("webgpu");
  const Tensor values = tensor({3.f, 5.25f}), v = values.to("webgpu");
  const Tensor x = x_.narrow(0, 0, 5000), g = g_.narrow(0, 0, 5000);
  Tensor y, found;
  int runs = 0;
  const Asked asked;
  attempt([&] { y = masked_select(g, m), found = isin(g, v).settle(); }, &runs);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(asked.readbacks(), 0);
  EXPECT_TRUE(same(y, masked_select(x, mask)));
  EXPECT_TRUE(same(found, isin(x, values)));
}

TEST_F(WebGpuAttempt, WhatTheDeviceHasWrittenIsNotTheHosts) {
  Tensor mask = (x_ > 3).narrow(0, 0, 5000).clone(), m = mask.to("webgpu");
  const Tensor x = x_.narrow(0, 0, 5000), g = g_.narrow(0, 0, 5000);
  m.copy_(g > 50);
  Tensor y;
  int runs = 0;
  attempt([&] { y = masked_select(g, m); }, &runs);
  EXPECT_EQ(runs, 2);
  EXPECT_TRUE(same(y, masked_select(x, x > 50)));
  // In part, and by another list of commands.
  Tensor n = mask.to("webgpu");
  n.narrow(0, 100, 700).fill_(true);
  mask.narrow(0, 100, 700).fill_(true);
  attempt([&] { y = masked_select(g, n); });
  EXPECT_TRUE(same(y, masked_select(x, mask)));
}

TEST_F(WebGpuAttempt, ACostlyMaskIsComputedOnce) {
  const Tensor mask = (g_ / 50).sin().exp() > 1;
  Tensor y;
  int runs = 0;
  const Asked asked;
  attempt([&] { y = masked_select(g_, mask); }, &runs);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(asked.readbacks(), 1);
  EXPECT_LE(asked.dispatches(), 3);
}

TEST_F(WebGpuAttempt, EveryAnswerIsAskedForOnce) {
  Tensor a, b, c;
  int runs = 0;
  const Asked asked;
  attempt(
      [&] {
        a = masked_select(g_, g_ > 3);
        b = masked_select(a * 2, a > 50);
        c = nonzero(b > 170);
      },
      &runs);
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(asked.readbacks(), 3);
  const Tensor at = masked_select(x_, x_ > 3), bt = masked_select(at * 2, at > 50);
  EXPECT_TRUE(same(a, at));
  EXPECT_TRUE(same(b, bt));
  EXPECT_TRUE(same(c, nonzero(bt > 170)));
}

TEST_F(WebGpuAttempt, OthersMayWorkBetweenTheRuns) {
  const Tensor mask = (g_ > 3).clone();
  Attempt first, second;
  Tensor a, b;
  const auto run = [](Attempt& attempt, const std::function<void()>& f) {
    try {
      const Attempt::Run current(attempt);
      f();
    } catch (const Pending&) {
      return false;
    }
    return true;
  };
  EXPECT_FALSE(run(first, [&] { a = masked_select(g_, mask); }));
  EXPECT_FALSE(run(second, [&] { b = masked_select(g_, ~mask); }));
  // These take buffers that the first runs have left.
  for (int i = 0; i < 20; ++i) (void)masked_select_padded(g_ + i, g_ > i, 1000).first.settle();
  EXPECT_EQ(masked_select(g_, g_ > 100).numel(), masked_select(x_, x_ > 100).numel());
  while (!first.is_answered() || !second.is_answered()) webgpu::synchronize();
  EXPECT_TRUE(run(second, [&] { b = masked_select(g_, ~mask); }));
  EXPECT_TRUE(run(first, [&] { a = masked_select(g_, mask); }));
  EXPECT_TRUE(same(a, masked_select(x_, x_ > 3)));
  EXPECT_TRUE(same(b, masked_select(x_, ~(x_ > 3))));
}

TEST_F(WebGpuAttempt, AnAttemptMayBeGivenUp) {
  {
    Attempt given_up;
    EXPECT_THROW(
        {
          const Attempt::Run run(given_up);
          (void)masked_select(g_, g_ > 3);
        },
        Pending);
  }
  webgpu::synchronize();  // the answer comes to nobody
  EXPECT_EQ(Attempt::current(), nullptr);
  EXPECT_TRUE(same(masked_select(g_, g_ > 3), masked_select(x_, x_ > 3)));
}

TEST_F(WebGpuAttempt, ErrorsAreThoseOfAWait) {
  const Tensor index = tensor({1, 2, 200000}).to("webgpu");
  const std::string expected = error_of([&] { (void)g_.index_select(0, index); });
  EXPECT_NE(expected, "");
  EXPECT_EQ(error_of([&] { attempt([&] { (void)g_.index_select(0, index); }); }), expected);
}

TEST_F(WebGpuAttempt, AReadAfterAWriteIsRefused) {
  Tensor y = g_.clone();
  const std::string text = error_of([&] {
    attempt([&] {
      y.add_(1);
      (void)masked_select(y, y > 3);
    });
  });
  EXPECT_NE(text.find("after it has written"), std::string::npos) << text;
}

TEST_F(WebGpuAttempt, WritesByMasksAndIndicesHappenOnce) {
  const Tensor mask = (x_ > 3).clone(), rows = (x_.narrow(0, 0, 1000) > 3).clone();
  const Tensor index = tensor({5, 7, 5, 99999}), values = tensor({1.f, 2.f, 3.f, 4.f});
  const int64_t kept = mask.sum().item<int64_t>();
  const Tensor source = arange(kept).to(float32);
  const Tensor factors = source.narrow(0, 0, rows.sum().item<int64_t>()).view({-1, 1});
  using Write = std::function<void(Tensor&, const std::function<Tensor(const Tensor&)>&)>;
  const std::vector<Write> writes = {
      [&](Tensor& x, const auto& on) { x[on(mask)] = on(source); },
      [&](Tensor& x, const auto& on) { x[on(mask)] += on(source); },
      [&](Tensor& x, const auto& on) {
        x.view({1000, 100})[on(rows)] *= on(factors);
      },
      [&](Tensor& x, const auto& on) { x.masked_scatter_(on(mask), on(source) + 1); },
      [&](Tensor& x, const auto& on) { x.index_put_({on(index)}, on(values)); },
      [&](Tensor& x, const auto& on) { x.index_put_({on(index)}, on(values), true); },
      [&](Tensor& x, const auto& on) { x.index_add_(0, on(index), on(values)); },
      [&](Tensor& x, const auto& on) { x.put_(on(index), on(values), true); },
      [&](Tensor& x, const auto& on) { x.scatter_(0, on(index), on(values)); },
  };
  const auto here = [](const Tensor& x) { return x; };
  const auto there = [](const Tensor& x) { return x.to("webgpu"); };
  for (size_t i = 0; i < writes.size(); ++i) {
    Tensor a = x_.clone(), b = g_.clone(), c = b;
    writes[i](a, here);
    int runs = 0;
    attempt([&] { writes[i](c, there); }, &runs);
    EXPECT_GT(runs, 1) << "write " << i;
    EXPECT_TRUE(same(b, a)) << "write " << i;
  }
}

TEST_F(WebGpuAttempt, BackwardMayReadOnTheWay) {
  const auto loss_of = [&](const Tensor& leaf) {
    const Tensor kept = masked_select(leaf * leaf, leaf > 3);
    kept.register_hook([](const Tensor& g) { return g * g.sum().item<float>(); });
    return kept.sum() + (leaf * 3).sum();
  };
  const Tensor there = g_.clone().requires_grad_(), here = x_.clone().requires_grad_();
  for (int step = 0; step < 2; ++step) {
    const Tensor a = loss_of(there), b = loss_of(here);
    int runs = 0;
    attempt([&] { a.backward(); }, &runs);
    b.backward();
    EXPECT_EQ(runs, 2);
    EXPECT_TRUE(same(there.grad(), here.grad())) << "step " << step;
    EXPECT_THROW(a.backward(), Error) << "what was saved is freed in the end";
  }
}

// ---- every row ----------------------------------------------------------------------------------

/// The arguments on the device; `deferred`: floating point numbers still have to be computed.
Args on_gpu(const Args& args, bool deferred) {
  const auto move = [&](Tensor& x) {
    if (!x.defined() || (x.impl().is_number && x.dim() == 0)) return;
    x = to_gpu(x);
    if (deferred && x.dtype() == DType::float32) x = x * 1;
  };
  Args result = args;
  for (Value& arg : result) {
    if (auto* x = std::get_if<Tensor>(&arg)) move(*x);
    if (auto* list = std::get_if<std::vector<Tensor>>(&arg)) {
      for (Tensor& x : *list) move(x);
    }
  }
  return result;
}

void restart_generators(Args& args) {
  manual_seed(7);
  for (Value& arg : args) {
    if (auto* generator = std::get_if<Generator>(&arg)) generator->manual_seed(7);
  }
}

/// What a call gives, or the text of its error.
using Outcome = std::pair<Value, std::string>;

Outcome outcome_of(const std::function<Value()>& call) {
  Outcome outcome;
  try {
    outcome.first = call();
  } catch (const Error& e) {
    outcome.second = e.what();
  }
  return outcome;
}

class WebGpuSweepOfAttempts : public ::testing::TestWithParam<size_t> {
 protected:
  static void SetUpTestSuite() { ASSERT_TRUE(testing::has_adapter()); }
  const Row& row() const { return all_rows()[GetParam()]; }

  /// Compares f with itself in an attempt. It gets arguments that no other call has.
  void compare(const Args& sample, const std::string& label,
               const std::function<Value(Args&)>& f) const {
    for (bool deferred : {false, true}) {
      Args args = on_gpu(sample, deferred);
      const Outcome expected = outcome_of([&] {
        restart_generators(args);
        return f(args);
      });
      args = on_gpu(sample, deferred);
      const Outcome found = outcome_of([&] {
        Value value;
        attempt([&] {
          restart_generators(args);
          value = f(args);
        });
        return value;
      });
      ASSERT_EQ(found.second, expected.second) << label;
      if (!expected.second.empty()) continue;
      ASSERT_EQ(
          reference::difference(reference::read(expected.first), reference::read(found.first), 0),
          "")
          << label << (deferred ? ", deferred" : "");
    }
  }
};

TEST_P(WebGpuSweepOfAttempts, GiveTheSame) {
  std::optional<testing::UseDevice> use;
  if (row().creates) use.emplace(Device("webgpu"));
  for (const Args& sample : row().samples) {
    compare(sample, row().signature.text, [&](Args& args) { return row().call(args); });
    if (HasFailure()) return;
  }
}

TEST_P(WebGpuSweepOfAttempts, WriteOnce) {
  for (const Form& form : forms_of(row())) {
    if (!form.is_method || form.row.name().back() != '_') continue;
    for (const Args& sample : row().samples) {
      compare(sample, form.row.signature.text, [&](Args& args) -> Value {
        form.row.call(args);
        return args[0];
      });
      if (HasFailure()) return;
    }
  }
}

/// The gradients of the sum of all results by the arguments that have them.
Value gradients(const Row& row, Args& args, const std::function<void(const Tensor&)>& backward) {
  std::vector<Tensor> leaves;
  for (Value& arg : args) {
    auto* x = std::get_if<Tensor>(&arg);
    if (!x || !x->defined() || x->impl().is_number || x->dtype() != DType::float32) continue;
    *x = x->detach().requires_grad_();
    leaves.push_back(*x);
  }
  Args results{row.call(args)};
  Tensor total;
  const auto add = [&](const Tensor& y) {
    if (!y.defined() || !y.requires_grad()) return;
    const Tensor part = (y.to(DType::float32) * 0.37f).sum();
    total = total.defined() ? total + part : part;
  };
  if (const auto* y = std::get_if<Tensor>(&results[0])) add(*y);
  if (const auto* list = std::get_if<std::vector<Tensor>>(&results[0])) {
    for (const Tensor& y : *list) add(y);
  }
  if (!total.defined()) return std::vector<Tensor>();
  backward(total);
  std::vector<Tensor> found;
  for (const Tensor& x : leaves) found.push_back(x.grad().defined() ? x.grad() : zeros({0}));
  return found;
}

TEST_P(WebGpuSweepOfAttempts, HaveTheSameGradients) {
  for (const Args& sample : row().samples) {
    Args args = on_gpu(sample, false);
    restart_generators(args);
    const Outcome expected = outcome_of(
        [&] { return gradients(row(), args, [](const Tensor& loss) { loss.backward(); }); });
    args = on_gpu(sample, false);
    restart_generators(args);
    const Outcome found = outcome_of([&] {
      return gradients(row(), args, [](const Tensor& loss) { attempt([&] { loss.backward(); }); });
    });
    ASSERT_EQ(found.second, expected.second) << row().signature.text;
    if (!expected.second.empty()) continue;
    ASSERT_EQ(
        reference::difference(reference::read(expected.first), reference::read(found.first), 0), "")
        << row().signature.text;
  }
}

std::string row_name(const ::testing::TestParamInfo<size_t>& info) {
  std::string name = all_rows()[info.param].name();
  std::replace(name.begin(), name.end(), '.', '_');
  return fmt::format("{}_{}", info.param, name);
}

INSTANTIATE_TEST_SUITE_P(Rows, WebGpuSweepOfAttempts,
                         ::testing::Range<size_t>(0, all_rows().size()), row_name);

}  // namespace
}  // namespace tamis
