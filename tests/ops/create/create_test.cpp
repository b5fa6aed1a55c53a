// Creation: values, dtypes and refusals of the functions that make tensors.
#include <cmath>
#include <functional>

#include "support/pointwise_cases.h"

namespace tamis {
namespace {

using namespace testing;
using Ints = std::vector<int64_t>;
using Doubles = std::vector<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();

void expect_tensor(const Tensor& x, DType dtype, const Shape& shape, const Doubles& values) {
  EXPECT_STREQ(name(x.dtype()), name(dtype));
  EXPECT_EQ(x.shape().vec(), shape.vec());
  EXPECT_EQ(x.to_vector<double>(), values);
}

// ---- from values -------------------------------------------------------------------------------

TEST(TensorOf, NestedListsHaveTheirShapeAndPyTorchsDType) {
  expect_tensor(tensor({{1, 2}, {3, 4}}), int64, {2, 2}, {1, 2, 3, 4});
  expect_tensor(tensor({1.5, 2.0}), float32, {2}, {1.5, 2});
  expect_tensor(tensor({1.5f}), float32, {1}, {1.5});
  expect_tensor(tensor({true, false}), boolean, {2}, {1, 0});
  expect_tensor(tensor({1, true}), int64, {2}, {1, 1});
  expect_tensor(tensor({1, 2.5}), float32, {2}, {1, 2.5});
  expect_tensor(tensor({{{1}, {2}}}), int64, {1, 2, 1}, {1, 2});
  expect_tensor(tensor(7), int64, {}, {7});
  expect_tensor(tensor(0.5), float32, {}, {0.5});
  expect_tensor(tensor({}), float32, {0}, {});
  expect_tensor(tensor({{}, {}}), float32, {2, 0}, {});
  expect_tensor(tensor({uint8_t{3}}), int64, {1}, {3});
}

TEST(TensorOf, NestedListsTakeAGivenDType) {
  expect_tensor(tensor({1, 2}, float16), float16, {2}, {1, 2});
  expect_tensor(tensor({2.7, -2.7}, int64), int64, {2}, {2, -2});
  expect_tensor(tensor({-1, -255}, uint8), uint8, {2}, {255, 1});
  expect_tensor(tensor({0.5, 0.0}, boolean), boolean, {2}, {1, 0});
  expect_tensor(tensor({1e300}, float32), float32, {1}, {kInf});
  EXPECT_EQ(tensor({INT64_MAX}).item<int64_t>(), INT64_MAX);
}

TEST(TensorOf, RefusesRaggedLists) {
  expect_error(ErrorKind::shape, "expected sequence of length 2 at dim 1 (got 1)", [] {
    tensor({{1, 2}, {3}});
  });
  expect_error(ErrorKind::shape, "expected sequence of length 2 at dim 2 (got 3)", [] {
    tensor({{{1, 2}, {3, 4, 5}}, {{1, 2}, {3, 4}}});
  });
  expect_error(ErrorKind::shape, "expected sequence of length 2 at dim 1 (got a number)", [] {
    tensor({{1, 2}, 3});
  });
  expect_error(ErrorKind::shape, "expected a number at dim 1 (got a sequence of length 2)", [] {
    tensor({3, {1, 2}});
  });
}

TEST(TensorOf, RefusesIntegersThatDoNotFit) {
  expect_error(ErrorKind::value, "value cannot be converted to type uint8 without overflow",
               [] { tensor({300}, uint8); });
  expect_error(ErrorKind::value, "value cannot be converted to type int64 without overflow",
               [] { tensor({kInf}, int64); });
  expect_error(ErrorKind::value, "value cannot be converted to type int32 without overflow",
               [] { tensor({1e10}, int32); });
}

TEST(TensorOf, VectorsAndSpansKeepTheirType) {
  expect_tensor(tensor(std::vector<float>{1, 2, 3}), float32, {3}, {1, 2, 3});
  expect_tensor(tensor(std::vector<double>{1, 2, 3, 4}, Shape{2, 2}), float64, {2, 2},
                {1, 2, 3, 4});
  expect_tensor(tensor(std::vector<bool>{true, false, true}), boolean, {3}, {1, 0, 1});
  expect_tensor(tensor(std::vector<Half>{1.5f}), float16, {1}, {1.5});
  const int8_t values[] = {-1, 2};
  expect_tensor(tensor(std::span<const int8_t>(values)), int8, {2}, {-1, 2});
  expect_tensor(tensor(std::vector<int32_t>{}), int32, {0}, {});
  expect_error(ErrorKind::shape, "shape '[2, 2]' is invalid for input of size 3", [] {
    tensor(std::vector<int32_t>{1, 2, 3}, Shape{2, 2});
  });
}

TEST(FromData, Copies) {
  int32_t values[] = {1, 2, 3, 4};
  const Tensor x = from_data(values, {2, 2}, int32);
  values[0] = 9;
  expect_tensor(x, int32, {2, 2}, {1, 2, 3, 4});
}

TEST(FromBlob, SharesTheMemoryAndGivesItBackOnce) {
  float values[] = {1, 2, 3, 4, 5, 6};
  int calls = 0;
  {
    Tensor view;
    {
      const Tensor x = from_blob(
          values, {2, 2}, float32, [&](void* p) { calls += p == values; }, Shape{3, 1});
      expect_tensor(x, float32, {2, 2}, {1, 2, 4, 5});
      view = x.select(0, 1);
    }
    EXPECT_EQ(calls, 0);
    view.fill_(7);
    EXPECT_EQ(values[3], 7);
    EXPECT_EQ(values[5], 6);
  }
  EXPECT_EQ(calls, 1);
}

TEST(FromBlob, TakesNothingFromNowhere) {
  int calls = 0;
  {
    const Tensor x = from_blob(nullptr, {0, 3}, int64, [&](void* p) { calls += p == nullptr; });
    EXPECT_EQ(x.numel(), 0);
    EXPECT_FALSE(x.is_deferred());
  }
  EXPECT_EQ(calls, 1);
}

TEST(FromBlob, RefusesBadLayouts) {
  alignas(8) char bytes[64] = {};
  expect_error(ErrorKind::unsupported,
               "from_blob: negative strides are not supported, got strides [-1]",
               [&] { from_blob(bytes, {2}, int8, {}, Shape{-1}); });
  expect_error(ErrorKind::value, "from_blob: got 1 strides for 2 dimensions", [&] {
    from_blob(bytes, {2, 2}, int8, {}, Shape{1});
  });
  expect_error(ErrorKind::value, "from_blob: data is not aligned to the 4 bytes of float32",
               [&] { from_blob(bytes + 1, {2}, float32); });
  expect_error(ErrorKind::value, "from_blob: data is a null pointer",
               [&] { from_blob(nullptr, {2}, float32); });
}

// ---- constants ---------------------------------------------------------------------------------

TEST(Constants, FillEveryDType) {
  for (DType dtype : kAllDTypes) {
    for (const Shape& shape :
         {Shape{}, Shape{0, 2}, Shape{3}, Shape{2, 70, 41}, Shape{3, 64, 65}}) {
      SCOPED_TRACE(std::string(name(dtype)) + to_string(shape));
      const auto n = static_cast<size_t>(numel(shape));
      expect_tensor(zeros(shape, dtype), dtype, shape, Doubles(n, 0));
      expect_tensor(ones(shape, dtype), dtype, shape, Doubles(n, 1));
      const double three = dtype == boolean ? 1 : 3;
      expect_tensor(full(shape, 3, dtype), dtype, shape, Doubles(n, three));
      EXPECT_EQ(empty(shape, dtype).shape().vec(), shape.vec());
    }
  }
}

TEST(Constants, FullTakesTheDTypeOfItsNumber) {
  expect_tensor(full({2}, 5), int64, {2}, {5, 5});
  expect_tensor(full({2}, true), boolean, {2}, {1, 1});
  expect_tensor(full({2}, 5.5), float32, {2}, {5.5, 5.5});
  expect_tensor(full({2}, -1, uint8), uint8, {2}, {255, 255});
  expect_tensor(full({2}, 2.7, int32), int32, {2}, {2, 2});
  expect_tensor(full({1}, kInf, float16), float16, {1}, {kInf});
}

TEST(Constants, FullRefusesNumbersThatDoNotFit) {
  const std::pair<DType, const char*> names[] = {
      {uint8, "uint8_t"}, {int8, "int8_t"},      {int16, "int16_t"},         {int32, "int"},
      {int64, "int64_t"}, {float16, "at::Half"}, {bfloat16, "at::BFloat16"}, {float32, "float"}};
  for (const auto& [dtype, text] : names) {
    expect_error(ErrorKind::value,
                 std::string("value cannot be converted to type ") + text + " without overflow",
                 [d = dtype] { full({2}, 1e300, d); });
  }
  for (Scalar v : {Scalar(300), Scalar(-256), Scalar(-0.5), Scalar(255.9), Scalar(std::nan(""))}) {
    EXPECT_THROW(full({2}, v, uint8), Error) << v.to_double();
  }
  EXPECT_THROW(full({2}, 127.9, int8), Error);
  EXPECT_THROW(full({2}, 65505, float16), Error);
  EXPECT_THROW(full({2}, 0x1p63, int64), Error);
}

TEST(Constants, LikeTakesShapeAndDType) {
  const Tensor x = zeros({2, 3}, int8).t();
  expect_tensor(zeros_like(x), int8, {3, 2}, Doubles(6, 0));
  expect_tensor(ones_like(x, float64), float64, {3, 2}, Doubles(6, 1));
  expect_tensor(full_like(x, 2.5), int8, {3, 2}, Doubles(6, 2));
  EXPECT_EQ(empty_like(x, boolean).dtype(), boolean);
  EXPECT_EQ(empty_like(x).shape().vec(), (Ints{3, 2}));
}

TEST(Constants, RefuseImpossibleSizes) {
  expect_error(ErrorKind::shape, "Trying to create tensor with negative dimension -3: [2, -3]", [] {
    zeros({2, -3});
  });
  const int64_t big = int64_t{1} << 40;
  expect_error(ErrorKind::shape,
               "Storage size calculation overflowed with sizes=[1099511627776, 1099511627776]",
               [=] {
                 zeros({big, big});
               });
  EXPECT_THROW(empty({0, big, big}), Error);
}

// ---- ranges ------------------------------------------------------------------------------------

TEST(Arange, InfersTheDType) {
  expect_tensor(arange(5), int64, {5}, {0, 1, 2, 3, 4});
  expect_tensor(arange(2.5), float32, {3}, {0, 1, 2});
  expect_tensor(arange(true), int64, {1}, {0});
  expect_tensor(arange(5, 0, -2), int64, {3}, {5, 3, 1});
  expect_tensor(arange(1, 2, 0.25), float32, {4}, {1, 1.25, 1.5, 1.75});
  expect_tensor(arange(0), int64, {0}, {});
  expect_tensor(arange(0, 5.5, kInf), float32, {0}, {});
}

TEST(Arange, HasPyTorchsSizeAndValuesInEveryDType) {
  const Doubles half = {1, 1.7001953125, 2.400390625, 3.099609375};
  for (DType dtype : {uint8, uint16, uint32, uint64, int8, int16, int32, int64}) {
    expect_tensor(arange(3, dtype), dtype, {3}, {0, 1, 2});
    expect_tensor(arange(-2, 3, 2, int64), int64, {3}, {-2, 0, 2});
  }
  expect_tensor(arange(1, 3.5, 0.7, float16), float16, {4}, half);
  expect_tensor(arange(1, 3.5, 0.7, bfloat16), bfloat16, {4}, {1, 1.703125, 2.40625, 3.09375});
  expect_tensor(arange(1e3, 2e3, 3e2, uint8), uint8, {4}, {232, 20, 64, 108});
  // Fractions are cut off first; the size of int64 is computed after that, of the others before.
  expect_tensor(arange(0.5, 5, 1.5, int64), int64, {5}, {0, 1, 2, 3, 4});
  expect_tensor(arange(0.5, 5, 1.5, int32), int32, {3}, {0, 1, 2});
  EXPECT_EQ(arange(int64_t{1} << 62, (int64_t{1} << 62) + 3).to_vector<int64_t>(),
            (Ints{4611686018427387904, 4611686018427387905, 4611686018427387906}));
  EXPECT_EQ(arange(0, INT64_MAX, int64_t{1} << 62).to_vector<int64_t>(),
            (Ints{0, int64_t{1} << 62}));
  EXPECT_EQ(arange(0.0, 1.0, 0.1).numel(), 10);
}

TEST(Arange, RefusesImpossibleRanges) {
  expect_error(ErrorKind::value, "step must be nonzero", [] { arange(0, 5, 0); });
  expect_error(ErrorKind::value, "step must be nonzero", [] { arange(0, 5, std::nan("")); });
  expect_error(ErrorKind::value, "step must be nonzero", [] { arange(0, 5, 0.5, int64); });
  expect_error(ErrorKind::value, "upper bound and larger bound inconsistent with step sign",
               [] { arange(5, 2); });
  expect_error(ErrorKind::value, "upper bound and larger bound inconsistent with step sign",
               [] { arange(0, 5, -1); });
  expect_error(ErrorKind::value, "unsupported range: 0 -> inf", [] { arange(0, kInf); });
  expect_error(ErrorKind::value, "unsupported range: 0.5 -> nan",
               [] { arange(0.5, std::nan("")); });
  expect_error(ErrorKind::value, "invalid size, possible overflow?", [] { arange(0, 1, 1e-20); });
  expect_error(ErrorKind::dtype, "\"arange_cpu\" not implemented for 'Bool'",
               [] { arange(2, boolean); });
}

TEST(Linspace, IncludesBothEnds) {
  expect_tensor(linspace(0, 1, 5), float32, {5}, {0, 0.25, 0.5, 0.75, 1});
  expect_tensor(linspace(3, 5, 1), float32, {1}, {3});
  expect_tensor(linspace(3, 5, 2), float32, {2}, {3, 5});
  expect_tensor(linspace(0, 1, 0), float32, {0}, {});
  expect_tensor(linspace(-3, 10, 6, int32), int32, {6}, {-3, 0, 2, 4, 7, 10});
  expect_tensor(linspace(1, 3.5, 7, uint8), uint8, {7}, {1, 1, 1, 2, 2, 2, 3});
  expect_tensor(linspace(0, 10, 4, float64), float64, {4}, {0, 10.0 / 3, 10 - 10.0 / 3, 10});
  const Doubles x = linspace(0.1, 0.7, 1001).to_vector<double>();
  EXPECT_EQ(x.front(), 0.1f);
  EXPECT_EQ(x.back(), 0.7f);
  EXPECT_TRUE(std::is_sorted(x.begin(), x.end()));
}

TEST(Linspace, IsSymmetric) {
  const Tensor x = linspace(-1, 1, 50);
  const Doubles values = x.to_vector<double>();
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], -values[49 - i]);
}

