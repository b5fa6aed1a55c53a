// Index: x[mask] as a value and as a target, with PyTorch's shapes and errors.
#include <limits>

#include "support/mask_cases.h"

namespace tamis {
namespace {

using namespace mask_cases;

const char* const kSharedMemory =
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
    "single memory "
    "location.";

Tensor matrix() { return tensor({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}); }
Tensor checkers() {
  return tensor({{true, false, true}, {false, true, false}, {true, false, true}});
}

// ---- reading ------------------------------------------------------------------------------------

TEST(IndexGet, TakesElementsByAFullMask) {
  const Tensor x = matrix();
  expect_same(x[checkers()], tensor({1, 3, 5, 7, 9}));
  expect_same(x[checkers()].sum(), tensor(25));
  const Tensor a = tensor({1.f, 2.f, 3.f, 4.f}), b = tensor({10.f, 20.f, 30.f, 40.f});
  const Tensor m = tensor({true, true, false, true});
  expect_same(Tensor(a[m]) * b[m], tensor({10.f, 40.f, 160.f}));
}

TEST(IndexGet, TakesRowsByALowerMask) {
  const Tensor x = matrix();
  expect_same(x[checkers()[1]], tensor({{4, 5, 6}}));
  expect_same(x[tensor({true, false, true})], tensor({{1, 2, 3}, {7, 8, 9}}));
  const Tensor cube = arange(12).view({2, 2, 3});
  const Tensor one = tensor({{false, true}, {false, false}});
  expect_same(cube[one], tensor({{3, 4, 5}}));
  EXPECT_EQ(cube[tensor({false, false})].shape(), (Shape{0, 2, 3}));
}

TEST(IndexGet, AMaskWithoutDimensionsAddsOne) {
  const Tensor x = arange(6).view({2, 3});
  expect_same(x[tensor(true)], x.unsqueeze(0));
  EXPECT_EQ(x[tensor(false)].shape(), (Shape{0, 2, 3}));
  expect_same(tensor(5)[tensor(true)], tensor({5}));
  expect_same(tensor(5)[tensor(false)], empty({0}, int64));
}

TEST(IndexGet, CountsRowsWithoutElements) {
  EXPECT_EQ(zeros({2, 0})[tensor({true, false})].shape(), (Shape{1, 0}));
  EXPECT_EQ(zeros({0, 2})[empty({0}, boolean)].shape(), (Shape{0, 2}));
  EXPECT_EQ(zeros({3, 0, 2})[tensor({true, true, false})].shape(), (Shape{2, 0, 2}));
}

TEST(IndexGet, MatchesRowByRowCopies) {
  const Tensor x = values_of(float32, {37, 11, 5});
  for (const char* pattern : kPatterns) {
    const Tensor m = mask_of(pattern, {37, 11});
    std::vector<Tensor> rows;
    const std::vector<uint8_t> on = m.to_vector<uint8_t>();
    for (int64_t i = 0; i < 37 * 11; ++i) {
      if (on[i]) rows.push_back(x[i / 11][i % 11]);
    }
    const Tensor want = rows.empty() ? empty({0, 5}) : stack(rows);
    expect_same(x[m], want, pattern);
    expect_same(x.permute({1, 0, 2})[m.t()],
                Tensor(x.permute({1, 0, 2}).contiguous()[m.t().contiguous()]), pattern);
  }
}

TEST(IndexGet, DoesNotDependOnTheLayout) {
  const Tensor x = values_of(int32, {41, 66}), rows = mask_of("random", {41}),
               full_mask = mask_of("random", {41, 66});
  const Tensor by_row = x[rows], by_element = x[full_mask];
  expect_same(by_element, naive_select(x, full_mask));
  expect_same(by_row.flatten(), naive_select(x, rows.unsqueeze(1)));
  for (const Case& c : layouts(x)) {
    expect_same(c.x[rows], by_row, c.layout);
    for (const Case& k : layouts(full_mask))
      expect_same(c.x[k.x], by_element, c.layout + " by " + k.layout);
  }
}

TEST(IndexGet, FusesAPredicateOverItself) {
  const Tensor x = values_of(float32, {100000});
  expect_same(x[(x >= 20) & (x <= 60)], naive_select(x, ((x >= 20) & (x <= 60)).settle()));
}

TEST(Index, RefusesMasksOfAnotherShape) {
  const Tensor x = arange(6).view({2, 3});
  expect_error(ErrorKind::index,
               "The shape of the mask [3] at index 0 does not match the shape of the indexed "
               "tensor [2, 3] at index 0",
               [&] {
                 x[tensor({true, false, true})];
               });
  expect_error(ErrorKind::index,
               "The shape of the mask [2, 2] at index 1 does not match the shape of the indexed "
               "tensor [2, 3] at "
               "index 1",
               [&] {
                 x[ones({2, 2}, boolean)];
               });
  expect_error(ErrorKind::index, "The shape of the mask [1] at index 0 does not match",
               [&] { x[tensor({true})]; });
  expect_error(ErrorKind::index, "too many indices for tensor of dimension 2", [&] {
    x[ones({2, 3, 1}, boolean)];
  });
  expect_error(ErrorKind::index, "too many indices for tensor of dimension 0",
               [] { tensor(5)[tensor({true})]; });
}

TEST(Index, RefusesOtherDTypesAndSaysWhatToWrite) {
  const Tensor x = zeros({2, 3});
  for (DType dtype : {float16, bfloat16, float32, float64, int8, int16}) {
    expect_error(ErrorKind::index,
                 "tensors used as indices must be long, int, byte or bool tensors",
                 [&] { x[ones({2}, dtype)]; });
  }
  expect_error(
      ErrorKind::dtype,
      "x[mask]: expected BoolTensor for mask, but got Byte; write mask.to_bool() or mask != 0",
      [&] { x[ones({2}, uint8)]; });
}

// ---- writing ------------------------------------------------------------------------------------

TEST(IndexPut, WritesANumber) {
  const Tensor x = matrix();
  x[checkers()] = 0;
  expect_same(x, tensor({{0, 2, 0}, {4, 0, 6}, {0, 8, 0}}));
  x[tensor({true, false, false})] = -1;
  expect_same(x, tensor({{-1, -1, -1}, {4, 0, 6}, {0, 8, 0}}));
}

TEST(IndexPut, WritesTheSameNumberIntoARowAsElsewhere) {
  const Tensor third = tensor(1 / 3.f);
  for (int64_t n : {1, 63, 64, 65, 130, 4096, 4097}) {
    const Tensor mask = mask_of("random", {n});
    for (DType dtype : kDTypes) {
      for (const Tensor& number : {Tensor(7), Tensor(1 / 3.), Tensor(2.9), Tensor(true), third}) {
        Tensor row = values_of(dtype, {n}), apart = zeros({n, 2}, dtype).select(1, 1);
        apart.copy_(row);
        row[mask] = number;
        apart[mask] = number;
        expect_same(row, apart, std::string(name(dtype)) + " " + std::to_string(n));
        for (const Tensor& x : {row, apart}) {
          const std::vector<double> got = x.to_vector<double>();
          const std::vector<double> old = values_of(dtype, {n}).to_vector<double>();
          const std::vector<uint8_t> keep = mask.to_vector<uint8_t>();
          const double want = number.to(dtype).item<double>();
          for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], keep[i] ? want : old[i]);
        }
      }
    }
  }
}

