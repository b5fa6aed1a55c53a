// Running loops on several threads, and how many.
#include "backend/cpu/threads.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

#include "core/check.h"
#include "tamis/runtime.h"

namespace tamis {

namespace {

int default_threads() {
  if (const char* text = std::getenv("TAMIS_NUM_THREADS")) {
    const int n = std::atoi(text);
    if (n > 0) return n;
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::atomic<int>& thread_count() {
  static std::atomic<int> count = default_threads();
  return count;
}

/// The arena for the present number of threads; an older one lives on while a loop is still running
/// in it.
std::shared_ptr<tbb::task_arena> arena(int threads) {
  using tbb::global_control;
  static std::mutex mutex;
  static std::unique_ptr<global_control> allowance;
  static std::shared_ptr<tbb::task_arena> current;
  std::lock_guard guard(mutex);
  if (!current || current->max_concurrency() != threads) {
    // Asked for more threads than there are cores, TBB would print a warning and start fewer.
    const auto wanted = static_cast<size_t>(threads);
    if (wanted > global_control::active_value(global_control::max_allowed_parallelism)) {
      allowance = std::make_unique<global_control>(global_control::max_allowed_parallelism, wanted);
    }
    current = std::make_shared<tbb::task_arena>(threads);
  }
  return current;
}

}  // namespace

void set_num_threads(int n) {
  check(n >= 1, ErrorKind::value, "set_num_threads expects a positive number, but got {}", n);
  thread_count().store(n, std::memory_order_relaxed);
}

int get_num_threads() { return thread_count().load(std::memory_order_relaxed); }

namespace cpu {

void parallel_for(int64_t n, int64_t grain, const std::function<void(int64_t, int64_t)>& body) {
  const int threads = get_num_threads();
  if (n <= grain || threads == 1) {
    if (n > 0) body(0, n);
    return;
  }
  arena(threads)->execute([&] {
    // While it waits for the rest of this loop, the thread must not begin anything that was
    // spawned: that may wait for what the thread is in the middle of.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(tbb::blocked_range<int64_t>(0, n, static_cast<size_t>(grain)),
                        [&](const tbb::blocked_range<int64_t>& r) { body(r.begin(), r.end()); });
    });
  });
}

void spawn(std::function<void()> work) { arena(get_num_threads())->enqueue(std::move(work)); }

}  // namespace cpu

}  // namespace tamis
