// Fill: masked_fill, where, fill_, zero_ and copy_ against plain loops and PyTorch's rules.
#include <limits>

#include "support/mask_cases.h"

namespace tamis {
namespace {

using namespace mask_cases;

const float kNaN = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

const char* const kSharedMemory =
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
    "single memory "
    "location. Please clone() the tensor before performing the operation.";
const char* const kRepeatedMemory =
    "unsupported operation: more than one element of the written-to tensor refers to a single "
    "memory location. Please "
    "clone() the tensor before performing the operation.";

/// What where means for equal shapes.
Tensor naive_where(const Tensor& mask, const Tensor& a, const Tensor& b, DType dtype) {
  const Shape shape = broadcast_shapes(broadcast_shapes(mask.shape(), a.shape()), b.shape());
  std::vector<double> yes = a.expand(shape).to_vector<double>();
  const std::vector<double> no = b.expand(shape).to_vector<double>();
  const std::vector<uint8_t> on = mask.expand(shape).to_vector<uint8_t>();
  for (size_t i = 0; i < yes.size(); ++i) {
    if (!on[i]) yes[i] = no[i];
  }
  return tensor(yes, shape).to(dtype);
}

// ---- masked_fill --------------------------------------------------------------------------------

TEST(MaskedFill, PutsTheValueWhereTheMaskIsTrue) {
  const Tensor x = tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  expect_same(x.masked_fill(x > 3, 0), tensor({{1.f, 2.f, 3.f}, {0.f, 0.f, 0.f}}));
  expect_same(tensor({true, false, true}).masked_fill(tensor({false, true, false}), true),
              tensor({true, true, true}));
  expect_same(tensor({0.9f, 0.2f, 0.5f, 0.1f, 0.3f})
                  .masked_fill(tensor({false, true, false, true, true}), 0),
              tensor({0.9f, 0.f, 0.5f, 0.f, 0.f}));
}

TEST(MaskedFill, StopsNaNAndInfinityWhereMultiplyingWouldNot) {
  const Tensor x = tensor({kNaN, 1.f, kInf, -kInf});
  const Tensor keep = tensor({false, true, false, false});
  expect_same(x.masked_fill(~keep, 0), tensor({0.f, 1.f, 0.f, 0.f}));
  EXPECT_EQ(x.masked_fill(~keep, 0).sum().item<float>(), 1.f);
}

TEST(MaskedFill, BroadcastsBothWays) {
  expect_same(tensor({1, 2, 3}).masked_fill(tensor({{true}, {false}}), 0),
              tensor({{0, 0, 0}, {1, 2, 3}}));
  expect_same(tensor({{1, 2, 3}, {4, 5, 6}}).masked_fill(tensor({false, true, false}), 9),
              tensor({{1, 9, 3}, {4, 9, 6}}));
  expect_same(tensor(1).masked_fill(tensor({true, false}), 7), tensor({7, 1}));
  expect_same(tensor(1).masked_fill(tensor(true), 7), tensor(7));
  EXPECT_EQ(empty({0, 3}).masked_fill(ones({3}, boolean), 1).shape(), (Shape{0, 3}));
  EXPECT_EQ(ones({1, 3}).masked_fill(empty({0, 3}, boolean), 1).shape(), (Shape{0, 3}));
}

TEST(MaskedFill, MatchesAPlainLoopForEveryLengthPatternAndDType) {
  for (int64_t n : kLengths) {
    for (const char* pattern : kPatterns) {
      const Tensor m = mask_of(pattern, {n});
      for (DType dtype : kDTypes) {
        const Tensor x = values_of(dtype, {n});
        const Tensor want = naive_where(m, tensor(1).expand({n}), x, dtype);
        const std::string what = std::string(pattern) + " " + std::to_string(n) + " " + name(dtype);
        expect_same(x.masked_fill(m, 1), want, what);
        Tensor y = x.clone();
        y.masked_fill_(m, 1);
        expect_same(y, want, what + " in place");
      }
    }
  }
}

TEST(MaskedFill, DoesNotDependOnTheLayout) {
  const Shape shape{67, 130};
  const Tensor m = mask_of("random", shape);
  for (DType dtype : {boolean, int16, float32, int64}) {
    const Tensor x = values_of(dtype, shape);
    const Tensor want = naive_where(m, tensor(1), x, dtype);
    for (const Case& k : layouts(m)) {
      for (const Case& c : layouts(x)) {
        const std::string what = c.layout + " by " + k.layout;
        expect_same(c.x.masked_fill(k.x, 1), want, what);
        Tensor y = c.x;
        y.masked_fill_(k.x, 1);
        expect_same(y, want, what + " in place");
        y.copy_(x);
      }
    }
  }
}

TEST(MaskedFill, ConvertsTheValueAsPyTorchDoes) {
  const Tensor m = tensor({true, false});
  const auto fill = [&](DType dtype, const Tensor& value) {
    return zeros({2}, dtype).masked_fill(m, value).to_vector<double>()[0];
  };
  EXPECT_EQ(fill(int64, 2.9), 2);
  EXPECT_EQ(fill(int64, -2.9), -2);
  EXPECT_EQ(fill(uint8, -1), 255);
  EXPECT_EQ(fill(uint8, -255), 1);
  EXPECT_EQ(fill(float16, 65504.0), 65504);
  EXPECT_EQ(fill(float16, kInf), kInf);
  EXPECT_TRUE(std::isnan(fill(bfloat16, kNaN)));
  EXPECT_EQ(fill(boolean, 2), 1);
  EXPECT_EQ(fill(boolean, -1.5), 1);
  EXPECT_EQ(fill(boolean, kInf), 1);
  EXPECT_EQ(fill(float64, 1e300), 1e300);
  EXPECT_EQ(fill(int8, tensor(7.f)), 7);
  EXPECT_EQ(zeros({2}, int64).masked_fill(m, INT64_MAX).to_vector<int64_t>()[0], INT64_MAX);
}

TEST(MaskedFill, RefusesAValueThatDoesNotFit) {
  const struct {
    DType dtype;
    Tensor value;
    const char* type;
  } cases[] = {{uint8, -256, "uint8_t"},       {uint8, 256, "uint8_t"},
               {uint8, -1.5, "uint8_t"},       {uint8, 255.9, "uint8_t"},
               {int8, 128, "int8_t"},          {int8, 127.5, "int8_t"},
               {int8, -128.5, "int8_t"},       {int16, 40000, "int16_t"},
               {int32, 1e300, "int"},          {int64, 1e19, "int64_t"},
               {int64, kInf, "int64_t"},       {int64, kNaN, "int64_t"},
               {float16, -1e9, "at::Half"},    {float16, 70000, "at::Half"},
               {float16, 65505.0, "at::Half"}, {bfloat16, 3.4e38, "at::BFloat16"},
               {float32, 3.5e38, "float"}};
  for (const auto& c : cases) {
    Tensor x = zeros({2}, c.dtype);
    const std::string text =
        std::string("value cannot be converted to type ") + c.type + " without overflow";
    expect_error(ErrorKind::value, text, [&] { x.masked_fill(tensor({true, false}), c.value); });
    expect_error(ErrorKind::value, text, [&] { x.masked_fill_(tensor({true, false}), c.value); });
    expect_same(x, zeros({2}, c.dtype));
  }
}

TEST(MaskedFill, RefusesAValueWithDimensions) {
  expect_error(ErrorKind::shape,
               "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 "
               "dimension(s).",
               [] { zeros({3}).masked_fill(ones({3}, boolean), tensor({1.f})); });
  expect_error(ErrorKind::shape,
               "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 3 "
               "dimension(s).",
               [] {
                 zeros({3}).masked_fill(ones({3}, boolean), zeros({1, 1, 1}));
               });
}

TEST(MaskedFill, RefusesOtherMaskDTypes) {
  for (DType dtype : kDTypes) {
    if (dtype == boolean) continue;
    Tensor x = zeros({3});
    const char* text = "masked_fill_ only supports boolean masks, but got mask with dtype ";
    expect_error(ErrorKind::dtype, text, [&] { x.masked_fill(ones({3}, dtype), 1); });
    expect_error(ErrorKind::dtype, text, [&] { x.masked_fill_(ones({3}, dtype), 1); });
    expect_same(x, zeros({3}));
  }
  expect_error(ErrorKind::dtype,
               "masked_fill_ only supports boolean masks, but got mask with dtype Byte; write "
               "mask.to_bool() or "
               "mask != 0",
               [] { zeros({3}).masked_fill(ones({3}, uint8), 1); });
}

TEST(MaskedFill, RefusesShapesThatDoNotFit) {
  Tensor x = zeros({3});
  expect_error(
      ErrorKind::shape,
      "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
      [&] { x.masked_fill(ones({2}, boolean), 1); });
  expect_error(
      ErrorKind::shape,
      "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0",
      [&] { x.masked_fill_(ones({2}, boolean), 1); });
  expect_error(ErrorKind::shape, "output with shape [3] doesn't match the broadcast shape [2, 3]",
               [&] {
                 x.masked_fill_(ones({2, 3}, boolean), 1);
               });
  expect_same(x, zeros({3}));
}

TEST(MaskedFillInPlace, WritesThroughViewsAndNothingElse) {
  const Tensor base = zeros({4, 6});
  Tensor view = base.slice(1, 1, 6, 2);
  view.masked_fill_(tensor({{true}, {false}, {true}, {false}}), 5);
  const Tensor row = tensor({0.f, 5.f, 0.f, 5.f, 0.f, 5.f});
  expect_same(base, stack({row, zeros({6}), row, zeros({6})}));
}

TEST(MaskedFillInPlace, ReadsAMaskOfItselfBeforeWriting) {
  Tensor x = arange(10000).to_float().settle();
  x.masked_fill_(x > 5000, 0);
  expect_same(x, where(arange(10000) > 5000, 0, arange(10000)).to_float());
  Tensor y = arange(6).view({2, 3});
  y.masked_fill_(y.flatten().slice(0, 3) > 3, -1);
  expect_same(y, tensor({{0, -1, -1}, {3, -1, -1}}));
}

TEST(MaskedFillInPlace, KeepsEarlierResults) {
  Tensor x = tensor({1.f, 2.f, 3.f});
  const Tensor doubled = x * 2, big = x > 1.5, sum = x.sum();
  x.masked_fill_(big, 0);
  expect_same(x, tensor({1.f, 0.f, 0.f}));
  expect_same(doubled, tensor({2.f, 4.f, 6.f}));
  expect_same(big, tensor({false, true, true}));
  expect_same(sum, tensor(6.f));
}

TEST(MaskedFillInPlace, TakesItselfAsMaskButNoShiftedSelf) {
  Tensor m = tensor({true, false, true, true});
  m.masked_fill_(m, false);
  expect_same(m, zeros({4}, boolean));
  Tensor n = ones({4}, boolean);
  Tensor shifted = n.slice(0, 1);
  expect_error(ErrorKind::unsupported, kSharedMemory,
               [&] { shifted.masked_fill_(n.slice(0, 0, -1), false); });
  expect_same(n, ones({4}, boolean));
}

TEST(MaskedFillInPlace, RefusesAnExpandedTensor) {
  const Tensor base = zeros({1});
  Tensor x = base.expand({4});
  expect_error(ErrorKind::unsupported, kRepeatedMemory, [&] {
    x.masked_fill_(tensor({true, false, true, true}), 3);
  });
  expect_same(base, zeros({1}));
}

// ---- where --------------------------------------------------------------------------------------

TEST(Where, PicksByTheCondition) {
  const Tensor c = tensor({{true, false}, {false, true}});
  expect_same(where(c, tensor({{1, 2}, {3, 4}}), 0), tensor({{1, 0}, {0, 4}}));
  expect_same(tensor({1, 2}).where(tensor({true, false}), tensor({10, 20})), tensor({1, 20}));
  expect_same(where(c, tensor({true, true}), tensor({false, false})), c);
}

TEST(Where, PromotesAsPyTorchDoes) {
  const Tensor c = tensor({true, false});
  expect_same(where(c, 1, 2), tensor({1, 2}));
  expect_same(where(c, 1, 2.5), tensor({1.f, 2.5f}));
  expect_same(where(c, true, 2), tensor({1, 2}));
  expect_same(where(c, zeros({2}, int8), 2), tensor({0, 2}, int8));
  expect_same(where(c, zeros({2}, int8), tensor(2)), tensor({0, 2}, int8));
  expect_same(where(c, zeros({2}, int8), 2.5), tensor({0.f, 2.5f}));
  expect_same(where(c, zeros({2}, float16), 2.5), tensor({0.f, 2.5f}, float16));
  expect_same(where(c, zeros({2}, float16), zeros({2}, bfloat16)).to_float(), zeros({2}));
  expect_same(where(c, ones({2}, uint8), zeros({2}, int8)), tensor({1, 0}, int16));
}

TEST(Where, RefusesNumbersThatTheResultCannotHold) {  // as torch.where does
  const Tensor c = tensor({true, false}), x = tensor({250, 3}, uint8);
  const std::string text = "value cannot be converted to type uint8_t without overflow";
  expect_error(ErrorKind::value, text, [&] { where(c, x, 300); });
  expect_error(ErrorKind::value, text, [&] { where(c, 300, x); });
  expect_error(ErrorKind::value, text, [&] { where(c, x, -256); });
  expect_error(ErrorKind::value, "value cannot be converted to type at::Half without overflow",
               [&] { where(c, zeros({2}, float16), 1e6); });
  expect_error(ErrorKind::value, "value cannot be converted to type float without overflow",
               [&] { where(c, x, 1e300); });
  expect_same(where(c, x, -1), tensor({250, 255}, uint8));
  expect_same(where(c, x, tensor(300)), tensor({250, 44}, uint8));
  expect_same(where(c, c, 300), tensor({1, 300}));
}

TEST(Where, BroadcastsAllThree) {
  const Shape shapes[] = {{}, {7}, {5, 1}, {5, 7}, {3, 1, 7}};
  for (const Shape& s : shapes) {
    for (const Shape& a : shapes) {
      for (const Shape& b : shapes) {
        const Tensor m = mask_of("random", s), x = values_of(float32, a),
                     y = values_of(float32, b, 3);
        expect_same(where(m, x, y), naive_where(m, x, y, float32));
      }
    }
  }
  EXPECT_EQ(where(empty({0, 1}, boolean), ones({3}), 1).shape(), (Shape{0, 3}));
  expect_same(where(tensor(false), tensor(1), tensor(2)), tensor(2));
}

TEST(Where, MatchesAPlainLoopForEveryDTypeAndLength) {
  for (int64_t n : kLengths) {
    const Tensor m = mask_of("clustered", {n});
    for (DType dtype : kDTypes) {
      const Tensor x = values_of(dtype, {n}, 1), y = values_of(dtype, {n}, 2);
      expect_same(where(m, x, y), naive_where(m, x, y, dtype), name(dtype));
    }
  }
}

TEST(Where, DoesNotMixInTheOtherBranch) {
  const Tensor x = tensor({0.f, 1.f, -1.f});
  expect_same(where(x > 0, 1 / x, 0), tensor({0.f, 1.f, 0.f}));
  expect_same(where(x != 0, 1 / x, 0), tensor({0.f, 1.f, -1.f}));
  const Tensor d = tensor({0, 2, 5});
  expect_same(where(d != 0, tensor({10, 10, 10}).floor_divide(where(d == 0, 1, d)), -1),
              tensor({-1, 5, 2}));
}

TEST(Where, RefusesOtherConditionsAndShapes) {
  expect_error(ErrorKind::dtype,
               "where expected condition to be a boolean tensor, but got a tensor with dtype Float",
               [] { where(zeros({3}), 1, 2); });
  expect_error(
      ErrorKind::dtype,
      "where expected condition to be a boolean tensor, but got a tensor with dtype Byte; write "
      "condition.to_bool() or condition != 0",
      [] { where(zeros({3}, uint8), 1, 2); });
  expect_error(
      ErrorKind::shape,
      "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0",
      [] { where(ones({3}, boolean), zeros({2}), zeros({3})); });
  expect_error(
      ErrorKind::shape,
      "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0",
      [] { where(ones({4}, boolean), zeros({3}), zeros({3})); });
}

// ---- fill_, zero_, copy_ ------------------------------------------------------------------------

TEST(FillInPlace, FillsEveryLayout) {
  for (DType dtype : kDTypes) {
    for (const Case& c : layouts(values_of(dtype, {5, 9}))) {
      Tensor x = c.x;
      x.fill_(1);
      expect_same(x, ones({5, 9}, dtype), c.layout);
      x.zero_();
      expect_same(x, zeros({5, 9}, dtype), c.layout);
    }
  }
  Tensor scalar = tensor(3.f);
  expect_same(scalar.fill_(2.5), tensor(2.5f));
  Tensor nothing = empty({0, 2});
  expect_same(nothing.fill_(1), empty({0, 2}));
}

TEST(FillInPlace, FillsAnExpandedTensor) {
  const Tensor base = zeros({3, 1});
  Tensor x = base.expand({3, 5});
  x.fill_(4);
  expect_same(base, full({3, 1}, 4.f));
}

TEST(FillInPlace, LeavesTheRestOfTheStorageAlone) {
  for (DType dtype : {boolean, int16, float32}) {
    const Tensor base = zeros({9}, dtype);
    Tensor x = base.narrow(0, 3, 2);
    x.fill_(1);
    expect_same(base, ((arange(9) >= 3) & (arange(9) < 5)).to(dtype));
  }
}

TEST(FillInPlace, ConvertsWithCare) {
  Tensor x = zeros({2}, int8);
  expect_same(x.fill_(2.7), tensor({2, 2}, int8));
  expect_error(ErrorKind::value, "value cannot be converted to type int8_t without overflow",
               [&] { x.fill_(tensor(300)); });
  expect_error(ErrorKind::shape,
               "fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions.",
               [&] { x.fill_(tensor({1})); });
}

TEST(CopyInPlace, BroadcastsAndCasts) {
  Tensor x = zeros({2, 3}, int64);
  x.copy_(tensor({1.5f, 2.5f, -3.5f}));
  expect_same(x, tensor({{1, 2, -3}, {1, 2, -3}}));
  x.copy_(7);
  expect_same(x, full({2, 3}, 7));
  x.copy_(tensor({{true}, {false}}));
  expect_same(x, tensor({{1, 1, 1}, {0, 0, 0}}));
}

TEST(CopyInPlace, CopiesBetweenAllDTypesAndLayouts) {
  for (DType from : kDTypes) {
    for (DType to : kDTypes) {
      const Tensor source = values_of(from, {7, 70});
      for (const Case& c : layouts(values_of(to, {7, 70}, 5))) {
        Tensor x = c.x;
        x.copy_(source.t().contiguous().t());
        expect_same(x, source.to(to), c.layout);
      }
    }
  }
}

TEST(CopyInPlace, OfItselfChangesNothing) {
  Tensor x = arange(4);
  expect_same(x.copy_(x), arange(4));
  Tensor y = arange(4).view({2, 2});
  y.copy_(y.t().clone());
  expect_same(y, tensor({{0, 2}, {1, 3}}));
  y.copy_(y.t() + 0);
  expect_same(y, tensor({{0, 1}, {2, 3}}));
}

TEST(CopyInPlace, RefusesShapesAndOverlaps) {
  Tensor x = zeros({3});
  expect_error(ErrorKind::shape, "output with shape [3] doesn't match the broadcast shape [2, 3]",
               [&] {
                 x.copy_(zeros({2, 3}));
               });
  expect_error(
      ErrorKind::shape,
      "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0",
      [&] { x.copy_(zeros({2})); });
  const Tensor base = arange(4);
  Tensor tail = base.slice(0, 1);
  expect_error(ErrorKind::unsupported, kSharedMemory, [&] { tail.copy_(base.slice(0, 0, -1)); });
  Tensor expanded = arange(4).expand({2, 4});
  expect_error(ErrorKind::unsupported, kRepeatedMemory, [&] { expanded.copy_(ones({2, 4})); });
  expect_same(base, arange(4));
}

}  // namespace
}  // namespace tamis