TEST(Linspace, RefusesImpossibleArguments) {
  expect_error(ErrorKind::value, "number of steps must be non-negative",
               [] { linspace(0, 1, -1); });
  expect_error(ErrorKind::dtype, "\"linspace_cpu\" not implemented for 'Bool'",
               [] { linspace(0, 1, 2, boolean); });
  expect_error(ErrorKind::value, "value cannot be converted to type int8_t without overflow",
               [] { linspace(1, 300, 3, int8); });
}

// ---- matrices ----------------------------------------------------------------------------------

TEST(Eye, HasOnesOnTheDiagonal) {
  expect_tensor(eye(2), float32, {2, 2}, {1, 0, 0, 1});
  expect_tensor(eye(2, 3, boolean), boolean, {2, 3}, {1, 0, 0, 0, 1, 0});
  expect_tensor(eye(3, 2, float16), float16, {3, 2}, {1, 0, 0, 1, 0, 0});
  expect_tensor(eye(0), float32, {0, 0}, {});
  expect_tensor(eye(3, 0), float32, {3, 0}, {});
  expect_error(ErrorKind::value, "n must be greater or equal to 0, got -1", [] { eye(-1); });
  expect_error(ErrorKind::value, "m must be greater or equal to 0, got -1", [] { eye(2, -1); });
}

