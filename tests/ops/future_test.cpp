// Futures: selections that are computed while the caller goes on.
#include "tamis/future.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "support/errors.h"
#include "support/observe.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::observe;
using testing::random_mask;
using testing::random_values;

std::vector<int64_t> ints(const Tensor& x) { return x.to_vector<int64_t>(); }
using List = std::vector<int64_t>;

TEST(Async, GivesWhatTheExactFormGives) {
  for (int64_t n : {0, 1, 4096, 4097, 300000}) {
    const Tensor x = random_values({n}, float32, 3), mask = random_mask({n}, 5);
    EXPECT_EQ(observe(masked_select_async(x, mask).get()), observe(masked_select(x, mask)));
    EXPECT_EQ(observe(nonzero_async(x).get()), observe(nonzero(x)));
  }
  const Tensor rows = arange(12).view({4, 3}), mask = tensor({true, false, true, false});
  EXPECT_EQ(observe(masked_index_async(rows, mask).get()), observe(rows[mask]));
}

TEST(Async, SeesInputsAsTheyWereAtTheCall) {
  for (int round = 0; round < 50; ++round) {
    Tensor x = arange(200000), mask = x % 3 == 0;
    mask.settle();
    const Future<Tensor> kept = masked_select_async(x, mask);
    x.zero_();
    mask.fill_(false);
    const Tensor got = kept.get();
    ASSERT_EQ(got.numel(), 66667);
    ASSERT_EQ(got.sum().item<int64_t>(), int64_t{3} * 66666 * 66667 / 2);
  }
}

TEST(Async, SeesWhatADeferredInputIsComputedFromAsItWas) {
  for (int round = 0; round < 50; ++round) {
    Tensor x = arange(200000);
    const Future<Tensor> kept = masked_select_async(x * 2, (x % 2) == 1);
    x += 1;
    const Tensor got = kept.get();
    ASSERT_EQ(got.numel(), 100000);
    ASSERT_EQ(got.sum().item<int64_t>(), int64_t{2} * 100000 * 100000);
  }
}

TEST(Async, SeesTheInputThoughItsHandleIsRebound) {
  Tensor x = arange(100000);
  const Future<Tensor> kept = masked_select_async(x, x >= 0);
  into(x, tensor({1, 2}));
  x = Tensor();
  EXPECT_EQ(kept.get().numel(), 100000);
}

TEST(Async, KeepsItsInputsAlive) {
  const Future<Tensor> kept = masked_select_async(arange(100000), arange(100000) < 10);
  EXPECT_EQ(kept.get().numel(), 10);
}

TEST(Async, LetsManyFuturesReadOneTensor) {
  Tensor x = arange(5000);
  std::vector<Future<Tensor>> all;
  for (int i = 0; i < 200; ++i) all.push_back(masked_select_async(x, x < i));
  x.zero_();
  for (int i = 0; i < 200; ++i) EXPECT_EQ(all[i].get().numel(), i);
}

TEST(Async, CanBePolled) {
  const Future<Tensor> found = nonzero_async(ones({100000}));
  while (!found.ready()) std::this_thread::yield();
  EXPECT_EQ(found.get().shape(), (Shape{100000, 1}));
}

TEST(Async, Chains) {
  const Tensor x = arange(1000);
  const Future<int64_t> total = masked_select_async(x, x < 10)
                                    .then([](const Tensor& t) { return t * 2; })
                                    .then([](const Tensor& t) { return t.sum().item<int64_t>(); });
  EXPECT_EQ(total.get(), 90);
  std::atomic<int> seen{0};
  total.then([&](int64_t v) { seen = static_cast<int>(v); }).then([&] { ++seen; }).wait();
  EXPECT_EQ(seen, 91);
}

TEST(Async, RunsAChainWithoutAnybodyWaiting) {
  std::promise<int64_t> done;
  masked_select_async(arange(100), arange(100) < 7).then([&](const Tensor& t) {
    done.set_value(t.numel());
  });
  EXPECT_EQ(done.get_future().get(), 7);
}

TEST(Async, ThrowsArgumentErrorsAtTheCall) {
  EXPECT_KIND(masked_select_async(zeros({3}), zeros({3})), dtype);
  EXPECT_KIND(masked_select_async(zeros({3}), zeros({4}, boolean)), shape);
  EXPECT_KIND(masked_index_async(zeros({3}), zeros({4}, boolean)), index);
}

TEST(Async, CarriesExceptionsThroughChains) {
  const auto fails = run_async(
      [](const Tensor& t) -> Tensor {
        if (t.numel() > 2) throw std::out_of_range("too many");
        return t;
      },
      zeros({3}));
  EXPECT_THROW(fails.get(), std::out_of_range);
  EXPECT_THROW(fails.get(), std::out_of_range);
  fails.wait();
  EXPECT_TRUE(fails.ready());
  bool called = false;
  const auto next = fails.then([&](const Tensor&) { called = true; });
  EXPECT_THROW(next.get(), std::out_of_range);
  EXPECT_FALSE(called);
}

TEST(Async, DoesNotWaitForItselfWhenItWritesWhatItReads) {
  Tensor x = zeros({4});
  run_async([](Tensor t) { t.fill_(3); }, x).wait();
  EXPECT_EQ(x.sum().item<double>(), 12);
}

TEST(Async, WorksOnOneThread) {
  const int before = get_num_threads();
  set_num_threads(1);
  const Future<Tensor> found = masked_select_async(arange(200000), arange(200000) >= 100);
  EXPECT_EQ(found.get().numel(), 199900);
  set_num_threads(before);
}

TEST(Async, AResultGoesWithItsLastFuture) {
  // Every thread of the pool is busy, so what is spawned now stays in its queue.
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  const Tensor x = ones({4});
  std::vector<Future<void>> busy;
  for (unsigned i = 0; i < std::thread::hardware_concurrency() + get_num_threads() + 4; ++i) {
    busy.push_back(run_async([open](const Tensor&) { open.wait(); }, x));
  }
  const int64_t before = memory_stats().live_bytes;
  {
    const Future<Tensor> later = run_async([](const Tensor& t) { return t + 1; }, x);
    const Future<Tensor> last = later.then([](const Tensor& t) { return t * 2; });
    EXPECT_EQ(last.get().sum().item<double>(), 16);
    EXPECT_GT(memory_stats().live_bytes, before);
  }
  EXPECT_EQ(memory_stats().live_bytes, before);
  gate.set_value();
  for (const Future<void>& f : busy) f.wait();
}

TEST(Async, MaySelectWhileOthersDo) {
  const Tensor x = random_values({200000}, float64, 9), mask = random_mask({200000}, 4);
  const std::string want = observe(masked_select(x, mask));
  std::vector<Future<Tensor>> all;
  for (int i = 0; i < 20; ++i) all.push_back(masked_select_async(x, mask));
  EXPECT_EQ(observe(masked_select(x, mask)), want);
  for (const Future<Tensor>& f : all) EXPECT_EQ(observe(f.get()), want);
}

TEST(Async, KeepsGradients) {
  const Tensor x = ones({4}, float64).requires_grad_(), mask = tensor({true, false, true, false});
  backward(
      {masked_select_async(x, mask).then([](const Tensor& t) { return (t * 3).sum(); }).get()});
  EXPECT_EQ(ints(x.grad()), (List{3, 0, 3, 0}));
}

}  // namespace
}  // namespace tamis
