// What the kernel tests share: instruction sets, lengths, inputs, masks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "backend/cpu/kernels/kernels.h"
#include "support/guard_pages.h"

namespace tamis::testing {

inline std::vector<const cpu::Kernels*> all_kernels() {
  std::vector<const cpu::Kernels*> all;
  for (const char* isa : {"scalar", "sse4", "avx2", "avx512"}) {
    if (const cpu::Kernels* kernels = cpu::kernels_for(isa)) all.push_back(kernels);
  }
  return all;
}

/// Around words and vectors, and around and beyond a block.
inline std::vector<size_t> lengths() {
  std::vector<size_t> all;
  for (size_t n = 0; n <= 130; ++n) all.push_back(n);
  for (size_t n : {4095, 4096, 4097}) all.push_back(n);
  return all;
}

inline constexpr size_t kCapacity = 16 * 4097;  // bytes of the longest operand

inline int index(DType dtype) { return static_cast<int>(dtype); }

/// Equal bit for bit; any NaN equals any other.
template <class T>
bool same(T a, T b) {
  if constexpr (!std::is_integral_v<T>) {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// The distance in units of the last place of the wanted number; infinite where an infinity, a NaN
/// or the sign of zero differs.
template <class T, class Wide>
inline double ulps(T got, Wide wanted) {
  const T rounded = static_cast<T>(wanted);
  const double never = std::numeric_limits<double>::infinity();
  if (std::isnan(wanted) || std::isnan(got)) {
    return std::isnan(wanted) && std::isnan(got) ? 0 : never;
  }
  if (std::isinf(rounded) || std::isinf(got) || wanted == 0) {
    return got == rounded && std::signbit(got) == std::signbit(rounded) ? 0 : never;
  }
  int exponent;
  std::frexp(wanted, &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  const Wide unit = std::ldexp(Wide{1}, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(static_cast<Wide>(got) - wanted) / unit);
}

/// Numbers that break things, then random ones: small, so that they meet, and of any bits.
template <class T>
std::vector<T> samples(size_t n, uint64_t seed) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> special;
  for (int i : {0, 1, 2, 3, 100}) special.push_back(static_cast<T>(i));
  special.insert(special.end(), {Limits::min(), Limits::max(), Limits::lowest()});
  if constexpr (std::is_signed_v<T>) {
    for (int i : {-1, -2, -3, -100}) special.push_back(static_cast<T>(i));
  }
  if constexpr (std::is_floating_point_v<T>) {
    special.insert(special.end(),
                   {T(-0.0), T(0.5), T(1.5), T(-2.5), Limits::infinity(), -Limits::infinity(),
                    Limits::quiet_NaN(), Limits::denorm_min(), T(1e6), T(-3e9), T(1e20)});
  }
  std::mt19937_64 random(seed);
  std::vector<T> values(n);
  for (T& value : values) {
    const uint64_t bits = random();
    switch (random() % 3) {
      case 0:
        value = special[bits % special.size()];
        break;
      case 1:
        value = static_cast<T>(static_cast<T>(bits % 40) / static_cast<T>(2) - T(10));
        break;
      default:
        std::memcpy(&value, &bits, sizeof(T));
    }
  }
  return values;
}

struct Mask {
  std::string name;
  std::vector<uint64_t> words;
  bool operator[](size_t i) const { return words[i / 64] >> (i % 64) & 1; }
};

inline Mask make_mask(const std::string& name, size_t n, bool (*bit)(size_t, uint64_t)) {
  Mask mask{name, std::vector<uint64_t>((n + 63) / 64)};
  std::mt19937_64 random(n + 1);
  for (size_t i = 0; i < n; ++i) mask.words[i / 64] |= uint64_t{bit(i, random())} << (i % 64);
  return mask;
}

/// Every arm of the word loops: none, all, dense, sparse, and words of each kind in turn.
inline std::vector<Mask> masks(size_t n) {
  return {
      make_mask("none", n, [](size_t, uint64_t) { return false; }),
      make_mask("all", n, [](size_t, uint64_t) { return true; }),
      make_mask("alternating", n, [](size_t i, uint64_t) { return i % 2 == 0; }),
      make_mask("half", n, [](size_t, uint64_t r) { return r % 2 == 0; }),
      make_mask("sparse", n, [](size_t, uint64_t r) { return r % 20 == 0; }),
      make_mask("dense", n, [](size_t, uint64_t r) { return r % 20 != 0; }),
      make_mask("clustered", n, [](size_t i, uint64_t) { return i / 97 % 2 == 0; }),
      make_mask("all but last", n, [](size_t i, uint64_t) { return i % 64 != 63; }),
      make_mask("mixed", n,
                [](size_t i, uint64_t r) { return i / 64 % 3 == 0 || (i / 64 % 3 == 1 && r % 2); }),
  };
}

}  // namespace tamis::testing
