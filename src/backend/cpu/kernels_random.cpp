// Random words by counter, many counters at a time.
#include "backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels_random.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <algorithm>

#include "backend/cpu/kernels.h"
#include "backend/cpu/table-inl.h"
#include "backend/cpu/target-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {
namespace {

// core/philox.h for 16 counters at once: each word in an array of its own.
void philox(uint64_t seed, uint64_t first, size_t n, uint32_t* out) {
  constexpr size_t kTogether = 16;
  for (; n > 0; first += kTogether) {
    uint32_t w[4][kTogether];
    for (size_t i = 0; i < kTogether; ++i) {
      w[0][i] = static_cast<uint32_t>(first + i);
      w[1][i] = static_cast<uint32_t>((first + i) >> 32);
      w[2][i] = w[3][i] = 0;
    }
    auto low = static_cast<uint32_t>(seed), high = static_cast<uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round, low += 0x9E3779B9, high += 0xBB67AE85) {
      for (size_t i = 0; i < kTogether; ++i) {
        const uint64_t a = uint64_t{0xD2511F53} * w[0][i], b = uint64_t{0xCD9E8D57} * w[2][i];
        w[0][i] = static_cast<uint32_t>(b >> 32) ^ w[1][i] ^ low;
        w[1][i] = static_cast<uint32_t>(b);
        w[2][i] = static_cast<uint32_t>(a >> 32) ^ w[3][i] ^ high;
        w[3][i] = static_cast<uint32_t>(a);
      }
    }
    const size_t here = std::min(kTogether, n);
    for (size_t i = 0; i < here; ++i, out += 4) {
      for (size_t j = 0; j < 4; ++j) out[j] = w[j][i];
    }
    n -= here;
  }
}

}  // namespace

void fill_random(Kernels& table) { table.philox = &philox; }

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
