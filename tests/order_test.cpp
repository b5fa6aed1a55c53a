// Order: kthvalue against sorting and PyTorch's own examples.
#include <algorithm>
#include <limits>

#include "mask_cases.h"

namespace tamis {
namespace {

using namespace mask_cases;

void expect_pair(const std::pair<Tensor, Tensor>& got, const Tensor& value, const Tensor& index) {
  expect_same(got.first, value);
  expect_same(got.second, index);
}

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

}  // namespace
}  // namespace tamis