TEST(IndexPut, ReadsItsMaskAndItsNumberBeforeWriting) {
  const Tensor x = tensor({true, false, true});
  x[x] = false;
  expect_same(x, tensor({false, false, false}));
  const Tensor y = arange(100).to(float32).settle();
  y[y > 2] = y[3];
  EXPECT_EQ(y.sum().item<double>(), 0 + 1 + 2 + 97 * 3);
}

TEST(IndexPut, WritesATensorInOrder) {
  const Tensor x = zeros({3, 3}, int64);
  x[checkers()] = tensor({1, 2, 3, 4, 5});
  expect_same(x, tensor({{1, 0, 2}, {0, 3, 0}, {4, 0, 5}}));
  x[tensor({false, true, true})] = tensor({{7, 8, 9}, {10, 11, 12}});
  expect_same(x, tensor({{1, 0, 2}, {7, 8, 9}, {10, 11, 12}}));
}

TEST(IndexPut, BroadcastsTheValue) {
  const Tensor rows = tensor({true, true});
  const auto put = [&](const Tensor& mask, const Tensor& value) {
    const Tensor x = zeros({2, 3});
    x[mask] = value;
    return x;
  };
  expect_same(put(tensor({true, false}), tensor({1.f, 2.f, 3.f})),
              tensor({{1.f, 2.f, 3.f}, {0.f, 0.f, 0.f}}));
  expect_same(put(rows, tensor({{1.f}, {2.f}})), tensor({{1.f, 1.f, 1.f}, {2.f, 2.f, 2.f}}));
  expect_same(put(rows, tensor({{{1.f}, {2.f}}})), tensor({{1.f, 1.f, 1.f}, {2.f, 2.f, 2.f}}));
  expect_same(put(rows, tensor({{1.f, 2.f, 3.f}})), tensor({{1.f, 2.f, 3.f}, {1.f, 2.f, 3.f}}));
  expect_same(put(rows, full({1, 1, 1}, 4.f)), full({2, 3}, 4.f));
  const Tensor flat = zeros({3});
  flat[tensor({true, true, false})] = tensor({{5.f, 6.f}});
  expect_same(flat, tensor({5.f, 6.f, 0.f}));
}

