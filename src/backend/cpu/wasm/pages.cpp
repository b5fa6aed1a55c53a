// Large memory where the system has one heap, which only grows.
#include "backend/cpu/pages.h"

#include <cstddef>
#include <cstdlib>

namespace tamis::cpu {

namespace {

constexpr int64_t kPage = 4096;
constexpr size_t kAlign = 64;

}  // namespace

int64_t round_to_pages(int64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

char* map_pages(int64_t bytes) {
  return static_cast<char*>(std::aligned_alloc(kAlign, static_cast<size_t>(bytes)));
}

void unmap_pages(char* base, int64_t) { std::free(base); }

int64_t trim_pages(char*, int64_t bytes, int64_t) { return bytes; }

}  // namespace tamis::cpu
