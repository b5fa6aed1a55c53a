// Polygons: which pixels are inside, and the rings around masks.
#include <gtest/gtest.h>

#include <cmath>

#include "support/errors.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using Bits = std::vector<bool>;
using List = std::vector<int64_t>;

Bits bits(const Tensor& mask) { return mask.to_vector<bool>(); }

TEST(FromPolygons, FillsPixelsWhoseCentresAreInside) {
  // The hypotenuse goes from (4, 0) to (0, 2): at y = 0.5 to x = 3, at y = 1.5 to x = 1.
  const Tensor triangle = tensor({{0., 0.}, {4., 0.}, {0., 2.}});
  EXPECT_EQ(bits(masks::from_polygons({2, 4}, triangle)),
            (Bits{true, true, true, false, true, false, false, false}));
}

TEST(FromPolygons, DoesNotCareWhereARingBeginsOrTurns) {
  const Tensor ring = tensor({{1., 1.}, {6., 2.}, {4., 6.}, {2., 5.}});
  const Tensor want = masks::from_polygons({7, 7}, ring);
  EXPECT_GT(count(want), 10);
  EXPECT_TRUE(equal(masks::from_polygons({7, 7}, ring.flip({0})), want));
  EXPECT_TRUE(equal(masks::from_polygons({7, 7}, roll(ring, 1, 0)), want));
  const Tensor closed = cat({ring, ring.narrow(0, 0, 1)});
  EXPECT_TRUE(equal(masks::from_polygons({7, 7}, closed), want));
}

TEST(FromPolygons, TakesARingInARingForAHole) {
  const Tensor outer = tensor({{0, 0}, {5, 0}, {5, 4}, {0, 4}}),
               inner = tensor({{1, 1}, {4, 1}, {4, 3}, {1, 3}});
  const Tensor mask = masks::from_polygons({4, 5}, {outer, inner});
  EXPECT_EQ(count(mask), 14);
  EXPECT_EQ(count(mask.narrow(0, 1, 2).narrow(1, 1, 3)), 0);
  EXPECT_EQ(count(masks::from_polygons({4, 5}, {outer, outer})), 0);
  EXPECT_TRUE(equal(masks::from_polygons({4, 5}, stack({outer, inner})), mask));
}

TEST(FromPolygons, GivesACentreOnAnEdgeToOneSideOnly) {
  const Tensor left = tensor({{0., 0.}, {1.5, 0.}, {1.5, 3.}, {0., 3.}}),
               right = tensor({{1.5, 0.}, {3., 0.}, {3., 3.}, {1.5, 3.}});
  EXPECT_EQ(bits(masks::from_polygons({3, 3}, left)[0]), (Bits{true, false, false}));
  EXPECT_EQ(bits(masks::from_polygons({3, 3}, right)[0]), (Bits{false, true, true}));
  const Tensor top = left.flip({1}), bottom = right.flip({1});
  EXPECT_EQ(count(masks::from_polygons({3, 3}, top)), 3);
  EXPECT_EQ(count(masks::from_polygons({3, 3}, bottom)), 6);
}

TEST(FromPolygons, CutsOffWhatIsOutside) {
  const Tensor large = tensor({{-1e9, -1e9}, {1e9, -1e9}, {1e9, 1e9}, {-1e9, 1e9}});
  EXPECT_EQ(count(masks::from_polygons({3, 4}, large)), 12);
  EXPECT_EQ(count(masks::from_polygons({3, 4}, large + 2e9)), 0);
  EXPECT_EQ(count(masks::from_polygons({3, 4}, large.to(float64) * 1e290)), 12);
}

TEST(FromPolygons, TakesRingsThatEncloseNothing) {
  EXPECT_EQ(count(masks::from_polygons({3, 4}, std::vector<Tensor>{})), 0);
  EXPECT_EQ(count(masks::from_polygons({3, 4}, zeros({0, 2}))), 0);
  EXPECT_EQ(count(masks::from_polygons({3, 4}, tensor({{0., 0.}, {4., 3.}}))), 0);
  EXPECT_EQ(masks::from_polygons({0, 4}, tensor({{0., 0.}, {4., 3.}, {1., 9.}})).shape(),
            (Shape{0, 4}));
}

TEST(FromPolygons, RefusesWhatIsNoRing) {
  EXPECT_KIND(masks::from_polygons({3, 4}, zeros({3})), shape);
  EXPECT_KIND(masks::from_polygons({3, 4}, zeros({3, 3})), shape);
  EXPECT_KIND(masks::from_polygons({3}, zeros({3, 2})), shape);
  EXPECT_KIND(masks::from_polygons({3, 4}, tensor({{0., NAN}})), value);
  EXPECT_KIND(masks::from_polygons({3, 4}, zeros({3, 2}, boolean)), dtype);
}

TEST(ToPolygons, GoesClockwiseAroundAndBackInsideOfHoles) {
  const Tensor mask = tensor({{true, true, true}, {true, false, true}, {true, true, true}});
  const std::vector<Tensor> rings = masks::to_polygons(mask);
  ASSERT_EQ(rings.size(), 2u);
  EXPECT_EQ(rings[0].to_vector<int64_t>(), (List{0, 0, 3, 0, 3, 3, 0, 3}));
  EXPECT_EQ(rings[1].to_vector<int64_t>(), (List{1, 1, 1, 2, 2, 2, 2, 1}));
  EXPECT_EQ(rings[0].dtype(), int64);
}

TEST(ToPolygons, KeepsApartWhatTouchesAtACorner) {
  const std::vector<Tensor> rings = masks::to_polygons(tensor({{true, false}, {false, true}}));
  ASSERT_EQ(rings.size(), 2u);
  EXPECT_EQ(rings[0].to_vector<int64_t>(), (List{0, 0, 1, 0, 1, 1, 0, 1}));
  EXPECT_EQ(rings[1].to_vector<int64_t>(), (List{1, 1, 2, 1, 2, 2, 1, 2}));
}

TEST(ToPolygons, IsUndoneByFromPolygons) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Generator generator(seed);
    const Shape shape{1 + static_cast<int64_t>(seed) % 9, 1 + static_cast<int64_t>(seed) % 13};
    const double density = 0.1 + 0.2 * static_cast<double>(seed % 5);
    const Tensor mask = rand(shape, float32, generator) < density;
    const std::vector<Tensor> rings = masks::to_polygons(mask);
    EXPECT_TRUE(equal(masks::from_polygons(shape, rings), mask));
    for (const Tensor& ring : rings) {
      // Each edge is straight and turns from the one before it.
      const Tensor edges = roll(ring, -1, 0) - ring;
      EXPECT_EQ(count(edges != 0), ring.size(0));
      EXPECT_EQ(count((edges != 0) & (roll(edges, 1, 0) != 0)), 0);
    }
  }
}

TEST(ToPolygons, TakesEmptyMasksAndRefusesOthers) {
  EXPECT_TRUE(masks::to_polygons(zeros({3, 3}, boolean)).empty());
  EXPECT_TRUE(masks::to_polygons(zeros({0, 3}, boolean)).empty());
  EXPECT_KIND(masks::to_polygons(zeros({3}, boolean)), shape);
  EXPECT_KIND(masks::to_polygons(zeros({3, 3})), dtype);
}

}  // namespace
}  // namespace tamis
