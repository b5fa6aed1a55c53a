// Pool: the memory of freed objects stays with the thread that freed them, and ends with it.
#include "core/pool.h"

#include <malloc.h>

#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace tamis {
namespace {

#if TAMIS_CACHE_MEMORY

/// Large, so that it shows when some are lost.
struct Object final : Pooled<Object> {
  char bytes[4096];
};
struct Other final : Pooled<Other> {
  char bytes[64];
};

/// Bytes that the process has from malloc.
size_t in_use() { return mallinfo2().uordblks; }

TEST(Pool, GivesTheMemoryThatWasFreedLast) {
  auto* first = new Object;
  auto* second = new Object;
  delete first;
  delete second;
  auto* again = new Object;
  auto* and_again = new Object;
  EXPECT_EQ(again, second);
  EXPECT_EQ(and_again, first);
  delete again;
  delete and_again;
}

TEST(Pool, EachTypeHasItsOwnList) {
  auto* object = new Object;
  delete object;
  auto* other = new Other;
  EXPECT_NE(static_cast<void*>(other), static_cast<void*>(object));
  delete other;
}

TEST(Pool, KeepsABoundedNumberOfObjects) {
  const size_t before = in_use();
  std::vector<std::unique_ptr<Object>> objects;
  for (int i = 0; i < 10000; ++i) objects.emplace_back(new Object);
  objects.clear();
  EXPECT_LT(in_use(), before + 1000 * sizeof(Object));
}

TEST(Pool, AThreadThatEndsFreesWhatItKept) {
  const size_t before = in_use();
  for (int i = 0; i < 500; ++i) {
    std::vector<std::unique_ptr<Object>> objects;
    for (int k = 0; k < 50; ++k) objects.emplace_back(new Object);
    std::thread([&] { objects.clear(); }).join();
  }
  EXPECT_LT(in_use(), before + 1000 * sizeof(Object));
}

TEST(Pool, ServesWhatIsFreedBehindTheListsOfAThread) {
  const size_t before = in_use();
  for (int i = 0; i < 2000; ++i) {
    std::thread([] {
      // Older than the thread's lists, so destroyed after them. Of the type whose list the thread
      // has had, and of one whose list would be its first.
      thread_local std::unique_ptr<Object> late;
      thread_local std::unique_ptr<Other> last;
      late.reset(new Object);
      last.reset(new Other);
      delete new Object;
    }).join();
  }
  EXPECT_LT(in_use(), before + 1000 * sizeof(Object));
}

#endif

}  // namespace
}  // namespace tamis
