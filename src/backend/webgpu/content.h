// Hashes of how the bytes of a block came about: those of equal ones are equal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace tamis::webgpu {

/// What a hash begins with: the kind of write.
enum Origin : uint64_t { kFromKernel = 1, kFromHost, kFromStamp, kFromCopy, kFromClear, kRead };

/// A hash of what was hashed before and of one more number, in which every bit counts.
inline uint64_t mix(uint64_t hash, uint64_t value) {
  uint64_t z = (hash ^ value) + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
inline uint64_t mix(std::initializer_list<uint64_t> values) {
  uint64_t hash = 0;
  for (uint64_t value : values) hash = mix(hash, value);
  return hash;
}
inline uint64_t mix_bytes(uint64_t hash, const void* data, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 8) {
    uint64_t part = 0;
    std::memcpy(&part, static_cast<const char*>(data) + i,
                static_cast<size_t>(std::min<int64_t>(8, bytes - i)));
    hash = mix(hash, part);
  }
  return hash;
}

}  // namespace tamis::webgpu
