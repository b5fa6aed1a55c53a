// Results: selections that are padded to a size, and in two parts.
#include "tamis/results.h"

#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/observe.h"
#include "tamis/masks.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::observe;
using testing::random_mask;
using testing::random_values;

std::vector<int64_t> ints(const Tensor& x) { return x.to_vector<int64_t>(); }
using List = std::vector<int64_t>;

// ---- padded -------------------------------------------------------------------------------------

TEST(Padded, FillsUpAndCounts) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  const auto [values, count] = masked_select_padded(x, x % 2 == 0, 5, -1);
  EXPECT_EQ(ints(values), (List{2, 4, 6, -1, -1}));
  EXPECT_EQ(count.shape(), Shape{});
  EXPECT_EQ(count.item<int64_t>(), 3);
}

TEST(Padded, KeepsTheFirstIfThereAreMore) {
  const Tensor x = arange(10);
  const auto [values, count] = masked_select_padded(x, x > 2, 3);
  EXPECT_EQ(ints(values), (List{3, 4, 5}));
  EXPECT_EQ(count.item<int64_t>(), 7);
}

TEST(Padded, EqualsTheExactFormCutOrFilled) {
  for (DType dtype : {boolean, uint8, int16, float16, float32, int64}) {
    for (int64_t n : {0, 1, 63, 64, 65, 4095, 4096, 4097, 70000, 200000}) {
      const Tensor x = random_values({n}, dtype, 7), mask = random_mask({n}, static_cast<int>(n));
      const Tensor exact = masked_select(x, mask);
      const int64_t count = exact.numel();
      for (int64_t size : {int64_t{0}, int64_t{1}, count / 2, count - 1, count, count + 1, n + 3}) {
        if (size < 0) continue;
        const auto [values, kept] = masked_select_padded(x, mask, size, 1);
        const Tensor want = cat({exact.narrow(0, 0, std::min(count, size)),
                                 full({std::max<int64_t>(size - count, 0)}, 1, dtype)});
        ASSERT_EQ(observe(values), observe(want)) << name(dtype) << n << " " << size;
        ASSERT_EQ(kept.item<int64_t>(), count);
      }
    }
  }
}

TEST(Padded, TakesRowsByALowerMask) {
  const Tensor x = arange(12).view({4, 3}), mask = tensor({false, true, false, true});
  const auto [values, count] = masked_index_padded(x, mask, 3, 7);
  EXPECT_EQ(values.shape(), (Shape{3, 3}));
  EXPECT_EQ(ints(values), (List{3, 4, 5, 9, 10, 11, 7, 7, 7}));
  EXPECT_EQ(count.item<int64_t>(), 2);
  const auto [one, of] = masked_index_padded(x, mask, 1);
  EXPECT_EQ(ints(one), (List{3, 4, 5}));
  EXPECT_EQ(of.item<int64_t>(), 2);
  const auto [none, kept] = masked_index_padded(zeros({4, 0}), mask, 5);
  EXPECT_EQ(none.shape(), (Shape{5, 0}));
  EXPECT_EQ(kept.item<int64_t>(), 2);
}

TEST(Padded, NonzeroHasTheSizeItIsGiven) {
  const Tensor x = tensor({{5, 0, -1}, {0, 7, 0}});
  EXPECT_EQ(ints(nonzero_static(x, 4)), (List{0, 0, 0, 2, 1, 1, -1, -1}));
  EXPECT_EQ(ints(nonzero_static(x, 2, 9)), (List{0, 0, 0, 2}));
  EXPECT_EQ(nonzero_static(tensor(3), 2).shape(), (Shape{2, 0}));
  const Tensor large = random_mask({7, 30011}, 2), all = nonzero(large);
  const int64_t count = all.size(0);
  for (int64_t size : {int64_t{1}, count / 3, count, count + 5}) {
    const Tensor want = cat({all.narrow(0, 0, std::min(size, count)),
                             full({std::max<int64_t>(size - count, 0), 2}, -1, int64)});
    EXPECT_EQ(observe(nonzero_static(large, size)), observe(want)) << size;
  }
}

TEST(Padded, RefusesWhatDoesNotFit) {
  const Tensor x = zeros({3}, uint8), mask = ones({3}, boolean);
  EXPECT_KIND(masked_select_padded(x, mask, -1), value);
  EXPECT_KIND(masked_select_padded(x, mask, 5, 300), value);
  EXPECT_KIND(masked_select_padded(x, x, 5), dtype);
  EXPECT_KIND(masked_index_padded(x, ones({2}, boolean), 5), index);
  EXPECT_KIND(nonzero_static(x, -2), value);
}

TEST(Padded, MakesNothingButItsResult) {
  const Tensor x = random_values({1 << 20}, float32, 1);
  const Tensor keep = x > 0;
  const int64_t before = memory_stats().allocated_bytes;
  (void)masked_select_padded(x, keep, 1000);
  if (!eager_mode()) {
    EXPECT_LT(memory_stats().allocated_bytes - before, 8000);
  }
}

TEST(Padded, GivesGradientsToWhatItHolds) {
  const Tensor x = ones({4}, float64).requires_grad_();
  const Tensor mask = tensor({true, false, true, true});
  backward({(masked_select_padded(x, mask, 2, 5).first * tensor({2., 3.}, float64)).sum()});
  EXPECT_EQ(ints(x.grad()), (List{2, 0, 3, 0}));
}

// ---- in two parts -------------------------------------------------------------------------------

TEST(Partition, GivesBothSidesInOrder) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  const auto [even, odd] = partition(x, x % 2 == 0);
  EXPECT_EQ(ints(even), (List{2, 4, 6}));
  EXPECT_EQ(ints(odd), (List{1, 3, 5}));
}

TEST(Partition, EqualsTwoSelections) {
  for (DType dtype : {boolean, int8, bfloat16, int32, float64}) {
    for (int64_t n : {0, 1, 63, 64, 65, 4095, 4096, 4097, 65536, 65537, 200003}) {
      for (uint32_t seed = 0; seed < 6; ++seed) {
        const Tensor x = random_values({n}, dtype, seed + 1), mask = random_mask({n}, seed);
        const auto [kept, rejected] = partition(x, mask);
        ASSERT_EQ(observe(kept), observe(masked_select(x, mask))) << name(dtype) << n << seed;
        ASSERT_EQ(observe(rejected), observe(masked_select(x, ~mask))) << name(dtype) << n << seed;
      }
    }
  }
}

TEST(Partition, Broadcasts) {
  const auto [kept, rejected] = partition(arange(3), tensor({{true}, {false}}));
  EXPECT_EQ(ints(kept), (List{0, 1, 2}));
  EXPECT_EQ(ints(rejected), (List{0, 1, 2}));
  EXPECT_KIND(partition(arange(3), arange(3)), dtype);
}

TEST(Partition, MakesNothingButItsResults) {
  const Tensor x = random_values({1 << 20}, float32, 1);
  const int64_t before = memory_stats().allocated_bytes;
  (void)partition(x, x > 0);
  const int64_t made = memory_stats().allocated_bytes - before;
  if (!eager_mode()) {
    EXPECT_LT(made, (4 << 20) + 20000);
  }
}

}  // namespace
}  // namespace tamis