TEST(Triangle, KeepsOneSideOfEveryDiagonal) {
  const Tensor x = arange(1, 25).reshape({2, 3, 4});
  const Ints values = x.to_vector<int64_t>();
  for (int64_t diagonal : {INT64_MIN, int64_t{-4}, int64_t{-3}, int64_t{-1}, int64_t{0}, int64_t{1},
                           int64_t{3}, int64_t{4}, int64_t{9}, INT64_MAX}) {
    const Ints low = tril(x, diagonal).to_vector<int64_t>();
    const Ints high = triu(x, diagonal).to_vector<int64_t>();
    for (int64_t i = 0; i < 24; ++i) {
      const int64_t row = i / 4 % 3, col = i % 4;
      EXPECT_EQ(low[i], col - row <= diagonal ? values[i] : 0) << diagonal << " at " << i;
      EXPECT_EQ(high[i], col - row >= diagonal ? values[i] : 0) << diagonal << " at " << i;
    }
  }
}

TEST(Triangle, WorksForEveryDTypeAndOnViews) {
  for (DType dtype : kAllDTypes) {
    expect_tensor(tril(ones({2, 2}, dtype)), dtype, {2, 2}, {1, 0, 1, 1});
    expect_tensor(triu(ones({2, 2}, dtype), 1), dtype, {2, 2}, {0, 1, 0, 0});
  }
  expect_tensor(tril(arange(6).reshape({2, 3}).t()), int64, {3, 2}, {0, 0, 1, 4, 2, 5});
  expect_tensor(tril(tensor({1, 2}).expand({2, 2})), int64, {2, 2}, {1, 0, 1, 2});
  expect_tensor(tril(zeros({2, 0, 3})), float32, {2, 0, 3}, {});
}

