// Select: masked_select, nonzero, counting and isin against plain loops and PyTorch's own examples.
#include <limits>

#include "support/mask_cases.h"

namespace tamis {
namespace {

using namespace mask_cases;

const float kNaN = std::numeric_limits<float>::quiet_NaN();

// ---- masked_select ------------------------------------------------------------------------------

TEST(MaskedSelect, KeepsTheMarkedElementsInOrder) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  const Tensor m = tensor({{true, false, true}, {false, true, false}, {true, false, true}});
  expect_same(masked_select(x, m), tensor({1, 3, 5, 7, 9}));
  expect_same(x.masked_select(x > 3), tensor({4, 5, 6, 7, 8, 9}));
  expect_same(x.masked_select(x.ne(0)), x.flatten());
}

TEST(MaskedSelect, BroadcastsTheInput) {
  const Tensor a = arange(100);
  const Tensor m = tensor({{true}, {true}, {false}, {true}});
  const Tensor got = masked_select(a, m);
  ASSERT_EQ(got.shape(), Shape{300});
  for (int64_t i = 0; i < 3; ++i) expect_same(got.narrow(0, 100 * i, 100), a);
}

TEST(MaskedSelect, BroadcastsTheMask) {
  const Tensor a = arange(10000).view({100, 100});
  const Tensor first = arange(100) == 0;
  expect_same(masked_select(a, first), a.select(1, 0));
  expect_same(masked_select(a, first.unsqueeze(1)), a.select(0, 0));
}

TEST(MaskedSelect, OrderIsThatOfTheShapeNotOfTheMemory) {
  const Tensor c = arange(36).view({3, 6, 2});
  const Tensor m = mask_of("random", {3, 6});
  const Tensor got = masked_select(c.permute({2, 0, 1}), m);
  const Tensor by_k[] = {masked_select(c.select(2, 0), m), masked_select(c.select(2, 1), m)};
  expect_same(got, cat({by_k[0], by_k[1]}));
  EXPECT_EQ(got.to_vector<int64_t>()[0] % 2, 0);
}

TEST(MaskedSelect, HasOneDimensionEvenFromNone) {
  expect_same(masked_select(tensor(5), tensor(true)), tensor({5}));
  expect_same(masked_select(tensor(5), tensor(false)), empty({0}, int64));
  expect_same(masked_select(tensor(5), tensor({{true, false}, {true, true}})), tensor({5, 5, 5}));
  expect_same(masked_select(tensor({{1, 2}, {3, 4}}), tensor(true)), tensor({1, 2, 3, 4}));
  expect_same(masked_select(tensor({{1, 2}, {3, 4}}), tensor(false)), empty({0}, int64));
}

TEST(MaskedSelect, OfNothingIsNothing) {
  expect_same(masked_select(empty({0}), empty({0}, boolean)), empty({0}));
  expect_same(masked_select(empty({3, 0}), mask_of("all", {3, 1})), empty({0}));
  expect_same(masked_select(ones({1, 4}), empty({0, 4}, boolean)), empty({0}));
}

TEST(MaskedSelect, MatchesAPlainLoopForEveryLengthPatternAndDType) {
  for (int64_t n : kLengths) {
    for (const char* pattern : kPatterns) {
      const Tensor m = mask_of(pattern, {n});
      for (DType dtype : kDTypes) {
        const Tensor x = values_of(dtype, {n});
        const std::string what = std::string(pattern) + " " + std::to_string(n) + " " + name(dtype);
        expect_same(masked_select(x, m), naive_select(x, m), what);
      }
    }
  }
}

TEST(MaskedSelect, DoesNotDependOnTheLayout) {
  const Shape shape{67, 130};
  const Tensor m = mask_of("random", shape);
  for (DType dtype : {boolean, int16, float32, int64}) {
    const Tensor x = values_of(dtype, shape);
    const Tensor want = naive_select(x, m);
    for (const Case& c : layouts(x)) {
      for (const Case& k : layouts(m)) {
        expect_same(masked_select(c.x, k.x), want, c.layout + " by " + k.layout);
      }
    }
  }
}

TEST(MaskedSelect, BroadcastsBothSidesForEveryShape) {
  const Shape shapes[] = {{},     {1},       {7},       {5, 7},    {5, 1},
                          {1, 7}, {3, 1, 7}, {3, 5, 1}, {3, 5, 7}, {3, 1, 1}};
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      const Tensor x = values_of(float32, a), m = mask_of("random", b);
      expect_same(masked_select(x, m), naive_select(x, m), to_string(a) + " by " + to_string(b));
    }
  }
}