TEST(IndexPut, RefusesAValueThatDoesNotBroadcast) {
  const auto refuses = [](const Shape& value, const Tensor& x, const Tensor& mask,
                          const char* result) {
    const Tensor before = x.clone();
    expect_error(ErrorKind::shape,
                 "shape mismatch: value tensor of shape " + to_string(value) +
                     " cannot be broadcast to indexing result of shape " + result,
                 [&] { x[mask] = ones(value); });
    expect_same(x, before);
  };
  refuses({2}, zeros({2, 3}), tensor({true, false}), "[1, 3]");
  refuses({3, 2, 3}, zeros({2, 3}), tensor({true, true}), "[2, 3]");
  refuses({3}, zeros({3}), tensor({true, true, false}), "[2]");
  refuses({2, 1}, zeros({3}), tensor({true, true, false}), "[2]");
  refuses({2}, zeros({3}), tensor({false, false, false}), "[0]");
  refuses({0}, zeros({3}), tensor({true, false, false}), "[1]");
  refuses({2}, zeros({3}), tensor(true), "[1, 3]");
  refuses({2}, zeros({3}), tensor(false), "[0, 3]");
}

TEST(IndexPut, WritesNothingWhereNothingIsSelected) {
  const Tensor x = zeros({3}), none = tensor({false, false, false});
  x[none] = 1;
  x[none] = ones({1});
  x[none] = ones({0});
  x[tensor(false)] = 1;
  x[tensor(false)] = ones({3});
  x[tensor(false)] = ones({0, 3});
  expect_same(x, zeros({3}));
  const Tensor thin = zeros({2, 0});
  thin[tensor({true, false})] = 1;
  thin[tensor({true, true})] = ones({2, 0});
}

TEST(IndexPut, AMaskWithoutDimensionsWritesEverything) {
  const Tensor x = zeros({3});
  x[tensor(true)] = tensor({1.f, 2.f, 3.f});
  expect_same(x, tensor({1.f, 2.f, 3.f}));
  x[tensor(true)] = tensor({{{4.f, 5.f, 6.f}}});
  expect_same(x, tensor({4.f, 5.f, 6.f}));
  const Tensor scalar = tensor(1);
  scalar[tensor(true)] = 9;
  expect_same(scalar, tensor(9));
}