TEST(Triangle, DropsNaNAndInfinity) {
  const Tensor x = full({2, 2}, std::nan(""));
  EXPECT_EQ(triu(x, 1).to_string(), "tensor([[0., nan],\n        [0., 0.]])");
  EXPECT_EQ(tril(full({2, 2}, -kInf)).to_string(), "tensor([[-inf, 0.],\n        [-inf, -inf]])");
}

TEST(Triangle, IsACopy) {
  Tensor x = ones({2, 2});
  const Tensor low = tril(x);
  x.fill_(5);
  expect_tensor(low, float32, {2, 2}, {1, 0, 1, 1});
}

TEST(Triangle, RefusesVectors) {
  expect_error(ErrorKind::index,
               "Dimension out of range (expected to be in range of [-1, 0], but got -2)",
               [] { tril(zeros({3})); });
  expect_error(ErrorKind::index, "Dimension specified as -2 but tensor has no dimensions",
               [] { triu(tensor(1)); });
}

// ---- when memory is taken -----------------------------------------------------------------------

class Recipes : public ::testing::Test {
 protected:
  /// The bytes that calling f allocates.
  static int64_t allocated_by(const std::function<void()>& f) {
    const int64_t before = memory_stats().allocated_bytes;
    f();
    return memory_stats().allocated_bytes - before;
  }
  static constexpr int64_t kMany = 1 << 20;
  const testing::ModeGuard deferred{false};
};

