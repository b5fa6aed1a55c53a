// in_order: numbered work on several threads, whose results are taken in order.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace tamis::cli {

/// Calls work(number, worker) for all numbers below count, on up to `threads` threads, and
/// take(results) with spans of all results, in the order of the numbers: one call at a time, while
/// other threads go on working. worker is below threads; no two calls with the same one run at
/// once. A thread works on up to `batch` numbers before it waits for its turn to hand on their
/// results, so no more than that exist per thread. Rethrows the first exception of either.
template <class Work, class Take>
void in_order(int64_t count, int threads, int64_t batch, Work work, Take take) {
  // Where there are few numbers, all threads shall have some of them, and several times.
  batch = std::clamp<int64_t>(count / (4 * int64_t{threads}), 1, batch);
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  std::condition_variable turned;
  int64_t turn = 0;
  std::exception_ptr failure;

  const auto loop = [&](int worker) {
    try {
      std::vector<decltype(work(int64_t{0}, worker))> results;
      for (int64_t first = next.fetch_add(batch); first < count; first = next.fetch_add(batch)) {
        const int64_t end = std::min(first + batch, count);
        for (int64_t number = first; number < end; ++number) {
          results.push_back(work(number, worker));
        }
        std::unique_lock lock(mutex);
        turned.wait(lock, [&] { return turn == first || failure; });
        if (failure) return;
        lock.unlock();
        take(std::span(std::as_const(results)));
        results.clear();
        lock.lock();
        turn = end;
        turned.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      turned.notify_all();
    }
  };
  std::vector<std::thread> others;
  for (int worker = 1; worker < threads && worker < count; ++worker) {
    others.emplace_back(loop, worker);
  }
  loop(0);
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tamis::cli
