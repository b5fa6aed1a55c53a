// Loops where there is one thread.
#include "backend/cpu/threads.h"

#include "core/check.h"
#include "tamis/runtime.h"

namespace tamis {

void set_num_threads(int n) {
  check(n >= 1, ErrorKind::value, "set_num_threads expects a positive number, but got {}", n);
  check(n == 1, ErrorKind::unsupported,
        "set_num_threads: WebAssembly has one thread here, but got {}; to use more cores, load the "
        "module in several workers",
        n);
}

int get_num_threads() { return 1; }

namespace cpu {

void parallel_for(int64_t n, int64_t, const std::function<void(int64_t, int64_t)>& body) {
  if (n > 0) body(0, n);
}

void spawn(std::function<void()> work) { work(); }

}  // namespace cpu

}  // namespace tamis
