// Team: threads that share the items of one loop at a time. Between loops they spin for a moment,
// because loops mostly follow each other closely, and waking a thread takes longer than the work on
// a hundred thousand elements. For a single short loop they are not woken.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace tamis::cpu {

/// Tells the processor that this thread waits for another.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#endif
}

class Team {
 public:
  static constexpr int kMost = 200;  // threads in a loop

  using Body = std::function<void(int64_t, int64_t)>;

  /// Whether the calling thread may run a loop now; it then must call `run`. Not while another loop
  /// is running: that of another thread, or the one that this call is part of.
  bool try_lock() noexcept { return !busy_.exchange(true, std::memory_order_acquire); }

  /// Covers [0, n) by calls of body on `threads` threads, one of which is the caller. Each has a
  /// part of its own, which is the same in each loop over as many items and so mostly in its cache,
  /// and takes pieces of `least` items or more from it, and then from those of the others: a thread
  /// that comes late finds its part done.
  void run(int64_t n, int64_t least, int threads, const Body& body) {
    const Unlock unlock{busy_};
    threads = std::min(threads, kMost);
    start(threads - 1);
    loop_.body = &body;
    loop_.least = least;
    loop_.threads = threads;
    loop_.failed.clear();
    for (int i = 0; i < threads; ++i) {
      loop_.parts[i].next.store(n * i / threads, std::memory_order_relaxed);
      loop_.parts[i].end = n * (i + 1) / threads;
    }
    const Clock::time_point begin = Clock::now();
    const bool is_close = begin - last_ < kSpinning;
    state_.store(state_.load(std::memory_order_relaxed) + kLoop + kOpen);
    if (has_sleepers() && (is_close || n < 4 * threads || is_worth_waking(n, begin))) wake();
    work(0);
    state_.fetch_and(~kOpen, std::memory_order_acq_rel);
    for (int spins = 0; (state_.load(std::memory_order_acquire) & kJoined) != 0; ++spins) {
      if (spins < 2000) {
        relax();
      } else {
        std::this_thread::yield();
      }
    }
    last_ = Clock::now();
    if (loop_.error) std::rethrow_exception(std::exchange(loop_.error, nullptr));
  }

  /// Whether the calling thread is in a loop of the team.
  static bool is_inside() noexcept { return inside_; }
  /// Whether threads were started, which a fork would lose.
  bool has_threads() const noexcept { return started_.load(std::memory_order_relaxed) != 0; }

 private:
  // The state is one word: how many threads have joined the loop, whether more may, its number.
  static constexpr uint32_t kJoined = 0xFF, kOpen = 0x100, kLoop = 0x200;
  static_assert(kMost <= static_cast<int>(kJoined));
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds kSpinning{100};
  static constexpr std::chrono::microseconds kWorthWaking{100};  // that a loop will take

  struct alignas(64) Part {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };
  struct Loop {
    const Body* body = nullptr;
    int64_t least = 1;
    int threads = 0;
    std::unique_ptr<Part[]> parts{new Part[kMost]};
    std::atomic_flag failed = ATOMIC_FLAG_INIT;
    std::exception_ptr error;  // of the thread that set the flag
  };
  /// Where a thread sleeps.
  struct alignas(64) Seat {
    std::atomic<bool> is_taken{false};
    std::atomic<uint32_t> calls{0};
  };
  struct Unlock {
    std::atomic<bool>& busy;
    ~Unlock() { busy.store(false, std::memory_order_release); }
  };

  /// As many as the system lets have: the caller does the work of the others.
  void start(int workers) {
    for (int i = started_.load(std::memory_order_relaxed); i < workers; ++i) {
      try {
        std::thread([this, i] { serve(i + 1); }).detach();
      } catch (const std::system_error&) {
        return;
      }
      started_.store(i + 1, std::memory_order_relaxed);
    }
  }

