// Buffer: elements in the memory of a backend.
#pragma once

#include <cstdint>

namespace tamis {

/// Elements in a backend's memory: what Memory::data (core/storage.h) is there, and the number of
/// the first element. Only the backend can turn it into an address.
struct Buffer {
  void* memory = nullptr;
  int64_t offset = 0;

  explicit operator bool() const { return memory != nullptr; }
};

}  // namespace tamis
