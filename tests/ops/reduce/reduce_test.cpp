// Reduce: sums, products, extremes and truth against plain loops and PyTorch's own results.
#include <algorithm>
#include <functional>
#include <limits>

#include "support/mask_cases.h"

namespace tamis {
namespace {

using namespace mask_cases;

const float kNaN = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

/// Folds each group of elements that dims (sorted, not negative) join.
Tensor naive_reduce(const Tensor& x, const Shape& dims, double start, DType dtype,
                    const std::function<double(double, double)>& fold) {
  Shape kept = x.shape();
  for (int64_t d : dims) kept[d] = 1;
  std::vector<double> out(static_cast<size_t>(numel(kept)), start);
  const std::vector<double> in = x.to_vector<double>();
  for (size_t i = 0; i < in.size(); ++i) {
    int64_t rest = static_cast<int64_t>(i), at = 0, step = 1;
    for (size_t d = kept.size(); d-- > 0; rest /= x.shape()[d]) {
      at += (kept[d] == 1 ? 0 : rest % x.shape()[d]) * step;
      step *= kept[d];
    }
    out[at] = fold(out[at], in[i]);
  }
  return tensor(out, kept).to(dtype);
}

double add(double a, double b) { return a + b; }
double larger(double a, double b) { return a > b ? a : b; }
double smaller(double a, double b) { return a < b ? a : b; }
double either(double a, double b) { return a != 0 || b != 0; }
double both(double a, double b) { return a != 0 && b != 0; }

DType sum_dtype(DType dtype) { return is_floating_point(dtype) ? dtype : int64; }

std::vector<Shape> subsets(size_t rank) {
  std::vector<Shape> all;
  for (unsigned bits = 1; bits < 1u << rank; ++bits) {
    Shape dims;
    for (size_t d = 0; d < rank; ++d) {
      if (bits >> d & 1) dims.push_back(static_cast<int64_t>(d));
    }
    all.push_back(dims);
  }
  return all;
}

// ---- every reduction ----------------------------------------------------------------------------

TEST(Reduce, MatchesAPlainLoopOverEverySetOfDimensions) {
  for (const Shape& shape : {Shape{5}, Shape{4, 7}, Shape{3, 4, 5}, Shape{2, 3, 1, 5},
                             Shape{70, 90}, Shape{3, 70, 65}}) {
    for (const Shape& dims : subsets(shape.size())) {
      // Few enough ones that even a float16 sums them exactly.
      const Tensor x = values_of(float32, shape), ones_and_zeros = x % 2;
      const std::string what = to_string(shape) + " over " + to_string(dims);
      for (DType dtype : kDTypes) {
        const Tensor y = ones_and_zeros.to(dtype).settle();
        const DType out = sum_dtype(dtype);
        const Tensor total = naive_reduce(y, dims, 0, float64, add);
        if (total.amax().item<double>() < 256)
          expect_same(sum(y, dims, true), total.to(out), what + " sum");
        expect_same(any(y, dims, true),
                    naive_reduce(y, dims, 0, dtype == uint8 ? uint8 : boolean, either), what);
        expect_same(all(y, dims, true),
                    naive_reduce(y, dims, 1, dtype == uint8 ? uint8 : boolean, both), what);
        const Tensor z = values_of(dtype, shape);
        expect_same(amax(z, dims, true), naive_reduce(z, dims, -1, dtype, larger),
                    what + " amax " + name(dtype));
        expect_same(amin(z, dims, true), naive_reduce(z, dims, 1000, dtype, smaller),
                    what + " amin " + name(dtype));
        expect_same(count_nonzero(y, dims),
                    naive_reduce(y, dims, 0, int64, add).view(sum(y, dims).shape()), what);
      }
      expect_same(sum(x, dims, true), naive_reduce(x, dims, 0, float32, add), what);
    }
  }
}

TEST(Reduce, DoesNotDependOnTheLayout) {
  const Tensor x = values_of(float32, {67, 130});
  for (const Shape& dims : {Shape{}, Shape{0}, Shape{1}}) {
    for (const Case& c : layouts(x)) {
      expect_same(sum(c.x, dims), sum(x, dims), c.layout);
      expect_same(mean(c.x, dims), mean(x, dims), c.layout);
      expect_same(amax(c.x, dims), amax(x, dims), c.layout);
      expect_same(any(c.x > 98, dims), any(x > 98, dims), c.layout);
    }
  }
  expect_same(sum(tensor({1.f, 2.f}).expand({3, 2})), tensor(9.f));
  expect_same(sum(tensor({1.f, 2.f}).expand({3, 2}), {0}), tensor({3.f, 6.f}));
}

TEST(Reduce, TakesEveryLength) {
  for (int64_t n : kLengths) {
    const Tensor x = arange(n);
    EXPECT_EQ(x.sum().item<int64_t>(), n * (n - 1) / 2);
    EXPECT_EQ((x * 0 + 1).prod().item<int64_t>(), 1);
    EXPECT_EQ(x.to_double().sum().item<double>(), static_cast<double>(n * (n - 1) / 2));
    if (n == 0) continue;
    EXPECT_EQ(x.amax().item<int64_t>(), n - 1);
    EXPECT_EQ((-x).amin().item<int64_t>(), 1 - n);
    EXPECT_EQ((x == n - 1).any().item<bool>(), true);
    EXPECT_EQ((x < n).all().item<bool>(), true);
    EXPECT_EQ((x < n - 1).all().item<bool>(), false);
  }
}

TEST(Reduce, KeepsOrDropsDimensions) {
  const Tensor x = zeros({2, 3, 4});
  EXPECT_EQ(sum(x).shape(), Shape{});
  EXPECT_EQ(sum(x, {}, true).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(sum(x, {-1}).shape(), (Shape{2, 3}));
  EXPECT_EQ(sum(x, {2, 0}, true).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(any(x, {0, 1, 2}, true).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(amax(x, {0, -1}).shape(), Shape{3});
  EXPECT_EQ(prod(x, 1, true).shape(), (Shape{2, 1, 4}));
}

TEST(Reduce, TakesATensorWithoutDimensions) {
  expect_same(sum(tensor(3.f), {0}), tensor(3.f));
  expect_same(sum(tensor(3.f), {-1}, true), tensor(3.f));
  expect_same(prod(tensor(5.f), 0), tensor(5.f));
  expect_same(amax(tensor(5), {0}), tensor(5));
  expect_same(mean(tensor(5.f)), tensor(5.f));
  expect_same(any(tensor(1.f), {0}), tensor(true));
  expect_error(ErrorKind::index,
               "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
               [] { sum(tensor(3.f), {1}); });
  expect_error(ErrorKind::value, "dim 0 appears multiple times in the list of dims", [] {
    sum(tensor(3.f), {0, -1});
  });
}

TEST(Reduce, RefusesWrongDimensions) {
  const Tensor x = zeros({2, 3});
  const char* range = "Dimension out of range (expected to be in range of [-2, 1], but got 5)";
  expect_error(ErrorKind::index, range, [&] { sum(x, {0, 5}); });
  expect_error(ErrorKind::index, range, [&] { mean(x, {5}); });
  expect_error(ErrorKind::index, range, [&] { prod(x, 5); });
  expect_error(ErrorKind::index, range, [&] { amax(x, {5}); });
  expect_error(ErrorKind::index, range, [&] { any(x, {5}); });
  for (const Dims& dims : {Dims{0, 0}, Dims{0, -2}}) {
    const char* twice = "dim 0 appears multiple times in the list of dims";
    expect_error(ErrorKind::value, twice, [&] { sum(x, dims); });
    expect_error(ErrorKind::value, twice, [&] { amin(x, dims); });
    expect_error(ErrorKind::value, twice, [&] { all(x, dims); });
  }
}

// ---- one at a time ------------------------------------------------------------------------------

TEST(Sum, GivesInt64ForIntegersAndBools) {
  expect_same(sum(tensor({true, true, false})), tensor(2));
  expect_same(sum(full({300}, 255, uint8)), tensor(76500));
  expect_same(sum(tensor({{true, false}, {true, true}}), {0}), tensor({2, 1}));
  expect_same(sum(tensor({{true, false}, {true, true}}), {}, true), tensor({{3}}));
  expect_same(sum(tensor({INT64_MAX, int64_t{1}})), tensor(INT64_MIN));
}

TEST(Sum, ConvertsToTheDTypeFirst) {
  expect_same(sum(tensor({1, 2}, int32), {}, false, int32), tensor(3, int32));
  expect_same(sum(tensor({1.5f, 2.5f}), {}, false, int64), tensor(3));
  expect_same(sum(tensor({200, 100}, uint8), {}, false, uint8), tensor(44, uint8));
  expect_same(sum(tensor({1, 1, 1}), {}, false, float16), tensor(3.f, float16));
  expect_same(sum(tensor({0.5f, 0.f}), {}, false, boolean), tensor(true));
  expect_same(sum(tensor({0.f, 0.f}), {}, false, boolean), tensor(false));
  expect_same(sum(tensor({true, true}), {}, false, float32), tensor(2.f));
}

TEST(Sum, OfNothingIsZero) {
  expect_same(sum(empty({0})), tensor(0.f));
  expect_same(sum(empty({0, 3}), {0}), zeros({3}));
  expect_same(sum(empty({0, 3}), {1}), empty({0}));
  expect_same(sum(empty({0, 3}, boolean), {0}, true), zeros({1, 3}, int64));
}

TEST(Sum, DoesNotLoseSmallTermsOfManyFloats) {
  EXPECT_EQ(full({20000000}, 1.f).sum().item<float>(), 20000000.f);
  EXPECT_EQ(full({5000}, 1.f, float16).sum().item<float>(), 5000.f);
  EXPECT_NEAR(full({1000003}, 0.1f).sum().item<float>(), 100000.3f, 0.02f);
}

TEST(Sum, PropagatesNaN) {
  EXPECT_TRUE(std::isnan(tensor({1.f, kNaN}).sum().item<float>()));
  EXPECT_TRUE(std::isnan(tensor({kInf, -kInf}).sum().item<float>()));
}

TEST(Mean, DividesByTheCount) {
  expect_same(mean(tensor({{1.f, 2.f}, {3.f, 6.f}})), tensor(3.f));
  expect_same(mean(tensor({{1.f, 2.f}, {3.f, 6.f}}), {0}), tensor({2.f, 4.f}));
  expect_same(mean(tensor({1, 2}), {}, false, float32), tensor(1.5f));
  expect_same(mean(ones({3}, float16)), tensor(1.f, float16));
  expect_same(mean(empty({0})), tensor(kNaN));
  expect_same(mean(empty({0, 2}), {0}), tensor({kNaN, kNaN}));
}

TEST(Mean, RefusesIntegers) {
  expect_error(ErrorKind::dtype,
               "mean(): could not infer output dtype. Input dtype must be either a floating point "
               "or complex dtype. "
               "Got: Long",
               [] {
                 mean(tensor({1, 2}));
               });
  expect_error(ErrorKind::dtype,
               "mean(): could not infer output dtype. Optional dtype must be either a floating "
               "point or complex "
               "dtype. Got: Long",
               [] {
                 mean(tensor({1.f, 2.f}), {}, false, int64);
               });
}

TEST(Prod, Multiplies) {
  expect_same(prod(tensor({2, 3, 4}, int8)), tensor(24));
  expect_same(prod(tensor({true, false})), tensor(0));
  expect_same(prod(tensor({true, true}), {}, false, boolean), tensor(true));
  expect_same(prod(tensor({{1.f, 2.f}, {3.f, 4.f}}), 0), tensor({3.f, 8.f}));
  expect_same(prod(empty({0})), tensor(1.f));
  expect_same(prod(empty({0, 3}), 0), ones({3}));
}

TEST(Extremes, NaNWins) {
  const Tensor x = tensor({{1.f, kNaN, 2.f}, {kInf, -kInf, 0.f}});
  expect_same(amax(x, {1}), tensor({kNaN, kInf}));
  expect_same(amin(x, {1}), tensor({kNaN, -kInf}));
  expect_same(max(x), tensor(kNaN));
  expect_same(min(x.to(float16)), tensor(kNaN, float16));
  expect_same(amax(x, {0}), tensor({kInf, kNaN, 2.f}));
}

TEST(Extremes, KeepTheDType) {
  expect_same(max(tensor({true, false})), tensor(true));
  expect_same(min(tensor({true, false})), tensor(false));
  expect_same(max(tensor({1, 200}, uint8)), tensor(200, uint8));
  expect_same(max(tensor({INT64_MAX - 1, INT64_MIN})), tensor(INT64_MAX - 1));
  expect_same(amax(tensor({{true, false}, {false, false}}), {1}), tensor({true, false}));
  expect_same(min(tensor({-1.5f, 2.f}, bfloat16)), tensor(-1.5f, bfloat16));
}

TEST(Extremes, RefuseToReduceNothing) {
  const std::string text =
      "(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
      "dim with the 'dim' "
      "argument.";
  expect_error(ErrorKind::value, "amax" + text, [] { amax(empty({0})); });
  expect_error(ErrorKind::value, "amin" + text, [] { amin(empty({3, 0})); });
  expect_error(ErrorKind::value, "max" + text, [] { max(empty({0})); });
  expect_error(ErrorKind::value, "min" + text, [] { min(empty({0}, boolean)); });
  expect_error(ErrorKind::index, "amax(): Expected reduction dim 0 to have non-zero size.", [] {
    amax(empty({0, 3}), {0});
  });
  expect_error(ErrorKind::index, "amax(): Expected reduction dim 0 to have non-zero size.", [] {
    amax(empty({0, 3}), {0, 1});
  });
  expect_same(amax(empty({0, 3}), {1}), empty({0}));
}

TEST(Truth, FollowsPyTorch) {
  expect_same(any(tensor({0, 2}, uint8)), tensor(1, uint8));
  expect_same(any(tensor({0, 2}, uint8), {0}), tensor(1, uint8));
  expect_same(all(tensor({3, 2}, uint8)), tensor(1, uint8));
  expect_same(any(tensor({kNaN})), tensor(true));
  expect_same(any(tensor({-0.f})), tensor(false));
  expect_same(any(empty({0})), tensor(false));
  expect_same(all(empty({0})), tensor(true));
  expect_same(any(empty({0, 3}), {0}), tensor({false, false, false}));
  expect_same(all(empty({0, 3}), {0}), tensor({true, true, true}));
  expect_same(any(empty({0, 3}), {1}), empty({0}, boolean));
}

TEST(Truth, FindsTheOnlyElementAnywhere) {
  for (int64_t n : {1, 64, 4096, 4097, 100003}) {
    for (int64_t at : {int64_t{0}, n / 2, n - 1}) {
      const Tensor x = arange(n);
      EXPECT_TRUE((x == at).any().item<bool>());
      EXPECT_FALSE((x != at).all().item<bool>());
      EXPECT_FALSE((x == n).any().item<bool>());
      EXPECT_TRUE((x != n).all().item<bool>());
    }
  }
}

TEST(Reduce, FusesAMaskedSum) {
  const Tensor x = values_of(float32, {100003}), m = mask_of("random", {100003});
  const double want = naive_select(x, m).to_double().sum().item<double>();
  EXPECT_EQ(x.masked_fill(~m, 0).sum().item<double>(), want);
  EXPECT_EQ(where(m, x, 0).sum().item<double>(), want);
  EXPECT_EQ(x[m].sum().item<double>(), want);
}

TEST(Reduce, GivesTheSameBitsForAnyNumberOfThreads) {
  manual_seed(3);
  const Tensor x = randn({300, 1001}).settle();
  const int threads = get_num_threads();
  std::vector<Tensor> results[2];
  for (int i : {0, 1}) {
    set_num_threads(i == 0 ? 1 : 4);
    for (const Dims& dims : {Dims{}, Dims{0}, Dims{1}}) {
      results[i].push_back(sum(x, dims));
      results[i].push_back(mean(x * 3, dims));
      results[i].push_back(sum(x.t(), dims));
    }
  }
  set_num_threads(threads);
  for (size_t i = 0; i < results[0].size(); ++i) expect_same(results[1][i], results[0][i]);
}

}  // namespace
}  // namespace tamis
