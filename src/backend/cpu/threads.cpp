// Running loops on several threads, and how many. A loop is shared by a team of threads; one that
// begins while another is running, and work that is spawned, go to oneTBB.
#include "backend/cpu/threads.h"

#include <pthread.h>
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

#include "backend/cpu/team.h"
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

/// The threads. They do not survive a fork, and oneTBB does not notice: in the child it would wait
/// for them.
struct Pool {
  cpu::Team team;
  std::mutex mutex;  // guards the next two
  std::unique_ptr<tbb::global_control> allowance;
  std::shared_ptr<tbb::task_arena> current;
  std::atomic<bool> lost{false};
};
Pool& pool() {
  static auto* threads = new Pool;  // never destroyed: in a child there is nothing to wait for
  return *threads;
}

/// After a fork, in the child: if there were threads, everything continues without them.
void survive_fork() {
  if (pool().current || pool().team.has_threads()) {
    pool().lost = true;
    thread_count() = 1;
  }
  pool().mutex.unlock();
}
[[maybe_unused]] const bool watches_forks =
    pthread_atfork([] { pool().mutex.lock(); }, [] { pool().mutex.unlock(); }, survive_fork) == 0;

/// The arena for the current number of threads; an older one lives on while a loop is still running
/// in it.
std::shared_ptr<tbb::task_arena> arena(int threads) {
  using tbb::global_control;
  Pool& own = pool();
  std::lock_guard guard(own.mutex);
  if (!own.current || own.current->max_concurrency() != threads) {
    // Asked for more threads than there are cores, TBB would print a warning and start fewer.
    const auto wanted = static_cast<size_t>(threads);
    if (wanted > global_control::active_value(global_control::max_allowed_parallelism)) {
      own.allowance =
          std::make_unique<global_control>(global_control::max_allowed_parallelism, wanted);
    }
    own.current = std::make_shared<tbb::task_arena>(threads);
  }
  return own.current;
}

}  // namespace

void set_num_threads(int n) {
  check(n >= 1, ErrorKind::value, "set_num_threads expects a positive number, but got {}", n);
  check(
      n == 1 || !pool().lost, ErrorKind::unsupported,
      "set_num_threads: threads do not survive a fork, so this process has one, but got {}; start "
      "it by spawn or exec instead, or fork before the first parallel operation",
      n);
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
  if (Team::is_inside()) return body(0, n);  // the other threads are busy with the outer loop
  if (pool().team.try_lock()) {
    return pool().team.run(n, grain, threads, body);
  }
  arena(threads)->execute([&] {
    // While it waits for the rest of this loop, the thread must not start spawned work, which may
    // wait for what the thread is doing.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(tbb::blocked_range<int64_t>(0, n, static_cast<size_t>(grain)),
                        [&](const tbb::blocked_range<int64_t>& r) { body(r.begin(), r.end()); });
    });
  });
}

void spawn(std::function<void()> work) {
  if (pool().lost) return work();
  arena(get_num_threads())->enqueue(std::move(work));
}

}  // namespace cpu

}  // namespace tamis
