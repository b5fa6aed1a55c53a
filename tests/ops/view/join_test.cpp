// Joins: several tensors, or one several times, side by side.
#include "support/pointwise_cases.h"

namespace tamis {
namespace {

using namespace testing;
using Ints = std::vector<int64_t>;

Tensor grid() { return arange(6).reshape({2, 3}); }
Tensor number() { return tensor(5); }

void expect_values(const Tensor& x, const Shape& shape, const Ints& values) {
  EXPECT_EQ(x.shape().vec(), shape.vec());
  EXPECT_EQ(x.to_vector<int64_t>(), values);
}

TEST(Repeat, TilesTheTensor) {
  expect_values(tensor({1, 2}).repeat({2, 2}), {2, 4}, {1, 2, 1, 2, 1, 2, 1, 2});
  expect_values(grid().repeat({2, 1}), {4, 3}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
  expect_values(grid().repeat({1, 1, 2}), {1, 2, 6}, {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  expect_values(grid().t().repeat({1, 2}), {3, 4}, {0, 3, 0, 3, 1, 4, 1, 4, 2, 5, 2, 5});
  expect_values(number().repeat({3}), {3}, {5, 5, 5});
  expect_values(number().repeat({}), {}, {5});
  EXPECT_EQ(grid().repeat({0, 2}).shape().vec(), (Ints{0, 6}));
}

TEST(Repeat, RefusesTooFewOrNegativeCounts) {
  expect_error(ErrorKind::shape,
               "Number of dimensions of repeat dims can not be smaller than number of dimensions "
               "of tensor",
               [] { grid().repeat({2}); });
  expect_error(ErrorKind::shape, "Trying to create tensor with negative dimension -3: [4, -3]", [] {
    grid().repeat({2, -1});
  });
}

TEST(Cat, JoinsAlongADimension) {
  const Tensor x = grid();
  expect_values(cat({x, x}), {4, 3}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
  expect_values(cat({x, x.narrow(1, 0, 1)}, -1), {2, 4}, {0, 1, 2, 0, 3, 4, 5, 3});
  expect_values(cat({x.t(), x.t() + 10}, 1), {3, 4}, {0, 3, 10, 13, 1, 4, 11, 14, 2, 5, 12, 15});
}

TEST(Cat, PromotesAndSkipsEmptyVectors) {
  const Tensor x = grid();
  const Tensor y = cat({x, x.to_bool(), x.to_half()});
  EXPECT_EQ(y.dtype(), float16);
  expect_values(y, {6, 3}, {0, 1, 2, 3, 4, 5, 0, 1, 1, 1, 1, 1, 0, 1, 2, 3, 4, 5});
  EXPECT_EQ(cat({zeros({0}), x}, 1).dtype(), float32);
  expect_values(cat({zeros({0}), x}, 1), {2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(cat({zeros({0}), zeros({0})}, 1).shape().vec(), Ints{0});
  EXPECT_EQ(cat({zeros({0, 3}), zeros({0, 3})}).shape().vec(), (Ints{0, 3}));
}

TEST(Cat, RefusesWhatDoesNotJoin) {
  expect_error(ErrorKind::value, "torch.cat(): expected a non-empty list of Tensors",
               [] { cat({}); });
  expect_error(ErrorKind::shape, "zero-dimensional tensor (at position 1) cannot be concatenated",
               [] {
                 cat({grid(), number()});
               });
  expect_error(ErrorKind::shape,
               "Sizes of tensors must match except in dimension 1. Expected size 2 but got size 3 "
               "for tensor number 1 in the list.",
               [] {
                 cat({grid(), zeros({3, 2})}, 1);
               });
  expect_error(ErrorKind::shape, "Tensors must have same number of dimensions: got 2 and 1", [] {
    cat({grid(), zeros({3})}, 1);
  });
  expect_error(ErrorKind::index,
               "Dimension out of range (expected to be in range of [-2, 1], but got 2)", [] {
                 cat({grid(), grid()}, 2);
               });
}

TEST(Stack, JoinsAlongANewDimension) {
  const Tensor x = grid();
  expect_values(stack({x, x + 10}), {2, 2, 3}, {0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15});
  expect_values(stack({x, x + 10}, -1), {2, 3, 2}, {0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15});
  EXPECT_EQ(stack({number(), tensor(2.5)}).to_vector<double>(), (std::vector<double>{5, 2.5}));
  EXPECT_EQ(stack({zeros({0}), zeros({0})}, 1).shape().vec(), (Ints{0, 2}));
}

TEST(Stack, RefusesDifferentShapes) {
  expect_error(ErrorKind::value, "stack expects a non-empty TensorList", [] { stack({}); });
  expect_error(ErrorKind::shape,
               "stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [3, 2] "
               "at entry 1",
               [] {
                 stack({grid(), grid().t()});
               });
  expect_error(ErrorKind::index,
               "Dimension out of range (expected to be in range of [-3, 2], but got 3)", [] {
                 stack({grid(), grid()}, 3);
               });
}

}  // namespace
}  // namespace tamis
