// The addresses of buffers in the CPU's memory.
#pragma once

#include <cstddef>

#include "backend/backend.h"

namespace tamis::cpu {

template <class T>
T* address(const Buffer& buffer) {
  return static_cast<T*>(buffer.memory) + buffer.offset;
}
inline char* address(const Buffer& buffer, size_t itemsize) {
  return static_cast<char*>(buffer.memory) + buffer.offset * static_cast<int64_t>(itemsize);
}
inline char* address(const Target& target) {
  return address(target.buffer, itemsize(target.dtype));
}
/// Of a leaf that has memory.
inline const char* address(const Leaf& leaf) {
  return address(Buffer{leaf.storage->data(), leaf.offset}, itemsize(leaf.dtype));
}

}  // namespace tamis::cpu
