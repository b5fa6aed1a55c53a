// in_order: numbered work on several threads, whose results are taken in order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tamis::cli {

/// Calls work(number, worker) for all numbers below count, on up to `threads` threads, and
/// take(result) with each result: one at a time, in the order of the numbers, while other threads
/// go on working. worker is below threads; no two calls with the same one run at once. At most
/// one result per thread exists at a time. Rethrows the first exception of either.
template <class Work, class Take>
void in_order(int64_t count, int threads, Work work, Take take) {
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  std::condition_variable turned;
  int64_t turn = 0;
  std::exception_ptr failure;

  const auto loop = [&](int worker) {
    try {
      for (int64_t number = next++; number < count; number = next++) {
        auto result = work(number, worker);
        std::unique_lock lock(mutex);
        turned.wait(lock, [&] { return turn == number || failure; });
        if (failure) return;
        lock.unlock();
        take(std::move(result));
        lock.lock();
        ++turn;
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