TEST(MaskedSelect, TakesAnyNonzeroByteAsTrue) {
  std::vector<uint8_t> bytes(5000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7);
  const auto n = static_cast<int64_t>(bytes.size());
  const Tensor m = from_blob(bytes.data(), {n}, boolean);
  const Tensor want = from_data(bytes.data(), {n}, uint8) != 0;
  const Tensor x = arange(n);
  expect_same(masked_select(x, m), naive_select(x, want));
  EXPECT_EQ(count(m), count(want));
  EXPECT_EQ(m.sum().item<int64_t>(), count(want));
  expect_same(nonzero(m), nonzero(want));
  expect_same(masked_select(m, want), ones({count(want)}, boolean));
  expect_same(~m, ~want);
}

TEST(MaskedSelect, IsACopyAndLeavesItsInputsAlone) {
  const Tensor x = values_of(float32, {100}), m = mask_of("random", {100});
  const Tensor x_before = x.clone(), m_before = m.clone();
  Tensor got = masked_select(x, m);
  got.fill_(-1);
  expect_same(x, x_before);
  expect_same(m, m_before);
  EXPECT_FALSE(masked_select(x, tensor(true)).shares_storage(x));
}

TEST(MaskedSelect, RefusesOtherMaskDTypesAndSaysWhatToWrite) {
  const Tensor x = ones({3});
  expect_error(ErrorKind::dtype,
               "masked_select: expected BoolTensor for mask, but got Byte; write mask.to_bool() or "
               "mask != 0",
               [&] { masked_select(x, zeros({3}, uint8)); });
  for (DType dtype : kDTypes) {
    if (dtype == boolean) continue;
    expect_error(ErrorKind::dtype, "masked_select: expected BoolTensor for mask",
                 [&] { masked_select(x, zeros({3}, dtype)); });
  }
}

TEST(MaskedSelect, RefusesShapesThatDoNotBroadcast) {
  expect_error(
      ErrorKind::shape,
      "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
      [] { masked_select(zeros({3}), ones({2}, boolean)); });
  expect_error(
      ErrorKind::shape,
      "The size of tensor a (4) must match the size of tensor b (2) at non-singleton dimension 0",
      [] {
        masked_select(zeros({2, 3}), ones({4, 3}, boolean));
      });
}

TEST(MaskedSelect, AgreesWithItsComplement) {
  const Tensor x = arange(10000), m = mask_of("clustered", {10000});
  const Tensor kept = masked_select(x, m), dropped = masked_select(x, ~m);
  EXPECT_EQ(kept.numel(), count(m));
  EXPECT_EQ(kept.numel() + dropped.numel(), x.numel());
  EXPECT_EQ((kept.sum() + dropped.sum()).item<int64_t>(), x.sum().item<int64_t>());
  const Tensor m2 = mask_of("random", {10000}, 5);
  expect_same(masked_select(x, m & m2), masked_select(masked_select(x, m), masked_select(m2, m)));
}

// ---- out= ---------------------------------------------------------------------------------------

TEST(MaskedSelectOut, WritesIntoOut) {
  Tensor out = zeros({2});
  const void* before = out.data_ptr();
  Tensor& same = masked_select_out(out, tensor({1.f, 2.f, 3.f}), tensor({true, false, true}));
  EXPECT_EQ(&same, &out);
  EXPECT_EQ(out.data_ptr(), before);
  expect_same(out, tensor({1.f, 3.f}));
}

TEST(MaskedSelectOut, WritesThroughStrides) {
  const Tensor base = zeros({4});
  Tensor out = base.slice(0, 0, {}, 2);
  masked_select_out(out, tensor({1.f, 2.f, 3.f}), tensor({true, false, true}));
  expect_same(base, tensor({1.f, 0.f, 3.f, 0.f}));
}

