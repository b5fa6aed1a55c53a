// Order: elements by rank against sorting and PyTorch's own examples.
#include <algorithm>
#include <cmath>
#include <limits>

#include "support/mask_cases.h"
#include "support/order_cases.h"

namespace tamis {
namespace {

using namespace mask_cases;
using namespace order_cases;

TEST(KthValue, CountsFromOne) {
  expect_pair(kthvalue(arange(1, 6).to_float(), 4), tensor(4.f), tensor(3));
  expect_pair(kthvalue(tensor({{1, 2, 3}, {4, 5, 6}}), 2, 0, true), tensor({{4, 5, 6}}),
              tensor({{1, 1, 1}}));
  expect_pair(kthvalue(tensor({{3, 1, 2}, {6, 5, 4}}), 1), tensor({1, 4}), tensor({1, 2}));
}

TEST(KthValue, TakesATensorWithoutDimensions) {
  expect_pair(kthvalue(tensor(5.f), 1), tensor(5.f), tensor(0));
  expect_pair(kthvalue(tensor(5.f), 1, 0, true), tensor(5.f), tensor(0));
}

TEST(KthValue, SortsNaNLast) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              inf = std::numeric_limits<float>::infinity();
  const Tensor x = tensor({nan, 1.f, nan, -inf, inf});
  expect_pair(kthvalue(x, 1), tensor(-inf), tensor(3));
  expect_pair(kthvalue(x, 3), tensor(inf), tensor(4));
  expect_pair(kthvalue(x, 4), tensor(nan), tensor(0));
  expect_pair(kthvalue(x, 5), tensor(nan), tensor(0));
}

TEST(KthValue, GivesTheSmallestIndexAmongEquals) {
  const Tensor x = tensor({2, 1, 2, 1, 2});
  expect_pair(kthvalue(x, 1), tensor(1), tensor(1));
  expect_pair(kthvalue(x, 2), tensor(1), tensor(1));
  for (int64_t k : {3, 4, 5}) expect_pair(kthvalue(x, k), tensor(2), tensor(0));
}

TEST(KthValue, MatchesSortingForEveryDTypeAndLayout) {
  for (DType dtype : kDTypes) {
    if (dtype == boolean) continue;
    const Tensor x = values_of(dtype, {7, 65});
    for (int64_t k : {1, 2, 33, 65}) {
      std::vector<double> want;
      for (int64_t r = 0; r < 7; ++r) {
        std::vector<double> row = x[r].to_vector<double>();
        std::sort(row.begin(), row.end());
        want.push_back(row[k - 1]);
      }
      for (const Case& c : layouts(x)) {
        const auto [values, indices] = kthvalue(c.x, k);
        expect_same(values, tensor(want).to(dtype), c.layout);
        for (int64_t r = 0; r < 7; ++r) {
          const int64_t at = indices[r].item<int64_t>();
          EXPECT_EQ(x[r][at].item<double>(), want[r]);
        }
        const auto [across, where_across] = kthvalue(c.x.t(), k, 0);
        expect_same(across, values, c.layout);
        expect_same(where_across, indices, c.layout);
      }
    }
  }
}

TEST(KthValue, ReducesAnyDimension) {
  EXPECT_EQ(kthvalue(zeros({2, 3, 4}), 1, 1).first.shape(), (Shape{2, 4}));
  EXPECT_EQ(kthvalue(zeros({2, 3, 4}), 1, -2, true).second.shape(), (Shape{2, 1, 4}));
  EXPECT_EQ(kthvalue(zeros({0, 3}), 1, 1).first.shape(), Shape{0});
}

TEST(KthValue, FindsTheInnerNineTenths) {
  manual_seed(1);
  const Tensor data = randperm(1000).to_float().settle();
  const Tensor low = kthvalue(data, 50).first, high = kthvalue(data, 950).first;
  EXPECT_EQ(data[(data >= low) & (data <= high)].numel(), 901);
}

TEST(KthValue, RefusesWhatDoesNotExist) {
  expect_error(ErrorKind::value, "kthvalue(): selected number k out of range for dimension 0", [] {
    kthvalue(tensor({1.f, 2.f, 3.f}), 4);
  });
  expect_error(ErrorKind::value, "kthvalue(): selected number k out of range for dimension 0", [] {
    kthvalue(tensor({1.f, 2.f, 3.f}), 0);
  });
  expect_error(ErrorKind::value, "kthvalue(): selected number k out of range for dimension 1", [] {
    kthvalue(zeros({2, 3}), 4, -1);
  });
  expect_error(ErrorKind::value, "kthvalue(): selected number k out of range for dimension 0",
               [] { kthvalue(tensor(5.f), 2); });
  expect_error(ErrorKind::index, "kthvalue(): Expected reduction dim 1 to have non-zero size.", [] {
    kthvalue(zeros({3, 0}), 1);
  });
  expect_error(ErrorKind::index, "kthvalue(): Expected reduction dim 0 to have non-zero size.",
               [] { kthvalue(zeros({0}), 1); });
  expect_error(ErrorKind::index,
               "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
               [] { kthvalue(tensor(5.f), 1, 1); });
  expect_error(ErrorKind::dtype, "\"kthvalue_cpu\" not implemented for 'Bool'",
               [] { kthvalue(tensor({true}), 1); });
}

TEST(KthValue, FindsRanksInLargeSlicesOfEveryKind) {
  constexpr int64_t kSize = 200003;
  manual_seed(5);
  const Tensor steps = arange(kSize);
  const Tensor kinds[] = {randn({kSize}),
                          rand({kSize}),
                          steps.to_float(),
                          zeros({kSize}),
                          steps.remainder(7).to_float(),
                          where(steps < 3, Tensor(1e30f), randn({kSize}).round())};
  for (const Tensor& kind : kinds) {
    const Tensor x = kind.clone().settle();
    std::vector<float> sorted = x.to_vector<float>();
    const std::vector<float> elements = sorted;
    std::sort(sorted.begin(), sorted.end());
    for (int64_t k : {int64_t{1}, int64_t{2}, kSize / 3, kSize / 2, kSize - 2, kSize}) {
      const auto [value, index] = kthvalue(x, k);
      const float want = sorted[static_cast<size_t>(k - 1)];
      EXPECT_EQ(value.item<float>(), want) << k;
      EXPECT_EQ(index.item<int64_t>(),
                std::find(elements.begin(), elements.end(), want) - elements.begin());
    }
  }
}

/// Demands of some ranks what a stable sort has there, with the first index among equals.
void expect_ranks_of_sorted(const Tensor& x) {
  const auto [sorted, order] = sort(x);
  const std::vector<double> values = sorted.to(float64).to_vector<double>();
  const std::vector<int64_t> indices = order.to_vector<int64_t>();
  const auto n = static_cast<int64_t>(values.size());
  const auto equal = [](double a, double b) { return a == b || (a != a && b != b); };
  for (int64_t k : {int64_t{1}, n / 4, n / 2, n / 2 + n / 8, n - n / 50, n}) {
    auto first = static_cast<size_t>(k - 1);
    while (first > 0 && equal(values[first - 1], values[first])) --first;
    const auto [value, index] = kthvalue(x, k);
    EXPECT_EQ(index.item<int64_t>(), indices[first]) << name(x.dtype()) << ' ' << n << ' ' << k;
    EXPECT_TRUE(equal(value.to(float64).item<double>(), values[first])) << k;
  }
}

TEST(KthValue, FindsWhatSortingFindsInLargeSlicesOfEveryDType) {
  manual_seed(6);
  const int threads = get_num_threads();
  for (DType dtype :
       {uint8, uint16, uint32, int8, int16, int32, int64, float16, bfloat16, float32, float64}) {
    for (int64_t n : {511, 512, 513, 3000, 65535, 65537, 200000}) {
      set_num_threads(n % 2 ? 1 : 3);
      const Tensor x = (randn({n}) * 50).to(dtype);
      expect_ranks_of_sorted(x);
      if (!is_floating_point(dtype)) continue;
      const Tensor nan = full({}, std::nan(""), dtype), part = rand({n});
      const Tensor zero = where(part < 0.85, zeros({}, dtype), -zeros({}, dtype));
      expect_ranks_of_sorted(where(part < 0.1, nan, x));
      expect_ranks_of_sorted(where(part < 0.6, nan, x));
      expect_ranks_of_sorted(where(part < 0.7, x, zero));
    }
  }
  set_num_threads(threads);
}

// Large elements exactly where the sample is taken from, so that it says nothing about the rest.
TEST(KthValue, IsRightIfTheSampleIsNot) {
  constexpr uint64_t kSize = 1 << 20, kSample = 1 << 13, kEach = kSize / kSample;
  std::vector<float> x(kSize);
  for (uint64_t i = 0; i < kSize; ++i) x[i] = static_cast<float>(i * 7919 % kSize);
  for (uint64_t i = 0; i < kSample; ++i) {
    x[i * kEach + ((i + 1) * 0x9e3779b97f4a7c15u >> 32) % kEach] += 1e7f;
  }
  expect_ranks_of_sorted(tensor(x));
  for (float& v : x) v = -v;
  expect_ranks_of_sorted(tensor(x));
}

TEST(Median, IsTheLowerOneOfTwo) {
  EXPECT_EQ(median(tensor({4, 1, 3, 2})).item<int64_t>(), 2);
  expect_pair(median(tensor({{4, 1, 3, 2}, {0, 0, 9, 9}}), 1), tensor({2, 0}), tensor({3, 0}));
  expect_pair(median(tensor({{4, 1}, {0, 5}, {2, 2}}), 0, true), tensor({{2, 2}}),
              tensor({{2, 2}}));
}

TEST(Median, IsNaNAtItsFirstIndex) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = tensor({3.f, nan, 1.f, nan});
  expect_pair(median(x, 0), tensor(nan), tensor(1));
  expect_pair(nanmedian(x, 0), tensor(1.f), tensor(2));
  expect_pair(nanmedian(tensor({nan, nan}), 0), tensor(nan), tensor(0));
  expect_same(median(zeros({0})), tensor(nan));
}

TEST(Mode, IsTheSmallestOfTheMostFrequentAtItsFirstIndex) {
  expect_pair(mode(tensor({2, 1, 2, 1, 3})), tensor(1), tensor(1));
  expect_pair(mode(tensor({{1, 0, 0}, {5, 5, 2}}), 1, true), tensor({{0}, {5}}),
              tensor({{1}, {0}}));
}

TEST(AMinMax, GivesBoth) {
  expect_pair(aminmax(tensor({{3, 1}, {2, 4}}), 0), tensor({2, 1}), tensor({3, 4}));
  expect_pair(aminmax(tensor({3.f, 1.f})), tensor(1.f), tensor(3.f));
}

}  // namespace
}  // namespace tamis
