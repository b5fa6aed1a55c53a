// Gather: reading the slices and elements that integer tensors point at along a dimension.
#include <complex>

#include "support/mask_cases.h"
#include "tamis/index.h"

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
