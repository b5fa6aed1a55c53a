// Scatter: writing single elements that integer tensors point at along a dimension.
#include <cmath>

#include "support/mask_cases.h"
#include "tamis/index.h"

namespace tamis {
namespace {

using namespace mask_cases;

Tensor numbers(const Shape& shape) { return arange(numel(shape)).view(shape); }

TEST(Scatter, WritesSourcesAndNumbers) {
  const Tensor x = numbers({2, 3}), index = tensor({{0, 1, 1}, {1, 0, 0}});
  expect_same(scatter(x, 0, index, x), tensor({{0, 4, 5}, {3, 1, 2}}));
  expect_same(scatter(x, 1, tensor({{2, 2}}), tensor({{7, 8, 9}})), tensor({{0, 1, 8}, {3, 4, 5}}));
  expect_same(scatter(x, 1, tensor({{0}, {2}}), 9), tensor({{9, 1, 2}, {3, 4, 9}}));
  expect_same(scatter(x, 1, tensor({{0, 0}}), 10, "add"), tensor({{20, 1, 2}, {3, 4, 5}}));
  expect_same(scatter(x, 1, tensor({{1, 1}}), 10, "multiply"), tensor({{0, 100, 2}, {3, 4, 5}}));
  expect_same(scatter(x, 0, empty({0}, int64), x), x);
  expect_same(scatter(tensor(1), 0, tensor(0), tensor(5)), tensor(5));
}

TEST(Scatter, RefusesBeforeItWrites) {
  Tensor x = numbers({2, 3});
  const Tensor index = tensor({{0, 1, 1}, {1, 0, 2}});
  expect_error(ErrorKind::value, "index 2 is out of bounds for dimension 0 with size 2",
               [&] { x.scatter_(0, index, 7); });
  expect_error(ErrorKind::value, "index 2 is out of bounds for dimension 0 with size 2", [&] {
    x.scatter_add_(0, index, ones({2, 3}, int64));
  });
  expect_error(ErrorKind::dtype, "scatter(): Expected self.dtype to be equal to src.dtype", [&] {
    x.scatter_(1, index, zeros({2, 3}));
  });
  expect_error(ErrorKind::shape,
               "Expected index [2, 3] to be no larger than self [2, 3] apart from dimension 1 and "
               "to be no larger size than src [2, 2]",
               [&] {
                 x.scatter_(1, index, zeros({2, 2}, int64));
               });
  expect_error(ErrorKind::shape,
               "Index tensor must have the same number of dimensions as self tensor",
               [&] { x.scatter_(1, tensor({0}), 7); });
  expect_error(ErrorKind::value, "reduce argument must be either add or multiply.",
               [&] { x.scatter_(1, index, 7, "mean"); });
  expect_error(ErrorKind::unsupported, "unsupported operation: some elements of the input tensor",
               [&] { x.scatter_(1, index, x); });
  expect_same(x, numbers({2, 3}));
  Tensor wide = zeros({3}).expand({2, 3});
  expect_error(ErrorKind::unsupported, "unsupported operation: more than one element",
               [&] { wide.scatter_(1, index, 7); });
}

TEST(ScatterAdd, IsDeterministicForAnyNumberOfThreads) {
  const Tensor index = randint(0, 40, {60, 5000}), source = randn({60, 5000});
  const int before = get_num_threads();
  set_num_threads(1);
  const Tensor rows = scatter_add(zeros({60, 40}), 1, index, source);
  const Tensor columns = scatter_add(zeros({40, 5000}), 0, index, source);
  const Tensor one = scatter_add(zeros({40}), 0, index.flatten(), source.flatten());
  set_num_threads(4);
  expect_same(scatter_add(zeros({60, 40}), 1, index, source), rows);
  expect_same(scatter_add(zeros({40, 5000}), 0, index, source), columns);
  expect_same(scatter_add(zeros({40}), 0, index.flatten(), source.flatten()), one);
  set_num_threads(before);
  const Tensor sums = index.unsqueeze(-1) == arange(40);
  EXPECT_TRUE(allclose(rows.to_double(), where(sums, source.to_double().unsqueeze(-1), 0).sum({1}),
                       1e-4, 1e-4));
}

TEST(ScatterReduce, CombinesWithOrWithoutTheOwnElements) {
  const Tensor x = tensor({1., 2., 3.}), index = tensor({0, 0, 2});
  const Tensor source = tensor({5., 7., -1.});
  expect_same(scatter_reduce(x, 0, index, source, "sum"), tensor({13., 2., 2.}));
  expect_same(scatter_reduce(x, 0, index, source, "sum", false), tensor({12., 2., -1.}));
  expect_same(scatter_reduce(x, 0, index, source, "prod"), tensor({35., 2., -3.}));
  expect_same(scatter_reduce(x, 0, index, source, "prod", false), tensor({35., 2., -1.}));
  expect_same(scatter_reduce(x, 0, index, source, "mean"), tensor({13. / 3, 2., 1.}));
  expect_same(scatter_reduce(x, 0, index, source, "mean", false), tensor({6., 2., -1.}));
  expect_same(scatter_reduce(x, 0, index, source, "amax"), tensor({7., 2., 3.}));
  expect_same(scatter_reduce(x, 0, index, source, "amax", false), tensor({7., 2., -1.}));
  expect_same(scatter_reduce(x, 0, index, source, "amin", false), tensor({5., 2., -1.}));
  expect_error(ErrorKind::value, "reduce argument must be either sum, prod, mean, amax or amin.",
               [&] { scatter_reduce(x, 0, index, source, "add"); });
}

TEST(ScatterReduce, MeansOfIntegersAreRoundedDownAndNaNWins) {
  expect_same(scatter_reduce(tensor({-3, 5}), 0, tensor({0, 1}), tensor({0, 0}), "mean"),
              tensor({-2, 2}));
  const Tensor got =
      scatter_reduce(tensor({1., NAN}), 0, tensor({0, 1, 0}), tensor({NAN, 3., 2.}), "amax");
  EXPECT_TRUE(all(isnan(got)).item().to_bool());
  for (DType dtype : {int8, uint8, boolean, int64}) {
    const Tensor x = tensor({1, 0}).to(dtype), source = tensor({0, 1}).to(dtype);
    expect_same(scatter_reduce(x, 0, tensor({0, 1}), source, "amax", false), source);
    expect_same(scatter_reduce(x, 0, tensor({0, 1}), source, "amin", false), source);
  }
}

TEST(Scatter, WritesThroughEveryLayout) {
  for (DType dtype : kDTypes) {
    const Tensor x = values_of(dtype, {5, 6}), source = values_of(dtype, {3, 6}, 3);
    const Tensor index = tensor({{4, 0, 1, 2, 3, 4}, {0, 4, 4, 4, 0, 1}, {2, 2, 2, 3, 1, 0}});
    Tensor want = x.clone();
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t j = 0; j < 6; ++j) {
        want[index[i][j].item<int64_t>()][j] = source[i][j];
      }
    }
    for (const Case& c : layouts(x)) {
      for (const Case& s : layouts(source)) {
        expect_same(scatter(c.x, 0, index, s.x), want, c.layout + " from " + s.layout);
      }
      Tensor target = c.x;
      target.scatter_(0, index, source);
      expect_same(target, want, c.layout);
    }
  }
}

}  // namespace
}  // namespace tamis
