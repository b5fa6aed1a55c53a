// Pooled: the memory of small objects that come and go with every call, cached by the thread that
// freed it.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

// Whether freed memory is cached for reuse: AddressSanitizer would not see errors in it.
#if defined(__SANITIZE_ADDRESS__)
#define TAMIS_CACHE_MEMORY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TAMIS_CACHE_MEMORY 0
#endif
#endif
#ifndef TAMIS_CACHE_MEMORY
#define TAMIS_CACHE_MEMORY 1
#endif

namespace tamis {

/// A thread's freed memory of one size. Objects may be freed by another thread than the one that
/// made them. It has no constructor to run, so reaching it takes one access to the thread's memory.
struct FreeList {
  struct Node {
    Node* next;
  };

  Node* head = nullptr;
  int capacity = 0;  // how many more fit
  bool registered = false;
  FreeList* next = nullptr;  // of the thread's registered lists

  void* take(size_t bytes) {
    if (!head) return ::operator new(bytes);
    ++capacity;
    return std::exchange(head, head->next);
  }
  void put(void* p) noexcept {
    if (capacity == 0 && !register_list()) return ::operator delete(p);
    --capacity;
    head = new (p) Node{head};
  }
  /// Succeeds once, and registers the list then, which is freed when the thread ends.
  bool register_list() noexcept;
};

/// The base of a final class whose objects live in memory from a FreeList.
template <class T>
class Pooled {
 public:
#if TAMIS_CACHE_MEMORY
  static void* operator new(size_t bytes) { return list_.take(bytes); }
  static void operator delete(void* p) noexcept { list_.put(p); }
#endif

 private:
  static constinit inline thread_local FreeList list_;
};

}  // namespace tamis