TEST(IndexPut, AlwaysCasts) {
  const Tensor ints = zeros({3}, int64), m = tensor({true, true, false});
  ints[m] = tensor(1.5f);
  expect_same(ints, tensor({1, 1, 0}));
  ints[m] = tensor({2.9f, -3.9f});
  expect_same(ints, tensor({2, -3, 0}));
  const Tensor floats = zeros({3});
  floats[m] = tensor({1, 2});
  expect_same(floats, tensor({1.f, 2.f, 0.f}));
  const Tensor bools = zeros({3}, boolean);
  bools[m] = tensor({0, 7});
  expect_same(bools, tensor({false, true, false}));
}

TEST(IndexPut, RefusesANumberThatDoesNotFit) {
  const Tensor x = ones({3}, int8);
  expect_error(ErrorKind::value, "value cannot be converted to type int8_t without overflow", [&] {
    x[tensor({true, true, false})] = 300;
  });
  expect_same(x, ones({3}, int8));
}

TEST(IndexPut, MatchesAPlainLoopInEveryLayoutAndDType) {
  const Shape shape{67, 130};
  for (const char* pattern : kPatterns) {
    const Tensor m = mask_of(pattern, shape), rows = mask_of(pattern, {67});
    for (DType dtype : {boolean, uint8, float16, float32, float64}) {
      const Tensor x = values_of(dtype, shape), v = values_of(dtype, {count(m)}, 3),
                   row = values_of(dtype, {130}, 4);
      for (const Case& c : layouts(x)) {
        const std::string what = std::string(pattern) + " " + name(dtype) + " " + c.layout;
        c.x[m] = v;
        expect_same(c.x, masked_scatter(x, m, v), what);
        c.x[rows] = row;
        expect_same(c.x, where(rows.unsqueeze(1), row, masked_scatter(x, m, v)), what);
        c.x[m] = 1;
        expect_same(c.x.masked_select(m), ones({count(m)}, dtype), what);
      }
    }
  }
}

TEST(IndexPut, CopiesFromAnotherSelection) {
  const Tensor x = zeros({3, 3}, int64), y = matrix();
  x[checkers()] = y[checkers()];
  expect_same(x, tensor({{1, 0, 3}, {0, 5, 0}, {7, 0, 9}}));
  const Tensor z = arange(6);
  z[z > 2] = z[z < 3];
  expect_same(z, tensor({0, 1, 2, 0, 1, 2}));
}

TEST(IndexPut, ReadsAnExpressionOverItselfBeforeWriting) {
  const Tensor x = arange(10000).to_float().settle();
  x[x > 5000] = 0;
  EXPECT_EQ(x.amax().item<float>(), 5000.f);
  const Tensor y = arange(4);
  y[y >= 0] = y * 10;
  expect_same(y, tensor({0, 10, 20, 30}));
  const Tensor z = arange(6).view({2, 3});
  z[tensor({true, true})] = z[0] + 100;
  expect_same(z, tensor({{100, 101, 102}, {100, 101, 102}}));
}

TEST(IndexPut, KeepsEarlierResults) {
  const Tensor x = tensor({1.f, 2.f, 3.f});
  const Tensor doubled = x * 2, kept = x[x > 1];
  x[x > 1] = 0;
  expect_same(x, tensor({1.f, 0.f, 0.f}));
  expect_same(doubled, tensor({2.f, 4.f, 6.f}));
  expect_same(kept, tensor({2.f, 3.f}));
}

