// Forks: a child works, also while other threads of the parent are in the middle of something.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "tamis/future.h"
#include "tamis/tamis.h"

#if defined(__SANITIZE_THREAD__)
#define TAMIS_FORKS 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TAMIS_FORKS 0
#endif
#endif
#ifndef TAMIS_FORKS
#define TAMIS_FORKS 1
#endif

namespace tamis {
namespace {

constexpr unsigned kSeconds = 30;  // after which a child counts as hanging

/// Runs body in a child process. Returns whether it returned true; a child that hangs is killed.
bool in_child(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSeconds);
    bool ok = false;
    try {
      ok = body();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "the child threw: %s\n", e.what());
    }
    _exit(ok ? 0 : 1);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

class Fork : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!TAMIS_FORKS) GTEST_SKIP() << "ThreadSanitizer does not follow forks of many threads";
    threads_ = get_num_threads();
    set_num_threads(4);
    x_ = randn({1'000'000});
    sum_ = x_.sum().item<double>();  // the pool exists from here on
  }
  void TearDown() override {
    if (TAMIS_FORKS) set_num_threads(threads_);
  }

  /// Whether what uses threads, locks and large blocks works, with the parent's result.
  bool works() const {
    Tensor chosen = x_[x_ > 0];
    return x_.sum().item<double>() == sum_ && chosen.numel() > 0 &&
           (chosen > 0).all().item<bool>() && rand({100'000}).numel() == 100'000 &&
           sort(x_).first.numel() == x_.numel() &&
           (ones({3'000'000}) + 1).sum().item<double>() == 6e6 && memory_stats().live_bytes > 0;
  }

  int threads_ = 0;
  Tensor x_;
  double sum_ = 0;
};

TEST_F(Fork, AChildComputesWhileTheParentsThreadsAreBusy) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  for (int t = 0; t < 3; ++t) {
    busy.emplace_back([&] {
      while (!stop) {
        sort(x_[x_ > 0].get() * 2);
        rand({100'000});
        empty_cache();
      }
    });
  }
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    EXPECT_TRUE(in_child([&] { return works(); })) << "child " << i;
  }
  stop = true;
  for (std::thread& t : busy) t.join();
  EXPECT_TRUE(works());
  EXPECT_EQ(get_num_threads(), 4);
}

TEST_F(Fork, AChildHasOneThread) {
  EXPECT_TRUE(in_child([&] {
    if (get_num_threads() != 1) return false;
    set_num_threads(1);
    try {
      set_num_threads(2);
    } catch (const Error& e) {
      return e.kind() == ErrorKind::unsupported && works() && in_child([&] { return works(); });
    }
    return false;
  }));
}

TEST_F(Fork, FuturesOfAChildAreItsOwn) {
  EXPECT_TRUE(in_child([&] {
    const auto later = run_async([](const Tensor& x) { return x + 1; }, tensor({1, 2}));
    return later.ready() && later.get().sum().item<int64_t>() == 5;
  }));
}

TEST_F(Fork, AFutureThatTheParentComputesIsAnErrorInTheChild) {
  std::atomic<bool> begun{false}, finish{false};
  Tensor input = tensor({1, 2});
  const auto later = run_async(
      [&](const Tensor& x) {
        begun = true;
        while (!finish) std::this_thread::yield();
        return x + 1;
      },
      input);
  while (!begun) std::this_thread::yield();
  EXPECT_TRUE(in_child([&] {
    input.fill_(7);  // waits for nobody: the future's thread is not here
    try {
      later.get();
    } catch (const Error& e) {
      return e.kind() == ErrorKind::unsupported && input.sum().item<int64_t>() == 14;
    }
    return false;
  }));
  finish = true;
  EXPECT_EQ(later.get().sum().item<int64_t>(), 5);
}

}  // namespace
}  // namespace tamis