TEST(MaskedSelectOut, ResizesAWrongShape) {
  for (const Shape& shape : {Shape{0}, Shape{7}, Shape{1, 2}, Shape{}}) {
    Tensor out = zeros(shape);
    masked_select_out(out, tensor({1.f, 2.f, 3.f}), tensor({true, false, true}));
    expect_same(out, tensor({1.f, 3.f}));
    EXPECT_TRUE(out.is_contiguous());
  }
}

// Large enough for a selection straight into out.
TEST(MaskedSelectOut, WritesIntoALargeOut) {
  const int64_t n = 20000;
  const Tensor base = arange(2 * n).settle(), even = (arange(n) % 2 == 0).settle();
  struct Case {
    Tensor x, mask, want;
  };
  const std::vector<Case> cases = {
      {base.narrow(0, 0, n), even, arange(0, n, 2)},
      {base.slice(0, 0, {}, 2), even, arange(0, 2 * n, 4)},
      {base.narrow(0, 0, n) + 5, even, arange(5, n + 5, 2)},
      {base.narrow(0, 0, 2).unsqueeze(1), even, cat({zeros({n / 2}, int64), ones({n / 2}, int64)})},
      {base.narrow(0, 0, n).view({2, n / 2}), even.narrow(0, 0, n / 2), arange(0, n, 2)},
  };
  for (const Case& c : cases) {
    const Tensor memory = full({c.want.numel() + 2}, -1, int64);
    Tensor out = memory.narrow(0, 1, c.want.numel());
    const Tensor from_out = out + 1;
    masked_select_out(out, c.x, c.mask);
    expect_same(out, c.want);
    EXPECT_TRUE(out.shares_storage(memory));
    EXPECT_EQ(memory[0].item<int64_t>(), -1);
    EXPECT_EQ(memory[-1].item<int64_t>(), -1);
    EXPECT_EQ(from_out.sum().item<int64_t>(), 0);
  }
}

TEST(MaskedSelectOut, LeavesALargeOutOfTheWrongSizeAsItWas) {
  const int64_t n = 20000;
  const Tensor x = arange(n).settle(), even = (x % 2 == 0).settle();
  for (const int64_t size : {n / 2 - 1, n / 2 + 1, 2 * n}) {
    const Tensor memory = full({size}, -1, int64);
    Tensor out = memory.narrow(0, 0, size);
    masked_select_out(out, x, even);
    expect_same(out, arange(0, n, 2));
    expect_same(memory, full({size}, -1, int64));
  }
  Tensor out = full({n}, -1, int64);
  masked_select_out(out, zeros({0}, int64), zeros({0}, boolean));
  EXPECT_EQ(out.numel(), 0);
}

TEST(MaskedSelectOut, DoesNotDisturbWhatWasComputedFromOut) {
  Tensor resized = tensor({1.f, 2.f, 3.f}), kept = tensor({1.f, 2.f});
  const Tensor from_resized = resized * 2, from_kept = kept + 1;
  const Tensor x = tensor({7.f, 8.f, 9.f}), m = tensor({true, true, false});
  masked_select_out(resized, x, m);
  masked_select_out(kept, x, m);
  expect_same(from_resized, tensor({2.f, 4.f, 6.f}));
  expect_same(from_kept, tensor({2.f, 3.f}));
}

TEST(MaskedSelectOut, RefusesWhatItCannotWrite) {
  const Tensor x = arange(4).to_float(), m = tensor({true, true, false, false});
  Tensor wrong = zeros({2}, int64), expanded = zeros({1}).expand({2}), alias = x,
         part = x.narrow(0, 0, 2);
  Tensor mask_alias = m;
  expect_error(ErrorKind::dtype, "masked_select(): self and result must have the same scalar type",
               [&] { masked_select_out(wrong, x, m); });
  expect_error(ErrorKind::unsupported,
               "unsupported operation: more than one element of the written-to tensor refers to a "
               "single memory "
               "location.",
               [&] { masked_select_out(expanded, x, m); });
  const char* shared =
      "unsupported operation: some elements of the input tensor and the written-to tensor refer to "
      "a single memory "
      "location.";
  expect_error(ErrorKind::unsupported, shared, [&] { masked_select_out(alias, x, m); });
  expect_error(ErrorKind::unsupported, shared, [&] { masked_select_out(part, x, m); });
  expect_error(ErrorKind::unsupported, shared,
               [&] { masked_select_out(mask_alias, ones({4}, boolean), m); });
  expect_same(x, tensor({0.f, 1.f, 2.f, 3.f}));
}

