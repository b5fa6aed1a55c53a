// Labels: the numbers of connected components.
#include <gtest/gtest.h>

#include "support/errors.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using List = std::vector<int64_t>;

List ints(const Tensor& x) {
  EXPECT_EQ(x.dtype(), int64);
  return x.to_vector<int64_t>();
}

const Tensor kImage = tensor({{true, false, false, true},
                              {true, false, true, false},
                              {false, true, true, false},
                              {true, false, false, true}});

TEST(Label, NumbersComponentsByTheirFirstElements) {
  const auto [labels, n] = masks::label(kImage);
  EXPECT_EQ(ints(labels), (List{1, 0, 0, 2, 1, 0, 3, 0, 0, 3, 3, 0, 4, 0, 0, 5}));
  EXPECT_EQ(n.shape(), (Shape{}));
  EXPECT_EQ(n.item<int64_t>(), 5);
}

TEST(Label, JoinsAlongDiagonalsIfToldSo) {
  const auto [labels, n] = masks::label(kImage, 8);
  EXPECT_EQ(ints(labels), (List{1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1}));
  EXPECT_EQ(n.item<int64_t>(), 1);
}

TEST(Label, JoinsWhatMeetsLater) {
  const Tensor u = tensor({{true, false, true, false, true},
                           {true, false, true, false, true},
                           {true, true, true, false, true}});
  EXPECT_EQ(ints(masks::label(u).first), (List{1, 0, 1, 0, 2, 1, 0, 1, 0, 2, 1, 1, 1, 0, 2}));
}

TEST(Label, OfRowsAreRuns) {
  const Tensor rows = tensor({{true, true, false, true}, {false, true, false, true}});
  const auto [labels, n] = masks::label(rows, 4, 1);
  EXPECT_EQ(ints(labels), (List{1, 1, 0, 2, 0, 1, 0, 2}));
  EXPECT_EQ(ints(n), (List{2, 2}));
  EXPECT_EQ(ints(masks::label(rows[0]).first), (List{1, 1, 0, 2}));
  EXPECT_EQ(masks::label(rows[0]).second.shape(), (Shape{}));
}

TEST(Label, StartsAgainInEachImage) {
  const Tensor batch = stack({kImage, ~kImage, kImage.t()});
  const auto [labels, n] = masks::label(batch);
  EXPECT_EQ(n.shape(), (Shape{3}));
  for (int64_t i = 0; i < 3; ++i) {
    const auto [one, count] = masks::label(batch[i]);
    EXPECT_TRUE(equal(labels[i], one));
    EXPECT_TRUE(equal(n[i], count));
  }
}

/// Two elements have one number exactly if a flood from one reaches the other.
TEST(Label, AgreesWithFloods) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    for (int64_t connectivity : {4, 8}) {
      const int64_t rows = 7, columns = 9;
      const Tensor mask = rand({rows, columns}, float32, Generator(seed)) < 0.5;
      const auto pixels = mask.to_vector<bool>();
      List want(pixels.size(), 0);
      int64_t next = 0;
      for (int64_t start = 0; start < rows * columns; ++start) {
        if (!pixels[start] || want[start] != 0) continue;
        List open{start};
        want[start] = ++next;
        while (!open.empty()) {
          const int64_t at = open.back();
          open.pop_back();
          for (int64_t dy = -1; dy <= 1; ++dy) {
            for (int64_t dx = -1; dx <= 1; ++dx) {
              if (connectivity == 4 && dy != 0 && dx != 0) continue;
              const int64_t y = at / columns + dy, x = at % columns + dx;
              if (y < 0 || x < 0 || y >= rows || x >= columns) continue;
              const int64_t to = y * columns + x;
              if (!pixels[to] || want[to] != 0) continue;
              want[to] = next;
              open.push_back(to);
            }
          }
        }
      }
      const auto [labels, n] = masks::label(mask, connectivity);
      EXPECT_EQ(ints(labels), want);
      EXPECT_EQ(n.item<int64_t>(), next);
    }
  }
}

TEST(Label, TakesEmptyMasksAndRefusesOthers) {
  EXPECT_EQ(masks::label(zeros({0, 3}, boolean)).second.item<int64_t>(), 0);
  EXPECT_EQ(masks::label(zeros({2, 0}, boolean), 4, 1).second.to_vector<int64_t>(), (List{0, 0}));
  EXPECT_EQ(masks::label(zeros({0, 2, 2}, boolean)).second.shape(), (Shape{0}));
  EXPECT_KIND(masks::label(zeros({2, 2})), dtype);
  EXPECT_KIND(masks::label(tensor(true)), shape);
  EXPECT_KIND(masks::label(kImage, 6), value);
}

}  // namespace
}  // namespace tamis
