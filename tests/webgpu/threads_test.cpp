// Threads and futures: several threads may use a device at once, and work that runs later sees what
// was there when it was asked for.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/layouts.h"
#include "support/observe.h"
#include "support/webgpu.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::observe;
using testing::random_mask;
using testing::random_values;
using testing::same;
using testing::to_gpu;

constexpr int kThreads = 4;

/// Runs body(thread) on several threads, all starting together. It returns what went wrong.
template <class F>
void expect_well_on_threads(F body) {
  std::atomic<int> waiting{kThreads};
  std::vector<std::string> wrong(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (--waiting; waiting > 0;) std::this_thread::yield();
      try {
        wrong[t] = body(t);
      } catch (const std::exception& e) {
        wrong[t] = e.what();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (int t = 0; t < kThreads; ++t) EXPECT_EQ(wrong[t], "") << "thread " << t;
}

class WebGpuThreads : public testing::WebGpuTest {
 protected:
  testing::ModeGuard mode_{false};
};

TEST_F(WebGpuThreads, WorkOnTensorsOfTheirOwnDoesNotMixUp) {
  expect_well_on_threads([](int t) -> std::string {
    for (int round = 0; round < 15; ++round) {
      const auto seed = static_cast<uint32_t>(100 * t + round);
      const Tensor x = random_values({3000 + 7 * t}, int32, seed), g = x.to("webgpu");
      if (observe(g[g > t]) != observe(x[x > t])) return "selection";
      if (observe((g * 2).sum()) != observe((x * 2).sum())) return "sum";
      if (observe(masked::amax(g, g < 5)) != observe(masked::amax(x, x < 5))) return "extreme";
      Tensor h = g.clone(), y = x.clone();
      h[h > 0] += t;
      y[y > 0] += t;
      if (observe(h) != observe(y)) return "write";
      if (observe(nonzero(g > 3)) != observe(nonzero(x > 3))) return "coordinates";
      const auto [a, n] = masked_select_padded(g, g > 1, 1000);
      if (n.item<int64_t>() != count(x > 1)) return "count";
      if (observe(a) != observe(masked_select_padded(x, x > 1, 1000).first)) return "padded";
    }
    return "";
  });
}

TEST_F(WebGpuThreads, MayReadAndSettleTheSameTensors) {
  for (uint32_t round = 0; round < 8; ++round) {
    const Tensor x = random_values({5000}, int32, round), g = x.to("webgpu");
    const Tensor y = g * 2 + 1, m = (y > 3) & (g < 9), view = y.narrow(0, 7, 1000);
    const std::string values = observe(x * 2 + 1),
                      kept = observe((x * 2 + 1)[(x * 2 + 1 > 3) & (x < 9)]);
    const std::string part = observe((x * 2 + 1).narrow(0, 7, 1000));
    expect_well_on_threads([&](int t) -> std::string {
      for (int i = 0; i < 3; ++i) {
        if ((t + i) % 3 == 0 && observe(y) != values) return "values";
        if ((t + i) % 3 == 1 && observe(y[m]) != kept) return "selection";
        if ((t + i) % 3 == 2 && observe(view) != part) return "view";
        if (count(m) != masked_select(g, m).numel()) return "count";
      }
      return "";
    });
  }
}

TEST_F(WebGpuThreads, CompileKernelsAtOnce) {
  // Expressions of a shape that nobody has used before: each thread is first for some of them.
  const Tensor x = random_values({200}, int32, 3), g = x.to("webgpu");
  expect_well_on_threads([&](int t) -> std::string {
    for (int i = 0; i < 6; ++i) {
      const auto expression = [&](const Tensor& v) {
        Tensor r = v;
        for (int k = 0; k <= (t + i) % 6; ++k) r = k % 2 ? r * v - 3 : minimum(r + v, v * 5);
        return r;
      };
      if (observe(expression(g)) != observe(expression(x))) return std::to_string(i);
    }
    return "";
  });
}

TEST_F(WebGpuThreads, TensorsMayMoveWhileOthersCompute) {
  expect_well_on_threads([](int t) -> std::string {
    for (int i = 0; i < 40; ++i) {
      const DType dtype =
          testing::kEveryDType[static_cast<size_t>(i + t) % testing::kEveryDType.size()];
      const Tensor x = random_values({100 + 13 * i}, dtype, static_cast<uint32_t>(i));
      const Tensor g = x.to("webgpu");
      if (t % 2 && observe(g) != observe(x)) return "there and back";
      if (!(t % 2) && observe(where(g == g, g, g)) != observe(x)) return "computed";
    }
    return "";
  });
}

// ---- futures ------------------------------------------------------------------------------------

TEST_F(WebGpuThreads, AFutureSelectsWhatWasThereWhenItWasAsked) {
  for (uint32_t round = 0; round < 10; ++round) {
    const Tensor x = random_values({20000}, float32, round), mask = random_mask({20000}, 6);
    Tensor g = to_gpu(x), m = to_gpu(mask);
    const Future<Tensor> by_mask = masked_select_async(g, m),
                         by_value = masked_select_async(g, g > 3);
    const Future<Tensor> places = nonzero_async(m), rows = masked_index_async(g, m);
    g.zero_();  // waits for all of them
    m.fill_(false);
    EXPECT_TRUE(same(by_mask.get(), x.masked_select(mask)));
    EXPECT_TRUE(same(by_value.get(), x.masked_select(x > 3)));
    EXPECT_TRUE(same(places.get(), nonzero(mask)));
    EXPECT_TRUE(same(rows.get(), x[mask]));
    EXPECT_EQ(g.abs().sum().item<float>(), 0);
    EXPECT_EQ(count(m), 0);
  }
}

TEST_F(WebGpuThreads, AFutureOfADeferredTensorSeesItsSources) {
  const Tensor x = random_values({5000}, int32, 1);
  Tensor g = to_gpu(x);
  Tensor y = g * 2;
  const Future<Tensor> future = masked_select_async(y, y > g);
  g.select(0, 0).fill_(99);
  y.add_(1);
  EXPECT_TRUE(same(future.get(), masked_select(x * 2, x * 2 > x)));
  Tensor expected = x * 2;
  expected.add_(1);
  EXPECT_TRUE(same(y, expected));
}

TEST_F(WebGpuThreads, FuturesGoOnOnTheDevice) {
  const Tensor x = random_values({5000}, int32, 1), g = to_gpu(x);
  const Future<int64_t> total =
      masked_select_async(g, g > 3).then([](const Tensor& t) { return t.sum().item<int64_t>(); });
  const Future<Tensor> more = run_async([](const Tensor& t) { return t * 2 + 1; }, g);
  EXPECT_EQ(total.get(), x.masked_select(x > 3).sum().item<int64_t>());
  EXPECT_TRUE(same(more.get(), x * 2 + 1));
}

TEST_F(WebGpuThreads, FuturesThatAreDroppedDisturbNobody) {
  const Tensor x = random_values({5000}, int32, 1);
  Tensor g = to_gpu(x);
  for (int i = 0; i < 20; ++i) (void)masked_select_async(g, g > i);
  g.add_(1);
  EXPECT_TRUE(same(g, x + 1));
}

}  // namespace
}  // namespace tamis
