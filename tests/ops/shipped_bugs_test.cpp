// Bugs that other libraries shipped, each as a case that must come out right here. The comment of a
// test names the report.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tamis/masks.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using List = std::vector<int64_t>;

List ints(const Tensor& x) { return x.to_vector<int64_t>(); }

// pytorch 41473: masked_select of a permuted input came in the order of the memory.
TEST(ShippedBugs, SelectionFromAPermutedTensorIsInLogicalOrder) {
  const Tensor x = arange(6).view({2, 3}).t();
  const Tensor every = ones({3, 2}, boolean);
  const List want = {0, 3, 1, 4, 2, 5};
  EXPECT_EQ(ints(masked_select(x, every)), want);
  EXPECT_EQ(ints(x[every]), want);
  EXPECT_EQ(ints(partition(x, every).first), want);
  EXPECT_EQ(ints(masked_select_padded(x, every, 6).first), want);
  EXPECT_EQ(ints(masked_select_async(x, every).get()), want);
  EXPECT_EQ(ints(masked_select(arange(6).view({2, 3}), every.t())), (List{0, 1, 2, 3, 4, 5}));
}

// pytorch 87206: bools stored as 255 were counted as 255 each, and the tail was left undefined.
TEST(ShippedBugs, ABoolStoredAs255CountsOnce) {
  std::vector<uint8_t> bytes(8, 255);
  const Tensor mask = from_blob(bytes.data(), {8}, boolean), x = arange(8);
  EXPECT_EQ(count(mask), 8);
  EXPECT_EQ(mask.sum().item<int64_t>(), 8);
  EXPECT_EQ(count_nonzero(mask).item<int64_t>(), 8);
  EXPECT_EQ(ints(masked_select(x, mask)), ints(x));
  EXPECT_EQ(masked_select(x, ~mask).numel(), 0);
  EXPECT_EQ(partition(x, mask).second.numel(), 0);
  EXPECT_EQ(ints(masked_select_rows(x, mask).offsets), (List{0, 8}));
  EXPECT_EQ(mse_loss(ones({8}), zeros({8}), mask).item<double>(), 1);
  EXPECT_TRUE(equal(mask, ones({8}, boolean)));
}

