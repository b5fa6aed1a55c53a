// Pruning: masks of the largest weights, with exact numbers.
#include "tamis/pruning.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/errors.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using Bits = std::vector<bool>;

Bits bits(const Tensor& mask) {
  EXPECT_EQ(mask.dtype(), boolean);
  return mask.to_vector<bool>();
}

TEST(PruneMagnitude, KeepsTheLargestWhateverTheirSign) {
  const Tensor x = tensor({3., -1., 0.5, -4.});
  EXPECT_EQ(bits(masks::prune_magnitude(x, 0.5)), (Bits{true, false, false, true}));
  EXPECT_EQ(bits(masks::prune_magnitude(x, 1)), (Bits{true, true, false, true}));
  EXPECT_EQ(bits(masks::keep_magnitude(x, 1)), (Bits{false, false, false, true}));
  EXPECT_EQ(bits(masks::keep_magnitude(x, 0.75)), (Bits{true, true, false, true}));
}

TEST(PruneMagnitude, TakesIntegersForNumbersAndOthersForShares) {
  const Tensor x = tensor({1., 2.});
  EXPECT_EQ(bits(masks::prune_magnitude(x, 1)), (Bits{false, true}));
  EXPECT_EQ(bits(masks::prune_magnitude(x, 1.0)), (Bits{false, false}));
  EXPECT_EQ(bits(masks::keep_magnitude(x, 0)), (Bits{false, false}));
  EXPECT_EQ(bits(masks::keep_magnitude(x, 1.0)), (Bits{true, true}));
}

TEST(PruneMagnitude, RoundsHalvesToEven) {
  // round(2.5) is 2 and round(3.5) is 4 in Python, by which torch rounds.
  EXPECT_EQ(count(masks::prune_magnitude(arange(5.), 0.5)), 3);
  EXPECT_EQ(count(masks::prune_magnitude(arange(7.), 0.5)), 3);
  EXPECT_EQ(count(masks::keep_magnitude(arange(5.), 0.5)), 2);
}

TEST(PruneMagnitude, KeepsExactNumbersAmongEqualElements) {
  const Tensor ones_and_two = tensor({1., -1., 2., 1., -1.});
  EXPECT_EQ(bits(masks::keep_magnitude(ones_and_two, 3)), (Bits{true, true, true, false, false}));
  for (int64_t k = 0; k <= 6; ++k) EXPECT_EQ(count(masks::keep_magnitude(zeros({6}), k)), k);
}

TEST(PruneMagnitude, GoesAlongADimension) {
  const Tensor x = tensor({{1., 5., 3.}, {9., 8., 7.}});
  EXPECT_EQ(bits(masks::keep_magnitude(x, 1, 1)), (Bits{false, true, false, true, false, false}));
  EXPECT_EQ(bits(masks::keep_magnitude(x, 1, -2)), (Bits{false, false, false, true, true, true}));
  EXPECT_EQ(bits(masks::keep_magnitude(x.t(), 1, 0).t()),
            (Bits{false, true, false, true, false, false}));
}

TEST(PruneMagnitude, TakesNaNForInfinite) {
  const Tensor x = tensor({-INFINITY, 7.f, NAN, 1.f});
  EXPECT_EQ(bits(masks::keep_magnitude(x, 2)), (Bits{true, false, true, false}));
  EXPECT_EQ(bits(masks::keep_magnitude(x, 1)), (Bits{true, false, false, false}));
}

TEST(PruneMagnitude, KnowsMagnitudesThatTheDtypeCannotHold) {
  const Tensor x = tensor({-128, 127, -127, 0}).to(int8);
  EXPECT_EQ(bits(masks::keep_magnitude(x, 1)), (Bits{true, false, false, false}));
  const Tensor wide =
      tensor({std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()});
  EXPECT_EQ(bits(masks::keep_magnitude(wide, 1)), (Bits{false, true}));
  EXPECT_EQ(bits(masks::keep_magnitude(tensor({false, true, true}), 1)),
            (Bits{false, true, false}));
  EXPECT_EQ(bits(masks::keep_magnitude(tensor({1, 255, 3}).to(uint8), 1)),
            (Bits{false, true, false}));
  const Tensor z = complex(tensor({3., 0.}), tensor({4., -4.5}));
  EXPECT_EQ(bits(masks::keep_magnitude(z, 1)), (Bits{true, false}));
}

TEST(PruneMagnitude, TakesEmptyTensorsAndNumbers) {
  EXPECT_EQ(masks::prune_magnitude(zeros({0, 3}), 0.5).shape(), (Shape{0, 3}));
  EXPECT_EQ(masks::prune_magnitude(zeros({2, 0}), 0, 1).shape(), (Shape{2, 0}));
  EXPECT_EQ(bits(masks::keep_magnitude(tensor(2.), 1)), (Bits{true}));
  EXPECT_EQ(masks::keep_magnitude(tensor(2.), 1, -1).shape(), (Shape{}));
}

TEST(PruneMagnitude, HasNoGradient) {
  const Tensor x = tensor({1., 2.}).requires_grad_();
  EXPECT_FALSE(masks::keep_magnitude(x, 1).requires_grad());
}

TEST(PruneMagnitude, RefusesAmountsOutOfRange) {
  const Tensor x = tensor({1., 2.});
  EXPECT_KIND(masks::prune_magnitude(x, 3), value);
  EXPECT_KIND(masks::prune_magnitude(x, -1), value);
  EXPECT_KIND(masks::keep_magnitude(x, 1.5), value);
  EXPECT_KIND(masks::keep_magnitude(x, NAN), value);
  EXPECT_KIND(masks::keep_magnitude(x, 1, 1), index);
}

TEST(NOfM, KeepsTheLargestOfEveryGroup) {
  const Tensor x = tensor({{1., -2., 3., -4., 0., 0., 0., 1.}});
  EXPECT_EQ(bits(masks::n_of_m(x, 2, 4)),
            (Bits{false, false, true, true, true, false, false, true}));
  EXPECT_EQ(bits(masks::n_of_m(x.t(), 1, 2, 0)),
            (Bits{false, true, false, true, true, false, false, true}));
  EXPECT_EQ(masks::n_of_m(zeros({3, 0}), 2, 4).shape(), (Shape{3, 0}));
  EXPECT_EQ(count(masks::n_of_m(zeros({2, 4, 3}), 2, 4, 1)), 12);
  // Of 10, 11, ..., 19 and of 0, 1, ..., 9 the last three each.
  const Tensor tens = cat({arange(10., 20.), arange(10.)});
  EXPECT_TRUE(equal(masks::n_of_m(tens, 3, 10), tens % 10 >= 7));
}

TEST(NOfM, RefusesWhatDoesNotDivide) {
  EXPECT_KIND(masks::n_of_m(zeros({6}), 2, 4), shape);
  EXPECT_KIND(masks::n_of_m(tensor(1.), 1, 1), shape);
  EXPECT_KIND(masks::n_of_m(zeros({8}), 5, 4), value);
  EXPECT_KIND(masks::n_of_m(zeros({8}), -1, 4), value);
  EXPECT_KIND(masks::n_of_m(zeros({8}), 0, 0), value);
}

}  // namespace
}  // namespace tamis
