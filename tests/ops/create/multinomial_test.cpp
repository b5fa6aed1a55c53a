// Multinomial draws.
#include <cmath>

#include "support/pointwise_cases.h"
#include "tamis/order.h"

namespace tamis {
namespace {

using namespace testing;
using Ints = std::vector<int64_t>;

constexpr DType kFloats[] = {float16, bfloat16, float32, float64};

TEST(Multinomial, FollowsTheProbabilities) {
  manual_seed(13);
  for (DType dtype : kFloats) {
    SCOPED_TRACE(name(dtype));
    const Tensor p = tensor({1.0, 0.0, 3.0, 0.0}).to(dtype);  // need not add up to 1
    const Tensor drawn = multinomial(p, 40000, true);
    EXPECT_EQ(drawn.dtype(), int64);
    const Ints counts = bincount(drawn, {}, 4).to_vector<int64_t>();
    EXPECT_NEAR(counts[0], 10000, 350);
    EXPECT_EQ(counts[1] + counts[3], 0);
    EXPECT_EQ(counts[0] + counts[2], 40000);
  }
  const Tensor rows = multinomial(tensor({{0.f, 1.f}, {1.f, 0.f}}), 3, true);
  EXPECT_EQ(rows.to_vector<int64_t>(), (Ints{1, 1, 1, 0, 0, 0}));
}

TEST(Multinomial, DrawsNoIndexTwiceWithoutReplacement) {
  manual_seed(14);
  const Tensor p = tensor({0.f, 1.f, 2.f, 1e-30f}).expand({1000, 4});
  const Tensor drawn = multinomial(p, 3);
  EXPECT_EQ(drawn.shape().vec(), (Ints{1000, 3}));
  const Tensor all = drawn.sort(1).first;
  EXPECT_TRUE((all == tensor({1, 2, 3})).all().item<bool>());
  // The first one drawn is as if there were one draw: 2 in two thirds.
  EXPECT_NEAR(count(drawn.select(1, 0) == 2), 667, 60);
}

TEST(Multinomial, TakesNumbersWhoseSumWouldOverflow) {
  manual_seed(15);
  const Ints counts =
      bincount(multinomial(full({2}, 1.7e308, float64), 1000, true)).to_vector<int64_t>();
  EXPECT_NEAR(counts[0], 500, 64);
}

TEST(Multinomial, RefusesWhatCannotBeDrawnFrom) {
  expect_error(ErrorKind::value, "probability tensor contains either `inf`, `nan` or element < 0",
               [] {
                 multinomial(tensor({1.f, -1.f}), 1);
               });
  expect_error(ErrorKind::value, "probability tensor contains either `inf`, `nan` or element < 0",
               [] { multinomial(full({2}, std::nan("")), 1); });
  expect_error(ErrorKind::value, "invalid multinomial distribution (sum of probabilities <= 0)",
               [] {
                 multinomial(tensor({{1.f, 1.f}, {0.f, 0.f}}), 1);
               });
  expect_error(ErrorKind::value,
               "invalid multinomial distribution (with replacement=False, not enough non-negative "
               "category to sample)",
               [] {
                 multinomial(tensor({1.f, 0.f, 0.f}), 2);
               });
  expect_error(ErrorKind::value,
               "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
               [] { multinomial(ones({2}), 3); });
  expect_error(ErrorKind::value, "cannot sample n_sample <= 0 samples",
               [] { multinomial(ones({2}), 0); });
  expect_error(ErrorKind::dtype,
               "multinomial only supports floating-point dtypes for input, got: Long", [] {
                 multinomial(tensor({1, 2}), 1);
               });
}

}  // namespace
}  // namespace tamis