// ---- nonzero and counting -----------------------------------------------------------------------

TEST(Nonzero, GivesCoordinatesInOrder) {
  expect_same(nonzero(tensor({1, 1, 1, 0, 1})), tensor({{0}, {1}, {2}, {4}}));
  expect_same(nonzero(tensor({{0.f, 2.f}, {kNaN, -0.f}})), tensor({{0, 1}, {1, 0}}));
  expect_same(argwhere(tensor({{0, 2}, {3, 0}})), tensor({{0, 1}, {1, 0}}));
}

TEST(Nonzero, StoresColumnsTogether) {
  const Tensor got = nonzero(ones({2, 3}));
  EXPECT_EQ(got.strides(), (Shape{1, 6}));
  EXPECT_EQ(nonzero_tuple(ones({2, 3}))[1].strides(), Shape{1});
}

TEST(Nonzero, OfNoDimensionsHasNoColumns) {
  EXPECT_EQ(nonzero(tensor(5)).shape(), (Shape{1, 0}));
  EXPECT_EQ(nonzero(tensor(0)).shape(), (Shape{0, 0}));
  EXPECT_EQ(argwhere(tensor(5)).shape(), (Shape{1, 0}));
  EXPECT_EQ(nonzero(ones({2, 0})).shape(), (Shape{0, 2}));
  EXPECT_EQ(nonzero(zeros({2, 3})).shape(), (Shape{0, 2}));
}

TEST(Nonzero, TupleHasOneTensorPerDimension) {
  const std::vector<Tensor> got = nonzero_tuple(tensor({{0, 2}, {3, 4}}));
  ASSERT_EQ(got.size(), 2u);
  expect_same(got[0], tensor({0, 1, 1}));
  expect_same(got[1], tensor({1, 0, 1}));
  const std::vector<Tensor> scalar = nonzero_tuple(tensor(5));
  ASSERT_EQ(scalar.size(), 1u);
  expect_same(scalar[0], tensor({0}));
  const std::vector<Tensor> by_where = where(tensor({false, true}));
  ASSERT_EQ(by_where.size(), 1u);
  expect_same(by_where[0], tensor({1}));
}

TEST(Nonzero, MatchesAPlainLoop) {
  for (const Shape& shape :
       {Shape{4097}, Shape{63, 65}, Shape{3, 41, 37}, Shape{2, 3, 4, 5, 6}, Shape{100003}}) {
    for (const char* pattern : kPatterns) {
      const Tensor m = mask_of(pattern, shape);
      const std::vector<uint8_t> on = m.to_vector<uint8_t>();
      std::vector<int64_t> want;
      for (size_t i = 0; i < on.size(); ++i) {
        if (!on[i]) continue;
        std::vector<int64_t> at(shape.size());
        auto rest = static_cast<int64_t>(i);
        for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) at[d] = rest % shape[d];
        want.insert(want.end(), at.begin(), at.end());
      }
      const Tensor got = nonzero(m);
      ASSERT_EQ(got.size(0), count(m));
      ASSERT_EQ(got.to_vector<int64_t>(), want) << to_string(shape) << " " << pattern;
    }
  }
}

TEST(Nonzero, DoesNotDependOnTheLayoutOrDType) {
  const Tensor m = mask_of("random", {33, 129});
  const Tensor want = nonzero(m);
  for (DType dtype : kDTypes) {
    for (const Case& c : layouts(m.to(dtype).settle())) {
      expect_same(nonzero(c.x), want, c.layout + " " + name(dtype));
    }
  }
  expect_same(nonzero(tensor({true, false}).expand({3, 2})), tensor({{0, 0}, {1, 0}, {2, 0}}));
}

