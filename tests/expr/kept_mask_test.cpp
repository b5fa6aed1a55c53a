// Masks that are kept as bits once they have been used several times.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "core/kept_bits.h"
#include "core/tensor_impl.h"
#include "support/layouts.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::ModeGuard;

/// Whether the mask is in memory as bits and not as bytes.
bool is_kept(const Tensor& mask) {
  const Ref<const Recipe> recipe = storage_of(mask)->recipe();
  return as_kept_bits(recipe.get()) != nullptr;
}

class KeptMask : public ::testing::Test {
 protected:
  static constexpr int64_t kRows = 150, kCols = 1001, kNumel = kRows * kCols;

  KeptMask() {
    for (int i = 0; i < 8 && !is_kept(mask); ++i) (void)x.masked_select(mask);
  }
  /// The same mask, never deferred.
  Tensor expected() const {
    const ModeGuard eager(true);
    return (x % 7) < 3;
  }

  const ModeGuard deferred{false};
  const Tensor x = arange(kNumel).reshape({kRows, kCols}).clone();
  const Tensor mask = (x % 7) < 3;
};

TEST_F(KeptMask, TakesAnEighthOfItsBytes) {
  ASSERT_TRUE(is_kept(mask));
  EXPECT_TRUE(mask.is_deferred());
  const Ref<const Recipe> recipe = storage_of(mask)->recipe();
  EXPECT_LE(as_kept_bits(recipe.get())->bytes->bytes(), kNumel / 8 + 8);
}

TEST_F(KeptMask, SelectsCountsAndReducesAsBefore) {
  const Tensor wanted = expected();
  ASSERT_TRUE(is_kept(mask));
  EXPECT_TRUE(equal(x.masked_select(mask), x.masked_select(wanted)));
  EXPECT_EQ(mask.sum().item<int64_t>(), wanted.sum().item<int64_t>());
  EXPECT_TRUE(equal(mask.sum(1), wanted.sum(1)));
  EXPECT_TRUE(equal(mask.sum(0), wanted.sum(0)));
  EXPECT_TRUE(equal(nonzero(mask), nonzero(wanted)));
  EXPECT_TRUE(equal(where(mask, x, -x), where(wanted, x, -x)));
  EXPECT_TRUE(equal(~mask & (x > 500), ~wanted & (x > 500)));
  EXPECT_TRUE(is_kept(mask));
}

TEST_F(KeptMask, IsSeenThroughViews) {
  const Tensor wanted = expected();
  ASSERT_TRUE(is_kept(mask));
  const auto check = [&](const std::function<Tensor(const Tensor&)>& view) {
    EXPECT_TRUE(equal(view(mask).to(int32), view(wanted).to(int32)));
  };
  check([](const Tensor& m) { return m.t(); });
  check([](const Tensor& m) { return m.slice(1, 3, 900); });
  check([](const Tensor& m) { return m.slice(1, 5, {}, 3); });
  check([](const Tensor& m) { return m.slice(0, 70, 71); });
  check([](const Tensor& m) { return m.select(0, 149).expand({5, kCols}); });
  check([](const Tensor& m) { return m.select(1, 1000).unsqueeze(1).expand({kRows, 70}); });
  check([](const Tensor& m) { return m.flatten().slice(0, 64, 128); });
  check([](const Tensor& m) { return m.flatten().slice(0, kNumel - 1); });
}

TEST_F(KeptMask, DoesNotSeeLaterWrites) {
  const Tensor wanted = expected();
  ASSERT_TRUE(is_kept(mask));
  Tensor written = x;
  written.fill_(3);
  EXPECT_TRUE(equal(mask, wanted));
}

TEST_F(KeptMask, BecomesBytesForWhoeverAsksForMemory) {
  const Tensor wanted = expected();
  ASSERT_TRUE(is_kept(mask));
  const auto* bytes = static_cast<const uint8_t*>(mask.data_ptr());
  const auto* others = static_cast<const uint8_t*>(wanted.data_ptr());
  EXPECT_TRUE(std::equal(bytes, bytes + kNumel, others));
  EXPECT_FALSE(mask.is_deferred());
}

TEST_F(KeptMask, CanBeWritten) {
  ASSERT_TRUE(is_kept(mask));
  Tensor changed = mask;
  changed.select(0, 0).fill_(false);
  EXPECT_EQ(changed.select(0, 0).sum().item<int64_t>(), 0);
  EXPECT_TRUE(equal(changed.slice(0, 1), expected().slice(0, 1)));
}

}  // namespace
}  // namespace tamis
