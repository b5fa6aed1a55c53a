// Large memory in WebAssembly, which only grows: what is given back is kept in a list, and
// neighbours are joined. malloc would round it up to powers of two.
#include "backend/cpu/pages.h"

#include <cstddef>
#include <iterator>
#include <map>

namespace tamis::cpu {

namespace {

constexpr int64_t kPage = int64_t{64} << 10;

/// Memory that nobody uses: bytes by the address at which they begin.
std::map<char*, int64_t>& unused() {
  static auto* ranges = new std::map<char*, int64_t>;  // never destroyed: tensors may outlive main
  return *ranges;
}

/// Adds pages to the memory of the module. False if the engine has no more.
bool grow(int64_t bytes) {
  const size_t before = __builtin_wasm_memory_grow(0, static_cast<size_t>(bytes / kPage));
  if (before == SIZE_MAX) return false;
  unmap_pages(reinterpret_cast<char*>(before * static_cast<size_t>(kPage)), bytes);
  return true;
}

/// The bytes at the end of the memory that nobody uses.
int64_t unused_at_end() {
  if (unused().empty()) return 0;
  const auto& [base, bytes] = *unused().rbegin();
  const auto end = static_cast<int64_t>(__builtin_wasm_memory_size(0)) * kPage;
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(base)) + bytes == end ? bytes : 0;
}

/// The smallest range that is large enough, or null.
char* take(int64_t bytes) {
  auto& ranges = unused();
  auto best = ranges.end();
  for (auto at = ranges.begin(); at != ranges.end(); ++at) {
    if (at->second >= bytes && (best == ranges.end() || at->second < best->second)) best = at;
  }
  if (best == ranges.end()) return nullptr;
  const auto [base, room] = *best;
  ranges.erase(best);
  if (room > bytes) ranges.emplace(base + bytes, room - bytes);
  return base;
}

}  // namespace

int64_t round_to_pages(int64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

char* map_pages(int64_t bytes) {
  if (char* const base = take(bytes)) return base;
  return grow(bytes - unused_at_end()) ? take(bytes) : nullptr;
}

char* map_zeros(int64_t) { return nullptr; }

void unmap_pages(char* base, int64_t bytes) {
  auto& ranges = unused();
  const auto next = ranges.lower_bound(base);
  if (next != ranges.end() && base + bytes == next->first) {
    bytes += next->second;
    ranges.erase(next);
  }
  const auto after = ranges.lower_bound(base);
  if (after != ranges.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == base) {
      before->second += bytes;
      return;
    }
  }
  ranges.emplace(base, bytes);
}

int64_t trim_pages(char* base, int64_t bytes, int64_t kept) {
  const int64_t left = round_to_pages(kept);
  if (left < bytes) unmap_pages(base + left, bytes - left);
  return left;
}

}  // namespace tamis::cpu
