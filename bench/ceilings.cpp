// The ceilings: copying an input to warm memory, and reading it, on as many threads as the peers
// have. No operation that reads or writes the same bytes can be much faster.
#include <sys/mman.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstring>
#include <memory>
#include <new>

#include "peer.h"

namespace bench {

namespace {

std::unique_ptr<tbb::task_arena>& arena() {
  static std::unique_ptr<tbb::task_arena> current;
  return current;
}

/// body(begin, end) over [0, n), in one part per thread, unless waking it would take longer than
/// the part. Not in smaller ones: memcpy goes around the caches only if it is asked for much at
/// once.
template <class Body>
void in_parts(int64_t n, const Body& body) {
  const int64_t parts = n < (1 << 20) ? 1 : arena()->max_concurrency();
  if (parts == 1) return body(int64_t{0}, n);
  arena()->execute([&] {
    tbb::parallel_for(int64_t{0}, parts,
                      [&](int64_t i) { body(n * i / parts, n * (i + 1) / parts); });
  });
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
    in_parts(bytes, [&](int64_t begin, int64_t end) {
      std::memcpy(to.get() + begin, from + begin, static_cast<size_t>(end - begin));
    });
  };
}

Call read(const Arrays& arrays) {
  const auto* from = static_cast<const char*>(arrays["x"].data);
  const int64_t bytes = bytes_of(arrays["x"]);
  return [=] {
    in_parts(bytes, [&](int64_t begin, int64_t end) {
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

void set_threads(int n) { arena() = std::make_unique<tbb::task_arena>(n); }

}  // namespace bench
