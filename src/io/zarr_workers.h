// Workers: threads that run jobs as they come.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tamis::io {

class Workers {
 public:
  explicit Workers(int most) : most_(static_cast<size_t>(std::max(most, 1))) {}
  /// Jobs that have not begun are dropped.
  ~Workers() {
    {
      const std::lock_guard guard(mutex_);
      jobs_.clear();
      ends_ = true;
      changed_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Jobs begin in this order. Throws what a job before it has thrown.
  void submit(std::function<void()> job) {
    const std::lock_guard guard(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    jobs_.push_back(std::move(job));
    if (threads_.size() < most_ && jobs_.size() > idle_) threads_.emplace_back([this] { loop(); });
    changed_.notify_all();
  }

  /// Waits until is_ready(), which jobs change under lock(), or until a job has failed, which is
  /// thrown.
  template <class Ready>
  void wait(const Ready& is_ready) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failure_ || is_ready(); });
    if (failure_) std::rethrow_exception(failure_);
  }
  /// Runs f under the lock and wakes those that wait.
  template <class F>
  void change(const F& f) {
    const std::lock_guard guard(mutex_);
    f();
    changed_.notify_all();
  }
  /// Waits until all jobs are done.
  void finish() {
    wait([&] { return jobs_.empty() && idle_ == threads_.size(); });
  }

 private:
  void loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      changed_.notify_all();
      changed_.wait(lock, [&] { return ends_ || !jobs_.empty(); });
      --idle_;
      if (jobs_.empty()) return;
      {
        const std::function<void()> job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        try {
          job();
          lock.lock();
        } catch (...) {
          lock.lock();
          if (!failure_) failure_ = std::current_exception();
          jobs_.clear();
        }
      }
    }
  }

  const size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool ends_ = false;
  std::exception_ptr failure_;
};

}  // namespace tamis::io
