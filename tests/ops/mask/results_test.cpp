// Results: selections that come later, padded, row by row and in two parts.
#include "tamis/results.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <future>
#include <stdexcept>
#include <thread>

#include "support/layouts.h"
#include "support/observe.h"
#include "tamis/masks.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::observe;
using testing::random_mask;
using testing::random_values;

std::vector<int64_t> ints(const Tensor& x) { return x.to_vector<int64_t>(); }
using List = std::vector<int64_t>;

#define EXPECT_KIND(statement, expected)                  \
  try {                                                   \
    (void)(statement);                                    \
    ADD_FAILURE() << #statement " throws nothing";        \
  } catch (const Error& e) {                              \
    EXPECT_EQ(e.kind(), ErrorKind::expected) << e.what(); \
  }

// ---- later --------------------------------------------------------------------------------------

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

// ---- padded -------------------------------------------------------------------------------------

TEST(Padded, FillsUpAndCounts) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  const auto [values, count] = masked_select_padded(x, x % 2 == 0, 5, -1);
  EXPECT_EQ(ints(values), (List{2, 4, 6, -1, -1}));
  EXPECT_EQ(count.shape(), Shape{});
  EXPECT_EQ(count.item<int64_t>(), 3);
}

TEST(Padded, KeepsTheFirstIfThereAreMore) {
  const Tensor x = arange(10);
  const auto [values, count] = masked_select_padded(x, x > 2, 3);
  EXPECT_EQ(ints(values), (List{3, 4, 5}));
  EXPECT_EQ(count.item<int64_t>(), 7);
}

TEST(Padded, EqualsTheExactFormCutOrFilled) {
  for (DType dtype : {boolean, uint8, int16, float16, float32, int64}) {
    for (int64_t n : {0, 1, 63, 64, 65, 4095, 4096, 4097, 70000, 200000}) {
      const Tensor x = random_values({n}, dtype, 7), mask = random_mask({n}, static_cast<int>(n));
      const Tensor exact = masked_select(x, mask);
      const int64_t count = exact.numel();
      for (int64_t size : {int64_t{0}, int64_t{1}, count / 2, count - 1, count, count + 1, n + 3}) {
        if (size < 0) continue;
        const auto [values, kept] = masked_select_padded(x, mask, size, 1);
        const Tensor want = cat({exact.narrow(0, 0, std::min(count, size)),
                                 full({std::max<int64_t>(size - count, 0)}, 1, dtype)});
        ASSERT_EQ(observe(values), observe(want)) << name(dtype) << n << " " << size;
        ASSERT_EQ(kept.item<int64_t>(), count);
      }
    }
  }
}

TEST(Padded, TakesRowsByALowerMask) {
  const Tensor x = arange(12).view({4, 3}), mask = tensor({false, true, false, true});
  const auto [values, count] = masked_index_padded(x, mask, 3, 7);
  EXPECT_EQ(values.shape(), (Shape{3, 3}));
  EXPECT_EQ(ints(values), (List{3, 4, 5, 9, 10, 11, 7, 7, 7}));
  EXPECT_EQ(count.item<int64_t>(), 2);
  const auto [one, of] = masked_index_padded(x, mask, 1);
  EXPECT_EQ(ints(one), (List{3, 4, 5}));
  EXPECT_EQ(of.item<int64_t>(), 2);
  const auto [none, kept] = masked_index_padded(zeros({4, 0}), mask, 5);
  EXPECT_EQ(none.shape(), (Shape{5, 0}));
  EXPECT_EQ(kept.item<int64_t>(), 2);
}

TEST(Padded, NonzeroHasTheSizeItIsGiven) {
  const Tensor x = tensor({{5, 0, -1}, {0, 7, 0}});
  EXPECT_EQ(ints(nonzero_static(x, 4)), (List{0, 0, 0, 2, 1, 1, -1, -1}));
  EXPECT_EQ(ints(nonzero_static(x, 2, 9)), (List{0, 0, 0, 2}));
  EXPECT_EQ(nonzero_static(tensor(3), 2).shape(), (Shape{2, 0}));
  const Tensor large = random_mask({7, 30011}, 2), all = nonzero(large);
  const int64_t count = all.size(0);
  for (int64_t size : {int64_t{1}, count / 3, count, count + 5}) {
    const Tensor want = cat({all.narrow(0, 0, std::min(size, count)),
                             full({std::max<int64_t>(size - count, 0), 2}, -1, int64)});
    EXPECT_EQ(observe(nonzero_static(large, size)), observe(want)) << size;
  }
}

TEST(Padded, RefusesWhatDoesNotFit) {
  const Tensor x = zeros({3}, uint8), mask = ones({3}, boolean);
  EXPECT_KIND(masked_select_padded(x, mask, -1), value);
  EXPECT_KIND(masked_select_padded(x, mask, 5, 300), value);
  EXPECT_KIND(masked_select_padded(x, x, 5), dtype);
  EXPECT_KIND(masked_index_padded(x, ones({2}, boolean), 5), index);
  EXPECT_KIND(nonzero_static(x, -2), value);
}

TEST(Padded, MakesNothingButItsResult) {
  const Tensor x = random_values({1 << 20}, float32, 1);
  const Tensor keep = x > 0;
  const int64_t before = memory_stats().allocated_bytes;
  (void)masked_select_padded(x, keep, 1000);
  if (!eager_mode()) {
    EXPECT_LT(memory_stats().allocated_bytes - before, 8000);
  }
}