// pytorch 99638, 100232: masked_scatter_ into a tensor that is not contiguous went by memory.
TEST(ShippedBugs, ScatterIntoATransposedTensorGoesRowByRow) {
  Tensor x = zeros({2, 3}, int64);
  Tensor view = x.t();
  view.masked_scatter_(ones({3, 2}, boolean), arange(6));
  EXPECT_EQ(ints(view), (List{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(ints(x), (List{0, 2, 4, 1, 3, 5}));
}

// pytorch 95607: masked_scatter with too short a source read past its end.
TEST(ShippedBugs, TooShortASourceIsRefusedBeforeAnyWrite) {
  Tensor x = zeros({5}, int64);
  EXPECT_THROW(x.masked_scatter_(ones({5}, boolean), arange(4)), Error);
  EXPECT_EQ(ints(x), (List{0, 0, 0, 0, 0}));
}

// pytorch 12230: masked_fill_ of an expanded tensor wrote one element several times.
TEST(ShippedBugs, AnExpandedTensorIsNotFilledThroughAMask) {
  Tensor row = zeros({3}, int64);
  Tensor expanded = row.expand({2, 3});
  const Tensor mask = tensor({{true, false, false}, {false, false, true}});
  EXPECT_THROW(expanded.masked_fill_(mask, 1), Error);
  EXPECT_THROW(expanded[mask] = 1, Error);
  EXPECT_EQ(ints(row), (List{0, 0, 0}));
}

// pytorch 102341, mlx 124, numpy 13842, tensorflow 42629: counts and offsets of 32 bits. An
// expanded tensor has the elements without the memory; memory_test.cpp has the memory too.
TEST(ShippedBugs, MoreThan2To31ElementsAreCounted) {
  constexpr int64_t kRows = 70000, kCols = 40000;
  const Tensor causal = masks::causal(kRows, kCols);
  EXPECT_EQ(count(causal), kCols * (kCols + 1) / 2 + (kRows - kCols) * kCols);
  Tensor one = zeros({kCols}, boolean);
  one.narrow(0, kCols - 1, 1).fill_(true);
  const Tensor mask = one.expand({kRows, kCols});
  EXPECT_EQ(count(mask), kRows);
  const Tensor last = nonzero_static(mask, kRows + 1)[kRows - 1];
  EXPECT_EQ(ints(last), (List{kRows - 1, kCols - 1}));
}

// pytorch 194725: isin promoted int64 to float32, so that neighbours above 2^24 became equal.
TEST(ShippedBugs, IsinDoesNotRoundIntegers) {
  const Tensor x = tensor({16777216, 16777217, 16777218});
  EXPECT_EQ(ints(isin(x, tensor({16777216.f})).to_long()), (List{1, 0, 0}));
  const Tensor large = tensor({int64_t{1} << 53, (int64_t{1} << 53) + 1});
  EXPECT_EQ(ints(isin(large, tensor({9007199254740992.0}, float64)).to_long()), (List{1, 0}));
}

// xtensor 1716: a filter by a broadcast mask took other elements.
TEST(ShippedBugs, ABroadcastMaskSelectsWholeColumnsAndRows) {
  const Tensor x = arange(6).view({2, 3});
  EXPECT_EQ(ints(masked_select(x, tensor({true, false, true}))), (List{0, 2, 3, 5}));
  EXPECT_EQ(ints(masked_select(x, tensor({{false}, {true}}))), (List{3, 4, 5}));
}

// xtensor 2040: a vectorised sum of bools wrapped around.
TEST(ShippedBugs, SumsOfManyBoolsDoNotWrap) {
  for (int64_t n : {255, 256, 257, 70000}) {
    EXPECT_EQ(ones({n}, boolean).sum().item<int64_t>(), n);
    EXPECT_EQ(ones({n, 3}, boolean).sum({0})[1].item<int64_t>(), n);
    EXPECT_EQ(ones({3, n}, boolean).sum({1})[2].item<int64_t>(), n);
  }
}

// mlx 2803: a[False] = 1 wrote all of a.
TEST(ShippedBugs, AFalseMaskWithoutDimensionsWritesNothing) {
  Tensor x = zeros({3}, int64);
  x[tensor(false)] = 1;
  EXPECT_EQ(ints(x), (List{0, 0, 0}));
  x[tensor(true)] = 1;
  EXPECT_EQ(ints(x), (List{1, 1, 1}));
}

// ClickHouse 41751: a filter of length 0 shifted by 64.
TEST(ShippedBugs, LengthsAroundAWordAndNoneAtAll) {
  for (int64_t n : {0, 1, 63, 64, 65, 127, 128, 129}) {
    const Tensor x = arange(n), every = ones({n}, boolean), none = zeros({n}, boolean);
    EXPECT_EQ(ints(masked_select(x, every)), ints(x)) << n;
    EXPECT_EQ(masked_select(x, none).numel(), 0) << n;
    EXPECT_EQ(partition(x, none).second.numel(), n);
    EXPECT_EQ(masked_select_padded(x, every, n + 1, 7).first.sum().item<int64_t>(),
              n * (n - 1) / 2 + 7);
    EXPECT_EQ(nonzero(every).size(0), n);
  }
  EXPECT_EQ(masks::from_lengths(tensor({0, 0})).shape(), (Shape{2, 0}));
  EXPECT_EQ(pack_padded(zeros({2, 0}), tensor({0, 0})).values.numel(), 0);
}

// pytorch 52248 in the forward direction: multiplying by a mask keeps NaN and infinities.
TEST(ShippedBugs, WhatIsMaskedOutIsNotMixedIn) {
  const Tensor x = tensor({1., std::nan(""), HUGE_VAL, 4.}, float64);
  const Tensor mask = tensor({true, false, false, true});
  EXPECT_EQ(where(mask, x, 0).sum().item<double>(), 5);
  EXPECT_EQ(x.masked_fill(~mask, 0).sum().item<double>(), 5);
  EXPECT_EQ(mse_loss(x, zeros({4}, float64), mask).item<double>(), 8.5);
  EXPECT_EQ(l1_loss(zeros({4}, float64), x, mask, "sum").item<double>(), 5);
}

// numpy: a[b] with a mask of rows against one of elements.
TEST(ShippedBugs, AMaskOfRowsAndOneOfElementsHaveTheirOwnShapes) {
  const Tensor x = arange(6).view({2, 3});
  EXPECT_EQ(x[tensor({false, true})].shape(), (Shape{1, 3}));
  EXPECT_EQ(x[x > 1].shape(), (Shape{4}));
  EXPECT_THROW(x[tensor({true, false, true})].get(), Error);  // a row mask is not a column mask
}

}  // namespace
}  // namespace tamis
