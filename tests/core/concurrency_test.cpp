// Concurrency: any number of threads may read a tensor, deferred or not, while others make and drop
// readers of it.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/layouts.h"
#include "support/observe.h"
#include "tamis/masks.h"

namespace tamis {
namespace {

using testing::observe;

constexpr int kThreads = 4;

/// Runs body(thread) on several threads, all starting together.
template <class F>
void on_threads(F body) {
  std::atomic<int> waiting{kThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (--waiting; waiting > 0;) std::this_thread::yield();
      body(t);
    });
  }
  for (std::thread& t : threads) t.join();
}

class Concurrency : public ::testing::Test {
 protected:
  testing::ModeGuard mode_{false};
};

TEST_F(Concurrency, ThreadsMaySettleOneTensorAtOnce) {
  for (int round = 0; round < 50; ++round) {
    const Tensor x = testing::random_values({5000}, float32, static_cast<uint32_t>(round));
    const Tensor y = (x * 2).exp() + 1, view = y.narrow(0, 7, 1000);
    const std::string want = observe((x * 2).exp() + 1);
    std::atomic<int> wrong{0};
    on_threads([&](int t) {
      if (t % 2) view.settle();
      if (observe(y) != want) ++wrong;
    });
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(Concurrency, ThreadsMayRunSinksOverOneExpressionAtOnce) {
  for (int round = 0; round < 30; ++round) {
    const Tensor x = testing::random_values({70000}, float32, static_cast<uint32_t>(round));
    const Tensor y = x.abs().log(), m = (y > 1) & (x > 0);
    const std::string sum = observe(x.abs().log().sum());
    const std::string selected =
        observe(masked_select(x.abs().log(), (x.abs().log() > 1) & (x > 0)));
    std::atomic<int> wrong{0};
    on_threads([&](int t) {
      for (int i = 0; i < 3; ++i) {
        if ((t + i) % 3 == 0 && observe(y.sum()) != sum) ++wrong;
        if ((t + i) % 3 == 1 && observe(masked_select(y, m)) != selected) ++wrong;
        if ((t + i) % 3 == 2 && static_cast<int64_t>(y.to_vector<float>().size()) != 70000) ++wrong;
        if (count(m) != masked_select(x, m).numel()) ++wrong;
      }
    });
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(Concurrency, ThreadsMayMakeAndDropReadersOfOneTensor) {
  const Tensor x = arange(100).to(float32).clone();
  const Tensor base = x + 1;  // deferred, read by all
  std::atomic<int> wrong{0};
  on_threads([&](int t) {
    std::vector<Tensor> kept;
    for (int i = 0; i < 2000; ++i) {
      Tensor y = (i % 2 ? x : base) * (t + i);
      if (i % 7 == 0) kept.push_back(y);
      if (i % 5 == 0 && y.sum().item<float>() !=
                            static_cast<float>((i % 2 ? 4950 : 5050)) * static_cast<float>(t + i)) {
        ++wrong;
      }
      if (kept.size() > 30) kept.clear();
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(Concurrency, ThreadsMayUseOneStructuredMask) {
  const Tensor x = ones({300, 300});
  for (int round = 0; round < 20; ++round) {
    const Tensor m = masks::causal(300);
    std::atomic<int> wrong{0};
    on_threads([&](int t) {
      if (t == 0) m.settle();
      if (count(m) != 45150 || masked_select(x, m).numel() != 45150) ++wrong;
      if (where(m, x, 0).sum().item<float>() != 45150) ++wrong;
    });
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(Concurrency, TensorsMayBeFreedByOtherThreads) {
  std::vector<Tensor> tensors(kThreads * 200);
  on_threads([&](int t) {
    for (int i = 0; i < 200; ++i) tensors[t * 200 + i] = (arange(i + 1) + t).settle();
  });
  on_threads([&](int t) {
    for (int i = 0; i < 200; ++i) tensors[(t + 1) % kThreads * 200 + i] = Tensor();
  });
  for (const Tensor& x : tensors) EXPECT_FALSE(x.defined());
}

TEST_F(Concurrency, ReadersMayDieWhileWhatTheyReadIsWritten) {
  Tensor x = zeros({64});
  for (int round = 0; round < 200; ++round) {
    std::vector<Tensor> readers;
    for (int i = 0; i < 60; ++i) readers.push_back(x + i);
    on_threads([&](int t) {
      if (t == 0) {
        x.add_(1);
        return;
      }
      for (int i = t - 1; i < 60; i += kThreads - 1) readers[i] = Tensor();
    });
    EXPECT_EQ(x.sum().item<float>(), 64.0f * static_cast<float>(round + 1));
  }
}

TEST_F(Concurrency, LoopsOfSeveralThreadsShareTheWorkers) {
  const Tensor x = testing::random_values({1 << 20}, float32, 1);
  const std::string want = observe(masked_select(x, x > 0.5));
  const std::string sum = observe(where(x.isfinite(), x, 0).sum());
  std::atomic<int> wrong{0};
  on_threads([&](int) {
    for (int i = 0; i < 5; ++i) {
      if (observe(masked_select(x, x > 0.5)) != want) ++wrong;
      if (observe(where(x.isfinite(), x, 0).sum()) != sum) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(Concurrency, NumberOfThreadsMayChangeWhileLoopsRun) {
  const Tensor x = testing::random_values({1 << 19}, float32, 1);
  const std::string want = observe(masked_select(x, x > 0.5));
  const int before = get_num_threads();
  std::atomic<int> wrong{0};
  on_threads([&](int t) {
    for (int i = 0; i < 10; ++i) {
      set_num_threads(1 + (t + i) % 4);
      if (observe(masked_select(x, x > 0.5)) != want) ++wrong;
    }
  });
  set_num_threads(before);
  EXPECT_EQ(wrong, 0);
}

TEST_F(Concurrency, OwnTensorsMayBeWrittenAtOnce) {
  std::atomic<int> wrong{0};
  const Tensor shared = arange(1000).to(float32);
  on_threads([&](int t) {
    Tensor mine = shared.clone();
    for (int i = 0; i < 100; ++i) {
      const Tensor reader = mine + shared;
      mine.add_(t);
      mine.masked_fill_(shared > 998, 0);
      if (reader.amin().item<float>() != static_cast<float>(i * t)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tamis
