// Indexing: x[...] with integers, slices, masks and integer tensors, read and written, with
// PyTorch's shapes and errors.
#include <limits>

#include "support/mask_cases.h"
#include "tamis/index.h"

namespace tamis {
namespace {

using namespace mask_cases;

Tensor cube() { return arange(12).view({2, 2, 3}); }
Tensor one_of_four() { return tensor({{false, true}, {false, false}}); }
Tensor numbers(const Shape& shape) { return arange(numel(shape)).view(shape); }

// ---- views --------------------------------------------------------------------------------------

TEST(IndexingGet, IntegersSlicesNoneAndEllipsisMakeViews) {
  const Tensor x = numbers({2, 3, 4});
  const Tensor row = x.index({1, Slice(), -1});
  expect_same(row, tensor({15, 19, 23}));
  EXPECT_TRUE(row.shares_storage(x));
  expect_same(x.index({Ellipsis, 0}), tensor({{0, 4, 8}, {12, 16, 20}}));
  expect_same(x.index({0, Slice(1, 3), Slice({}, {}, 2)}), tensor({{4, 6}, {8, 10}}));
  EXPECT_EQ(x.index({None, 0, Ellipsis, None}).shape(), (Shape{1, 3, 4, 1}));
  EXPECT_EQ(x.index({Slice(-2, 100)}).shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(x.index({Slice(5)}).shape(), (Shape{0, 3, 4}));
  EXPECT_TRUE(x.index({}).shares_storage(x));
  expect_same(x.index({}), x);
}

TEST(IndexingGet, AnIntegerWithoutDimensionsSelects) {
  const Tensor x = numbers({3, 4});
  for (DType dtype : {int8, int16, int32, int64}) {
    const Tensor row = x.index({tensor(-1, dtype)});
    expect_same(row, tensor({8, 9, 10, 11}));
    EXPECT_TRUE(row.shares_storage(x));
    expect_same(x[tensor(1, dtype)], tensor({4, 5, 6, 7}));
  }
}

// ---- masks and integers -------------------------------------------------------------------------

TEST(IndexingGet, MaskBesideOtherIndicesHasTheShapesOfPyTorch) {
  const Tensor x = cube(), m = one_of_four();
  EXPECT_EQ(x.index({m}).shape(), (Shape{1, 3}));
  expect_same(x.index({m, Slice({}, {}, 2)}), tensor({{3, 5}}));
  EXPECT_EQ(x.index({m, None}).shape(), (Shape{1, 1, 3}));
  expect_same(x.index({m, 0}), tensor({3}));
  EXPECT_EQ(x.index({m, true}).shape(), (Shape{1, 3}));
  EXPECT_EQ(x.index({m, false}).shape(), (Shape{0, 3}));

  const Tensor y = numbers({3, 2, 2, 5});
  EXPECT_EQ(y.index({Slice(), m, Slice()}).shape(), (Shape{3, 1, 5}));
  expect_same(y.index({0, m, Slice({}, {}, 2)}), tensor({{5, 7, 9}}));
  expect_same(y.index({Ellipsis, m, Slice({}, {}, 2)}),
              tensor({{{5, 7, 9}}, {{25, 27, 29}}, {{45, 47, 49}}}));
  EXPECT_EQ(y.index({None, Ellipsis, m, Slice({}, {}, 2)}).shape(), (Shape{1, 3, 1, 3}));
}

TEST(IndexingGet, IndicesApartFromEachOtherGoToTheFront) {
  const Tensor v = numbers({5, 7, 3});
  const Tensor rows = tensor({true, false, true, true, false}),
               columns = tensor({true, true, true});
  const Tensor got = v.index({rows, Slice(), columns});
  EXPECT_EQ(got.shape(), (Shape{3, 7}));
  for (int64_t k = 0; k < 3; ++k) {
    expect_same(got[k], v.select(0, std::vector<int64_t>{0, 2, 3}[k]).select(1, k));
  }
  EXPECT_EQ(v.index({Slice(), {0, 1}, {1, 2}}).shape(), (Shape{5, 2}));
  EXPECT_EQ(v.index({{0, 1}, None, {1, 2}}).shape(), (Shape{2, 1, 3}));
  // An integer beside a mask selects, where NumPy would count it among the tensors.
  EXPECT_EQ(numbers({3, 4, 5}).index({0, Slice(), tensor({true, true, false, true, true})}).shape(),
            (Shape{4, 4}));
}

TEST(IndexingGet, TrueAndFalseAddADimension) {
  const Tensor a = numbers({2, 3, 4});
  EXPECT_EQ(a.index({false, true, Ellipsis}).shape(), (Shape{0, 2, 3, 4}));
  EXPECT_EQ(a.index({true, {0, 1}, true, true, {1}, {{2}}}).shape(), (Shape{1, 2}));
  expect_same(a.index({true}), a.unsqueeze(0));
  expect_same(tensor(5).index({true}), tensor({5}));
  expect_same(tensor(5).index({false}), empty({0}, int64));
  expect_same(tensor(5).index({tensor(true)}), tensor({5}));
}

TEST(IndexingGet, IntegerTensorsPickInTheirOrderAndShape) {
  const Tensor x = numbers({4, 3});
  expect_same(x.index({{2, 0, 2}}), tensor({{6, 7, 8}, {0, 1, 2}, {6, 7, 8}}));
  expect_same(x.index({tensor({{0, -1}, {1, -4}}), 1}), tensor({{1, 10}, {4, 1}}));
  expect_same(x.index({{0, 1, 2}, {2, 1, 0}}), tensor({2, 4, 6}));
  expect_same(x.index({tensor({{3}, {0}}), {0, 2}}), tensor({{9, 11}, {0, 2}}));
  expect_same(x.index({Slice(), {2, 0}}), tensor({{2, 0}, {5, 3}, {8, 6}, {11, 9}}));
  expect_same(x.index({tensor({1, 3}, int32)}), tensor({{3, 4, 5}, {9, 10, 11}}));
  expect_same(x[tensor({1, -1})], tensor({{3, 4, 5}, {9, 10, 11}}));
  expect_same(x.index({{true, false, false, true}, {2, 0}}), tensor({2, 9}));
}

TEST(IndexingGet, EmptyListsPickNothing) {
  const Tensor x = numbers({4, 3});
  EXPECT_EQ(x.index({{}}).shape(), (Shape{0, 3}));
  EXPECT_EQ(x.index({std::vector<int64_t>{}, {1}}).shape(), (Shape{0}));
  EXPECT_EQ(x.index({Slice(), empty({0, 2}, int64)}).shape(), (Shape{4, 0, 2}));
  EXPECT_EQ(zeros({0, 3}).index({{}}).shape(), (Shape{0, 3}));
  EXPECT_EQ(zeros({4, 0}).index({{1, 2, 3}}).shape(), (Shape{3, 0}));
}

TEST(IndexingGet, OrderIsThatOfThePermutedTensorNotOfMemory) {
  const Tensor x = numbers({3, 6, 2}).permute({2, 0, 1});
  const Tensor m = numbers({3, 6}) % 5 == 0;
  const Tensor got = x.index({Slice(), m});
  EXPECT_EQ(got.shape(), (Shape{2, 4}));
  expect_same(got, tensor({{0, 10, 20, 30}, {1, 11, 21, 31}}));
  expect_same(x.index({{1, 0}, 2, {5, 5}}), tensor({35, 34}));
}

TEST(IndexingGet, ReadsEveryDTypeAndLayout) {
  for (DType dtype : kDTypes) {
    const Tensor x = numbers({6, 5}).to(dtype);
    const Tensor want = stack({x[4], x[0], x[4]});
    const Tensor index = tensor({4, 0, 4});
    expect_same(x.index({index}), want);
    expect_same(x.t().clone().t().index({index}), want);
    expect_same(x.t().index({Slice(), index}), want.t().clone());
    expect_same(x.index({tensor({0, 9, 4, 9, 0, 9, 4}).slice(0, 2, {}, 2).flip({0})}),
                stack({x[4], x[0], x[4]}));
    expect_same(x.index({tensor({3}).expand({2, 2}), tensor({1, 2})}),
                stack({x[3].narrow(0, 1, 2), x[3].narrow(0, 1, 2)}));
  }
}

TEST(IndexingGet, IsACopyIfATensorIsAmongTheIndices) {
  const Tensor x = numbers({3, 3});
  Tensor got = x.index({{0, 1}});
  got.fill_(-1);
  expect_same(x, numbers({3, 3}));
}

// ---- refusals -----------------------------------------------------------------------------------

TEST(IndexingGet, AnElementOfAVectorOfBoolsIsABool) {
  std::vector<bool> flags = {true, false};
  Tensor x = numbers({2, 3});
  EXPECT_EQ(Tensor(x[flags[0]]).shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(Tensor(x[flags[1]]).shape(), (Shape{0, 2, 3}));
  EXPECT_EQ(x.index({Slice(), flags[1]}).shape(), (Shape{2, 0, 3}));
  const std::vector<bool> constant = {false};
  EXPECT_EQ(Tensor(x[constant[0]]).shape(), (Shape{0, 2, 3}));
  x[flags[1]] = 7;
  expect_same(x, numbers({2, 3}));
  x[flags[0]] = 7;
  expect_same(x, full({2, 3}, 7));
}

TEST(IndexingGet, RefusesWhatPyTorchRefuses) {
  const Tensor x = numbers({2, 3});
  expect_error(ErrorKind::index, "too many indices for tensor of dimension 2", [&] {
    x.index({0, 0, 0});
  });
  expect_error(ErrorKind::index, "too many indices for tensor of dimension 0",
               [&] { tensor(1).index({0}); });
  expect_error(ErrorKind::index,
               "The shape of the mask [2, 2] at index 1 does not match the shape of the indexed "
               "tensor [2, 3] at index 1",
               [&] { x.index({one_of_four()}); });
  expect_error(ErrorKind::index,
               "The shape of the mask [1] at index 0 does not match the shape of the indexed "
               "tensor [2, 3] at index 1",
               [&] {
                 x.index({Slice(), tensor({true})});
               });
  expect_error(ErrorKind::index, "index 5 is out of bounds for dimension 0 with size 2",
               [&] { x.index({{5}}); });
  expect_error(ErrorKind::index, "index -3 is out of bounds for dimension 0 with size 2", [&] {
    x.index({{0, -3}});
  });
  expect_error(ErrorKind::index, "index 5 is out of bounds for dimension 1 with size 3", [&] {
    x.index({0, 5});
  });
  expect_error(ErrorKind::index, "index 0 is out of bounds", [&] { zeros({0, 3}).index({{0}}); });
  expect_error(ErrorKind::index,
               "shape mismatch: indexing tensors could not be broadcast together with shapes [2], "
               "[3]",
               [&] {
                 x.index({{0, 1}, {0, 1, 2}});
               });
  expect_error(ErrorKind::index, "tensors used as indices must be long, int, byte or bool tensors",
               [&] {
                 x.index({tensor({0.5, 1.})});
               });
  expect_error(ErrorKind::index, "tensors used as indices must be long, int, byte or bool tensors",
               [&] {
                 x.index({tensor({0, 1}, int16)});
               });
  expect_error(ErrorKind::dtype,
               "x[mask]: expected BoolTensor for mask, but got Byte; write mask.to_bool()", [&] {
                 x.index({tensor({0, 1}, uint8)});
               });
  expect_error(ErrorKind::value, "step must be greater than zero",
               [&] { x.index({Slice(0, 2, 0)}); });
  const int64_t least = std::numeric_limits<int64_t>::min();
  const int64_t most = std::numeric_limits<int64_t>::max();
  expect_error(ErrorKind::index, "index -9223372036854775808 is out of bounds",
               [&] { x.index({{least}}); });
  expect_error(ErrorKind::index, "index 9223372036854775807 is out of bounds", [&] {
    x.index({{1, most}});
  });
}

// ---- writing ------------------------------------------------------------------------------------

TEST(IndexingPut, WritesThroughViews) {
  Tensor x = zeros({2, 3}, int64);
  x.index_put_({1, Slice(1)}, 7);
  expect_same(x, tensor({{0, 0, 0}, {0, 7, 7}}));
  x.index_put_({Ellipsis, 0}, tensor({5, 6}));
  expect_same(x, tensor({{5, 0, 0}, {6, 7, 7}}));
  x.index_put_({}, tensor({{{1, 2, 3}}}));
  expect_same(x, tensor({{1, 2, 3}, {1, 2, 3}}));
}

TEST(IndexingPut, WritesWhereIndicesPoint) {
  Tensor x = zeros({3, 3}, int64);
  x.index_put_({{0, 2}, {1, -1}}, tensor({5, 6}));
  expect_same(x, tensor({{0, 5, 0}, {0, 0, 0}, {0, 0, 6}}));
  x.index_put_({Slice(), {0}}, tensor({{7}, {8}, {9}}));
  expect_same(x, tensor({{7, 5, 0}, {8, 0, 0}, {9, 0, 6}}));
  x.index_put_({Slice(), tensor({false, true, true})}, -1);
  expect_same(x, tensor({{7, -1, -1}, {8, -1, -1}, {9, -1, -1}}));
  x.index_put_({Slice(), tensor({true, false, true})}, tensor({{1, 2}, {3, 4}, {5, 6}}));
  expect_same(x, tensor({{1, -1, 2}, {3, -1, 4}, {5, -1, 6}}));
  x[tensor({2, 0})] = tensor({0, 10, 20});
  expect_same(x, tensor({{0, 10, 20}, {3, -1, 4}, {0, 10, 20}}));
  x[tensor({0, 1})] += 1;
  expect_same(x, tensor({{1, 11, 21}, {4, 0, 5}, {0, 10, 20}}));
}

TEST(IndexingPut, AMaskFollowedByNoneWritesTheRightDimension) {
  Tensor x = zeros({2, 2, 3}, int64);
  x.index_put_({one_of_four(), None, Slice(0, 2)}, tensor({{{4, 5}}}));
  expect_same(x, tensor({{{0, 0, 0}, {4, 5, 0}}, {{0, 0, 0}, {0, 0, 0}}}));
  Tensor y = zeros({2, 3}, int64);
  y.index_put_({tensor({false, true}), None}, tensor({{{1, 2, 3}}}));
  expect_same(y, tensor({{0, 0, 0}, {1, 2, 3}}));
}

TEST(IndexingPut, FalseWritesNothing) {
  Tensor x = numbers({2, 3});
  x.index_put_({false}, 1);
  x.index_put_({false}, zeros({7, 7}));  // not even looked at
  x.index_put_({tensor(false)}, 1);
  x.index_put_({Slice(), false}, 1);
  expect_same(x, numbers({2, 3}));
  x.index_put_({true}, 1);
  expect_same(x, ones({2, 3}, int64));
}

TEST(IndexingPut, EmptyIndicesWriteNothing) {
  Tensor x = numbers({2, 3});
  x.index_put_({{}}, 1);
  x.index_put_({empty({0}, int64), {1}}, empty({0}, int64));
  expect_same(x, numbers({2, 3}));
}

TEST(IndexingPut, AccumulatesDuplicatesAndElseTheLastStays) {
  Tensor x = zeros({3}, int64);
  x.index_put_({{0, 2, 0, -1}}, tensor({1, 10, 100, 1000}), true);
  expect_same(x, tensor({101, 0, 1010}));
  x.index_put_({{0, 2, 0, -1}}, tensor({1, 10, 100, 1000}));
  expect_same(x, tensor({100, 0, 1000}));
  x.index_put_({tensor({true, false, true})}, 1, true);
  expect_same(x, tensor({101, 0, 1001}));
  Tensor b = tensor({false, true, false});
  b.index_put_({{0, 0, 1}}, tensor({true, false, true}), true);
  expect_same(b, tensor({true, true, false}));
  Tensor h = tensor({2048.f}).to_half();  // 2048 + 1 is no half, so every step is rounded
  h.index_put_({{0, 0, 0}}, tensor({1.f, 1.f, 1.f}).to_half(), true);
  expect_same(h, tensor({2048.f}).to_half());
}

TEST(IndexingPut, AccumulationDoesNotDependOnThreads) {
  const Tensor index = randint(0, 50, {100000});
  const Tensor value = randn({100000, 3});
  Tensor first;
  for (int threads : {1, 2, 5}) {
    const int before = get_num_threads();
    set_num_threads(threads);
    const Tensor got = zeros({50, 3}).index_put({index}, value, true);
    const Tensor turned = zeros({3, 50}).index_put({Slice(), index}, value.t(), true);
    set_num_threads(before);
    if (!first.defined()) first = got;
    expect_same(got, first);
    expect_same(turned, first.t().clone());
  }
}

TEST(IndexingPut, CastsAsCopyDoes) {
  Tensor x = zeros({3}, int64);
  x.index_put_({{0, 1}}, tensor({1.9, -2.9}));
  expect_same(x, tensor({1, -2, 0}));
  x.index_put_({{2}}, 3.5);
  expect_same(x, tensor({1, -2, 3}));
  Tensor bytes = zeros({3}, uint8);
  expect_error(ErrorKind::value, "value cannot be converted to type uint8_t without overflow",
               [&] { bytes.index_put_({{0}}, 300); });
}

TEST(IndexingPut, RefusesBeforeItWrites) {
  Tensor x = numbers({3, 2});
  const Tensor before = x.clone();
  expect_error(ErrorKind::index, "index 3 is out of bounds for dimension 0 with size 3", [&] {
    x.index_put_({{0, 1, 3}}, 9);
  });
  expect_error(
      ErrorKind::shape,
      "shape mismatch: value tensor of shape [3] cannot be broadcast to indexing result of "
      "shape [2, 2]",
      [&] {
        x.index_put_({{0, 1}}, tensor({1, 2, 3}));
      });
  expect_error(ErrorKind::unsupported, "unsupported operation: some elements of the input tensor",
               [&] {
                 x.index_put_({{0, 1}}, x.narrow(0, 1, 2));
               });
  expect_error(ErrorKind::unsupported, "unsupported operation: some elements of the input tensor",
               [&] { x.index_put_({x.select(1, 0)}, 5); });
  expect_same(x, before);
  Tensor wide = zeros({3}).expand({2, 3});
  expect_error(ErrorKind::unsupported,
               "unsupported operation: more than one element of the written-to tensor",
               [&] { wide.index_put_({{0}}, 1); });
}

TEST(IndexingPut, DeferredTensorsKeepTheirValues) {
  Tensor x = numbers({4});
  const Tensor doubled = x * 2, index = x.narrow(0, 0, 2) + 1;
  x.index_put_({index}, doubled.index({{3, 3}}));
  expect_same(x, tensor({0, 6, 6, 3}));
  expect_same(doubled, tensor({0, 2, 4, 6}));
}

TEST(IndexingPut, LeavesTheInputOfTheCopyingFormAlone) {
  const Tensor x = numbers({2, 3});
  expect_same(index_put(x, {{1}}, 0), tensor({{0, 1, 2}, {0, 0, 0}}));
  expect_same(x, numbers({2, 3}));
}

}  // namespace
}  // namespace tamis
