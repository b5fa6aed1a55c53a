// Indices of extremes.
#include <limits>

#include "support/errors.h"
#include "support/mask_cases.h"
#include "tamis/masked.h"
#include "tamis/reduce.h"

namespace tamis {
namespace {

using namespace mask_cases;

const double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Extremes, TheFirstAmongEquals) {
  const Tensor x = tensor({{1, 7, 7}, {2, 2, 0}});
  expect_same(argmax(x, 1), tensor({1, 0}));
  expect_same(argmin(x, 0), tensor({0, 1, 1}));
  expect_same(argmax(x), tensor(1));
  const auto [values, indices] = max(x, 1, true);
  expect_same(values, tensor({{7}, {2}}));
  expect_same(indices, tensor({{1}, {0}}));
  EXPECT_EQ(argmax(tensor({1., kNaN, 9., kNaN})).item<int64_t>(), 1);
  EXPECT_EQ(argmin(tensor({1., kNaN, 0., kNaN})).item<int64_t>(), 1);
  expect_same(min(tensor({true, false}), 0).first, tensor(false));
  EXPECT_EQ(x.max().item<int64_t>(), 7);
  expect_same(aminmax(x, 1).first, tensor({1, 0}));
}

TEST(Extremes, AreWhereAPlainLoopFindsThem) {
  for (const Shape& shape : {Shape{5, 3}, Shape{3, 9001}, Shape{9001, 3}, Shape{70, 5000},
                             Shape{2, 300, 7}, Shape{20, 100, 3}}) {
    const Tensor x = values_of(int32, shape);
    const std::vector<int32_t> in = x.to_vector<int32_t>();
    for (int64_t dim = 0; dim < x.dim(); ++dim) {
      int64_t inner = 1;
      for (int64_t d = dim + 1; d < x.dim(); ++d) inner *= shape[d];
      const int64_t n = shape[dim], outer = x.numel() / (n * inner);
      std::vector<int64_t> want;
      for (int64_t o = 0; o < outer; ++o) {
        for (int64_t i = 0; i < inner; ++i) {
          int64_t best = 0;
          for (int64_t k = 1; k < n; ++k) {
            if (in[(o * n + k) * inner + i] > in[(o * n + best) * inner + i]) best = k;
          }
          want.push_back(best);
        }
      }
      EXPECT_EQ(argmax(x, dim).to_vector<int64_t>(), want) << to_string(shape) << " " << dim;
    }
  }
}

TEST(Extremes, RefuseComplexNumbersWhichHaveNoOrder) {
  const Tensor x = ones({2, 3}, complex64);
  const Tensor mask = ones({2, 3}, boolean);
  EXPECT_KIND(x.max(1), dtype);
  EXPECT_KIND(x.min(0), dtype);
  EXPECT_KIND(x.argmax(), dtype);
  EXPECT_KIND(masked::argmax(x, mask), dtype);
  EXPECT_KIND(masked::argmin(x, mask, 1), dtype);
}

TEST(Extremes, RefuseNothing) {
  EXPECT_THROW(argmax(zeros({0})), Error);
  EXPECT_THROW(argmax(zeros({2, 0}), 1), Error);
  EXPECT_EQ(argmax(zeros({2, 0}), 0).shape(), Shape{0});
  EXPECT_THROW(aminmax(zeros({0})), Error);
  EXPECT_THROW(argmax(tensor({true})), Error);
}

}  // namespace
}  // namespace tamis
