// Registering a thread's free lists, and freeing them when it ends.
#include "core/pool.h"

namespace tamis {

namespace {

constexpr int kKept = 64;

thread_local bool thread_ends = false;

struct Registered {
  FreeList* first = nullptr;
  ~Registered() {
    thread_ends = true;  // what is destroyed later, such as static tensors, goes to no list
    for (FreeList* list = first; list != nullptr; list = list->next) {
      list->capacity = 0;
      while (list->head) ::operator delete(std::exchange(list->head, list->head->next));
    }
  }
};

}  // namespace

bool FreeList::register_list() noexcept {
  if (registered || thread_ends) return false;
  thread_local Registered lists;
  next = std::exchange(lists.first, this);
  registered = true;
  capacity = kKept;
  return true;
}

}  // namespace tamis
