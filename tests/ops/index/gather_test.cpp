// Gather and scatter: ops that read or write the elements that integer tensors point at along a
// dimension.
#include <cmath>
#include <complex>

#include "support/mask_cases.h"
#include "tamis/indexing.h"

namespace tamis {
namespace {

using namespace mask_cases;

Tensor numbers(const Shape& shape) { return arange(numel(shape)).view(shape); }

// ---- reading ------------------------------------------------------------------------------------

TEST(IndexSelect, TakesSlicesInTheOrderOfTheIndex) {
  const Tensor x = numbers({2, 3});
  expect_same(index_select(x, 1, tensor({2, 0, 2})), tensor({{2, 0, 2}, {5, 3, 5}}));
  expect_same(x.index_select(-2, tensor({1}, int32)), tensor({{3, 4, 5}}));
  expect_same(x.index_select(0, tensor(1)), tensor({{3, 4, 5}}));
  expect_same(tensor(3.f).index_select(0, tensor({0})), tensor(3.f));
  EXPECT_EQ(x.index_select(1, empty({0}, int64)).shape(), (Shape{2, 0}));
}

TEST(IndexSelect, ReadsEveryDTypeAndLayout) {
  for (DType dtype : kDTypes) {
    const Tensor x = values_of(dtype, {7, 9});
    const Tensor rows = tensor({6, 0, 6, 3}), columns = tensor({8, 1});
    for (const Case& c : layouts(x)) {
      const Tensor got = index_select(index_select(c.x, 0, rows), 1, columns);
      for (int64_t i = 0; i < 4; ++i) {
        for (int64_t j = 0; j < 2; ++j) {
          expect_same(got[i][j], x[rows.to_vector<int64_t>()[i]][columns.to_vector<int64_t>()[j]],
                      c.layout);
        }
      }
    }
  }
}

TEST(IndexSelect, IsTheSameForLargeTensorsAndAnyNumberOfThreads) {
  const Tensor x = numbers({1000, 70}), index = randint(0, 1000, {3000});
  const Tensor want = take(x, index.unsqueeze(1) * 70 + arange(70));
  const int before = get_num_threads();
  for (int threads : {1, 3}) {
    set_num_threads(threads);
    expect_same(index_select(x, 0, index), want);
    expect_same(index_select(x.t(), 1, index), want.t().clone());
    expect_same(gather(x, 0, index.unsqueeze(1).expand({3000, 70})), want);
  }
  set_num_threads(before);
}

// Short rows are copied in pieces that may overlap.
TEST(IndexSelect, MovesRowsOfEveryLength) {
  for (DType dtype : {uint8, int16, float32, float64, complex128}) {
    for (int64_t width = 1; width <= 140; width = width < 40 ? width + 1 : width + 25) {
      const Tensor x = numbers({5, width}).remainder(251).to(dtype);
      const Tensor rows = index_select(x, 0, tensor({4, 0, 3}));
      expect_same(rows, stack({x[4], x[0], x[3]}));
      Tensor to = zeros({5, width}, dtype);
      to.index_copy_(0, tensor({1, 3, 0}), rows);
      const Tensor none = zeros({width}, dtype);
      expect_same(to, stack({x[3], x[4], none, x[0], none}));
      to.index_add_(0, tensor({1, 2, 1}), rows);
      expect_same(to, stack({x[3], x[4] + x[4] + x[3], x[0], x[0], none}));
    }
  }
}

TEST(IndexSelect, RefusesWhatPyTorchRefuses) {
  const Tensor x = numbers({2, 3});
  expect_error(ErrorKind::index, "index out of range in self", [&] {
    x.index_select(0, tensor({0, 2}));
  });
  expect_error(ErrorKind::index, "index out of range in self",
               [&] { x.index_select(0, tensor({-1})); });
  expect_error(ErrorKind::index, "index_select(): Index is supposed to be a vector",
               [&] { x.index_select(0, tensor({{0}})); });
  expect_error(ErrorKind::dtype, "index_select(): Expected dtype int32 or int64 for index",
               [&] { x.index_select(0, tensor({0.5})); });
  expect_error(ErrorKind::index, "Dimension out of range", [&] { x.index_select(2, tensor({0})); });
}

TEST(Gather, ReadsAlongOneDimension) {
  const Tensor x = numbers({2, 3});
  expect_same(gather(x, 0, tensor({{0, 1, 1}, {1, 0, 0}})), tensor({{0, 4, 5}, {3, 1, 2}}));
  expect_same(gather(x, -1, tensor({{0, 0, 2, 1}}, int32)), tensor({{0, 0, 2, 1}}));
  expect_same(gather(tensor(7), 0, tensor({0, 0})), tensor({7, 7}));
  expect_same(gather(tensor({4, 5}), 0, tensor(1)), tensor(5));
  EXPECT_EQ(gather(x, 0, empty({0, 5}, int64)).shape(), (Shape{0, 5}));
}

TEST(Gather, RefusesWhatPyTorchRefuses) {
  const Tensor x = numbers({2, 3});
  expect_error(ErrorKind::value, "index -1 is out of bounds for dimension 1 with size 3", [&] {
    gather(x, 1, tensor({{0, -1}}));
  });
  expect_error(ErrorKind::value, "index 3 is out of bounds for dimension 1 with size 3", [&] {
    gather(x, 1, tensor({{0, 3}}));
  });
  expect_error(ErrorKind::shape,
               "Index tensor must have the same number of dimensions as input tensor",
               [&] { gather(x, 1, tensor({0})); });
  expect_error(ErrorKind::shape,
               "Size does not match at dimension 1 expected index [1, 4] to be no larger than self "
               "[2, 3] apart from dimension 0",
               [&] {
                 gather(x, 0, zeros({1, 4}, int64));
               });
  expect_error(ErrorKind::dtype, "gather(): Expected dtype int32/int64 for index",
               [&] { gather(x, 0, tensor({{0}}, int16)); });
}

TEST(Take, CountsElementsInRowMajorOrderWhateverTheLayout) {
  const Tensor x = numbers({2, 3}), index = tensor({{0, -1}, {4, -6}});
  expect_same(take(x, index), tensor({{0, 5}, {4, 0}}));
  expect_same(take(x.t(), index), tensor({{0, 5}, {4 % 2 * 3 + 4 / 2, 0}}));
  expect_same(take(numbers({3, 4, 5}).permute({2, 0, 1}), tensor({0, 13, -1})), tensor({0, 6, 59}));
  expect_same(take(tensor(4.f), tensor({0, -1})), tensor({4.f, 4.f}));
  expect_error(ErrorKind::index, "out of range: tried to access index 6 on a tensor of 6 elements.",
               [&] { take(x, tensor({6})); });
  expect_error(ErrorKind::index, "take(): tried to take from an empty tensor",
               [&] { take(zeros({0}), tensor({0})); });
  expect_error(ErrorKind::dtype, "take(): Expected a long tensor for index, but got Int",
               [&] { take(x, tensor({0}, int32)); });
}

TEST(TakeAlongDim, BroadcastsBothButForTheDimension) {
  const Tensor x = numbers({2, 3});
  expect_same(take_along_dim(x, tensor({{2}}), 1), tensor({{2}, {5}}));
  expect_same(take_along_dim(x, tensor({{1, 1, 0}}), 0), tensor({{3, 4, 2}}));
  expect_same(take_along_dim(x.narrow(0, 1, 1), tensor({{0}, {2}}), 1), tensor({{3}, {5}}));
  expect_same(take_along_dim(x, tensor({5, 0})), tensor({5, 0}));
  expect_error(ErrorKind::dtype, "torch.take_along_dim(): dtype of indices should be Long but got",
               [&] { take_along_dim(x, tensor({{0}}, int32), 1); });
}

// ---- slices -------------------------------------------------------------------------------------

TEST(IndexFill, FillsTheNamedSlices) {
  Tensor x = numbers({2, 3});
  expect_same(index_fill(x, 1, tensor({0, -1}), 9), tensor({{9, 1, 9}, {9, 4, 9}}));
  expect_same(index_fill(x, 0, tensor(1), tensor(1.5)), tensor({{0, 1, 2}, {1, 1, 1}}));
  x.t().index_fill_(0, tensor({1}), -1);
  expect_same(x, tensor({{0, -1, 2}, {3, -1, 5}}));
  expect_error(ErrorKind::index, "index 2 is out of bounds for dimension 0 with size 2", [&] {
    x.index_fill_(0, tensor({0, 2}), 7);
  });
  expect_error(ErrorKind::value, "value cannot be converted to type uint8_t without overflow",
               [&] { x.to_byte().index_fill(0, tensor({0}), 300); });
  expect_error(ErrorKind::shape, "index_fill_ only supports a 0-dimensional value tensor",
               [&] { x.index_fill_(0, tensor({0}), tensor({1})); });
  expect_same(x, tensor({{0, -1, 2}, {3, -1, 5}}));
}

TEST(IndexAdd, AddsEveryTimeASliceIsNamed) {
  const Tensor x = numbers({2, 3});
  expect_same(index_add(x, 0, tensor({1, 1}), x), tensor({{0, 1, 2}, {6, 9, 12}}));
  expect_same(index_add(x, 1, tensor({0, 0, 2}), x, 10), tensor({{10, 1, 22}, {73, 4, 55}}));
  expect_same(index_add(tensor(3.f), 0, tensor({0}), tensor({2.f})), tensor(5.f));
  expect_error(ErrorKind::index, "index out of range in self", [&] {
    index_add(x, 0, tensor({0, 2}), x);
  });
  expect_error(ErrorKind::dtype,
               "index_add_(): self (Long) and source (Float) must have the same scalar type", [&] {
                 index_add(x, 0, tensor({0, 1}), x.to_float());
               });
  expect_error(ErrorKind::shape, "index_add_(): Number of indices (1) should be equal to",
               [&] { index_add(x, 0, tensor({0}), x); });
}

TEST(IndexCopy, TheLastSourceStays) {
  const Tensor x = zeros({2, 2}, int64), source = numbers({3, 2}) + 1;
  expect_same(index_copy(x, 0, tensor({1, 0, 1}), source), tensor({{3, 4}, {5, 6}}));
  expect_same(index_copy(x, 1, tensor({1}), tensor({{7}, {8}})), tensor({{0, 7}, {0, 8}}));
  expect_error(ErrorKind::index,
               "index_copy_(): index -1 is out of bounds for dimension 0 with size 2",
               [&] { index_copy(x, 0, tensor({-1}), source.narrow(0, 0, 1)); });
}

TEST(IndexReduce, CombinesWithOrWithoutTheOwnElements) {
  const Tensor x = tensor({{1., 2.}, {3., 4.}}), source = tensor({{5., 6.}, {7., 8.}});
  const Tensor twice = tensor({0, 0});
  expect_same(index_reduce(x, 0, twice, source, "mean"), tensor({{13. / 3, 16. / 3}, {3., 4.}}));
  expect_same(index_reduce(x, 0, twice, source, "mean", false), tensor({{6., 7.}, {3., 4.}}));
  expect_same(index_reduce(x, 0, twice, source, "prod", false), tensor({{35., 48.}, {3., 4.}}));
  expect_same(index_reduce(x, 0, twice, source, "amin"), tensor({{1., 2.}, {3., 4.}}));
  expect_same(index_reduce(x, 0, twice, source, "amin", false), tensor({{5., 6.}, {3., 4.}}));
  expect_error(ErrorKind::value, "index_reduce(): Expected reduce to be one of prod, mean, amax",
               [&] { index_reduce(x, 0, twice, source, "sum"); });
}

TEST(Put, WritesAndAddsByNumber) {
  Tensor x = numbers({2, 3});
  const Tensor index = tensor({0, -1, 0}), source = tensor({10, 20, 30});
  expect_same(put(x, index, source), tensor({{30, 1, 2}, {3, 4, 20}}));
  expect_same(put(x, index, source, true), tensor({{40, 1, 2}, {3, 4, 25}}));
  x.t().put_(tensor({1}), tensor({{-7}}));
  expect_same(x, tensor({{0, 1, 2}, {-7, 4, 5}}));
  expect_error(ErrorKind::index, "put_(): Expected source and index to have the same number",
               [&] { x.put_(index, tensor({1})); });
  expect_error(ErrorKind::index, "out of range: tried to access index 9", [&] {
    x.put_(tensor({0, 9}), tensor({5, 5}));
  });
  expect_same(x, tensor({{0, 1, 2}, {-7, 4, 5}}));
}

// ---- elements -----------------------------------------------------------------------------------

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

// ---- complex numbers ----------------------------------------------------------------------------

TEST(GatherComplex, MovesAndAddsButDoesNotOrder) {
  using C = std::complex<double>;
  const Tensor wide = tensor(std::vector<C>{{1, 2}, {3, -4}, {0, 5}});
  for (const Tensor& x : {wide, wide.to(DType::complex64)}) {
    const auto at = [&](const Tensor& y, int64_t i) { return y[i].item().to_complex(); };
    const Tensor index = tensor({2, 0, 2});
    for (const Tensor& got : {x[index].get(), gather(x, 0, index), index_select(x, 0, index)}) {
      EXPECT_EQ(got.dtype(), x.dtype());
      EXPECT_EQ(at(got, 0), C(0, 5));
      EXPECT_EQ(at(got, 1), C(1, 2));
    }
    const Tensor sums = index_put(x, {index}, x, true);
    EXPECT_EQ(at(sums, 0), C(4, -2));
    EXPECT_EQ(at(sums, 2), C(1, 12));
    EXPECT_EQ(at(scatter_reduce(x, 0, index, x, "prod"), 0), C(11, 2));
    EXPECT_EQ(at(scatter_reduce(x, 0, index, x, "mean", false), 2), C(0.5, 3.5));
    expect_error(ErrorKind::dtype, "\"scatter_gather_tensor_cpu_reduce\" not implemented for",
                 [&] { scatter_reduce(x, 0, index, x, "amax"); });
  }
}

}  // namespace
}  // namespace tamis
