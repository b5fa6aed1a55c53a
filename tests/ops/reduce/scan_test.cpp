// Scan: running results along a dimension, against plain loops and PyTorch's values.
#include <limits>

#include "support/mask_cases.h"
#include "tamis/reduce.h"
#include "tamis/runtime.h"

namespace tamis {
namespace {

using namespace mask_cases;

const double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Scan, RunsAlongTheDimension) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  expect_same(cumsum(x, 1), tensor({{1, 3, 6}, {4, 9, 15}}));
  expect_same(cumsum(x, 0), tensor({{1, 2, 3}, {5, 7, 9}}));
  expect_same(cumprod(x, -1), tensor({{1, 2, 6}, {4, 20, 120}}));
  expect_same(x.t().cumsum(0), tensor({{1, 4}, {3, 9}, {6, 15}}));
  EXPECT_EQ(cumsum(tensor({true, true}), 0).dtype(), int64);
  EXPECT_EQ(cumsum(tensor({1, 1}, int8), 0).dtype(), int64);
  expect_same(cumsum(tensor({100, 100}, int8), 0, int8), tensor({100, -56}, int8));
}

TEST(Scan, EndsInTheSum) {
  for (const Shape& shape : {Shape{100003}, Shape{300, 700}, Shape{7, 900, 3}}) {
    const Tensor x = values_of(int64, shape);
    for (int64_t dim = 0; dim < x.dim(); ++dim) {
      expect_same(cumsum(x, dim).select(dim, shape[dim] - 1), x.sum({dim}));
      expect_same(cummax(x, dim).first.select(dim, shape[dim] - 1), x.amax({dim}));
      expect_same(diff(cumsum(x, dim), 1, dim), x.narrow(dim, 1, shape[dim] - 1));
    }
  }
}

TEST(Scan, AddsFloatsInDouble) {
  const Tensor x = full({1000000}, 0.1);
  // 0.1f is 0.100000001490116; PyTorch adds in double too.
  EXPECT_FLOAT_EQ(cumsum(x, 0)[999999].item<float>(), 100000.0015f);
}

TEST(Scan, ExtremesAreTheLastAmongEqualsAndNaNWins) {
  const auto [values, indices] = cummax(tensor({1., 3., 3., 2., kNaN, 5., kNaN}), 0);
  expect_same(indices, tensor({0, 1, 2, 2, 4, 4, 6}));
  EXPECT_TRUE(std::isnan(values[5].item<double>()));
  expect_same(cummin(tensor({2, 2, 3, 1}), 0).second, tensor({0, 1, 1, 3}));
}

TEST(Scan, LogCumSumExpStartsFromNothing) {
  const std::vector<double> got =
      logcumsumexp(tensor({-INFINITY, 0., 0., 1000.}), 0).to_vector<double>();
  EXPECT_EQ(got[0], -INFINITY);
  EXPECT_EQ(got[1], 0);
  EXPECT_NEAR(got[2], 0.6931472, 1e-6);
  EXPECT_EQ(got[3], 1000);
}

TEST(Scan, InPlaceKeepsTheDType) {
  Tensor x = tensor({1, 2, 3}, int32);
  const Tensor doubled = x * 2;
  EXPECT_EQ(&x.cumsum_(0), &x);
  expect_same(x, tensor({1, 3, 6}, int32));
  expect_same(doubled, tensor({2, 4, 6}, int32));
  x.cumprod_(0);
  expect_same(x, tensor({1, 3, 18}, int32));
}

TEST(Scan, OfNothingAndOfOneNumber) {
  EXPECT_EQ(cumsum(zeros({0, 3}), 0).shape(), (Shape{0, 3}));
  expect_same(cumsum(tensor(5), 0), tensor(5));
  EXPECT_EQ(cummax(zeros({2, 0}), 1).second.shape(), (Shape{2, 0}));
  EXPECT_THROW(cumsum(tensor({1}), 1), Error);
  EXPECT_THROW(cumsum(tensor({1}), 0, boolean), Error);
  EXPECT_THROW(logcumsumexp(tensor({1}), 0), Error);
}

TEST(Scan, TheNumberOfThreadsDoesNotShow) {
  const Tensor x = (values_of(float32, {40, 7000}) / 7).settle();
  const int before = get_num_threads();
  for (int64_t dim : {0, 1}) {
    set_num_threads(1);
    const Tensor one = cumsum(x, dim);
    set_num_threads(5);
    expect_same(cumsum(x, dim), one);
  }
  set_num_threads(before);
}

TEST(Diff, OfNeighbours) {
  expect_same(diff(tensor({1, 4, 9, 16})), tensor({3, 5, 7}));
  expect_same(diff(tensor({1, 4, 9, 16}), 2), tensor({2, 2}));
  expect_same(diff(tensor({true, true, false})), tensor({false, true}));
  expect_same(diff(tensor({5, 7}), 1, 0, tensor({1}), tensor({7})), tensor({4, 2, 0}));
  EXPECT_EQ(diff(tensor({1, 2}), 9).shape(), Shape{0});
  EXPECT_THROW(diff(tensor({1, 2}), -1), Error);
  EXPECT_THROW(diff(tensor(1)), Error);
}

}  // namespace
}  // namespace tamis
