// Future: a result that is computed on the pool while the caller goes on.
#pragma once

#include <atomic>
#include <concepts>
#include <condition_variable>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tamis/tensor.h"

namespace tamis {

namespace detail {

/// Work that runs once: on the pool, or on the first thread that waits for it before the pool has
/// come to it, so that waiting never depends on a free thread.
class Job : public std::enable_shared_from_this<Job> {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  virtual ~Job() = default;

  /// Hands the work to the pool. From now on, writes to the inputs wait for it.
  void start(std::initializer_list<Tensor> inputs);
  /// Hands the work to the pool when `first` is done.
  void start_after(Job& first);
  void wait();
  bool done() const noexcept { return state_.load(std::memory_order_acquire) == State::done; }

 protected:
  virtual void work() noexcept = 0;

 private:
  enum class State { idle, running, done };

  bool try_run();
  void spawn();
  /// Whether it was running when the process was forked: its thread is the parent's.
  bool lost() const noexcept;

  std::atomic<State> state_{State::idle};
  std::atomic<std::thread::id> runner_{};
  std::atomic<int> process_{0};   // where it runs
  std::shared_ptr<void> reader_;  // registered with the inputs' storages until the work is done
  std::mutex mutex_;              // guards next_, and state_ becoming done
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Job>> next_;
};

/// What a job came to. It belongs to the futures: a job that is done may wait in the pool's queue
/// long after the last of them is gone.
template <class T>
struct Outcome {
  std::optional<std::conditional_t<std::is_void_v<T>, std::monostate, T>> value;
  std::exception_ptr error;
};

template <class T>
class ResultJob final : public Job {
 public:
  ResultJob(std::function<T()> f, std::shared_ptr<Outcome<T>> outcome)
      : f_(std::move(f)), outcome_(std::move(outcome)) {}

 private:
  void work() noexcept override {
    try {
      if constexpr (std::is_void_v<T>) {
        f_();
      } else {
        outcome_->value.emplace(f_());
      }
    } catch (...) {
      outcome_->error = std::current_exception();
    }
    f_ = nullptr;  // both may hold tensors that are not needed any more
    outcome_.reset();
  }

  std::function<T()> f_;
  std::shared_ptr<Outcome<T>> outcome_;
};

/// x in a handle of its own, which no one else rebinds; x itself if gradients are recorded.
Tensor own_handle(const Tensor& x);

}  // namespace detail

/// A result that may not be there yet. Copies refer to the same result. Dropping it does not stop
/// the work.
template <class T>
class Future {
 public:
  /// The result of f, which nothing has started yet.
  explicit Future(std::function<T()> f)
      : outcome_(std::make_shared<detail::Outcome<T>>()),
        job_(std::make_shared<detail::ResultJob<T>>(std::move(f), outcome_)) {}

  /// Whether get() would return at once.
  bool ready() const { return job_->done(); }
  /// Returns when the work is done, well or not. In the child of a fork, work that a thread of the
  /// parent had begun is an error of kind unsupported, here and in get.
  void wait() const { job_->wait(); }
  /// The result, when it is there. Throws what the work threw.
  T get() const {
    wait();
    if (outcome_->error) std::rethrow_exception(outcome_->error);
    if constexpr (!std::is_void_v<T>) return *outcome_->value;
  }

  /// f(result), on the pool, when the result is there; f takes nothing if T is void. If the work
  /// throws, f is not called and the new future throws the same.
  template <class F>
  auto then(F f) const {
    auto call = [first = *this, f = std::move(f)]() mutable {
      if constexpr (std::is_void_v<T>) {
        first.get();
        return f();
      } else {
        return f(first.get());
      }
    };
    using R = std::invoke_result_t<decltype(call)&>;
    Future<R> next(std::move(call));
    next.job().start_after(*job_);
    return next;
  }

  /// The work, for those who start it.
  detail::Job& job() const { return *job_; }

 private:
  std::shared_ptr<detail::Outcome<T>> outcome_;
  std::shared_ptr<detail::Job> job_;
};

/// f(inputs...), on the pool. f sees the inputs as they are now: a write to one of them waits until
/// f is done (f itself must leave them alone). A tensor that f returns has its values by then. If
/// gradients are recorded for an input, f runs at the call, so that they are recorded in order.
template <class F, std::same_as<Tensor>... Tensors>
auto run_async(F f, const Tensors&... inputs) {
  using R = std::invoke_result_t<F&, const Tensors&...>;
  auto call = [f = std::move(f), ... own = detail::own_handle(inputs)]() mutable -> R {
    if constexpr (std::is_same_v<R, Tensor>) {
      Tensor result = f(own...);
      result.settle();
      return result;
    } else {
      return f(own...);
    }
  };
  Future<R> future(std::move(call));
  future.job().start({inputs...});
  return future;
}

}  // namespace tamis
