// Moves by position: diagonals, flips, rolls and rotations.
#include "support/mask_cases.h"
#include "tamis/view.h"

namespace tamis {
namespace {

using namespace mask_cases;

Tensor numbers(const Shape& shape) { return arange(numel(shape)).view(shape); }

TEST(Position, DiagonalIsAView) {
  Tensor x = numbers({3, 4});
  expect_same(diagonal(x), tensor({0, 5, 10}));
  expect_same(diagonal(x, 2), tensor({2, 7}));
  expect_same(diagonal(x, -1), tensor({4, 9}));
  EXPECT_EQ(diagonal(x, 4).shape(), (Shape{0}));
  EXPECT_EQ(diagonal(x, -9).shape(), (Shape{0}));
  diagonal(x).zero_();
  expect_same(x, tensor({{0, 1, 2, 3}, {4, 0, 6, 7}, {8, 9, 0, 11}}));
  EXPECT_EQ(diagonal(numbers({2, 3, 4}), 0, 0, 2).shape(), (Shape{3, 2}));
  expect_error(ErrorKind::value, "diagonal dimensions cannot be identical",
               [&] { diagonal(x, 0, 1, -1); });
}

TEST(Position, DiagonalsAreWritten) {
  expect_same(diag_embed(tensor({1, 2}), 1), tensor({{0, 1, 0}, {0, 0, 2}, {0, 0, 0}}));
  expect_same(diagonal_scatter(numbers({2, 2}), tensor({8, 9})), tensor({{8, 1}, {2, 9}}));
  expect_same(select_scatter(numbers({2, 2}), tensor({8, 9}), 1, 0), tensor({{8, 1}, {9, 3}}));
  expect_same(slice_scatter(numbers({4}), tensor({8, 9}), 0, {}, {}, 2), tensor({8, 1, 9, 3}));
}

TEST(Position, FlipReversesEachOfItsDimensions) {
  const Tensor x = numbers({2, 3, 2});
  expect_same(flip(x, {0}), tensor({{{6, 7}, {8, 9}, {10, 11}}, {{0, 1}, {2, 3}, {4, 5}}}));
  expect_same(flip(x, {-1}), tensor({{{1, 0}, {3, 2}, {5, 4}}, {{7, 6}, {9, 8}, {11, 10}}}));
  expect_same(flip(x, {0, 1, 2}), arange(11, -1, -1).view({2, 3, 2}));
  expect_same(flip(x, {0, 2}), tensor({{{7, 6}, {9, 8}, {11, 10}}, {{1, 0}, {3, 2}, {5, 4}}}));
  EXPECT_FALSE(flip(x, {}).shares_storage(x));
  EXPECT_EQ(flip(zeros({2, 0}), {0, 1}).shape(), (Shape{2, 0}));
}

TEST(Position, RollBringsTheEndToTheStart) {
  expect_same(roll(numbers({5}), {2}), tensor({3, 4, 0, 1, 2}));
  expect_same(roll(numbers({2, 3}), {1}), tensor({{5, 0, 1}, {2, 3, 4}}));
  expect_same(roll(numbers({2, 3}), {-1}, {1}), tensor({{1, 2, 0}, {4, 5, 3}}));
  expect_same(roll(numbers({2, 3}), {1, 4}, {0, 1}), tensor({{5, 3, 4}, {2, 0, 1}}));
}

TEST(Position, Rot90TurnsFromTheFirstDimensionTowardTheSecond) {
  const Tensor x = numbers({2, 2});
  expect_same(rot90(x), tensor({{1, 3}, {0, 2}}));
  expect_same(rot90(x, 2), tensor({{3, 2}, {1, 0}}));
  expect_same(rot90(x, -1), tensor({{2, 0}, {3, 1}}));
  expect_same(rot90(x, 1, {1, 0}), tensor({{2, 0}, {3, 1}}));
}

}  // namespace
}  // namespace tamis
