// Mapping anonymous memory, aligned to huge pages.
#include "backend/cpu/pages.h"

#include <sys/mman.h>

#include <cstddef>

namespace tamis::cpu {

namespace {

constexpr int64_t kHugePage = int64_t{2} << 20;

}  // namespace

int64_t round_to_pages(int64_t bytes) { return (bytes + kHugePage - 1) / kHugePage * kHugePage; }

char* map_pages(int64_t bytes) {
  // With room to begin at a huge page.
  void* const pages = mmap(nullptr, static_cast<size_t>(bytes + kHugePage), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(pages);
  const auto over = reinterpret_cast<uintptr_t>(begin) % kHugePage;
  char* base = over ? begin + (kHugePage - static_cast<int64_t>(over)) : begin;
  if (base > begin) munmap(begin, static_cast<size_t>(base - begin));
  if (const int64_t tail = begin + bytes + kHugePage - (base + bytes)) {
    munmap(base + bytes, static_cast<size_t>(tail));
  }
  madvise(base, static_cast<size_t>(bytes), MADV_HUGEPAGE);  // only a hint
  return base;
}

char* map_zeros(int64_t bytes) {
  char* const base = map_pages(bytes);
  // Whoever writes a few bytes in front of the data should not get a huge page for them.
  if (base) madvise(base, static_cast<size_t>(kHugePage), MADV_NOHUGEPAGE);
  return base;
}

void unmap_pages(char* base, int64_t bytes) { munmap(base, static_cast<size_t>(bytes)); }

int64_t trim_pages(char* base, int64_t bytes, int64_t kept) {
  const int64_t left = round_to_pages(kept);
  munmap(base + left, static_cast<size_t>(bytes - left));
  return left;
}

}  // namespace tamis::cpu