TEST_F(Recipes, TakeNoMemoryUntilItIsNeeded) {
  const auto make = [] {
    return std::vector<Tensor>{zeros({kMany}), ones({kMany}), full({kMany}, 2.5f),
                               eye(1024),      arange(kMany), arange(7, 7 + 3 * kMany, 3, int32)};
  };
  EXPECT_LT(allocated_by([&] { make(); }), 4096);
  for (const Tensor& x : make()) {
    EXPECT_TRUE(x.is_deferred());
    EXPECT_GE(allocated_by([&] { x.settle(); }), kMany);
  }
}

TEST_F(Recipes, AreFused) {
  const Tensor x = ones({kMany}).clone();
  EXPECT_LT(allocated_by([&] {
              EXPECT_EQ((x + ones({kMany})).sum().item<float>(), 2.0f * kMany);
              EXPECT_EQ((x * arange(kMany)).sum().item<float>(),
                        static_cast<float>(kMany / 2 * (kMany - 1)));
            }),
            kMany / 4);
}

TEST_F(Recipes, GiveTheSameValuesAsShortOnes) {
  // 4096 elements and fewer are computed at once, by loops.
  const auto check = [](const std::function<Tensor(int64_t)>& make) {
    EXPECT_TRUE(equal(make(5000).slice(0, 0, 4000).clone(), make(4000)));
  };
  check([](int64_t n) { return arange(n); });
  check([](int64_t n) { return arange(7, 7 + 3 * n, 3, int32); });
  check([](int64_t n) { return arange(100, 100 - n, -1, int16); });
}

TEST_F(Recipes, CanBeWrittenAndViewed) {
  Tensor zero = zeros({kMany}), count = arange(kMany);
  zero[3] = 1.0f;
  count.slice(0, 0, {}, 2).fill_(-1);
  EXPECT_EQ(zero.sum().item<float>(), 1);
  EXPECT_EQ(count[2].item<int64_t>(), -1);
  EXPECT_EQ(count[3].item<int64_t>(), 3);
  const Tensor grid = arange(kMany).reshape({1024, 1024});
  EXPECT_EQ(grid.t()[3][5].item<int64_t>(), 5 * 1024 + 3);
  EXPECT_EQ(grid.select(0, 7).expand({3, 1024})[2][9].item<int64_t>(), 7 * 1024 + 9);
  EXPECT_EQ(grid.slice(1, 1, {}, 500).sum().item<int64_t>(),
            grid.clone().slice(1, 1, {}, 500).sum().item<int64_t>());
}

}  // namespace
}  // namespace tamis
