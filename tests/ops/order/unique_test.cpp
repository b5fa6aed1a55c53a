// Distinct values and their counts against PyTorch's examples.
#include <limits>

#include "support/mask_cases.h"
#include "support/order_cases.h"

namespace tamis {
namespace {

using namespace mask_cases;
using namespace order_cases;

TEST(Unique, FindsValuesIndicesAndCounts) {
  const auto [values, inverse, counts] = unique(tensor({{2, 3, 2}, {1, 2, 3}}), true, true, true);
  expect_same(values, tensor({1, 2, 3}));
  expect_same(inverse, tensor({{1, 2, 1}, {0, 1, 2}}));
  expect_same(counts, tensor({1, 3, 2}));
  expect_same(tensor({2, 1, 2}).unique(), tensor({1, 2}));
}

TEST(Unique, KeepsNaNsApartAndZerosTogether) {
  const auto [values, inverse, counts] =
      unique(tensor({kNaN, 0.f, kNaN, -0.f, 1.f}), true, true, true);
  expect_same(values, tensor({0.f, 1.f, kNaN, kNaN}));
  expect_same(inverse, tensor({2, 0, 3, 0, 1}));
  expect_same(counts, tensor({2, 1, 1, 1}));
}

// Integers of a narrow range are counted, others are sorted.
TEST(Unique, FindsTheSameIntegersHoweverFarApartTheyAre) {
  for (DType dtype : {uint8, uint16, uint32, int8, int16, int32, int64}) {
    const Tensor few = numbers(dtype, 6000, 4).remainder(17).add(90).view({60, 100});
    for (const Tensor& x : {few, few.to(dtype).t(), few.sub(110).to(dtype)}) {
      const auto [values, inverse, counts] = unique(x.to(dtype), true, true, true);
      const auto [sorted, indices, times] = unique(x.to(dtype).to(float64), true, true, true);
      expect_same(values, sorted.to(dtype));
      expect_same(inverse, indices);
      expect_same(counts, times);
      expect_same(unique(x.to(dtype)), values);
    }
  }
  const int64_t least = std::numeric_limits<int64_t>::min();
  const Tensor ends = tensor({least + 2, least, least + 2}).expand({50, 3});
  expect_same(unique(ends), tensor({least, least + 2}));
  const Tensor both = tensor({least, std::numeric_limits<int64_t>::max()}).expand({50, 2});
  expect_same(unique(both), both[0]);
}

TEST(Unique, ComparesSlices) {
  const Tensor x = tensor({{1, 2}, {0, 5}, {1, 2}, {1, 1}});
  const auto [rows, inverse, counts] = unique(x, true, true, true, 0);
  expect_same(rows, tensor({{0, 5}, {1, 1}, {1, 2}}));
  expect_same(inverse, tensor({2, 0, 2, 1}));
  expect_same(counts, tensor({1, 1, 2}));
  expect_same(unique(tensor({{1, 1, 0}, {2, 2, 3}}), 1), tensor({{0, 1}, {3, 2}}));
}

TEST(UniqueConsecutive, ComparesNeighboursOnly) {
  const auto [values, inverse, counts] = unique_consecutive(tensor({1, 1, 2, 2, 1}), true, true);
  expect_same(values, tensor({1, 2, 1}));
  expect_same(inverse, tensor({0, 0, 1, 1, 2}));
  expect_same(counts, tensor({2, 2, 1}));
  expect_same(unique_consecutive(tensor({{1, 1}, {1, 1}, {2, 1}}), 0), tensor({{1, 1}, {2, 1}}));
}

TEST(BinCount, CountsAndAddsWeights) {
  expect_same(bincount(tensor({1, 3, 1})), tensor({0, 2, 0, 1}));
  expect_same(bincount(tensor({1, 3, 1}), tensor({0.5f, 1.f, 2.f}), 5),
              tensor({0.f, 2.5f, 0.f, 1.f, 0.f}));
  expect_error(ErrorKind::value, "bincount only supports 1-d non-negative integral inputs.", [] {
    bincount(tensor({1, -1}));
  });
}

TEST(BinCount, AddsUpOnAnyNumberOfThreads) {
  std::vector<int64_t> x(300000), times(100);
  Sequence random(8);
  for (int64_t& v : x) ++times[static_cast<size_t>(v = random.next() % 100)];
  for (int n : {1, 2, 5}) {
    const Threads threads(n);
    expect_same(bincount(tensor(x)), tensor(times));
    // Every second element of a larger tensor; what lies between stays as it is.
    Tensor base = arange(200).settle();
    base.slice(0, 0, 200, 2).index_add_(0, tensor(x), ones({300000}, int64));
    expect_same(base.slice(0, 0, 200, 2), arange(0, 200, 2) + tensor(times));
    expect_same(base.slice(0, 1, 200, 2), arange(1, 200, 2));
  }
}

}  // namespace
}  // namespace tamis
