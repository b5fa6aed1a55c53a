// Philox4x32-10: a random function from a 128-bit counter and a 64-bit key to 128 bits.
#pragma once

#include <array>
#include <cstdint>

namespace tamis {

/// From "Parallel random numbers: as easy as 1, 2, 3" (Salmon et al., 2011). It has no state:
/// numbers can be made in any order and on any thread.
constexpr std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                         std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * counter[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

}  // namespace tamis
