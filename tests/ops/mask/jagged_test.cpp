// Jagged rows: what each row keeps, and back through padding and masks.
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

TEST(JaggedRows, HoldWhatEachRowKeeps) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}), mask = (x % 2 == 0) & (x < 8);
  const Jagged rows = masked_select_rows(x, mask);
  EXPECT_EQ(ints(rows.values), (List{2, 4, 6}));
  EXPECT_EQ(ints(rows.offsets), (List{0, 1, 3, 3}));
  const Jagged columns = masked_select_rows(x, mask, 0);
  EXPECT_EQ(ints(columns.values), (List{4, 2, 6}));
  EXPECT_EQ(ints(columns.offsets), (List{0, 1, 2, 3}));
}

TEST(JaggedRows, ComeBackThroughPaddingAndMask) {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    const Tensor x = random_values({17, 40}, int32, seed), mask = random_mask({17, 40}, seed);
    const Jagged rows = masked_select_rows(x, mask);
    const Tensor padded = to_padded(rows, {}, -5), kept = jagged_mask(rows.offsets);
    EXPECT_EQ(observe(masked_select(padded, kept)), observe(rows.values));
    EXPECT_TRUE(all(masked_select(padded, ~kept) == -5).item<bool>());
    EXPECT_EQ(ints(sum(kept, {1})), ints(sum(mask, {1})));
  }
}

TEST(JaggedRows, AreCutToTheSize) {
  const Tensor values = arange(10).view({5, 2}), offsets = tensor({0, 3, 3, 5});
  const Tensor two = to_padded(values, offsets, 2, 7);
  EXPECT_EQ(two.shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(ints(two), (List{0, 1, 2, 3, 7, 7, 7, 7, 6, 7, 8, 9}));
  EXPECT_EQ(ints(jagged_mask(offsets, 2)), (List{1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(to_padded(values, offsets, 0).shape(), (Shape{3, 0, 2}));
}

TEST(JaggedRows, MayBeNone) {
  EXPECT_EQ(to_padded(zeros({0}), tensor({0}, int64)).shape(), (Shape{0, 0}));
  EXPECT_EQ(to_padded(zeros({0}), tensor({0, 0, 0})).shape(), (Shape{2, 0}));
  EXPECT_EQ(to_padded(zeros({0}), tensor({0, 0, 0}), 3).shape(), (Shape{2, 3}));
  const Jagged none = masked_select_rows(zeros({0, 4}), zeros({4}, boolean));
  EXPECT_EQ(ints(none.offsets), (List{0}));
  const Jagged number = masked_select_rows(tensor(5), tensor(true));
  EXPECT_EQ(ints(number.values), (List{5}));
  EXPECT_EQ(ints(number.offsets), (List{0, 1}));
}

TEST(JaggedRows, RefuseOffsetsThatDescribeOtherValues) {
  const Tensor values = zeros({3});
  EXPECT_KIND(to_padded(values, tensor({0, 2})), value);
  EXPECT_KIND(to_padded(values, tensor({1, 3})), value);
  EXPECT_KIND(to_padded(values, tensor({0, 4, 3})), value);
  EXPECT_KIND(to_padded(values, tensor({0., 3.})), dtype);
  EXPECT_KIND(to_padded(values, tensor({{0, 3}})), shape);
  EXPECT_KIND(to_padded(values, zeros({0}, int64)), shape);
  EXPECT_KIND(to_padded(tensor(1), tensor({0, 1})), shape);
  EXPECT_KIND(to_padded(values, tensor({0, 3}), -1), value);
  EXPECT_KIND(jagged_mask(tensor({0, 3}), -1), value);
}

}  // namespace
}  // namespace tamis
