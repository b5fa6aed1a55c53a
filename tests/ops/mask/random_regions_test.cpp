// Random regions: spans and rectangles are where they may be, as many as asked for.
#include <gtest/gtest.h>

#include "support/errors.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using List = std::vector<int64_t>;

/// The lengths of the runs of a row.
List runs(const Tensor& row) { return masks::to_runs(row).second.to_vector<int64_t>(); }

TEST(RandomSpans, HaveTheLengthAndNumberThatIsAskedFor) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Tensor mask = masks::random_spans({3, 40}, 4, 5, 0, false, {}, Generator(seed));
    for (const Tensor& row : mask) {
      EXPECT_EQ(count(row), 20);  // spans may touch, not overlap
      for (int64_t length : runs(row)) EXPECT_EQ(length % 5, 0);
    }
    const Tensor overlapping = masks::random_spans({40}, 4, 5, 0, true, {}, Generator(seed));
    EXPECT_GE(count(overlapping), 5 + 3);  // four different starts
    EXPECT_LE(count(overlapping), 20);
    for (int64_t length : runs(overlapping)) EXPECT_GE(length, 5);
  }
}

TEST(RandomSpans, FillARowThatHasNoOtherPlaces) {
  EXPECT_EQ(count(masks::random_spans({12}, 4, 3, 0, false)), 12);
  EXPECT_EQ(count(masks::random_spans({12}, 100, 3, 0, false)), 12);  // no more than fit
  EXPECT_EQ(count(masks::random_spans({5}, 1, 5)), 5);
  EXPECT_EQ(count(masks::random_spans({4}, 1, 5)), 0);
  EXPECT_EQ(count(masks::random_spans({12}, 0, 3)), 0);
  EXPECT_EQ(count(masks::random_spans({12}, 0.0, 3)), 0);
  EXPECT_EQ(count(masks::random_spans({12}, 0.0, 3, 2, false)), 6);
}

TEST(RandomSpans, StayInsideOfTheLengths) {
  const Tensor lengths = tensor({20, 7, 3, 0});
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Tensor mask = masks::random_spans({4, 20}, 0.6, 4, 1, true, lengths, Generator(seed));
    EXPECT_EQ(count(mask & ~masks::from_lengths(lengths, 20)), 0);
    EXPECT_GE(count(mask[0]), 4);
    EXPECT_EQ(count(mask[1]), 4);  // one span of four fits into seven
    EXPECT_EQ(count(mask[2]), 0);
  }
}

TEST(RandomSpans, CoverTheShareOnAverage) {
  // 0.3 * 50 / 4 is 3.75 spans: three or four of them.
  const Tensor mask = masks::random_spans({4000, 50}, 0.3, 4, 0, false, {}, Generator(1));
  const Tensor each = sum(mask, {-1}) / 4;
  EXPECT_EQ(each.min().item<int64_t>(), 3);
  EXPECT_EQ(each.max().item<int64_t>(), 4);
  EXPECT_NEAR(each.to(float64).mean().item<double>(), 3.75, 0.03);
}

TEST(RandomSpans, BeginAnywhereWithTheSameProbability) {
  // Single positions: each of ten is drawn with probability 0.3.
  const Tensor mask = masks::random_spans({20000, 10}, 3, 1, 0, true, {}, Generator(2));
  const std::vector<double> share = mask.to(float64).mean(0).to_vector<double>();
  for (double p : share) EXPECT_NEAR(p, 0.3, 0.015);
  // One span of three in five positions begins at each of three places.
  const Tensor spans = masks::random_spans({20000, 5}, 1, 3, 0, true, {}, Generator(2));
  EXPECT_NEAR(spans.select(1, 0).to(float64).mean().item<double>(), 1 / 3., 0.015);
  EXPECT_NEAR(spans.select(1, 4).to(float64).mean().item<double>(), 1 / 3., 0.015);
}

TEST(RandomSpans, AreThoseOfTheSeed) {
  const auto draw = [] { return masks::random_spans({50, 30}, 0.4, 3); };
  manual_seed(5);
  const Tensor a = draw(), b = draw();
  manual_seed(5);
  const Tensor c = draw();
  const Tensor d = masks::random_spans({50, 30}, 0.4, 3, 0, true, {}, Generator(5));
  EXPECT_TRUE(equal(a, c));
  EXPECT_TRUE(equal(a, d));
  EXPECT_FALSE(equal(a, b));
}

