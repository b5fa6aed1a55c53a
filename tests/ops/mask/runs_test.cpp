// Run lengths: to and from them, in both orders.
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

const Tensor kMask = tensor({{true, true, false}, {false, true, true}});

TEST(Runs, AreThoseOfTheFlatMask) {
  const auto [starts, lengths] = masks::to_runs(kMask);
  EXPECT_EQ(ints(starts), (List{0, 4}));
  EXPECT_EQ(ints(lengths), (List{2, 2}));
  // By columns it is 1, 0, 1, 1, 0, 1.
  const auto [down, longs] = masks::to_runs(kMask, "F");
  EXPECT_EQ(ints(down), (List{0, 2, 5}));
  EXPECT_EQ(ints(longs), (List{1, 2, 1}));
}

TEST(Runs, GoOnInTheNextRow) {
  const auto [starts, lengths] = masks::to_runs(ones({2, 3}, boolean));
  EXPECT_EQ(ints(starts), (List{0}));
  EXPECT_EQ(ints(lengths), (List{6}));
}

TEST(Counts, BeginWithFalse) {
  EXPECT_EQ(ints(masks::to_counts(kMask)), (List{0, 1, 1, 2, 1, 1}));
  EXPECT_EQ(ints(masks::to_counts(kMask, "C")), (List{0, 2, 2, 2}));
  EXPECT_EQ(ints(masks::to_counts(~kMask, "C")), (List{2, 2, 2}));
  EXPECT_EQ(ints(masks::to_counts(zeros({2, 3}, boolean))), (List{6}));
  EXPECT_EQ(ints(masks::to_counts(ones({2, 3}, boolean))), (List{0, 6}));
  EXPECT_EQ(ints(masks::to_counts(zeros({0}, boolean))), (List{0}));
}

TEST(Runs, AndCountsGiveTheMaskBack) {
  for (const Shape& shape : {Shape{7, 70}, Shape{500}, Shape{3, 4, 5}, Shape{0, 3}, Shape{}}) {
    for (double density : {0.0, 0.1, 0.5, 0.9, 1.0}) {
      const Tensor mask = rand(shape, float32, Generator(4)) < density;
      for (const char* order : {"C", "F"}) {
        const auto [starts, lengths] = masks::to_runs(mask, order);
        EXPECT_TRUE(equal(masks::from_runs(shape, starts, lengths, order), mask));
        EXPECT_TRUE(equal(masks::from_counts(shape, masks::to_counts(mask, order), order), mask));
      }
    }
  }
}

TEST(Runs, MayOverlap) {
  EXPECT_TRUE(equal(masks::from_runs({5}, tensor({3, 0, 1}), tensor({0, 2, 2})),
                    tensor({true, true, true, false, false})));
}

TEST(Runs, RefuseWhatDoesNotFit) {
  EXPECT_KIND(masks::from_runs({5}, tensor({3}), tensor({3})), value);
  EXPECT_KIND(masks::from_runs({5}, tensor({-1}), tensor({3})), value);
  EXPECT_KIND(masks::from_runs({5}, tensor({1}), tensor({-1})), value);
  EXPECT_KIND(masks::from_runs({5}, tensor({1}), tensor({1, 1})), shape);
  EXPECT_KIND(masks::from_runs({5}, tensor({1.f}), tensor({1})), dtype);
  EXPECT_KIND(masks::from_runs({5}, tensor({{1}}), tensor({1})), shape);
  EXPECT_KIND(masks::from_runs({-5}, tensor({1}), tensor({1})), value);
  EXPECT_KIND(masks::from_counts({2, 3}, tensor({1, 4})), value);
  EXPECT_KIND(masks::from_counts({2, 3}, tensor({1, 6})), value);
  EXPECT_KIND(masks::from_counts({2, 3}, tensor({7, -1})), value);
  EXPECT_KIND(masks::to_runs(tensor({1, 0})), dtype);
  EXPECT_KIND(masks::to_runs(kMask, "A"), value);
  EXPECT_KIND(masks::to_counts(kMask, "c"), value);
}

}  // namespace
}  // namespace tamis
