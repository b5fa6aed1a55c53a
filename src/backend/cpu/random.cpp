// Random numbers from runs of counters: uniform, normal and of a range of integers.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <vector>

#include "backend/cpu/sinks.h"
#include "backend/cpu/threads.h"

namespace tamis::cpu {

namespace {

/// As many bits as T's significand holds, so that no value rounds up to 1.
template <class T>
constexpr int kUniformBits = std::is_same_v<T, Half>       ? 11
                             : std::is_same_v<T, BFloat16> ? 8
                                                           : 24;

/// What is computed from: float64 takes 64 random bits for a number, the others 32.
template <class T>
using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;

uint64_t long_of(const uint32_t* words) { return words[0] | uint64_t{words[1]} << 32; }

/// A number below range (0 means 2^64) from 64 random bits; biased by less than range / 2^64.
uint64_t below(uint64_t bits, uint64_t range) {
  if (range == 0) return bits;
  return static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * range) >> 64);
}

template <class T>
void uniform(const uint32_t* words, int64_t n, T* out) {
  if constexpr (std::is_same_v<T, double>) {
    for (int64_t i = 0; i < n; ++i) {
      out[i] = static_cast<double>(long_of(words + 2 * i) >> 11) * 0x1p-53;
    }
  } else {
    constexpr float kScale = 1.0f / (1 << kUniformBits<T>);
    for (int64_t i = 0; i < n; ++i) {
      // As a signed integer, which vectors can convert.
      const auto bits = static_cast<int32_t>(words[i] >> (32 - kUniformBits<T>));
      out[i] = static_cast<T>(static_cast<float>(bits) * kScale);
    }
  }
}

/// Of pairs of numbers, the first in (0, 1] and the second in [0, 1].
void split_pairs(const uint32_t* words, int64_t pairs, float* u, float* v) {
  // All 32 bits, so that the tails reach further than 24 bits would let them.
  for (int64_t i = 0; i < pairs; ++i) {
    u[i] = static_cast<float>((words[2 * i] + 1.0) * 0x1p-32);
    v[i] = static_cast<float>(words[2 * i + 1]) * 0x1p-32f;
  }
}
void split_pairs(const uint32_t* words, int64_t pairs, double* u, double* v) {
  for (int64_t i = 0; i < pairs; ++i) {
    u[i] = 1 - static_cast<double>(long_of(words + 4 * i) >> 11) * 0x1p-53;
    v[i] = static_cast<double>(long_of(words + 4 * i + 2) >> 11) * 0x1p-53;
  }
}

/// Box-Muller: two uniform numbers to two normal ones.
template <class T>
void normal(const uint32_t* words, int64_t n, T* out) {
  using R = Real<T>;
  constexpr int64_t kPairs = kBlock / 2;
  const auto apply = [](Op op, R* x, R* to, int64_t count) {
    kernels().unary[unary_index(op)][static_cast<int>(dtype_of<R>)](x, to,
                                                                    static_cast<size_t>(count));
  };
  const int64_t pairs = (n + 1) / 2;
  R radius[kPairs], angle[kPairs], sine[kPairs];
  split_pairs(words, pairs, radius, angle);
  apply(Op::log, radius, radius, pairs);
  for (int64_t i = 0; i < pairs; ++i) {
    radius[i] = std::sqrt(-2 * radius[i]);
    angle[i] *= 2 * std::numbers::pi_v<R>;
  }
  apply(Op::sin, angle, sine, pairs);
  apply(Op::cos, angle, angle, pairs);
  for (int64_t i = 0; i < pairs; ++i) {
    out[2 * i] = static_cast<T>(radius[i] * angle[i]);
    if (2 * i + 1 < n) out[2 * i + 1] = static_cast<T>(radius[i] * sine[i]);
  }
}

/// Calls fill(words, n, out) for blocks of numbers that take 32 * `each` random bits.
template <class T, class F>
void fill_blocks(const Random& random, int64_t each, int64_t n, void* out, F fill) {
  const int64_t blocks = (n + kBlock - 1) / kBlock, per_block = kBlock * each / 4;
  parallel_for(blocks, 4, [&](int64_t begin, int64_t end) {
    std::vector<uint32_t> words(static_cast<size_t>((std::min(kBlock, n) * each + 3) / 4 * 4));
    for (int64_t block = begin; block < end; ++block) {
      const int64_t here = std::min(kBlock, n - block * kBlock);
      kernels().philox(random.seed, random.first + static_cast<uint64_t>(block * per_block),
                       words.data(), static_cast<size_t>((here * each + 3) / 4));
      fill(words.data(), here, static_cast<T*>(out) + block * kBlock);
    }
  });
}

}  // namespace

void run_random(const Random& random, DType dtype, int64_t n, void* out) {
  visit_real(dtype, [&](auto type) {
    using T = decltype(type);
    if (random.kind == Random::Kind::integers) {
      fill_blocks<T>(random, 2, n, out, [&](const uint32_t* words, int64_t count, T* to) {
        const auto low = static_cast<uint64_t>(random.low);
        for (int64_t i = 0; i < count; ++i) {
          to[i] = static_cast<T>(
              static_cast<int64_t>(low + below(long_of(words + 2 * i), random.range)));
        }
      });
    } else if constexpr (is_floating_point(dtype_of<T>)) {
      const bool is_normal = random.kind == Random::Kind::normal;
      fill_blocks<T>(random, std::is_same_v<T, double> ? 2 : 1, n, out,
                     is_normal ? &normal<T> : &uniform<T>);
    }
  });
}

}  // namespace tamis::cpu
