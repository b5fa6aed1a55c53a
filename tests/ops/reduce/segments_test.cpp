// Segments: reductions of pieces that follow each other.
#include <cmath>

#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/reduce.h"

namespace tamis {
namespace {

using namespace testing;

TEST(Segments, ReducesEachPiece) {
  const Tensor x = arange(6, float32), lengths = tensor({2, 0, 4});
  const auto of = [&](const char* reduce, std::optional<Scalar> initial = {}) {
    return segment_reduce(x, reduce, lengths, {}, 0, false, initial).to_vector<float>();
  };
  EXPECT_EQ(of("sum"), (std::vector<float>{1, 0, 14}));
  EXPECT_EQ(of("max"), (std::vector<float>{1, -INFINITY, 5}));
  EXPECT_EQ(of("min"), (std::vector<float>{0, INFINITY, 2}));
  EXPECT_EQ(of("prod"), (std::vector<float>{0, 1, 120}));
  EXPECT_TRUE(std::isnan(of("mean")[1]));
  EXPECT_EQ(of("mean", 10), (std::vector<float>{5.5, 10, 6}));
  EXPECT_EQ(of("max", 3), (std::vector<float>{3, 3, 5}));
}

TEST(Segments, LeavesOutWhatIsInNoneOnlyIfAsked) {
  const Tensor x = arange(6, float32), lengths = tensor({2, 3});
  EXPECT_KIND(segment_reduce(x, "sum", lengths), value);
  EXPECT_EQ(segment_reduce(x, "sum", lengths, {}, 0, true).to_vector<float>(),
            (std::vector<float>{1, 9}));
  EXPECT_KIND(segment_reduce(x, "sum", tensor({5, 2}), {}, 0, true), value);
  EXPECT_KIND(segment_reduce(x, "sum", tensor({7, -1})), value);
  EXPECT_KIND(segment_reduce(x, "sum"), value);
}

}  // namespace
}  // namespace tamis
