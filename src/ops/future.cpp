// Future: running jobs once, on the pool or where they are waited for.
#include "tamis/future.h"

#include "autograd/node.h"
#include "core/check.h"
#include "core/fork.h"
#include "expr/expr.h"

namespace tamis::detail {

Tensor own_handle(const Tensor& x) { return is_tracked(x) ? x : x.detach(); }

void Job::start(std::initializer_list<Tensor> inputs) {
  const std::weak_ptr<Job> self = weak_from_this();
  const Ref<Storage> reader = watch({inputs.begin(), inputs.size()}, [self] {
    if (const std::shared_ptr<Job> job = self.lock(); job && !job->lost()) job->wait();
  });
  // Gradients are recorded here, because the graph belongs to this thread.
  if (!reader || is_tracked({inputs.begin(), inputs.size()})) {
    try_run();
    return;
  }
  reader_ = std::make_shared<Ref<Storage>>(reader);
  spawn();
}

void Job::start_after(Job& first) {
  {
    const std::lock_guard guard(first.mutex_);
    if (!first.done()) {
      first.next_.push_back(shared_from_this());
      return;
    }
  }
  spawn();
}

bool Job::lost() const noexcept {
  return state_.load(std::memory_order_acquire) == State::running &&
         process_.load(std::memory_order_relaxed) != process_id();
}

void Job::wait() {
  check(
      !lost(), ErrorKind::unsupported,
      "this future was being computed on another thread when the process was forked, and only the "
      "parent gets its result; wait for it before the fork");
  if (done() || try_run()) return;
  // A job that writes what it reads would wait for itself.
  if (runner_.load(std::memory_order_relaxed) == std::this_thread::get_id()) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done(); });
}

bool Job::try_run() {
  State idle = State::idle;
  if (state_.load(std::memory_order_acquire) != idle) return false;
  process_.store(process_id(), std::memory_order_relaxed);
  if (!state_.compare_exchange_strong(idle, State::running, std::memory_order_acq_rel)) {
    return false;
  }
  runner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  work();
  runner_.store({}, std::memory_order_relaxed);
  std::vector<std::shared_ptr<Job>> next;
  {
    const std::lock_guard guard(mutex_);
    state_.store(State::done, std::memory_order_release);
    next.swap(next_);
  }
  changed_.notify_all();
  reader_.reset();
  for (const std::shared_ptr<Job>& job : next) job->spawn();
  return true;
}

void Job::spawn() {
  run_on_pool([self = shared_from_this()] { self->try_run(); });
}

}  // namespace tamis::detail
