// Cuts: uneven pieces, windows and strides, as views that write to what they show.
#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/autograd.h"
#include "tamis/view.h"

namespace tamis {
namespace {

using namespace testing;
using Ints = std::vector<int64_t>;

Ints sizes_of(const std::vector<Tensor>& pieces, int64_t dim) {
  Ints sizes;
  for (const Tensor& x : pieces) sizes.push_back(x.size(dim));
  return sizes;
}

TEST(TensorSplit, GivesTheFirstPiecesOneMore) {
  const Tensor x = arange(14).view({2, 7});
  EXPECT_EQ(sizes_of(tensor_split(x, 3, 1), 1), (Ints{3, 2, 2}));
  EXPECT_EQ(sizes_of(tensor_split(x, 3, 0), 0), (Ints{1, 1, 0}));
  EXPECT_EQ(tensor_split(x, 3, -1)[1].to_vector<int64_t>(), (Ints{3, 4, 10, 11}));
  EXPECT_TRUE(tensor_split(x, 3, 1)[2].shares_storage(x));
}

TEST(TensorSplit, CutsBeforeIndicesAsSlicesDo) {
  const Tensor x = arange(7);
  EXPECT_EQ(sizes_of(tensor_split(x, Shape{2, 5}), 0), (Ints{2, 3, 2}));
  EXPECT_EQ(sizes_of(tensor_split(x, Shape{5, 2, 100}), 0), (Ints{5, 0, 5, 0}));
  EXPECT_EQ(sizes_of(tensor_split(x, Shape{-2}), 0), (Ints{5, 2}));
  EXPECT_EQ(sizes_of(tensor_split(x, Shape{}), 0), (Ints{7}));
}

TEST(TensorSplit, RefusesNoSections) {
  EXPECT_KIND(tensor_split(arange(3), 0), value);
  EXPECT_KIND(tensor_split(tensor(3), 1), shape);
  EXPECT_KIND(tensor_split(arange(3), 2, 1), index);
}

TEST(TensorSplit, OfOtherDimensions) {
  const Tensor cube = arange(24).view({2, 3, 4});
  EXPECT_EQ(sizes_of(hsplit(cube, 3), 1), (Ints{1, 1, 1}));
  EXPECT_EQ(sizes_of(hsplit(arange(6), 2), 0), (Ints{3, 3}));
  EXPECT_EQ(sizes_of(vsplit(cube, Shape{1}), 0), (Ints{1, 1}));
  EXPECT_EQ(sizes_of(dsplit(cube, 2), 2), (Ints{2, 2}));
  EXPECT_KIND(hsplit(cube, 2), value);
  EXPECT_KIND(vsplit(arange(4), 2), shape);
  EXPECT_KIND(dsplit(cube[0], 2), shape);
}

TEST(Unfold, ShowsWindows) {
  const Tensor x = arange(7);
  const Tensor windows = unfold(x, 0, 3, 2);
  EXPECT_EQ(windows.shape(), (Shape{3, 3}));
  EXPECT_EQ(windows.to_vector<int64_t>(), (Ints{0, 1, 2, 2, 3, 4, 4, 5, 6}));
  EXPECT_EQ(windows.strides(), (Shape{2, 1}));
  EXPECT_EQ(arange(6).view({2, 3}).unfold(0, 2, 1).shape(), (Shape{1, 3, 2}));
  EXPECT_EQ(tensor(5).unfold(0, 1, 1).shape(), (Shape{1}));
  EXPECT_KIND(unfold(x, 0, 8, 1), value);
  EXPECT_KIND(unfold(x, 0, 2, 0), value);
}

TEST(Unfold, AddsUpTheGradientsOfWindows) {
  const Tensor x = arange(5, float64).requires_grad_();
  unfold(x, 0, 3, 1).sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (std::vector<double>{1, 2, 3, 2, 1}));
}

TEST(Unfold, OfWhatIsWrittenLaterHasTheGradientOfTheNewValues) {
  const Tensor x = arange(4, float64).requires_grad_();
  Tensor y = x * 1;
  const Tensor windows = unfold(y, 0, 2, 1);
  y *= 3;
  windows.sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (std::vector<double>{3, 6, 6, 3}));
}

TEST(AsStrided, ShowsMemory) {
  const Tensor x = arange(12).view({3, 4});
  EXPECT_EQ(as_strided(x, {2, 3}, {1, 4}).to_vector<int64_t>(), (Ints{0, 4, 8, 1, 5, 9}));
  EXPECT_EQ(x[1].as_strided({2}, {2}).to_vector<int64_t>(), (Ints{4, 6}));
  EXPECT_EQ(x[1].as_strided({2}, {2}, 0).to_vector<int64_t>(), (Ints{0, 2}));
  Tensor view = as_strided(x, {3}, {5});
  view.fill_(-1);
  EXPECT_EQ(x.diagonal().to_vector<int64_t>(), (Ints{-1, -1, -1}));
}

TEST(AsStrided, StaysWithinTheMemory) {
  const Tensor x = arange(12).view({3, 4});
  EXPECT_KIND(as_strided(x, {4, 4}, {4, 1}), value);
  EXPECT_KIND(as_strided(x, {2}, {12}), value);
  EXPECT_KIND(as_strided(x, {1}, {1}, 12), value);
  EXPECT_KIND(as_strided(x, {2}, {INT64_MAX}), value);
  EXPECT_KIND(as_strided(x, {3}, {INT64_MAX}), shape);
  EXPECT_KIND(as_strided(x, {2}, {-1}), shape);
  EXPECT_KIND(as_strided(x, {2, 2}, {1}), shape);
  EXPECT_EQ(as_strided(x, {0}, {100}).numel(), 0);
}

TEST(AsStrided, AddsUpTheGradientsOfWhatItRepeats) {
  const Tensor x = arange(4, float64).requires_grad_();
  as_strided(x, {2, 3}, {1, 1}).sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (std::vector<double>{1, 2, 2, 1}));
}

}  // namespace
}  // namespace tamis
