// Overlap: shared memory is found exactly, whatever the layouts.
#include "core/overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "core/tensor_impl.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

bool refuses(void (*check)(const Tensor&, const Tensor&), const Tensor& a, const Tensor& b) {
  try {
    check(a, b);
    return false;
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
    return true;
  }
}

/// The offsets in the storage of all elements, in row-major order.
std::vector<int64_t> offsets(const Tensor& x) {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < x.numel(); ++i) {
    int64_t offset = x.storage_offset(), rest = i;
    for (size_t d = x.shape().size(); d-- > 0;) {
      offset += rest % x.shape()[d] * x.strides()[d];
      rest /= x.shape()[d];
    }
    all.push_back(offset);
  }
  return all;
}

/// A view of base through a layout that no sequence of views need be able to make.
Tensor random_view(const Tensor& base, std::mt19937& random) {
  const auto pick = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
  Layout layout;
  int64_t space = base.numel() - 1;
  const int64_t rank = pick(4);
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t stride = pick(6) == 0 ? 0 : 1 + pick(12);
    const int64_t most = stride == 0 ? 3 : std::min<int64_t>(space / stride + 1, 5);
    const int64_t size = pick(12) == 0 ? 0 : 1 + pick(most);
    layout.sizes.push_back(size);
    layout.strides.push_back(stride);
    if (size > 1) space -= (size - 1) * stride;
  }
  layout.offset = pick(space + 1);
  return make_view(base, layout);
}

TEST(Overlap, AgreesWithListsOfOffsets) {
  std::mt19937 random(7);
  const Tensor base = zeros({60}, int16);
  int shared = 0, apart = 0;
  for (int i = 0; i < 20000; ++i) {
    const Tensor a = random_view(base, random), b = random_view(base, random);
    const std::vector<int64_t> at_a = offsets(a), at_b = offsets(b);
    const std::set<int64_t> set(at_a.begin(), at_a.end());
    const bool meet =
        std::any_of(at_b.begin(), at_b.end(), [&](int64_t p) { return set.count(p); });
    ASSERT_EQ(refuses(check_no_overlap, a, b), meet)
        << to_string(a.shape()) << to_string(a.strides()) << a.storage_offset() << " and "
        << to_string(b.shape()) << to_string(b.strides()) << b.storage_offset();
    if (a.shape() == b.shape()) {
      ASSERT_EQ(refuses(check_no_partial_overlap, a, b), meet && at_a != at_b);
    }
    ++(meet ? shared : apart);
  }
  EXPECT_GT(shared, 1000);
  EXPECT_GT(apart, 1000);
}

TEST(Overlap, ReadThroughBroadcastingIsNotAnAlias) {
  const Tensor x = zeros({3, 3});
  EXPECT_FALSE(refuses(check_no_partial_overlap, x, x));
  EXPECT_FALSE(refuses(check_no_partial_overlap, x, x.view({3, 3})));
  EXPECT_FALSE(refuses(check_no_partial_overlap, x.view({1, 9}), x.view({9})));
  EXPECT_TRUE(refuses(check_no_partial_overlap, x, x[0]));
  EXPECT_TRUE(refuses(check_no_partial_overlap, x, x.t()));
  EXPECT_TRUE(refuses(check_no_overlap, x, x));
}

TEST(Overlap, BytesOfForeignMemoryCount) {
  alignas(8) uint8_t bytes[32] = {};
  const Tensor a = from_blob(bytes, {2}, float64);
  EXPECT_TRUE(refuses(check_no_overlap, a, from_blob(bytes + 15, {1}, uint8)));
  EXPECT_FALSE(refuses(check_no_overlap, a, from_blob(bytes + 16, {8}, uint8)));
  EXPECT_TRUE(refuses(check_no_partial_overlap, a, from_blob(bytes, {2}, int64)));
  // Every second float64 leaves space between.
  const Tensor holes = from_blob(bytes, {2}, float64, {}, Shape{2});
  EXPECT_FALSE(refuses(check_no_overlap, holes, from_blob(bytes + 8, {2}, int32)));
  EXPECT_TRUE(refuses(check_no_overlap, holes, from_blob(bytes + 12, {2}, int32)));
}

TEST(Overlap, DeferredTensorsHaveMemoryOfTheirOwn) {
  const Tensor x = zeros({3}), y = x + 1;
  EXPECT_FALSE(refuses(check_no_overlap, x, y));
  EXPECT_TRUE(refuses(check_no_overlap, y, y.detach()));
  EXPECT_EQ(y.is_deferred(), !eager_mode());
}

TEST(Overlap, OnlyExpandedTensorsOverlapThemselves) {
  EXPECT_THROW(check_no_internal_overlap(zeros({1}).expand({2})), Error);
  EXPECT_NO_THROW(check_no_internal_overlap(zeros({1}).expand({1})));
  EXPECT_NO_THROW(check_no_internal_overlap(zeros({1, 0}).expand({3, 0})));
  EXPECT_NO_THROW(check_no_internal_overlap(zeros({2, 3}).t()));
}

}  // namespace
}  // namespace tamis
