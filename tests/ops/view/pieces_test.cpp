// Pieces: cutting into views, moving dimensions, repeating, grids and numbers of classes.
#include "tamis/view.h"

#include "support/pointwise_cases.h"
#include "tamis/autograd.h"

namespace tamis {
namespace {

using namespace testing;
using Ints = std::vector<int64_t>;

Tensor grid() { return arange(6).reshape({2, 3}); }

void expect_values(const Tensor& x, const Shape& shape, const Ints& values) {
  EXPECT_EQ(x.shape().vec(), shape.vec());
  EXPECT_EQ(x.to_vector<int64_t>(), values);
}

TEST(Split, CutsIntoViewsOfOneSize) {
  const Tensor x = arange(5);
  const std::vector<Tensor> pieces = split(x, 2);
  ASSERT_EQ(pieces.size(), 3u);
  expect_values(pieces[0], {2}, {0, 1});
  expect_values(pieces[2], {1}, {4});
  Tensor last = pieces[2];
  last.fill_(9);
  expect_values(x, {5}, {0, 1, 2, 3, 9});
  EXPECT_EQ(grid().split(2, -1).size(), 2u);
  EXPECT_EQ(split(x, 100).size(), 1u);
  EXPECT_EQ(split(zeros({0, 3}), 0).size(), 1u);
  EXPECT_EQ(split(zeros({0, 3}), 4).size(), 1u);
}

TEST(Split, TakesSizes) {
  const std::vector<Tensor> pieces = grid().split_with_sizes({1, 0, 2}, 1);
  ASSERT_EQ(pieces.size(), 3u);
  expect_values(pieces[0], {2, 1}, {0, 3});
  EXPECT_EQ(pieces[1].shape().vec(), (Ints{2, 0}));
  expect_values(pieces[2], {2, 2}, {1, 2, 4, 5});
}

TEST(Split, RefusesSizesThatDoNotAddUp) {
  constexpr int64_t kHuge = int64_t{1} << 62;
  expect_error(ErrorKind::shape,
               "split_with_sizes expects split_sizes to sum exactly to 5 (input tensor's size at "
               "dimension 0), but got split_sizes=[2, 2]",
               [] {
                 split_with_sizes(arange(5), {2, 2});
               });
  expect_error(ErrorKind::shape,
               "split_with_sizes expects split_sizes to sum exactly to 5 (input tensor's size at "
               "dimension 0), but got split_sizes=[4611686018427387904, 4611686018427387904, "
               "4611686018427387904, 4611686018427387904, 5]",
               [] {
                 split_with_sizes(arange(5), {kHuge, kHuge, kHuge, kHuge, 5});
               });
  expect_error(ErrorKind::value,
               "split_with_sizes expects split_sizes have only non-negative entries, but got "
               "split_sizes=[6, -1]",
               [] {
                 split_with_sizes(arange(6), {6, -1});
               });
  expect_error(ErrorKind::value, "split expects split_size be non-negative, but got split_size=-1",
               [] { split(arange(5), -1); });
  expect_error(ErrorKind::value,
               "split_size can only be 0 if dimension size is 0, but got dimension size of 5",
               [] { split(arange(5), 0); });
  expect_error(ErrorKind::shape, "split expects at least a 1-dimensional tensor",
               [] { split(tensor(1), 1); });
}

TEST(Chunk, CutsIntoAtMostSoMany) {
  EXPECT_EQ(chunk(arange(5), 2)[1].to_vector<int64_t>(), (Ints{3, 4}));
  EXPECT_EQ(chunk(arange(5), 4).size(), 3u);  // of two, two and one
  EXPECT_EQ(chunk(zeros({0}), 4).size(), 4u);
  expect_error(ErrorKind::value, "chunk expects `chunks` to be greater than 0, got: 0",
               [] { chunk(arange(5), 0); });
}

TEST(Unbind, GivesEveryIndex) {
  const std::vector<Tensor> columns = grid().unbind(1);
  ASSERT_EQ(columns.size(), 3u);
  expect_values(columns[2], {2}, {2, 5});
  expect_error(ErrorKind::index, "Dimension specified as 0 but tensor has no dimensions",
               [] { unbind(tensor(1)); });
}

TEST(Movedim, KeepsTheOrderOfTheOthers) {
  const Tensor x = zeros({2, 3, 4, 5});
  EXPECT_EQ(movedim(x, {0}, {2}).shape().vec(), (Ints{3, 4, 2, 5}));
  EXPECT_EQ(movedim(x, {-1, 0}, {0, -1}).shape().vec(), (Ints{5, 3, 4, 2}));
  EXPECT_EQ(movedim(tensor(1), {0}, {-1}).dim(), 0);
  expect_error(ErrorKind::value, "movedim: repeated dim in `source` ([1, -3])", [&] {
    movedim(x, {1, -3}, {0, 1});
  });
  expect_error(ErrorKind::value, "movedim: repeated dim in `destination` ([3, -1])", [&] {
    movedim(x, {0, 1}, {3, -1});
  });
}

TEST(Unflatten, MakesSeveralDimensionsOfOne) {
  EXPECT_EQ(unflatten(zeros({2, 12}), 1, {3, -1}).shape().vec(), (Ints{2, 3, 4}));
  EXPECT_EQ(unflatten(zeros({6}), -1, {6}).shape().vec(), (Ints{6}));
  expect_error(
      ErrorKind::shape,
      "unflatten: Provided sizes [5, 2] don't multiply up to the size of dim 1 (12) in the "
      "input tensor",
      [] {
        unflatten(zeros({2, 12}), -1, {5, 2});
      });
  expect_error(
      ErrorKind::shape,
      "unflatten: Provided sizes [-1, 0] don't multiply up to the size of dim 0 (0) in the "
      "input tensor",
      [] {
        unflatten(zeros({0}), 0, {-1, 0});
      });
}

TEST(Meshgrid, SpansAGrid) {
  const std::vector<Tensor> ij = meshgrid({arange(2), arange(3)});
  expect_values(ij[0], {2, 3}, {0, 0, 0, 1, 1, 1});
  expect_values(ij[1], {2, 3}, {0, 1, 2, 0, 1, 2});
  const std::vector<Tensor> xy = meshgrid({arange(2), arange(3)}, "xy");
  expect_values(xy[0], {3, 2}, {0, 1, 0, 1, 0, 1});
  expect_values(xy[1], {3, 2}, {0, 0, 1, 1, 2, 2});
  expect_error(ErrorKind::value,
               "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: yx",
               [] { meshgrid({arange(2)}, "yx"); });
}

TEST(RepeatInterleave, RepeatsIndices) {
  expect_values(repeat_interleave(grid(), 2), {12}, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
  expect_values(grid().repeat_interleave(tensor({0, 2}), 0), {2, 3}, {3, 4, 5, 3, 4, 5});
  expect_values(repeat_interleave(grid(), tensor({2, 0, 1}), -1), {2, 3}, {0, 0, 2, 3, 3, 5});
  EXPECT_EQ(repeat_interleave(grid(), tensor({0, 0}), 0).shape().vec(), (Ints{0, 3}));
  EXPECT_EQ(repeat_interleave(zeros({0}), empty({0}, int64), 0).numel(), 0);
}

TEST(RepeatInterleave, RefusesWrongCounts) {
  expect_error(ErrorKind::value, "repeats can not be negative", [] {
    repeat_interleave(grid(), tensor({1, -1}), 0);
  });
  expect_error(ErrorKind::index, "Dimension specified as 0 but tensor has no dimensions",
               [] { repeat_interleave(tensor(1), 2, 0); });
  expect_error(ErrorKind::dtype, "repeats has to be Long or Int tensor",
               [] { repeat_interleave(grid(), 1.5, 0); });
  expect_error(ErrorKind::shape,
               "repeats must have the same size as input along dim, but got repeats.size(0) = 2 "
               "and input.size(dim) = 3",
               [] {
                 repeat_interleave(grid(), tensor({1, 1}), 1);
               });
}

TEST(Stacks, TakeVectorsAsRowsOrEndToEnd) {
  const Tensor a = tensor({1, 2}), b = tensor({3, 4});
  expect_values(hstack({a, b}), {4}, {1, 2, 3, 4});
  expect_values(vstack({a, b}), {2, 2}, {1, 2, 3, 4});
  expect_values(hstack({grid(), grid()}), {2, 6}, {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  expect_values(vstack({grid(), arange(3)}), {3, 3}, {0, 1, 2, 3, 4, 5, 0, 1, 2});
  expect_values(hstack({tensor(1), tensor(2)}), {2}, {1, 2});
}

TEST(Diag, GoesBothWays) {
  expect_values(diag(tensor({1, 2})), {2, 2}, {1, 0, 0, 2});
  expect_values(diag(tensor({1, 2}), -1), {3, 3}, {0, 0, 0, 1, 0, 0, 0, 2, 0});
  const Tensor x = grid();
  Tensor copy = diag(x, 1);
  expect_values(copy, {2}, {1, 5});
  copy.fill_(9);
  expect_values(x, {2, 3}, {0, 1, 2, 3, 4, 5});
  expect_error(ErrorKind::shape, "matrix or a vector expected", [] { diag(zeros({1, 1, 1})); });
}

TEST(OneHot, MarksTheClass) {
  expect_values(one_hot(tensor({2, 0})), {2, 3}, {0, 0, 1, 1, 0, 0});
  expect_values(one_hot(tensor(1), 3), {3}, {0, 1, 0});
  EXPECT_EQ(one_hot(empty({0}, int64), 4).shape().vec(), (Ints{0, 4}));
  expect_error(ErrorKind::value, "Class values must be smaller than num_classes.", [] {
    one_hot(tensor({2, 0}), 2);
  });
  expect_error(ErrorKind::value, "Class values must be non-negative.", [] {
    one_hot(tensor({-1, 0}));
  });
  expect_error(ErrorKind::dtype, "one_hot is only applicable to index tensor.",
               [] { one_hot(tensor({1.f})); });
}

TEST(TriangleIndices, AreThoseOfNonzero) {
  expect_values(tril_indices(3, 3), {2, 6}, {0, 1, 1, 2, 2, 2, 0, 0, 1, 0, 1, 2});
  expect_values(triu_indices(2, 3, 1, int32), {2, 3}, {0, 0, 1, 1, 2, 2});
  EXPECT_EQ(tril_indices(0, 3).shape().vec(), (Ints{2, 0}));
  expect_error(ErrorKind::value, "row must be non-negative, got -1", [] { tril_indices(-1, 3); });
}

TEST(Pieces, CarryGradients) {
  const Tensor x = tensor({1., 2., 3., 4., 5.}).requires_grad_();
  const std::vector<Tensor> pieces = split(x, 2);
  (pieces[0].sum() + (pieces[2] * 10).sum()).backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (std::vector<double>{1, 1, 0, 0, 10}));
  x.set_grad({});
  repeat_interleave(x, tensor({0, 1, 2, 3, 4}), 0).sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (std::vector<double>{0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace tamis