TEST(Count, CountsTrues) {
  for (int64_t n : kLengths) {
    for (const char* pattern : kPatterns) {
      const Tensor m = mask_of(pattern, {n});
      int64_t want = 0;
      for (uint8_t b : m.to_vector<uint8_t>()) want += b;
      ASSERT_EQ(count(m), want) << pattern << " " << n;
      ASSERT_EQ(count(~m), n - want) << pattern << " " << n;
    }
  }
  EXPECT_EQ(count(tensor(true)), 1);
  EXPECT_EQ(count(tensor({true, false}).expand({5, 2})), 5);
  expect_error(ErrorKind::dtype, "count: expected BoolTensor for mask, but got Float",
               [] { count(ones({2})); });
}

TEST(CountNonzero, CountsOverAllOrGivenDimensions) {
  const Tensor x = tensor({{0.f, 1.f, kNaN}, {2.f, -0.f, 0.f}});
  expect_same(count_nonzero(x), tensor(3));
  expect_same(count_nonzero(x, {0}), tensor({1, 1, 1}));
  expect_same(count_nonzero(x, {-1}), tensor({2, 1}));
  expect_same(count_nonzero(x, {0, 1}), tensor(3));
  expect_same(count_nonzero(tensor(3.f)), tensor(1));
  expect_same(count_nonzero(tensor(3.f), {0}), tensor(1));
  expect_same(count_nonzero(empty({0, 3}), {0}), tensor({0, 0, 0}));
  expect_error(ErrorKind::value, "dim 0 appears multiple times in the list of dims", [&] {
    count_nonzero(x, {0, -2});
  });
  expect_error(ErrorKind::index,
               "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
               [] { count_nonzero(tensor(3.f), {1}); });
}

// ---- isin ---------------------------------------------------------------------------------------

TEST(Isin, FindsElements) {
  expect_same(isin(tensor({{1, 2}, {3, 4}}), tensor({2, 3})),
              tensor({{false, true}, {true, false}}));
  expect_same(isin(tensor({5, 4, 5, 3, 4, 4, 3, 4, 3, 5, 2, 1, 5, 5}), tensor({2, 3, 4})),
              tensor({false, true, false, true, true, true, true, true, true, false, true, false,
                      false, false}));
  expect_same(isin(tensor({{1, 2}, {3, 4}}), tensor({2, 3}), true),
              tensor({{true, false}, {false, true}}));
}

TEST(Isin, TakesNumbersOnEitherSide) {
  expect_same(isin(tensor({5, 6}), 5), tensor({true, false}));
  expect_same(isin(5, tensor({5, 6})), tensor(true));
  expect_same(isin(tensor({1, 2}), tensor({{2.f, 3.f}})), tensor({false, true}));
}

TEST(Isin, NumbersCountByValue) {
  expect_same(isin(tensor({250, 3}, uint8), 259), tensor({false, false}));
  expect_same(isin(tensor({250, 3}, uint8), tensor({256, 3})), tensor({false, true}));
  expect_same(isin(tensor({2, 3}), 2.5), tensor({false, false}));
  expect_same(isin(tensor({2, 3}), 3.0), tensor({false, true}));
  // 0.1 is meant as float32 has it, on either side; an integer is what it is.
  expect_same(isin(tensor({0.1f, 0.5f}), 0.1), tensor({true, false}));
  expect_same(isin(0.1, tensor({0.1f, 0.5f})), tensor(true));
  expect_same(isin(tensor({0.1f, 0.5f}).to(float16), 0.1), tensor({true, false}));
  expect_same(isin(tensor({16777216.f}), (int64_t{1} << 24) + 1), tensor({false}));
  expect_same(isin(tensor({float(INFINITY)}).to(float16), 1e6), tensor({false}));
}

TEST(Isin, NaNIsInNothing) {
  expect_same(isin(tensor({kNaN, 1.f}), tensor({kNaN, 1.f})), tensor({false, true}));
  expect_same(isin(tensor({kNaN, 1.f}), tensor({kNaN, 1.f}), true), tensor({true, false}));
  expect_same(isin(tensor({0.f, -0.f}), tensor({-0.f})), tensor({true, true}));
}