TEST(Padded, GivesGradientsToWhatItHolds) {
  const Tensor x = ones({4}, float64).requires_grad_();
  const Tensor mask = tensor({true, false, true, true});
  backward({(masked_select_padded(x, mask, 2, 5).first * tensor({2., 3.}, float64)).sum()});
  EXPECT_EQ(ints(x.grad()), (List{2, 0, 3, 0}));
}

// ---- row by row ---------------------------------------------------------------------------------

TEST(JaggedRows, HoldWhatEachRowKeeps) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}), mask = (x % 2 == 0) & (x < 8);
  const Jagged rows = masked_select_rows(x, mask);
  EXPECT_EQ(ints(rows.values), (List{2, 4, 6}));
  EXPECT_EQ(ints(rows.offsets), (List{0, 1, 3, 3}));
  const Jagged columns = masked_select_rows(x, mask, 0);
  EXPECT_EQ(ints(columns.values), (List{4, 2, 6}));
  EXPECT_EQ(ints(columns.offsets), (List{0, 1, 2, 3}));
}

TEST(JaggedRows, ComeBackThroughPaddingAndMask) {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    const Tensor x = random_values({17, 40}, int32, seed), mask = random_mask({17, 40}, seed);
    const Jagged rows = masked_select_rows(x, mask);
    const Tensor padded = to_padded(rows, {}, -5), kept = jagged_mask(rows.offsets);
    EXPECT_EQ(observe(masked_select(padded, kept)), observe(rows.values));
    EXPECT_TRUE(all(masked_select(padded, ~kept) == -5).item<bool>());
    EXPECT_EQ(ints(sum(kept, {1})), ints(sum(mask, {1})));
  }
}

TEST(JaggedRows, AreCutToTheSize) {
  const Tensor values = arange(10).view({5, 2}), offsets = tensor({0, 3, 3, 5});
  const Tensor two = to_padded(values, offsets, 2, 7);
  EXPECT_EQ(two.shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(ints(two), (List{0, 1, 2, 3, 7, 7, 7, 7, 6, 7, 8, 9}));
  EXPECT_EQ(ints(jagged_mask(offsets, 2)), (List{1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(to_padded(values, offsets, 0).shape(), (Shape{3, 0, 2}));
}

TEST(JaggedRows, MayBeNone) {
  EXPECT_EQ(to_padded(zeros({0}), tensor({0}, int64)).shape(), (Shape{0, 0}));
  EXPECT_EQ(to_padded(zeros({0}), tensor({0, 0, 0})).shape(), (Shape{2, 0}));
  EXPECT_EQ(to_padded(zeros({0}), tensor({0, 0, 0}), 3).shape(), (Shape{2, 3}));
  const Jagged none = masked_select_rows(zeros({0, 4}), zeros({4}, boolean));
  EXPECT_EQ(ints(none.offsets), (List{0}));
  const Jagged number = masked_select_rows(tensor(5), tensor(true));
  EXPECT_EQ(ints(number.values), (List{5}));
  EXPECT_EQ(ints(number.offsets), (List{0, 1}));
}

TEST(JaggedRows, RefuseOffsetsThatDescribeOtherValues) {
  const Tensor values = zeros({3});
  EXPECT_KIND(to_padded(values, tensor({0, 2})), value);
  EXPECT_KIND(to_padded(values, tensor({1, 3})), value);
  EXPECT_KIND(to_padded(values, tensor({0, 4, 3})), value);
  EXPECT_KIND(to_padded(values, tensor({0., 3.})), dtype);
  EXPECT_KIND(to_padded(values, tensor({{0, 3}})), shape);
  EXPECT_KIND(to_padded(values, zeros({0}, int64)), shape);
  EXPECT_KIND(to_padded(tensor(1), tensor({0, 1})), shape);
  EXPECT_KIND(to_padded(values, tensor({0, 3}), -1), value);
  EXPECT_KIND(jagged_mask(tensor({0, 3}), -1), value);
}

// ---- in two parts -------------------------------------------------------------------------------

TEST(Partition, GivesBothSidesInOrder) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  const auto [even, odd] = partition(x, x % 2 == 0);
  EXPECT_EQ(ints(even), (List{2, 4, 6}));
  EXPECT_EQ(ints(odd), (List{1, 3, 5}));
}

TEST(Partition, EqualsTwoSelections) {
  for (DType dtype : {boolean, int8, bfloat16, int32, float64}) {
    for (int64_t n : {0, 1, 63, 64, 65, 4095, 4096, 4097, 65536, 65537, 200003}) {
      for (uint32_t seed = 0; seed < 6; ++seed) {
        const Tensor x = random_values({n}, dtype, seed + 1), mask = random_mask({n}, seed);
        const auto [kept, rejected] = partition(x, mask);
        ASSERT_EQ(observe(kept), observe(masked_select(x, mask))) << name(dtype) << n << seed;
        ASSERT_EQ(observe(rejected), observe(masked_select(x, ~mask))) << name(dtype) << n << seed;
      }
    }
  }
}

TEST(Partition, Broadcasts) {
  const auto [kept, rejected] = partition(arange(3), tensor({{true}, {false}}));
  EXPECT_EQ(ints(kept), (List{0, 1, 2}));
  EXPECT_EQ(ints(rejected), (List{0, 1, 2}));
  EXPECT_KIND(partition(arange(3), arange(3)), dtype);
}

TEST(Partition, MakesNothingButItsResults) {
  const Tensor x = random_values({1 << 20}, float32, 1);
  const int64_t before = memory_stats().allocated_bytes;
  (void)partition(x, x > 0);
  const int64_t made = memory_stats().allocated_bytes - before;
  if (!eager_mode()) {
    EXPECT_LT(made, (4 << 20) + 20000);
  }
}

}  // namespace
}  // namespace tamis