TEST(RandomSpans, RefuseWhatIsOutOfRange) {
  EXPECT_KIND(masks::random_spans({10}, 1, 0), value);
  EXPECT_KIND(masks::random_spans({10}, -1, 2), value);
  EXPECT_KIND(masks::random_spans({10}, 1.5, 2), value);
  EXPECT_KIND(masks::random_spans({10}, 1, 2, -1), value);
  EXPECT_KIND(masks::random_spans({-1}, 1, 2), value);
  EXPECT_KIND(masks::random_spans(Shape{}, 1, 2), shape);
  EXPECT_KIND(masks::random_spans({2, 10}, 1, 2, 0, true, tensor({1, 2, 3})), shape);
  EXPECT_KIND(masks::random_spans({2, 10}, 1, 2, 0, true, tensor({1, 11})), value);
  EXPECT_KIND(masks::random_spans({2, 10}, 1, 2, 0, true, tensor({1.f, 2.f})), dtype);
  EXPECT_EQ(masks::random_spans({0, 5}, 0.5, 2).shape(), (Shape{0, 5}));
  EXPECT_EQ(masks::random_spans({5, 0}, 0.5, 2).shape(), (Shape{5, 0}));
}

TEST(RandomBlocks, AreRectanglesInsideOfEachImage) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Tensor mask = masks::random_blocks({2, 9, 11}, 1, {3, 4}, {}, false, Generator(seed));
    for (const Tensor& image : mask) {
      EXPECT_EQ(count(image), 12);
      EXPECT_EQ(count(any(image, 1)), 3);
      EXPECT_EQ(count(any(image, 0)), 4);
    }
    const Tensor several = masks::random_blocks({9, 11}, 3, 3, {}, false, Generator(seed));
    EXPECT_GE(count(several), 9);
    EXPECT_LE(count(several), 27);
    EXPECT_TRUE(equal(masks::dilate(masks::erode(several)), several)) << "made of 3 x 3 boxes";
  }
  EXPECT_EQ(count(masks::random_blocks({3, 4}, 1, {3, 4})), 12);
  EXPECT_EQ(count(masks::random_blocks({3, 4}, 0, 1)), 0);
  EXPECT_EQ(masks::random_blocks({0, 4}, 1, 2).shape(), (Shape{0, 4}));
}

TEST(RandomBlocks, HaveSizesUpToTheLargest) {
  std::vector<bool> high(5), wide(7);
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Tensor mask =
        masks::random_blocks({10, 10}, 1, {2, 3}, Shape{4, 6}, false, Generator(seed));
    high.at(count(any(mask, 1))) = true;
    wide.at(count(any(mask, 0))) = true;
  }
  EXPECT_EQ(high, (std::vector<bool>{false, false, true, true, true}));
  EXPECT_EQ(wide, (std::vector<bool>{false, false, false, true, true, true, true}));
}

TEST(RandomBlocks, AreCutOffAtTheEdgeIfToldSo) {
  // The centre is any of nine pixels, and a block of three reaches all around it.
  std::vector<bool> sizes(10);
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Tensor mask = masks::random_blocks({3, 3}, 1, 3, {}, true, Generator(seed));
    EXPECT_TRUE(mask[1][1].item<bool>());
    sizes.at(count(mask)) = true;
  }
  EXPECT_EQ(sizes,
            (std::vector<bool>{false, false, false, false, true, false, true, false, false, true}));
}

TEST(RandomBlocks, RefuseWhatDoesNotFit) {
  EXPECT_KIND(masks::random_blocks({3, 3}, 1, 4), value);
  EXPECT_KIND(masks::random_blocks({3, 3}, 1, 2, Shape{1}), value);
  EXPECT_KIND(masks::random_blocks({3, 3}, -1, 2), value);
  EXPECT_KIND(masks::random_blocks({3, 3}, 1, 0), value);
  EXPECT_KIND(masks::random_blocks({3, 3}, 1, {1, 1, 1}), shape);
  EXPECT_KIND(masks::random_blocks({3}, 1, 1), shape);
}

}  // namespace
}  // namespace tamis