  /// What a thread of the team does as long as the process lives.
  void serve(int who) {
    uint32_t done = 0;  // the number of the last loop
    for (;;) {
      uint32_t now = await(done, who);
      done = now & ~(kOpen | kJoined);
      while ((now & kOpen) != 0 && (now & ~(kOpen | kJoined)) == done) {
        if (!state_.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel)) continue;
        if (who < loop_.threads) work(who);
        state_.fetch_sub(1, std::memory_order_release);
        break;
      }
    }
  }

  /// The state once there is another loop than `done`.
  uint32_t await(uint32_t done, int who) {
    const auto is_new = [&](uint32_t state) { return (state & ~(kOpen | kJoined)) != done; };
    static const auto cores = static_cast<int>(std::thread::hardware_concurrency());
    const auto until = Clock::now() + (who < cores ? kSpinning : std::chrono::microseconds(0));
    do {
      for (int i = 0; i < 64; ++i) {
        const uint32_t state = state_.load(std::memory_order_acquire);
        if (is_new(state)) return state;
        relax();
      }
    } while (Clock::now() < until);
    Seat& seat = seats_[who];
    seat.is_taken.store(true);
    for (;;) {
      const uint32_t calls = seat.calls.load(), state = state_.load();
      if (is_new(state)) {
        seat.is_taken.store(false);
        return state;
      }
      seat.calls.wait(calls);
    }
  }

  bool has_sleepers() const {
    const auto sleeps = [](const Seat& seat) { return seat.is_taken.load(); };
    return std::any_of(seats_.get() + 1, seats_.get() + loop_.threads, sleeps);
  }
  void wake() {
    for (int i = 1; i < loop_.threads; ++i) {
      if (!seats_[i].is_taken.load()) continue;
      seats_[i].calls.fetch_add(1);
      seats_[i].calls.notify_one();
    }
  }

  /// Whether what is left after the first items, which this call does, will take longer than waking
  /// the others.
  bool is_worth_waking(int64_t n, Clock::time_point begin) {
    const int64_t first = std::max<int64_t>(1, loop_.least / 4);
    inside_ = true;
    take_piece(loop_.parts[0], first);
    inside_ = false;
    return (Clock::now() - begin) * (n - first) > kWorthWaking * first;
  }

  void work(int who) {
    inside_ = true;
    for (int i = 0; i < loop_.threads; ++i) take_from(loop_.parts[(who + i) % loop_.threads]);
    inside_ = false;
  }

  void take_from(Part& part) {
    while (take_piece(part, 0)) {
    }
  }

  /// A piece of at most `most` items, or of as many as are due. False if there is none left.
  bool take_piece(Part& part, int64_t most) {
    int64_t begin = part.next.load(std::memory_order_relaxed), end;
    do {
      const int64_t left = part.end - begin;
      if (left <= 0) return false;
      const int64_t due = left < 2 * loop_.least ? left : (left + 1) / 2;
      end = begin + (most > 0 ? std::min(most, left) : due);
    } while (!part.next.compare_exchange_weak(begin, end, std::memory_order_relaxed));
    try {
      (*loop_.body)(begin, end);
      return true;
    } catch (...) {
      fail();
      return false;
    }
  }

  /// Keeps the exception in flight, if it is the first, and leaves nothing for the others to do.
  void fail() {
    if (!loop_.failed.test_and_set()) loop_.error = std::current_exception();
    for (int i = 0; i < loop_.threads; ++i) {
      loop_.parts[i].next.store(loop_.parts[i].end, std::memory_order_relaxed);
    }
  }

  static inline thread_local bool inside_ = false;

  std::atomic<bool> busy_{false};
  std::atomic<int> started_{0};
  std::unique_ptr<Seat[]> seats_{new Seat[kMost]};
  Clock::time_point last_;  // the end of the last loop
  Loop loop_;
  alignas(64) std::atomic<uint32_t> state_{0};
};

}  // namespace tamis::cpu
