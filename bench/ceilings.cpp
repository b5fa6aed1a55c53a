// The ceilings: copying an input to warm memory, and reading it, on as many threads as the peers
// have. No operation that reads or writes the same bytes can be much faster.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "peer.h"

namespace bench {

namespace {

/// Threads that each do their share of a loop, the calling one included.
class Team {
 public:
  explicit Team(int size) : size_(size), begin_(size), end_(size) {
    for (int i = 1; i < size; ++i) {
      threads_.emplace_back([this, i] {
        for (;;) {
          begin_.arrive_and_wait();
          if (quit_) return;
          work_(i);
          end_.arrive_and_wait();
        }
      });
    }
  }
  ~Team() {
    quit_ = true;
    begin_.arrive_and_wait();
    for (std::thread& t : threads_) t.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// body(begin, end) over [0, n), in parts that begin at multiples of 64.
  void run(int64_t n, const std::function<void(int64_t, int64_t)>& body) {
    const int64_t part = (n / size_ + 63) / 64 * 64;
    work_ = [&](int i) {
      body(std::min(n, i * part), i + 1 == size_ ? n : std::min(n, (i + 1) * part));
    };
    begin_.arrive_and_wait();
    work_(0);
    end_.arrive_and_wait();
  }

 private:
  int size_;
  std::barrier<> begin_, end_;
  std::atomic<bool> quit_ = false;
  std::function<void(int)> work_;
  std::vector<std::thread> threads_;
};

std::unique_ptr<Team>& team() {
  static std::unique_ptr<Team> current;
  return current;
}

/// Memory on huge pages where the system gives them, as the peers' results are.
std::shared_ptr<char> warm_memory(int64_t bytes) {
  const auto size = static_cast<size_t>(bytes);
  void* p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  madvise(p, size, MADV_HUGEPAGE);
  std::memset(p, 1, size);
  return {static_cast<char*>(p), [size](char* q) { munmap(q, size); }};
}

uint64_t sum_words(const char* data, int64_t bytes) {
  uint64_t lanes[16] = {};
  for (int64_t i = 0; i + 128 <= bytes; i += 128) {
    uint64_t words[16];
    std::memcpy(words, data + i, sizeof words);
    for (int k = 0; k < 16; ++k) lanes[k] += words[k];
  }
  uint64_t sum = 0;
  for (uint64_t lane : lanes) sum += lane;
  return sum;
}

int64_t bytes_of(const Array& a) {
  int64_t count = 1;
  for (int64_t d = 0; d < a.dims; ++d) count *= a.sizes[d];
  const std::string_view dtype = a.dtype;
  if (dtype.ends_with("64")) return 8 * count;
  return dtype.ends_with("32") ? 4 * count : count;
}

Call copy(const Arrays& arrays) {
  const auto* from = static_cast<const char*>(arrays["x"].data);
  const int64_t bytes = bytes_of(arrays["x"]);
  return [=, to = warm_memory(bytes)] {
    team()->run(bytes, [&](int64_t begin, int64_t end) {
      std::memcpy(to.get() + begin, from + begin, static_cast<size_t>(end - begin));
    });
  };
}

Call read(const Arrays& arrays) {
  const auto* from = static_cast<const char*>(arrays["x"].data);
  const int64_t bytes = bytes_of(arrays["x"]);
  return [=] {
    team()->run(bytes, [&](int64_t begin, int64_t end) {
      const uint64_t sum = sum_words(from + begin, end - begin);
      asm volatile("" : : "r"(sum));
    });
  };
}

}  // namespace

const std::map<std::string_view, Operation>& operations() {
  static const std::map<std::string_view, Operation> known = {{"memcpy", copy}, {"read", read}};
  return known;
}

void set_threads(int n) {
  team().reset();
  team() = std::make_unique<Team>(n);
}

}  // namespace bench
