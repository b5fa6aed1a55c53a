// Views and copies of one tensor: what they show, what they share, what they refuse.
#include "support/layouts.h"
#include "support/pointwise_cases.h"
#include "support/view_cases.h"

namespace tamis {
namespace {

using namespace testing;
using Ints = std::vector<int64_t>;

// ---- assignment --------------------------------------------------------------------------------

TEST(View, AssigningToWhatACallReturnsWritesThroughIt) {
  Tensor x = zeros({2, 3}, int64);
  x[0] = 5;
  x.select(1, 2) = tensor({7, 8});
  EXPECT_EQ(x.to_vector<int64_t>(), (std::vector<int64_t>{5, 5, 7, 0, 0, 8}));
  Tensor row = x[1];
  row = tensor({1});  // a named handle is rebound
  EXPECT_EQ(x[1].to_vector<int64_t>(), (std::vector<int64_t>{0, 0, 8}));
}

// ---- moving dimensions -------------------------------------------------------------------------

TEST(Transpose, SwapsTwoDimensions) {
  expect_values(grid().transpose(0, 1), {3, 2}, {0, 3, 1, 4, 2, 5});
  expect_values(grid().transpose(-1, -2), {3, 2}, {0, 3, 1, 4, 2, 5});
  expect_layout(grid().t(), {3, 2}, {1, 3});
  EXPECT_EQ(number().transpose(0, -1).dim(), 0);
  EXPECT_EQ(number().t().dim(), 0);
  EXPECT_EQ(arange(3).t().shape().vec(), Ints{3});
}

TEST(Transpose, RefusesDimensionsOutOfRange) {
  expect_error(ErrorKind::index,
               "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
               [] { grid().transpose(0, 2); });
  expect_error(ErrorKind::index,
               "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
               [] { number().transpose(1, 0); });
  expect_error(ErrorKind::shape, "t() expects a tensor with <= 2 dimensions, but self is 3D", [] {
    zeros({2, 2, 2}).t();
  });
}

TEST(Permute, OrdersDimensions) {
  const Tensor x = arange(24).reshape({2, 3, 4});
  const Tensor y = x.permute({2, 0, -2});
  expect_layout(y, {4, 2, 3}, {1, 12, 4});
  EXPECT_EQ(element(y, {3, 1, 2}), element(x, {1, 2, 3}));
  EXPECT_EQ(number().permute({}).dim(), 0);
}

TEST(Permute, RefusesOtherThanAPermutation) {
  expect_error(ErrorKind::shape,
               "permute(sparse_coo): number of dimensions in the tensor input does not match the "
               "length of the desired ordering of dimensions i.e. input.dim() = 2 is not equal to "
               "len(dims) = 1",
               [] { grid().permute({0}); });
  expect_error(ErrorKind::value, "permute(): duplicate dims are not allowed.", [] {
    grid().permute({0, -2});
  });
  expect_error(ErrorKind::index,
               "Dimension out of range (expected to be in range of [-2, 1], but got 2)", [] {
                 grid().permute({0, 2});
               });
}

TEST(Squeeze, AddsAndRemovesSizesOfOne) {
  expect_layout(grid().unsqueeze(0), {1, 2, 3}, {6, 3, 1});
  expect_layout(grid().unsqueeze(-1), {2, 3, 1}, {3, 1, 1});
  expect_layout(grid().unsqueeze(1), {2, 1, 3}, {3, 3, 1});
  EXPECT_EQ(number().unsqueeze(-1).shape().vec(), Ints{1});
  const Tensor x = grid().view({1, 2, 1, 3});
  EXPECT_EQ(x.squeeze().shape().vec(), (Ints{2, 3}));
  EXPECT_EQ(x.squeeze(-2).shape().vec(), (Ints{1, 2, 3}));
  EXPECT_EQ(x.squeeze(1).shape().vec(), (Ints{1, 2, 1, 3}));
  EXPECT_EQ(number().squeeze(-1).dim(), 0);
  EXPECT_EQ(zeros({1, 1}).squeeze().dim(), 0);
}

TEST(Squeeze, RefusesDimensionsOutOfRange) {
  expect_error(ErrorKind::index,
               "Dimension out of range (expected to be in range of [-3, 2], but got 3)",
               [] { grid().unsqueeze(3); });
  expect_error(ErrorKind::index,
               "Dimension out of range (expected to be in range of [-3, 2], but got -4)",
               [] { grid().unsqueeze(-4); });
  expect_error(ErrorKind::index,
               "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
               [] { number().squeeze(1); });
}

// ---- expand ------------------------------------------------------------------------------------

TEST(Expand, RepeatsWithoutCopying) {
  expect_layout(number().expand({2, 2}), {2, 2}, {0, 0});
  expect_layout(grid().expand({4, -1, 3}), {4, 2, 3}, {0, 3, 1});
  expect_layout(grid().expand({1, 2, 3}), {1, 2, 3}, {6, 3, 1});
  expect_layout(zeros({1, 3}).expand({0, 3}), {0, 3}, {0, 1});
  const Tensor x = tensor({1, 2}).unsqueeze(1);
  expect_values(x.expand({2, 3}), {2, 3}, {1, 1, 1, 2, 2, 2});
  expect_values(x.expand_as(zeros({2, 2})), {2, 2}, {1, 1, 2, 2});
  expect_values(broadcast_to(x, {2, 2}), {2, 2}, {1, 1, 2, 2});
  EXPECT_TRUE(x.expand({2, 3}).shares_storage(x));
}

TEST(Expand, RefusesSizesThatDoNotFit) {
  expect_error(ErrorKind::shape,
               "The expanded size of the tensor (3) must match the existing size (2) at "
               "non-singleton dimension 0.  Target sizes: [3, 3].  Tensor sizes: [2, 3]",
               [] {
                 grid().expand({3, 3});
               });
  expect_error(ErrorKind::shape,
               "The expanded size of the tensor (-2) must match the existing size (3) at "
               "non-singleton dimension 1.  Target sizes: [2, -2].  Tensor sizes: [2, 3]",
               [] {
                 grid().expand({2, -2});
               });
  expect_error(ErrorKind::shape,
               "expand(torch.LongTensor{[2, 3]}, size=[3]): the number of sizes provided (1) must "
               "be greater or equal to the number of dimensions in the tensor (2)",
               [] { grid().expand({3}); });
  expect_error(ErrorKind::shape,
               "expand(CPUBoolType{[2, 3]}, size=[3]): the number of sizes provided (1) must be "
               "greater or equal to the number of dimensions in the tensor (2)",
               [] {
                 zeros({2, 3}, boolean).expand({3});
               });
  expect_error(ErrorKind::shape,
               "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing "
               "dimension 0",
               [] {
                 grid().expand({-1, 2, 3});
               });
}

TEST(BroadcastTensors, MeetInTheCommonShape) {
  const std::vector<Tensor> all = broadcast_tensors({grid(), tensor({7, 8, 9}), number()});
  ASSERT_EQ(all.size(), 3u);
  expect_values(all[0], {2, 3}, {0, 1, 2, 3, 4, 5});
  expect_values(all[1], {2, 3}, {7, 8, 9, 7, 8, 9});
  expect_values(all[2], {2, 3}, {5, 5, 5, 5, 5, 5});
  EXPECT_TRUE(broadcast_tensors({}).empty());
  expect_error(ErrorKind::shape,
               "The size of tensor a (3) must match the size of tensor b (2) at non-singleton "
               "dimension 1",
               [] {
                 broadcast_tensors({grid(), zeros({2, 2})});
               });
}

// ---- parts -------------------------------------------------------------------------------------

TEST(Select, DropsADimension) {
  expect_values(grid().select(0, 1), {3}, {3, 4, 5});
  expect_values(grid().select(-1, -1), {2}, {2, 5});
  expect_values(grid()[1][2], {}, {5});
}

TEST(Select, RefusesIndicesOutOfRange) {
  expect_error(ErrorKind::index,
               "select(): index 2 out of range for tensor of size [2, 3] at dimension 0",
               [] { grid().select(0, 2); });
  expect_error(ErrorKind::index,
               "select(): index -4 out of range for tensor of size [2, 3] at dimension 1",
               [] { grid().select(-1, -4); });
  expect_error(ErrorKind::index, "select() cannot be applied to a 0-dim tensor.",
               [] { number().select(0, 0); });
}

TEST(Narrow, KeepsARun) {
  expect_values(grid().narrow(1, 1, 2), {2, 2}, {1, 2, 4, 5});
  expect_values(grid().narrow(-2, -1, 1), {1, 3}, {3, 4, 5});
  EXPECT_EQ(grid().narrow(0, 2, 0).shape().vec(), (Ints{0, 3}));
}

TEST(Narrow, RefusesRunsPastTheEnd) {
  expect_error(ErrorKind::shape, "start (0) + length (3) exceeds dimension size (2).",
               [] { grid().narrow(0, 0, 3); });
  expect_error(ErrorKind::shape,
               "start (1) + length (9223372036854775807) exceeds dimension size (2).",
               [] { grid().narrow(0, -1, INT64_MAX); });
  expect_error(ErrorKind::index,
               "start out of range (expected to be in range of [-2, 2], but got 3)",
               [] { grid().narrow(0, 3, 0); });
  expect_error(ErrorKind::value, "narrow(): length must be non-negative.",
               [] { grid().narrow(0, 0, -1); });
  expect_error(ErrorKind::shape, "narrow() cannot be applied to a 0-dim tensor.",
               [] { number().narrow(0, 0, 1); });
}

TEST(Slice, CountsAsPythonDoes) {
  const Tensor x = arange(10);
  EXPECT_EQ(x.slice(0).to_vector<int64_t>(), x.to_vector<int64_t>());
  expect_values(x.slice(0, 2, 5), {3}, {2, 3, 4});
  expect_values(x.slice(0, -3), {3}, {7, 8, 9});
  expect_values(x.slice(-1, {}, -7), {3}, {0, 1, 2});
  expect_values(x.slice(0, 1, 9, 3), {3}, {1, 4, 7});
  expect_values(x.slice(0, 1, 8, 3), {3}, {1, 4, 7});
  expect_values(x.slice(0, 1, 7, 3), {2}, {1, 4});
  expect_values(x.slice(0, -100, 100, 4), {3}, {0, 4, 8});
  expect_values(x.slice(0, 5, 2), {0}, {});
  expect_values(x.slice(0, 50, 70), {0}, {});
  expect_values(x.slice(0, 8, {}, INT64_MAX), {1}, {8});
  expect_values(x.slice(0, INT64_MIN, INT64_MAX, 9), {2}, {0, 9});
  expect_values(grid().slice(1, {}, {}, 2), {2, 2}, {0, 2, 3, 5});
}

TEST(Slice, RefusesStepsBackward) {
  expect_error(ErrorKind::value, "slice step must be positive", [] { grid().slice(0, {}, {}, 0); });
  expect_error(ErrorKind::value, "slice step must be positive",
               [] { grid().slice(0, {}, {}, -1); });
  expect_error(ErrorKind::index, "slice() cannot be applied to a 0-dim tensor.",
               [] { number().slice(0); });
}

TEST(Views, WriteThroughToTheirBase) {
  Tensor x = zeros({3, 4}, int64);
  x.t().select(0, 2).slice(0, 1).fill_(9);
  expect_values(x, {3, 4}, {0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 9, 0});
}

TEST(Views, OfDeferredTensorsShowItsElements) {
  const Tensor x = arange(24).reshape({2, 3, 4});
  const auto chain = [](const Tensor& v) {
    return v.transpose(0, 2)
        .slice(0, 1, {}, 2)
        .narrow(1, 1, 2)
        .unsqueeze(0)
        .expand({2, -1, -1, -1});
  };
  const Tensor want = chain(x) + 1;
  const Tensor got = chain(x + 1);
  EXPECT_EQ(got.shape().vec(), (Ints{2, 2, 2, 2}));
  EXPECT_EQ(got.to_vector<int64_t>(), want.to_vector<int64_t>());
}

TEST(Views, DoNotComputeADeferredTensor) {
  if (eager_mode()) GTEST_SKIP() << "nothing is deferred";
  const Tensor x = grid() + 1;
  x.view({6}).slice(0, 2).unsqueeze(0).expand({5, -1}).squeeze();
  EXPECT_TRUE(x.is_deferred());
}

// ---- copies ------------------------------------------------------------------------------------

TEST(Clone, HasMemoryOfItsOwn) {
  const Tensor x = grid();
  Tensor y = x.clone();
  EXPECT_FALSE(y.shares_storage(x));
  y.fill_(0);
  expect_values(x, {2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_TRUE(x.detach().shares_storage(x));
}

TEST(Clone, KeepsValuesOfEveryDTypeAndLayout) {
  for (DType dtype : kAllDTypes) {
    const Tensor plain = operand(dtype, {3, 5, 4}, 7);
    for (LayoutKind kind : kLayoutKinds) {
      const std::optional<Tensor> x = with_layout(kind, plain);
      if (!x) continue;
      SCOPED_TRACE(std::string(name(dtype)) + " " + layout_name(kind));
      const Tensor copy = x->clone();
      EXPECT_TRUE(copy.is_contiguous());
      EXPECT_TRUE(equal(copy.isnan(), plain.isnan()));
      EXPECT_TRUE(equal(where(plain.isnan(), 0, copy), where(plain.isnan(), 0, plain)));
      EXPECT_EQ(copy.to_string(), plain.to_string());
      EXPECT_EQ(x->contiguous().to_string(), plain.to_string());
      EXPECT_EQ(x->reshape({5, 12}).to_string(), plain.reshape({5, 12}).to_string());
    }
  }
}

TEST(Contiguous, CopiesOnlyIfItMust) {
  const Tensor x = grid();
  EXPECT_TRUE(x.contiguous().shares_storage(x));
  EXPECT_FALSE(x.t().contiguous().shares_storage(x));
  expect_layout(x.t().contiguous(), {3, 2}, {2, 1});
  expect_values(x.t().contiguous(), {3, 2}, {0, 3, 1, 4, 2, 5});
}

TEST(To, ConvertsAsCasting) {
  const Tensor x = tensor({-1.5, 0.0, 2.75});
  EXPECT_TRUE(x.to(float32).shares_storage(x));
  expect_values(x.to(int64), {3}, {-1, 0, 2});
  expect_values(x.to_bool().to_int(), {3}, {1, 0, 1});
  EXPECT_EQ(tensor({1.0, 0.333}).to_half().to_vector<double>(),
            (std::vector<double>{1.0, 0.3330078125}));
  EXPECT_EQ(x.type_as(grid()).dtype(), int64);
}

}  // namespace
}  // namespace tamis
