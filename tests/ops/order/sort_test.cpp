// Sorting and the first k against PyTorch's examples, the standard library, and one thread.
#include <algorithm>
#include <numeric>

#include "support/mask_cases.h"
#include "support/order_cases.h"

namespace tamis {
namespace {

using namespace mask_cases;
using namespace order_cases;

/// The order of a vector's positions, by the standard library.
std::vector<int64_t> stable_order(const std::vector<double>& x, bool descending) {
  std::vector<int64_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  const auto less = [](double a, double b) { return a < b || (b != b && a == a); };
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return descending ? less(x[b], x[a]) : less(x[a], x[b]);
  });
  return order;
}

TEST(Sort, OrdersAlongADimension) {
  const Tensor x = tensor({{3, 1, 2}, {6, 5, 4}});
  expect_pair(sort(x), tensor({{1, 2, 3}, {4, 5, 6}}), tensor({{1, 2, 0}, {2, 1, 0}}));
  expect_pair(sort(x, 0, true), tensor({{6, 5, 4}, {3, 1, 2}}), tensor({{1, 1, 1}, {0, 0, 0}}));
  expect_same(x.argsort(1), tensor({{1, 2, 0}, {2, 1, 0}}));
  expect_same(x.msort(), tensor({{3, 1, 2}, {6, 5, 4}}));
}

TEST(Sort, PutsNaNLastAndKeepsZerosAsTheyStand) {
  const Tensor x = tensor({kNaN, 0.f, -kInf, -0.f, kInf, kNaN});
  const auto [values, indices] = sort(x);
  expect_same(indices, tensor({2, 1, 3, 4, 0, 5}));
  EXPECT_FALSE(std::signbit(values[1].item<float>()));
  EXPECT_TRUE(std::signbit(values[2].item<float>()));
  expect_same(sort(x, 0, true).second, tensor({0, 5, 4, 1, 3, 2}));
}

TEST(Sort, IsStableForEveryDTypeAndSize) {
  for (DType dtype : kDTypes) {
    for (int64_t n : {1, 2, 64, 65, 300, 5000, 40000, 100003}) {
      const Tensor x = numbers(dtype, n, static_cast<uint32_t>(n));
      const std::vector<double> elements = x.to_vector<double>();
      for (bool descending : {false, true}) {
        const auto [values, indices] = sort(x, 0, descending);
        const std::vector<int64_t> order = stable_order(elements, descending);
        ASSERT_EQ(indices.to_vector<int64_t>(), order) << name(dtype) << " " << n;
        const std::vector<double> got = values.to_vector<double>();
        for (size_t i = 0; i < order.size(); ++i) {
          const double want = elements[static_cast<size_t>(order[i])];
          ASSERT_TRUE(got[i] == want || (got[i] != got[i] && want != want)) << name(dtype);
          ASSERT_EQ(std::signbit(got[i]), std::signbit(want)) << name(dtype);
        }
      }
    }
  }
}

TEST(Sort, SortsAnyBytesThatAreTrueAsTrue) {
  const uint8_t bytes[] = {255, 0, 1, 7, 0};
  expect_pair(sort(from_data(bytes, {5}, boolean)), tensor({false, false, true, true, true}),
              tensor({1, 4, 0, 2, 3}));
}

TEST(Sort, DoesNotDependOnThreads) {
  for (DType dtype : {uint8, uint16, uint32, uint64, int16, float32, int64}) {
    const Tensor x = numbers(dtype, 300001, 7);
    std::pair<Tensor, Tensor> sorted, top, kth;
    {
      Threads one(1);
      sorted = sort(x);
      top = topk(x, 100);
      kth = kthvalue(x, 1000);
    }
    for (int n : {2, 3, 5}) {
      Threads several(n);
      expect_pair(sort(x), sorted.first, sorted.second);
      expect_pair(topk(x, 100), top.first, top.second);
      expect_pair(kthvalue(x, 1000), kth.first, kth.second);
    }
  }
}

TEST(TopK, GivesTheFirstOfTheOrder) {
  for (DType dtype : kDTypes) {
    if (dtype == boolean) continue;
    for (int64_t n : {1, 63, 1000, 100003}) {
      const Tensor x = numbers(dtype, n, 3);
      for (int64_t k : {int64_t{1}, int64_t{5}, n / 5, n / 2, n}) {
        if (k > n) continue;
        for (bool largest : {true, false}) {
          const auto [values, indices] = sort(x, 0, largest);
          expect_pair(topk(x, k, 0, largest), values.narrow(0, 0, k), indices.narrow(0, 0, k));
        }
      }
    }
  }
}

TEST(TopK, GivesTheFirstOfTheOrderAmongNaNsZerosAndInfinities) {
  manual_seed(9);
  for (DType dtype : {float16, float32, float64}) {
    for (int64_t n : {100, 1000, 70000}) {
      const Tensor part = rand({n}), inf = full({}, kInf, dtype);
      const Tensor zero = where(rand({n}) < 0.5, zeros({}, dtype), -zeros({}, dtype));
      const Tensor ends = where(part < 0.3, -inf, where(part > 0.7, inf, zero));
      const Tensor nan = full({}, kNaN, dtype);
      for (double nans : {0.01, 0.5, 0.99}) {
        const Tensor x = where(rand({n}) < nans, nan, where(part > 0.95, part.to(dtype), ends));
        for (int64_t k : {int64_t{1}, int64_t{7}, n / 4, n / 4 + 1}) {
          for (bool largest : {true, false}) {
            const auto [values, indices] = sort(x, 0, largest);
            const auto [top, at] = topk(x, k, 0, largest);
            expect_same(at, indices.narrow(0, 0, k));
            expect_same(top, x[at].get());
          }
        }
      }
    }
  }
}

TEST(TopK, TakesElementsThatComeEverCloser) {
  const Tensor up = arange(100000).to_float();
  expect_pair(topk(up, 3), tensor({99999.f, 99998.f, 99997.f}), tensor({99999, 99998, 99997}));
  expect_pair(topk(up, 2, -1, false), tensor({0.f, 1.f}), tensor({0, 1}));
  expect_pair(topk(zeros({1000}), 2), tensor({0.f, 0.f}), tensor({0, 1}));
}

TEST(TopK, RefusesMoreThanThereAre) {
  expect_error(ErrorKind::value, "selected index k out of range", [] { topk(zeros({3}), 4); });
  expect_error(ErrorKind::dtype, "\"topk_cpu\" not implemented for 'Bool'",
               [] { topk(tensor({true}), 1); });
}

}  // namespace
}  // namespace tamis
