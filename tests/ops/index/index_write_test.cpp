// Writing by integers along a dimension: index_fill, index_add, index_copy, index_reduce and put.
#include "support/mask_cases.h"
#include "tamis/index.h"

namespace tamis {
namespace {

using namespace mask_cases;

Tensor numbers(const Shape& shape) { return arange(numel(shape)).view(shape); }

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

}  // namespace
}  // namespace tamis
