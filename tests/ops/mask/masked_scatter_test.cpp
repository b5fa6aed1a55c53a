// Scatter: masked_scatter against a plain loop and PyTorch's own examples.
#include "support/mask_cases.h"

namespace tamis {
namespace {

using namespace mask_cases;

/// What masked_scatter means.
Tensor naive_scatter(const Tensor& x, const Tensor& mask, const Tensor& source) {
  const Shape shape = broadcast_shapes(mask.shape(), x.shape());
  std::vector<double> to = x.expand(shape).to_vector<double>();
  const std::vector<double> from = source.to_vector<double>();
  const std::vector<uint8_t> on = mask.expand(shape).to_vector<uint8_t>();
  size_t next = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    if (on[i]) to[i] = from[next++];
  }
  return tensor(to, shape).to(x.dtype());
}

TEST(MaskedScatter, TakesTheSourceInOrder) {
  const Tensor m = tensor({{0, 0, 0, 1, 1}, {1, 1, 0, 1, 1}}).to_bool();
  expect_same(masked_scatter(zeros({2, 5}, int64), m, arange(10)),
              tensor({{0, 0, 0, 0, 1}, {2, 3, 0, 4, 5}}));
  expect_same(zeros({2, 5}, int64).masked_scatter(m, arange(10).view({5, 2})),
              tensor({{0, 0, 0, 0, 1}, {2, 3, 0, 4, 5}}));
}

TEST(MaskedScatter, BroadcastsInputAndMask) {
  expect_same(masked_scatter(tensor({1, 2, 3}), tensor({{true}, {false}}), tensor({7, 8, 9})),
              tensor({{7, 8, 9}, {1, 2, 3}}));
  expect_same(masked_scatter(tensor({{1, 2}, {3, 4}}), tensor({false, true}), tensor({7, 8})),
              tensor({{1, 7}, {3, 8}}));
  expect_same(masked_scatter(tensor(1), tensor(true), tensor({9, 8})), tensor(9));
  EXPECT_EQ(masked_scatter(empty({5, 0, 5}), ones({5, 1, 5}, boolean), empty({0})).shape(),
            (Shape{5, 0, 5}));
}

TEST(MaskedScatter, MatchesAPlainLoopForEveryLengthPatternAndDType) {
  for (int64_t n : kLengths) {
    for (const char* pattern : kPatterns) {
      const Tensor m = mask_of(pattern, {n});
      for (DType dtype : kDTypes) {
        const Tensor x = values_of(dtype, {n}), source = values_of(dtype, {count(m)}, 3);
        const Tensor want = naive_scatter(x, m, source);
        const std::string what = std::string(pattern) + " " + std::to_string(n) + " " + name(dtype);
        expect_same(masked_scatter(x, m, source), want, what);
        Tensor y = x.clone();
        y.masked_scatter_(m, source);
        expect_same(y, want, what + " in place");
      }
    }
  }
}

TEST(MaskedScatter, DoesNotDependOnTheLayout) {
  const Shape shape{67, 130};
  const Tensor m = mask_of("random", shape);
  for (DType dtype : {boolean, int16, float32, int64}) {
    const Tensor x = values_of(dtype, shape), source = values_of(dtype, shape, 3);
    const Tensor want = naive_scatter(x, m, source);
    for (const Case& k : layouts(m)) {
      for (const Case& c : layouts(x)) {
        const std::string what = c.layout + " by " + k.layout;
        expect_same(masked_scatter(c.x, k.x, source.t().contiguous().t()), want, what);
        Tensor y = c.x;
        y.masked_scatter_(k.x, source);
        expect_same(y, want, what + " in place");
        y.copy_(x);
      }
    }
  }
}

TEST(MaskedScatter, UndoesMaskedSelect) {
  const Tensor x = arange(50000), m = mask_of("clustered", {50000});
  const Tensor kept = masked_select(x, m);
  expect_same(masked_scatter(zeros_like(x), m, kept), where(m, x, 0));
  expect_same(masked_scatter(x, m, kept), x);
}

TEST(MaskedScatter, LeavesItsInputsAlone) {
  const Tensor x = zeros({3}), m = tensor({true, false, true}), source = tensor({1.f, 2.f, 3.f});
  masked_scatter(x, m, source);
  expect_same(x, zeros({3}));
  expect_same(source, tensor({1.f, 2.f, 3.f}));
}

TEST(MaskedScatter, RefusesTooShortASourceBeforeWriting) {
  Tensor x = zeros({2, 3});
  const char* text = "Number of elements of source < number of ones in mask (2 < 4)";
  const Tensor m = tensor({true, false, true});
  expect_error(ErrorKind::value, text, [&] { x.masked_scatter_(m, ones({2})); });
  expect_error(ErrorKind::value, text, [&] { masked_scatter(x, m, ones({2})); });
  expect_same(x, zeros({2, 3}));
}

TEST(MaskedScatter, RefusesOtherDTypes) {
  Tensor x = zeros({3});
  expect_error(
      ErrorKind::dtype,
      "masked_scatter: expected self and source to have same dtypes but gotFloat and Double",
      [&] { x.masked_scatter_(ones({3}, boolean), zeros({3}, float64)); });
  for (DType dtype : {uint8, int64, float32}) {
    expect_error(ErrorKind::dtype,
                 "masked_scatter_ only supports boolean masks, but got mask with dtype ",
                 [&] { masked_scatter(x, ones({3}, dtype), ones({3})); });
  }
  expect_same(x, zeros({3}));
}

TEST(MaskedScatter, RefusesShapesThatDoNotFit) {
  Tensor x = zeros({3});
  expect_error(ErrorKind::shape, "output with shape [3] doesn't match the broadcast shape [2, 3]",
               [&] {
                 x.masked_scatter_(ones({2, 3}, boolean), zeros({9}));
               });
  expect_error(ErrorKind::shape, "The size of tensor a (2) must match the size of tensor b (3)",
               [&] { masked_scatter(x, ones({2}, boolean), zeros({9})); });
}

TEST(MaskedScatterInPlace, RefusesAnExpandedTensor) {
  Tensor x = zeros({1}).expand({4});
  expect_error(ErrorKind::unsupported,
               "unsupported operation: more than one element of the written-to tensor refers to a "
               "single memory "
               "location.",
               [&] { x.masked_scatter_(ones({4}, boolean), ones({4})); });
}

TEST(MaskedScatterInPlace, ReadsMaskAndSourceBeforeWriting) {
  Tensor x = arange(1, 5);
  x.masked_scatter_(x > 1, x);
  expect_same(x, tensor({1, 1, 2, 3}));
  Tensor y = arange(1, 5);
  Tensor tail = y.slice(0, 1);
  tail.masked_scatter_(tail > 0, y.slice(0, 0, -1));
  expect_same(y, tensor({1, 1, 2, 3}));
  Tensor m = tensor({true, true, false, true});
  m.masked_scatter_(m, tensor({false, true, false}));
  expect_same(m, tensor({false, true, false, false}));
  Tensor shifted = tensor({true, true, false, true});
  Tensor end = shifted.slice(0, 1);
  end.masked_scatter_(shifted.slice(0, 0, -1), tensor({false, false}));
  expect_same(shifted, tensor({true, false, false, true}));
}

TEST(MaskedScatterInPlace, KeepsEarlierResults) {
  Tensor x = zeros({3});
  const Tensor plus = x + 1;
  x.masked_scatter_(tensor({true, false, true}), tensor({5.f, 6.f}));
  expect_same(plus, ones({3}));
  expect_same(x, tensor({5.f, 0.f, 6.f}));
}

}  // namespace
}  // namespace tamis
