// parallel_for: every item exactly once, whatever the number of threads and callers.
#include "backend/cpu/threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tamis/runtime.h"

namespace tamis {
namespace {

class ThreadsTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_num_threads(GetParam()); }
  void TearDown() override { set_num_threads(before_); }

 private:
  const int before_ = get_num_threads();
};

/// How often a loop over n items has visited each.
std::vector<int> visits(int64_t n, int64_t grain) {
  std::vector<std::atomic<int>> seen(static_cast<size_t>(n));
  cpu::parallel_for(n, grain, [&](int64_t begin, int64_t end) {
    EXPECT_LT(begin, end);
    for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
  });
  return {seen.begin(), seen.end()};
}

TEST_P(ThreadsTest, VisitEveryItemOnce) {
  for (const int64_t n : {0, 1, 2, 3, 7, 64, 1000}) {
    for (const int64_t grain : {1, 2, 8, 100}) {
      for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(visits(n, grain), std::vector<int>(static_cast<size_t>(n), 1)) << n;
      }
    }
  }
}

TEST_P(ThreadsTest, PassOnAnExceptionAndGoOn) {
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(cpu::parallel_for(100, 1,
                                   [&](int64_t begin, int64_t end) {
                                     if (begin <= 50 && 50 < end) throw std::runtime_error("50");
                                   }),
                 std::runtime_error);
    EXPECT_EQ(visits(100, 1), std::vector<int>(100, 1));
  }
}

TEST_P(ThreadsTest, RunLoopsWithinLoops) {
  std::atomic<int64_t> sum{0};
  cpu::parallel_for(10, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      cpu::parallel_for(100, 1, [&](int64_t first, int64_t last) { sum += (last - first) * i; });
    }
  });
  EXPECT_EQ(sum, 100 * 45);
}

TEST_P(ThreadsTest, ServeSeveralCallersAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        const std::vector<int> seen = visits(300, 1);
        if (std::count(seen.begin(), seen.end(), 1) != 300) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Numbers, ThreadsTest, testing::Values(1, 2, 3, 8));

}  // namespace
}  // namespace tamis
