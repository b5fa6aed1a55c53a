// Morphology: masks that grow and shrink, by hand and against plain loops.
#include <gtest/gtest.h>

#include <string>

#include "support/errors.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

/// A mask from lines of '#' and '.'.
Tensor picture(const std::vector<std::string>& lines) {
  std::vector<bool> pixels;
  for (const std::string& line : lines) {
    for (char c : line) pixels.push_back(c == '#');
  }
  const auto rows = static_cast<int64_t>(lines.size());
  return tensor(pixels, {rows, static_cast<int64_t>(lines[0].size())});
}

TEST(Dilate, ReachesAllAroundOrStraightOnly) {
  const Tensor dot = picture({".....", ".....", "..#..", "....."});
  EXPECT_TRUE(equal(masks::dilate(dot), picture({".....", ".###.", ".###.", ".###."})));
  EXPECT_TRUE(
      equal(masks::dilate(dot, 1, {}, "cross"), picture({".....", "..#..", ".###.", "..#.."})));
  EXPECT_TRUE(
      equal(masks::dilate(dot, 2, {}, "cross"), picture({"..#..", "..#..", "#####", "..#.."})));
  EXPECT_TRUE(
      equal(masks::dilate(dot, 1, {}, "cross", 2), picture({"..#..", ".###.", "#####", ".###."})));
  EXPECT_TRUE(equal(masks::dilate(dot, {0, 2}), picture({".....", ".....", "#####", "....."})));
}

TEST(Erode, ShrinksAtTheEdgeUnlessOutsideIsTrue) {
  const Tensor block = picture({"####", "####", "####", "..##"});
  EXPECT_TRUE(equal(masks::erode(block), picture({"....", ".##.", "....", "...."})));
  EXPECT_TRUE(
      equal(masks::erode(block, 1, {}, "box", 1, true), picture({"####", "####", "...#", "...#"})));
  EXPECT_TRUE(
      equal(masks::erode(block, 1, {}, "cross"), picture({"....", ".##.", "..#.", "...."})));
}

TEST(Morphology, OfRowsDoesNotReachTheRowsBeside) {
  const Tensor mask = picture({"..#..", ".....", "####."});
  EXPECT_TRUE(equal(masks::dilate(mask, 1, 1), picture({".###.", ".....", "#####"})));
  EXPECT_TRUE(equal(masks::erode(mask, 1, 1), picture({".....", ".....", ".##.."})));
  EXPECT_TRUE(equal(masks::dilate(mask[0], 1), picture({".###."})[0]));
}

TEST(Morphology, TreatsTheBatchImageByImage) {
  const Tensor batch = rand({2, 3, 6, 7}, float32, Generator(1)) < 0.3;
  const Tensor grown = masks::dilate(batch, {1, 2}, {}, "cross", 2);
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      EXPECT_TRUE(equal(grown[i][j], masks::dilate(batch[i][j], {1, 2}, {}, "cross", 2)));
    }
  }
}

/// By definition, pixel by pixel.
Tensor reached(const Tensor& mask, int64_t down, int64_t across, bool box, bool border) {
  const int64_t rows = mask.size(0), columns = mask.size(1);
  const auto pixels = mask.to_vector<bool>();
  std::vector<bool> result;
  for (int64_t y = 0; y < rows; ++y) {
    for (int64_t x = 0; x < columns; ++x) {
      bool any = false;
      for (int64_t dy = -down; dy <= down; ++dy) {
        for (int64_t dx = -across; dx <= across; ++dx) {
          if (!box && dy != 0 && dx != 0) continue;
          const int64_t v = y + dy, u = x + dx;
          const bool inside = v >= 0 && u >= 0 && v < rows && u < columns;
          any = any || (inside ? pixels[v * columns + u] : border);
        }
      }
      result.push_back(any);
    }
  }
  return tensor(result, mask.shape());
}

TEST(Morphology, AgreesWithPlainLoops) {
  const Generator generator(3);
  for (int i = 0; i < 200; ++i) {
    const Tensor sizes = randint(0, 9, {7}, int64, generator);
    const std::vector<int64_t> n = sizes.to_vector<int64_t>();
    const Tensor mask = rand({n[0] + 1, n[1] + 1}, float32, generator) < 0.2;
    const int64_t down = n[2] / 2, across = n[3];
    const bool box = n[4] % 2 == 0, border = n[5] % 2 == 0;
    const char* const element = box ? "box" : "cross";
    Tensor want = mask, shrunk = ~mask;
    for (int64_t k = 0; k <= n[6] % 3; ++k) {
      want = reached(want, down, across, box, border);
      shrunk = reached(shrunk, down, across, box, !border);
    }
    EXPECT_TRUE(
        equal(masks::dilate(mask, {down, across}, {}, element, n[6] % 3 + 1, border), want));
    EXPECT_TRUE(
        equal(masks::erode(mask, {down, across}, {}, element, n[6] % 3 + 1, border), ~shrunk));
  }
}

TEST(Morphology, TakesLargeRadiiAndEmptyMasks) {
  const Tensor dot = picture({"...", "..#"});
  EXPECT_EQ(count(masks::dilate(dot, int64_t{1} << 62, {}, "box", 9)), 6);
  EXPECT_EQ(count(masks::dilate(dot, 1, {}, "cross", int64_t{1} << 62)), 6);
  EXPECT_EQ(masks::dilate(zeros({0, 3}, boolean), 2).shape(), (Shape{0, 3}));
  EXPECT_EQ(masks::erode(zeros({3, 0}, boolean), 2).shape(), (Shape{3, 0}));
  EXPECT_TRUE(equal(masks::dilate(dot, 0), dot));
}

TEST(Morphology, RefusesWhatIsNoMaskOrNoElement) {
  const Tensor mask = picture({"..#"});
  EXPECT_KIND(masks::dilate(zeros({2, 2})), dtype);
  EXPECT_KIND(masks::dilate(tensor(true)), shape);
  EXPECT_KIND(masks::dilate(mask[0], 1, 2), shape);
  EXPECT_KIND(masks::dilate(mask, 1, 3), value);
  EXPECT_KIND(masks::dilate(mask, {1, 1, 1}), shape);
  EXPECT_KIND(masks::dilate(mask, -1), value);
  EXPECT_KIND(masks::erode(mask, 1, {}, "disc"), value);
  EXPECT_KIND(masks::erode(mask, 1, {}, "box", 0), value);
}

}  // namespace
}  // namespace tamis
