// GuardedArena: memory between two pages that nobody may touch, for catching accesses out of
// bounds. WebAssembly protects no pages; there the two are checked for writes.
#pragma once

#ifndef __wasm__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace tamis::testing {

/// Where in the arena an operand lies: touching the guard page before it or the one behind it.
enum class Edge { front, back };

class GuardedArena {
 public:
  explicit GuardedArena(size_t capacity) {
    capacity_ = (capacity + page_ - 1) / page_ * page_;
    map();
    std::memset(open_begin(), kSentinel, static_cast<size_t>(open_end() - open_begin()));
  }
  ~GuardedArena() { unmap(); }
  GuardedArena(const GuardedArena&) = delete;
  GuardedArena& operator=(const GuardedArena&) = delete;

  /// Space for n elements at the edge, everything near it set to the sentinel.
  template <class T>
  T* place(size_t n, Edge edge) {
    const size_t bytes = n * sizeof(T);
    if (bytes > capacity_) throw std::runtime_error("GuardedArena: too small");
    placed_ = edge == Edge::front ? begin() : begin() + capacity_ - bytes;
    placed_end_ = placed_ + bytes;
    std::memset(near_begin(), kSentinel, static_cast<size_t>(near_end() - near_begin()));
    return reinterpret_cast<T*>(placed_);
  }

  /// A copy of the values at the edge.
  template <class T>
  T* place(const std::vector<T>& values, Edge edge) {
    T* at = place<T>(values.size(), edge);
    if (!values.empty()) std::memcpy(at, values.data(), values.size() * sizeof(T));
    return at;
  }

  /// Whether the bytes around the placed operand still hold the sentinel.
  bool surroundings_intact() const {
    return std::all_of(near_begin(), placed_, is_sentinel) &&
           std::all_of(placed_end_, near_end(), is_sentinel);
  }

  static constexpr unsigned char kSentinel = 0xA5;

 private:
  static bool is_sentinel(char c) { return static_cast<unsigned char>(c) == kSentinel; }

  // Overshooting is by a few vectors at most.
  static constexpr ptrdiff_t kNear = 1024;
  char* begin() const { return base_ + page_; }
  char* near_begin() const { return placed_ - std::min(kNear, placed_ - open_begin()); }
  char* near_end() const { return placed_end_ + std::min(kNear, open_end() - placed_end_); }

#ifdef __wasm__
  char* open_begin() const { return base_; }
  char* open_end() const { return base_ + capacity_ + 2 * page_; }
  void map() { base_ = new char[capacity_ + 2 * page_]; }
  void unmap() { delete[] base_; }

  size_t page_ = 4096;
#else
  // What may be written.
  char* open_begin() const { return begin(); }
  char* open_end() const { return begin() + capacity_; }
  void map() {
    void* base =
        mmap(nullptr, capacity_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) throw std::runtime_error("GuardedArena: mmap failed");
    base_ = static_cast<char*>(base);
    if (mprotect(begin(), capacity_, PROT_READ | PROT_WRITE) != 0) {
      unmap();
      throw std::runtime_error("GuardedArena: mprotect failed");
    }
  }
  void unmap() { munmap(base_, capacity_ + 2 * page_); }

  size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
#endif
  size_t capacity_ = 0;
  char* base_ = nullptr;
  char* placed_ = nullptr;
  char* placed_end_ = nullptr;
};

}  // namespace tamis::testing
