// Stacks: joins along dimensions that tensors may not have, blocks and combinations.
#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/autograd.h"
#include "tamis/view.h"

namespace tamis {
namespace {

using namespace testing;
using Ints = std::vector<int64_t>;

TEST(AtLeast, AddsDimensions) {
  EXPECT_EQ(atleast_1d(tensor(2)).shape(), (Shape{1}));
  EXPECT_EQ(atleast_2d(arange(3)).shape(), (Shape{1, 3}));
  EXPECT_EQ(atleast_3d(tensor(2)).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(atleast_3d(arange(3)).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(atleast_3d(zeros({2, 3})).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(atleast_2d(std::vector<Tensor>{tensor(2), zeros({2, 3, 4})})[1].dim(), 3);
}

TEST(Stack, OfColumnsAndDepth) {
  EXPECT_EQ(column_stack({arange(2), arange(4).view({2, 2})}).to_vector<int64_t>(),
            (Ints{0, 0, 1, 1, 2, 3}));
  EXPECT_EQ(dstack({arange(2), arange(2) + 5}).shape(), (Shape{1, 2, 2}));
  EXPECT_EQ(dstack({arange(2), arange(2) + 5}).to_vector<int64_t>(), (Ints{0, 5, 1, 6}));
  EXPECT_KIND(column_stack({}), value);
  EXPECT_KIND(dstack({arange(2), arange(3)}), shape);
}

TEST(BlockDiag, HasZerosBesideBlocks) {
  const Tensor x = block_diag({tensor({{1, 2}}), tensor(3.5f), tensor({4, 5})});
  EXPECT_EQ(x.dtype(), float32);
  EXPECT_EQ(x.shape(), (Shape{3, 5}));
  EXPECT_EQ(x.to_vector<float>(),
            (std::vector<float>{1, 2, 0, 0, 0, 0, 0, 3.5, 0, 0, 0, 0, 0, 4, 5}));
  EXPECT_EQ(block_diag({}).shape(), (Shape{1, 0}));
  EXPECT_KIND(block_diag({zeros({1, 1, 1})}), shape);
}

TEST(Combinations, AreInOrder) {
  EXPECT_EQ(combinations(tensor({7, 8, 9})).to_vector<int64_t>(), (Ints{7, 8, 7, 9, 8, 9}));
  EXPECT_EQ(combinations(tensor({7, 8}), 2, true).to_vector<int64_t>(), (Ints{7, 7, 7, 8, 8, 8}));
  EXPECT_EQ(combinations(tensor({7, 8}), 3).shape(), (Shape{0, 3}));
  EXPECT_EQ(combinations(tensor({7, 8}), 0).shape(), (Shape{0}));
  EXPECT_KIND(combinations(tensor({7, 8}), -1), value);
}

TEST(CartesianProd, TakesOneOfEach) {
  EXPECT_EQ(cartesian_prod({tensor({1, 2}), tensor({3, 4})}).to_vector<int64_t>(),
            (Ints{1, 3, 1, 4, 2, 3, 2, 4}));
  EXPECT_EQ(cartesian_prod({tensor({1, 2})}).shape(), (Shape{2}));
  EXPECT_KIND(cartesian_prod({tensor({1, 2}), tensor({{1}})}), shape);
  EXPECT_KIND(cartesian_prod({tensor({1, 2}), tensor({1.f})}), dtype);
}

TEST(Diagflat, FlattensFirst) {
  const Tensor x = diagflat(tensor({{1, 2}}), 1);
  EXPECT_EQ(x.to_vector<int64_t>(), (Ints{0, 1, 0, 0, 0, 2, 0, 0, 0}));
}

TEST(Fill, LeavesItsInputAlone) {
  const Tensor x = arange(3), y = fill(x, 7);
  EXPECT_EQ(y.to_vector<int64_t>(), (Ints{7, 7, 7}));
  EXPECT_EQ(x.to_vector<int64_t>(), (Ints{0, 1, 2}));
  EXPECT_KIND(fill(x.to(int8), 300), value);
  EXPECT_KIND(fill(x, tensor({1})), shape);
  const Tensor value = tensor(2., float64).requires_grad_();
  fill(zeros({2, 3}, float64), value).sum().backward();
  EXPECT_EQ(value.grad().item<double>(), 6);
}

}  // namespace
}  // namespace tamis
