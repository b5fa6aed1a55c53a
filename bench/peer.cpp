// The C interface of a peer, compiled into each of them: preparing a call and timing it.
#include "peer.h"

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <exception>

extern "C" {

struct Timing {
  double seconds;
  int64_t switches;  // how often this process lost a core meanwhile
};

/// Null if the peer does not have the operation.
bench::Call* bench_make(const char* operation, const bench::Array* arrays, int64_t count) {
  const auto& known = bench::operations();
  const auto found = known.find(operation);
  if (found == known.end()) return nullptr;
  try {
    bench::Call call = found->second(bench::Arrays(arrays, count));
    return call ? new bench::Call(std::move(call)) : nullptr;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench: %s: %s\n", operation, e.what());
    return nullptr;
  }
}

Timing bench_time(const bench::Call* call, int64_t calls) {
  rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < calls; ++i) (*call)();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  getrusage(RUSAGE_SELF, &after);
  return {seconds.count(), after.ru_nivcsw - before.ru_nivcsw};
}

void bench_free(bench::Call* call) { delete call; }

void bench_set_threads(int n) { bench::set_threads(n); }

}  // extern "C"