TEST(Isin, NothingIsInNothing) {
  expect_same(isin(tensor({1, 2}), empty({0})), tensor({false, false}));
  expect_same(isin(tensor({1, 2}), empty({0}, int64), true), tensor({true, true}));
  expect_same(isin(empty({0, 3}), tensor({1.f})), empty({0, 3}, boolean));
}

TEST(Isin, ComparesExactlyAcrossDTypes) {
  const int64_t big = (int64_t{1} << 24) + 1;
  expect_same(isin(tensor({big, big - 1}), tensor({16777216.f})), tensor({false, true}));
  const int64_t huge = (int64_t{1} << 53) + 1;
  expect_same(isin(tensor({huge, huge - 1}), tensor({9007199254740992.0}, float64)),
              tensor({false, true}));
  expect_same(isin(tensor({9007199254740992.0}, float64), tensor({huge})), tensor({false}));
  expect_same(isin(tensor({255, 1}, uint8), tensor({-1, 257, 1})), tensor({false, true}));
  expect_same(isin(tensor({-1, 1}, int8), tensor({255, 1}, uint8)), tensor({false, true}));
  expect_same(isin(tensor({1, 2}), tensor({1.5f, 2.f})), tensor({false, true}));
  expect_same(isin(tensor({0.1}, float64), tensor({0.1f})), tensor({false}));
  expect_same(isin(tensor({INT64_MAX, INT64_MIN}), tensor({0x1p63, -0x1p63}, float64)),
              tensor({false, true}));
}

TEST(Isin, AcceptsBools) {
  expect_same(isin(tensor({true, false}), tensor({true})), tensor({true, false}));
  expect_same(isin(tensor({0, 1, 2}), tensor({true})), tensor({false, true, false}));
  expect_same(isin(tensor({true, false}), tensor({0.f})), tensor({false, true}));
  const uint8_t bytes[] = {0, 255, 1, 4};
  expect_same(isin(from_data(bytes, {4}, boolean), tensor({1})), tensor({false, true, true, true}));
}

TEST(Isin, MatchesAPlainLoopForEveryPairOfDTypesAndSetSize) {
  for (int64_t size : {1, 2, 5, 17, 90}) {
    for (DType a : kDTypes) {
      for (DType b : kDTypes) {
        const Tensor x = values_of(a, {65, 70}), set = values_of(b, {size}, 3);
        const std::vector<double> test = set.to_vector<double>();
        std::vector<uint8_t> want;
        for (double v : x.to_vector<double>()) {
          want.push_back(std::find(test.begin(), test.end(), v) != test.end());
        }
        expect_same(isin(x, set), from_data(want.data(), {65, 70}, boolean),
                    std::string(name(a)) + " in " + name(b));
      }
    }
  }
}

TEST(Isin, FindsAmongManyWideSpreadElements) {
  std::vector<int64_t> set, probe;
  for (int64_t i = 0; i < 3000; ++i) {
    set.push_back((i - 1500) * 6148914691236517ll);
    probe.push_back(set.back() + i % 2);
  }
  const Tensor got = isin(tensor(probe), tensor(set));
  expect_same(got, arange(3000) % 2 == 0);
  const Tensor doubles = tensor(probe).to_double();
  EXPECT_EQ(count(isin(doubles, doubles)), 3000);
}

TEST(Isin, ReadsItsElementsInAnyLayout) {
  const Tensor x = values_of(int32, {40, 50}), set = tensor({3, 1, 4, 1, 5, 9, 2, 6});
  const Tensor want = isin(x, set);
  for (const Case& c : layouts(x)) expect_same(isin(c.x, set), want, c.layout);
  expect_same(isin(x, set.slice(0, 0, {}, 3)), isin(x, tensor({3, 1, 2})));
}

TEST(Isin, KeepsTheTestElementsOfTheTimeOfTheCall) {
  Tensor set = tensor({1, 2});
  const Tensor got = isin(tensor({1, 2, 3}), set);
  set.fill_(3);
  expect_same(got, tensor({true, true, false}));
}

}  // namespace
}  // namespace tamis
