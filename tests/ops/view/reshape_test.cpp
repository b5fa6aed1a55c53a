// Views in another shape: what they show, what they refuse.
#include "core/tensor_impl.h"
#include "support/pointwise_cases.h"
#include "support/view_cases.h"

namespace tamis {
namespace {

using namespace testing;
using Ints = std::vector<int64_t>;

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

}  // namespace
}  // namespace tamis
