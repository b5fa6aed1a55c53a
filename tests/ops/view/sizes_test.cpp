// Sizes: transposed matrices, sums down to a size, ranges with their end, memory by strides.
#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using namespace testing;

TEST(Sizes, AdjointTurnsAndConjugates) {
  const Tensor x = complex(tensor({{1.f, 2.f}}), tensor({{3.f, -4.f}}));
  EXPECT_TRUE(equal(adjoint(x), complex(tensor({{1.f}, {2.f}}), tensor({{-3.f}, {4.f}}))));
  EXPECT_TRUE(adjoint(ones({2, 3})).shape() == (Shape{3, 2}));
  EXPECT_KIND(adjoint(ones({3})), shape);
}

TEST(Sizes, SumsWhatAnExpansionRepeats) {
  const Tensor x = arange(6).view({2, 3});
  EXPECT_EQ(sum_to_size(x, {3}).to_vector<int64_t>(), (std::vector<int64_t>{3, 5, 7}));
  EXPECT_EQ(sum_to_size(x, {2, 1}).to_vector<int64_t>(), (std::vector<int64_t>{3, 12}));
  EXPECT_KIND(sum_to_size(x, {4}), shape);
  EXPECT_KIND(sum_to_size(x, {1, 2, 3}), shape);
}

TEST(Sizes, RangeHasItsEnd) {
  EXPECT_EQ(range(1, 2, 0.5).to_vector<float>(), (std::vector<float>{1, 1.5, 2}));
  EXPECT_EQ(range(5, 0, -2, int64).to_vector<int64_t>(), (std::vector<int64_t>{5, 3, 1}));
  EXPECT_EQ(range(2, 2, 1, int64).to_vector<int64_t>(), (std::vector<int64_t>{2}));
  EXPECT_KIND(range(1, 4, 0), value);
}

TEST(Sizes, AStridedPartIsReplaced) {
  const Tensor x = arange(6).view({2, 3}), src = tensor({9, 8});
  EXPECT_EQ(as_strided_scatter(x, src, {2}, {2}).to_vector<int64_t>(),
            (std::vector<int64_t>{9, 1, 8, 3, 4, 5}));
  EXPECT_EQ(as_strided_scatter(x.t(), src, {2}, {2}, 1).to_vector<int64_t>(),
            (std::vector<int64_t>{0, 8, 9, 4, 2, 5}));
  EXPECT_KIND(as_strided_scatter(x, src, {3}, {1}), shape);
}

}  // namespace
}  // namespace tamis