TEST(IndexPut, RefusesOverlappingMemory) {
  const Tensor x = arange(4);
  expect_error(ErrorKind::unsupported, kSharedMemory, [&] { x[x >= 0] = x; });
  expect_error(ErrorKind::unsupported, kSharedMemory,
               [&] { x.slice(0, 1)[ones({3}, boolean)] = x.slice(0, 0, -1); });
  expect_same(x, arange(4));
  const Tensor m = ones({3}, boolean);
  expect_error(ErrorKind::unsupported, kSharedMemory, [&] {
    m[m] = tensor({false, false, false});
  });
  m[m] = false;
  expect_same(m, zeros({3}, boolean));
  const Tensor expanded = zeros({1}).expand({4});
  expect_error(ErrorKind::unsupported,
               "unsupported operation: more than one element of the written-to tensor",
               [&] { expanded[ones({4}, boolean)] = 3; });
}

TEST(IndexPut, TakesAnElementOfItself) {
  const Tensor x = arange(4);
  x[x > 1] = x[1];
  expect_same(x, tensor({0, 1, 1, 1}));
}

// ---- updating -----------------------------------------------------------------------------------

TEST(IndexUpdate, ComputesInPlace) {
  const Tensor x = tensor({1.f, 2.f, 3.f, 4.f});
  x[x > 2] *= 10;
  expect_same(x, tensor({1.f, 2.f, 30.f, 40.f}));
  x[x > 2] += 1;
  expect_same(x, tensor({1.f, 2.f, 31.f, 41.f}));
  x[x > 2] -= tensor({1.f, 2.f});
  expect_same(x, tensor({1.f, 2.f, 30.f, 39.f}));
  x[x <= 2] /= 2;
  expect_same(x, tensor({0.5f, 1.f, 30.f, 39.f}));
}

TEST(IndexUpdate, BroadcastsOverRows) {
  const Tensor x = ones({2, 3});
  x[tensor({true, false})] += tensor({2, 3, 4});
  expect_same(x, tensor({{3.f, 4.f, 5.f}, {1.f, 1.f, 1.f}}));
  x[tensor({true, true})] *= tensor({{10.f}, {20.f}});
  expect_same(x, tensor({{30.f, 40.f, 50.f}, {20.f, 20.f, 20.f}}));
  x[tensor({true, true})] += x[0];
  expect_same(x, tensor({{60.f, 80.f, 100.f}, {50.f, 60.f, 70.f}}));
}

TEST(IndexUpdate, WrapsIntegers) {
  const Tensor x = ones({3}, int8);
  x[tensor({true, true, false})] += 300;
  expect_same(x, tensor({45, 45, 1}, int8));
}

TEST(IndexUpdate, RefusesAResultThatDoesNotCast) {
  const Tensor x = ones({3}, int64), m = tensor({true, true, false});
  const char* text = "result type Float can't be cast to the desired output type Long";
  expect_error(ErrorKind::dtype, text, [&] { x[m] *= 2.5; });
  expect_error(ErrorKind::dtype, text, [&] { x[m] /= 2; });
  expect_error(ErrorKind::dtype, text, [&] { x[m] += tensor({1.f, 2.f}); });
  expect_error(ErrorKind::shape, "output with shape [2] doesn't match the broadcast shape [3, 2]",
               [&] {
                 x[m] += ones({3, 2}, int64);
               });
  expect_same(x, ones({3}, int64));
}

TEST(IndexUpdate, MatchesAPlainUpdateForEveryLayout) {
  const Tensor x = values_of(float32, {67, 130});
  for (const char* pattern : kPatterns) {
    const Tensor m = mask_of(pattern, {67, 130});
    const Tensor want = where(m, x * 3, x).settle();
    for (const Case& c : layouts(x)) {
      c.x[m] *= 3;
      expect_same(c.x, want, std::string(pattern) + " " + c.layout);
    }
  }
}

TEST(IndexUpdate, WorksWithoutDimensions) {
  const Tensor x = tensor(3.f);
  x[tensor(true)] *= 2;
  x[tensor(false)] *= 2;
  expect_same(x, tensor(6.f));
}

}  // namespace
}  // namespace tamis
