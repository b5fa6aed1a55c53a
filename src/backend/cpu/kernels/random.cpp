// Random words by counter, many counters at a time.
#include "backend/cpu/kernels/isa_list.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/random.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <algorithm>

#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/kernel_parts-inl.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/kernels/vector_types-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {
namespace {

// Words of 32 bits, each in the lower half of a lane; what is above is arbitrary.
constexpr size_t kWide = kVectorBytes / 8;
using V = Vector<uint64_t, kWide>;

// The product of the lower halves.
HWY_INLINE V multiply(V a, uint32_t b) {
#if HWY_TARGET == HWY_AVX3_DL
  return (V)_mm512_maskz_mul_epu32(0xFF, (__m512i)a, _mm512_set1_epi64(b));
#elif HWY_TARGET == HWY_AVX2
  return (V)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x(b));
#elif HWY_ARCH_X86
  return (V)_mm_mul_epu32((__m128i)a, _mm_set1_epi64x(b));
#else
  return (a & 0xFFFFFFFF) * b;
#endif
}

// core/philox.h for several vectors of counters at once.
void philox(uint64_t seed, uint64_t first, uint32_t* out, size_t n) {
  constexpr size_t kVectors = 4, kCounters = kVectors * kWide;
  V counters = first - V{};
  for (size_t i = 0; i < kWide; ++i) counters[i] += i;
  for (size_t here; n > 0; n -= here, out += 4 * here) {
    here = std::min(kCounters, n);
    V w[kVectors][4];
    for (V(&v)[4] : w) {
      v[0] = counters;
      v[1] = counters >> 32;
      v[2] = v[3] = V{};
      counters += kWide;
    }
    auto low = static_cast<uint32_t>(seed), high = static_cast<uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round, low += 0x9E3779B9, high += 0xBB67AE85) {
      for (V(&v)[4] : w) {
        const V a = multiply(v[0], 0xD2511F53), b = multiply(v[2], 0xCD9E8D57);
        v[0] = (b >> 32) ^ v[1] ^ low;
        v[1] = b;
        v[2] = (a >> 32) ^ v[3] ^ high;
        v[3] = a;
      }
    }
    uint64_t pairs[2][kCounters];
    for (size_t k = 0; k < kVectors; ++k) {
      for (size_t half = 0; half < 2; ++half) {
        const V pair = (w[k][2 * half] & 0xFFFFFFFF) | w[k][2 * half + 1] << 32;
        std::memcpy(&pairs[half][k * kWide], &pair, sizeof(V));
      }
    }
    for (size_t i = 0; i < here; ++i) {
      std::memcpy(out + 4 * i, &pairs[0][i], 8);
      std::memcpy(out + 4 * i + 2, &pairs[1][i], 8);
    }
  }
}

}  // namespace

void fill_random(Kernels& table) { table.philox = &philox; }

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
