// The table of mappings that the handler for SIGBUS looks into.
#include "io/mapping.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

namespace tamis::io {

namespace {

/// The handler may run at any time on any thread, so it reads atomics only. A slot with begin == 0
/// is free; begin is written last and cleared first.
struct Slot {
  std::atomic<uintptr_t> begin{0};
  std::atomic<uintptr_t> end{0};
  std::atomic<std::atomic<bool>*> damaged{nullptr};
};

constexpr size_t kSlots = 1024;
Slot slots[kSlots];
std::mutex slots_mutex;
struct sigaction previous_action;
uintptr_t page_size = 4096;

/// Zeros from the page at fault to the end of its mapping. True if the fault was in one of ours.
bool repair(uintptr_t fault) noexcept {
  for (Slot& slot : slots) {
    const uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    const uintptr_t end = slot.end.load(std::memory_order_relaxed);
    if (begin == 0 || fault < begin || fault >= end) continue;
    slot.damaged.load(std::memory_order_relaxed)->store(true, std::memory_order_release);
    const uintptr_t page = fault / page_size * page_size;
    return mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  }
  return false;
}

void on_bus_error(int number, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  if (repair(reinterpret_cast<uintptr_t>(info->si_addr))) {
    errno = saved_errno;
    return;
  }
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(number, info, context);
  } else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(number);
  } else {
    // The instruction that failed runs again, and its fault ends the process as usual.
    signal(SIGBUS, SIG_DFL);
  }
  errno = saved_errno;
}

void install_handler() {
  static const bool installed = [] {
    page_size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    struct sigaction action = {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGBUS, &action, &previous_action) == 0;
  }();
  (void)installed;
}

}  // namespace

std::shared_ptr<Mapping> Mapping::make(const File& file, uint64_t offset, size_t bytes,
                                       Damage damage) {
  install_handler();
  const uint64_t start = offset / page_size * page_size;
  const size_t lead = static_cast<size_t>(offset - start);
  std::shared_ptr<Mapping> mapping(new Mapping);
  std::lock_guard guard(slots_mutex);
  size_t free = 0;
  while (free < kSlots && slots[free].begin.load(std::memory_order_relaxed) != 0) ++free;
  if (free == kSlots) return nullptr;
  void* pages =
      mmap(nullptr, lead + bytes, PROT_READ, MAP_PRIVATE, file.fd(), static_cast<off_t>(start));
  if (pages == MAP_FAILED) return nullptr;
  mapping->pages_ = pages;
  mapping->page_bytes_ = lead + bytes;
  mapping->data_ = static_cast<char*>(pages) + lead;
  mapping->slot_ = free;
  mapping->damage_ = std::move(damage);
  const auto begin = reinterpret_cast<uintptr_t>(pages);
  slots[free].end.store(begin + lead + bytes, std::memory_order_relaxed);
  slots[free].damaged.store(mapping->damage_.get(), std::memory_order_relaxed);
  slots[free].begin.store(begin, std::memory_order_release);
  return mapping;
}

Mapping::~Mapping() {
  if (pages_ == nullptr) return;
  {
    std::lock_guard guard(slots_mutex);
    slots[slot_].begin.store(0, std::memory_order_release);
  }
  munmap(pages_, page_bytes_);
}

}  // namespace tamis::io
