// Pages: large pieces of memory, straight from the system.
#include "backend/cpu/pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace tamis {
namespace {

using namespace cpu;

TEST(Pages, CanBeWrittenFromEndToEnd) {
  const int64_t bytes = round_to_pages(3 << 20);
  EXPECT_GE(bytes, 3 << 20);
  EXPECT_EQ(round_to_pages(bytes), bytes);
  char* const base = map_pages(bytes);
  ASSERT_NE(base, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(base) % 64, 0u);
  std::memset(base, 7, static_cast<size_t>(bytes));
  unmap_pages(base, bytes);
}

TEST(Pages, KeepTheirContentWhenTheRestIsGivenBack) {
  const int64_t bytes = round_to_pages(16 << 20), wanted = 3000000;
  char* const base = map_pages(bytes);
  ASSERT_NE(base, nullptr);
  std::memset(base, 7, static_cast<size_t>(wanted));
  const int64_t left = trim_pages(base, bytes, wanted);
  EXPECT_GE(left, wanted);
  EXPECT_LT(left, bytes);
  for (int64_t i = 0; i < wanted; i += 1000) ASSERT_EQ(base[i], 7) << i;
  unmap_pages(base, left);
}

TEST(Pages, MoreThanThereIsAreNotGiven) {
  EXPECT_EQ(map_pages(round_to_pages(static_cast<int64_t>(SIZE_MAX / 2) - (8 << 20))), nullptr);
}

#ifdef __wasm__
/// The memory of a module never shrinks, so what is given back must be used again.
TEST(Pages, ThatWereGivenBackAreUsedAgainInOtherSizes) {
  const int64_t bytes = round_to_pages(4 << 20);
  std::vector<char*> pieces;
  for (int i = 0; i < 8; ++i) pieces.push_back(map_pages(bytes));
  for (const int i : {1, 6, 0, 3, 7, 2, 5, 4}) unmap_pages(pieces[static_cast<size_t>(i)], bytes);
  const size_t before = __builtin_wasm_memory_size(0);
  for (const int64_t count : {8, 3, 5}) {
    char* const base = map_pages(count * bytes);
    ASSERT_NE(base, nullptr);
    unmap_pages(base, count * bytes);
  }
  EXPECT_EQ(__builtin_wasm_memory_size(0), before);
}
#endif

}  // namespace
}  // namespace tamis
