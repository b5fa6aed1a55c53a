// Views and copies of one tensor: what they show, what they share, what they refuse.
#include "core/tensor_impl.h"
#include "support/layouts.h"
#include "support/pointwise_cases.h"

namespace tamis {
namespace {

using namespace testing;
using Ints = std::vector<int64_t>;

Tensor grid() { return arange(6).reshape({2, 3}); }
Tensor number() { return tensor(5); }

void expect_values(const Tensor& x, const Shape& shape, const Ints& values) {
  EXPECT_EQ(x.shape().vec(), shape.vec());
  EXPECT_EQ(x.to_vector<int64_t>(), values);
}

void expect_layout(const Tensor& x, const Shape& shape, const Shape& strides) {
  EXPECT_EQ(x.shape().vec(), shape.vec());
  EXPECT_EQ(x.strides().vec(), strides.vec());
}

/// The element at the given place, read through the layout.
int64_t element(const Tensor& x, const Ints& at) {
  int64_t offset = 0;
  for (size_t i = 0; i < at.size(); ++i) offset += at[i] * x.strides()[i];
  return x.data<int64_t>()[offset];
}

// ---- view and reshape --------------------------------------------------------------------------

struct ViewCase {
  Shape sizes, strides, view;
  std::optional<Shape> want;  // PyTorch's strides, or nothing where it refuses
};

TEST(View, FindsPyTorchsStrides) {
  const ViewCase cases[] = {
      {{2, 3, 4}, {12, 4, 1}, {6, 4}, Shape{4, 1}},
      {{2, 3, 4}, {12, 4, 1}, {2, 12}, Shape{12, 1}},
      {{2, 3, 4}, {12, 4, 1}, {4, 3, 2}, Shape{6, 2, 1}},
      {{2, 3, 4}, {12, 4, 1}, {24}, Shape{1}},
      {{2, 3, 4}, {24, 8, 2}, {24}, Shape{2}},
      {{2, 3, 4}, {24, 8, 2}, {6, 4}, Shape{8, 2}},
      {{2, 3, 4}, {24, 4, 1}, {2, 12}, Shape{24, 1}},
      {{2, 3, 4}, {24, 4, 1}, {6, 4}, std::nullopt},
      {{2, 3, 4}, {24, 4, 1}, {2, 2, 6}, Shape{24, 6, 1}},
      {{3, 2}, {1, 3}, {6}, std::nullopt},
      {{3, 2}, {1, 3}, {3, 1, 2}, Shape{1, 6, 3}},
      {{3, 2}, {1, 3}, {1, 3, 2, 1}, Shape{3, 1, 3, 3}},
      {{4, 6}, {1, 4}, {2, 2, 6}, Shape{2, 1, 4}},
      {{4, 6}, {1, 4}, {2, 2, 2, 3}, Shape{2, 1, 12, 4}},
      {{4, 6}, {1, 4}, {4, 2, 3}, Shape{1, 12, 4}},
      {{4, 6}, {1, 4}, {8, 3}, std::nullopt},
      {{2, 3}, {0, 0}, {6}, Shape{0}},
      {{2, 3}, {0, 1}, {6}, std::nullopt},
      {{2, 3}, {0, 1}, {2, 3, 1}, Shape{0, 1, 1}},
      {{1, 3, 1}, {100, 1, 50}, {3}, Shape{1}},
      {{3, 1, 4}, {4, 77, 1}, {12}, Shape{1}},
      {{1, 1}, {5, 9}, {1}, Shape{9}},
      {{1, 1}, {5, 9}, {1, 1, 1}, Shape{9, 9, 9}},
      {{2, 2, 2}, {1, 2, 4}, {8}, std::nullopt},
      {{2, 2, 2}, {1, 2, 4}, {2, 4}, std::nullopt},
      {{5, 4}, {8, 2}, {5, 2, 2}, Shape{8, 4, 2}},
      {{5, 4}, {8, 2}, {10, 2}, Shape{4, 2}},
      {{5, 4}, {9, 2}, {10, 2}, std::nullopt},
      {{}, {}, {1, 1}, Shape{1, 1}},
      {{0, 3}, {3, 1}, {3, 0}, Shape{1, 1}},
      {{0, 3}, {7, 2}, {0, 3}, Shape{7, 2}},
      {{2, 0, 3}, {9, 9, 9}, {5, 0}, Shape{1, 1}},
  };
  const Tensor base = arange(200);
  for (const ViewCase& c : cases) {
    SCOPED_TRACE(to_string(c.sizes) + to_string(c.strides) + " as " + to_string(c.view));
    const Tensor x = make_view(base, {c.sizes, c.strides, 3});
    const Ints values = x.to_vector<int64_t>();
    expect_values(x.reshape(c.view), c.view, values);
    EXPECT_EQ(x.reshape(c.view).shares_storage(x), c.want.has_value());
    if (c.want) {
      expect_layout(x.view(c.view), c.view, *c.want);
      EXPECT_EQ(x.view(c.view).storage_offset(), 3);
      expect_values(x.view(c.view), c.view, values);
    } else {
      expect_error(ErrorKind::shape,
                   "view size is not compatible with input tensor's size and stride (at least one "
                   "dimension spans across two contiguous subspaces). Use .reshape(...) instead.",
                   [&] { x.view(c.view); });
    }
  }
}

TEST(View, SharesMemory) {
  const Tensor x = zeros({2, 3}, int64);
  x.view({3, 2}).mutable_data<int64_t>()[5] = 7;
  EXPECT_EQ(element(x, {1, 2}), 7);
}

TEST(View, AssigningToWhatACallReturnsWritesThroughIt) {
  Tensor x = zeros({2, 3}, int64);
  x[0] = 5;
  x.select(1, 2) = tensor({7, 8});
  EXPECT_EQ(x.to_vector<int64_t>(), (std::vector<int64_t>{5, 5, 7, 0, 0, 8}));
  Tensor row = x[1];
  row = tensor({1});  // a named handle is rebound
  EXPECT_EQ(x[1].to_vector<int64_t>(), (std::vector<int64_t>{0, 0, 8}));
}

TEST(View, InfersOneSize) {
  expect_values(grid().view({-1}), {6}, {0, 1, 2, 3, 4, 5});
  expect_values(grid().reshape({3, -1}), {3, 2}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(number().view({-1}).shape().vec(), Ints{1});
  EXPECT_EQ(grid().narrow(0, 0, 1).narrow(1, 0, 1).view({}).shape().vec(), Ints{});
  EXPECT_EQ(zeros({0, 3}).view({-1, 3}).shape().vec(), (Ints{0, 3}));
}

TEST(View, RefusesShapesThatDoNotFit) {
  for (bool copying : {false, true}) {
    const auto shaped = [&](const Tensor& x, const Shape& s) {
      return [=] { copying ? x.reshape(s) : x.view(s); };
    };
    expect_error(ErrorKind::shape, "shape '[4, 2]' is invalid for input of size 6",
                 shaped(grid(), {4, 2}));
    expect_error(ErrorKind::shape, "shape '[-1, 4]' is invalid for input of size 6",
                 shaped(grid(), {-1, 4}));
    expect_error(ErrorKind::shape, "shape '[]' is invalid for input of size 6", shaped(grid(), {}));
    expect_error(ErrorKind::shape, "only one dimension can be inferred", shaped(grid(), {-1, -1}));
    expect_error(ErrorKind::shape, "invalid shape dimension -2", shaped(grid(), {-2, 3}));
    expect_error(ErrorKind::shape,
                 "cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified "
                 "dimension size -1 can be any value and is ambiguous",
                 shaped(zeros({0, 3}), {-1, 0}));
  }
}

TEST(View, RefusesProductsPast64Bits) {
  const int64_t big = int64_t{1} << 62;
  EXPECT_THROW(number().view({big, 4, 1}), Error);
  EXPECT_THROW(number().expand({big, 4, 4}), Error);
}

TEST(Flatten, MergesARange) {
  const Tensor x = arange(24).reshape({2, 3, 4});
  EXPECT_EQ(x.flatten().shape().vec(), Ints{24});
  EXPECT_EQ(x.flatten(1).shape().vec(), (Ints{2, 12}));
  EXPECT_EQ(x.flatten(0, -2).shape().vec(), (Ints{6, 4}));
  EXPECT_EQ(x.flatten(-1, -1).shape().vec(), (Ints{2, 3, 4}));
  EXPECT_EQ(number().flatten().shape().vec(), Ints{1});
  EXPECT_EQ(zeros({0, 3, 2}).flatten(1).shape().vec(), (Ints{0, 6}));
  expect_values(grid().t().flatten(), {6}, {0, 3, 1, 4, 2, 5});
}

TEST(Flatten, RefusesARangeThatIsNone) {
  expect_error(ErrorKind::value, "flatten() has invalid args: start_dim cannot come after end_dim",
               [] { grid().flatten(1, 0); });
  expect_error(ErrorKind::index,
               "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
               [] { number().flatten(1); });
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
