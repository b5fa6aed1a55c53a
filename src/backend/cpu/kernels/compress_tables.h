// Shuffle indices for eight lanes by an 8-bit mask, for packing and unpacking without AVX-512.
#pragma once

#include <array>
#include <cstdint>

namespace tamis::cpu {

/// One byte per lane; a group of eight is read at once.
struct alignas(64) ShuffleTable {
  uint8_t lanes[256][8];
};

/// Lane k of the result is the lane of the k-th set bit; lanes after the last one are arbitrary.
inline constexpr ShuffleTable kCompressTable = [] {
  ShuffleTable table{};
  for (int mask = 0; mask < 256; ++mask) {
    int k = 0;
    for (int lane = 0; lane < 8; ++lane) {
      if (mask >> lane & 1) table.lanes[mask][k++] = static_cast<uint8_t>(lane);
    }
  }
  return table;
}();

/// Lane i of the result is the number of set bits below i.
inline constexpr ShuffleTable kExpandTable = [] {
  ShuffleTable table{};
  for (int mask = 0; mask < 256; ++mask) {
    int k = 0;
    for (int lane = 0; lane < 8; ++lane) {
      table.lanes[mask][lane] = static_cast<uint8_t>(k);
      k += mask >> lane & 1;
    }
  }
  return table;
}();

/// A 4-bit mask with each bit doubled: four lanes of 8 bytes are eight of 4.
inline constexpr std::array<uint8_t, 16> kDoubledBits = [] {
  std::array<uint8_t, 16> doubled{};
  for (int mask = 0; mask < 16; ++mask) {
    for (int lane = 0; lane < 4; ++lane) {
      if (mask >> lane & 1) doubled[mask] = static_cast<uint8_t>(doubled[mask] | 3 << (2 * lane));
    }
  }
  return doubled;
}();

}  // namespace tamis::cpu
