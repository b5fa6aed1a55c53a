// Sampling: which tokens are kept by their rank or their probability.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "support/errors.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using Bits = std::vector<bool>;

Bits bits(const Tensor& mask) {
  EXPECT_EQ(mask.dtype(), boolean);
  return mask.to_vector<bool>();
}

const float kInf = INFINITY;

// ---- by rank ------------------------------------------------------------------------------------

TEST(TopK, KeepsTheLargestAndOfEqualOnesTheFirst) {
  const Tensor x = tensor({{1.f, 4.f, 2.f, 2.f}, {0.f, 0.f, 0.f, -1.f}});
  EXPECT_EQ(bits(masks::top_k(x, 2)), (Bits{false, true, true, false, true, true, false, false}));
  EXPECT_EQ(count(masks::top_k(x, 100)), 8);
  EXPECT_EQ(bits(masks::top_k(x, 1, 0)),
            (Bits{true, true, true, true, false, false, false, false}));
}

TEST(TopK, TakesANumberForEachRow) {
  const Tensor x = tensor({{1.f, 4.f, 2.f, 2.f}, {0.f, 0.f, 0.f, -1.f}});
  const Bits want{false, true, false, false, true, true, true, false};
  EXPECT_EQ(bits(masks::top_k(x, tensor({1, 3}))), want);
  EXPECT_EQ(bits(masks::top_k(x, tensor({{1}, {3}}))), want);
  EXPECT_EQ(bits(masks::top_k(x.t(), tensor({1, 3}), 0).t()), want);
}

TEST(Sampling, NeverKeepsWhatIsRuledOutOrNaN) {
  const Tensor x = tensor({{-kInf, 1.f, NAN, 0.f}, {-kInf, -kInf, NAN, -kInf}});
  const Bits both{false, true, false, true, false, false, false, false};
  EXPECT_EQ(bits(masks::top_k(x, 4)), both);
  EXPECT_EQ(bits(masks::top_k(x, tensor({4, 4}))), both);
  EXPECT_EQ(bits(masks::top_p(x, 1.0)), both);
  EXPECT_EQ(bits(masks::top_p(x, 0.1, -1, 4)), both);
  EXPECT_EQ(bits(masks::min_p(x, 0.0)), both);
  EXPECT_EQ(bits(masks::min_p(x, 1.0, -1, 4)), both);
}

TEST(Sampling, LetsInfiniteLogitsShareAllProbability) {
  const Tensor x = tensor({9.f, kInf, 0.f, kInf});
  EXPECT_EQ(bits(masks::top_p(x, 0.4)), (Bits{false, true, false, false}));
  EXPECT_EQ(bits(masks::top_p(x, 0.6)), (Bits{false, true, false, true}));
  EXPECT_EQ(bits(masks::min_p(x, 0.01)), (Bits{false, true, false, true}));
}

// ---- by probability -----------------------------------------------------------------------------

TEST(TopP, KeepsTheFewestThatReachP) {
  const Tensor x = tensor({.1, .6, .3}).log();
  EXPECT_EQ(bits(masks::top_p(x, 0.5)), (Bits{false, true, false}));
  EXPECT_EQ(bits(masks::top_p(x, 0.7)), (Bits{false, true, true}));
  EXPECT_EQ(bits(masks::top_p(x, 0.95)), (Bits{true, true, true}));
  EXPECT_EQ(bits(masks::top_p(x, 0.0)), (Bits{false, true, false}));
  EXPECT_EQ(bits(masks::top_p(x, 0.0, 0, 2)), (Bits{false, true, true}));
}

TEST(TopP, OfEqualOnesKeepsTheFirst) {
  EXPECT_EQ(bits(masks::top_p(zeros({4}), 0.4)), (Bits{true, true, false, false}));
  // Exactly reached: 0.5 is two of four.
  EXPECT_EQ(bits(masks::top_p(zeros({4}), 0.5)), (Bits{true, true, false, false}));
}

TEST(TopP, KeepsAllForOneEvenWhatIsTooSmallToAdd) {
  const Tensor x = tensor({0.f, -1000.f, -50.f});
  EXPECT_EQ(bits(masks::top_p(x, 1.0)), (Bits{true, true, true}));
  EXPECT_EQ(bits(masks::top_p(x, 0.999)), (Bits{true, false, false}));
}

TEST(TopP, TakesAShareForEachRow) {
  const Tensor x = tensor({{.1, .6, .3}, {.1, .6, .3}}).log();
  const Bits want{false, true, false, true, true, true};
  EXPECT_EQ(bits(masks::top_p(x, tensor({0.5, 0.95}))), want);
  EXPECT_EQ(bits(masks::top_p(x.t(), tensor({{0.5, 0.95}}), 0).t()), want);
}

TEST(MinP, ComparesWithTheMostProbable) {
  const Tensor x = tensor({.05, .6, .35}).log();
  EXPECT_EQ(bits(masks::min_p(x, 0.5)), (Bits{false, true, true}));
  EXPECT_EQ(bits(masks::min_p(x, 0.6)), (Bits{false, true, false}));
  EXPECT_EQ(bits(masks::min_p(x, 0.6, 0, 2)), (Bits{false, true, true}));
  EXPECT_EQ(bits(masks::min_p(x, 0.0)), (Bits{true, true, true}));
  EXPECT_EQ(bits(masks::min_p(x.expand({2, 3}), tensor({0.05, 1.0}))),
            (Bits{true, true, true, false, true, false}));
}

TEST(Sampling, LeavesProbabilitiesOfTheKeptInProportion) {
  const Tensor x = tensor({0.f, 1.f, 2.f, 3.f});
  const Tensor mask = masks::top_k(x, 2) & masks::min_p(x, 0.2);
  const Tensor p = softmax(x.masked_fill(~mask, -kInf), 0);
  EXPECT_TRUE(allclose(p, tensor({0.f, 0.f, 0.26894142f, 0.73105858f})));
}

TEST(Sampling, TakesEmptyLogitsAndNumbers) {
  for (const Shape& shape : {Shape{0, 3}, Shape{2, 0}}) {
    EXPECT_EQ(masks::top_k(zeros(shape), 1).shape(), shape);
    EXPECT_EQ(masks::top_p(zeros(shape), 0.5).shape(), shape);
    EXPECT_EQ(masks::min_p(zeros(shape), 0.5).shape(), shape);
  }
  EXPECT_EQ(bits(masks::top_k(tensor(1.f), 3)), (Bits{true}));
  EXPECT_EQ(masks::top_p(tensor(1.f), 0.5).shape(), (Shape{}));
  EXPECT_EQ(bits(masks::min_p(tensor(-kInf), 0.5)), (Bits{false}));
}

TEST(Sampling, TakesHalves) {
  const Tensor x = tensor({1.f, 4.f, 2.f, 2.f}).to(float16);
  EXPECT_EQ(bits(masks::top_p(x, 0.8)), (Bits{false, true, true, false}));
  EXPECT_EQ(bits(masks::top_k(x.to(bfloat16), 2)), (Bits{false, true, true, false}));
}

TEST(Sampling, RefusesWhatHasNoMeaning) {
  const Tensor x = zeros({2, 3});
  EXPECT_KIND(masks::top_k(x, 0), value);
  EXPECT_KIND(masks::top_k(x, 1.5), dtype);
  EXPECT_KIND(masks::top_k(x, tensor({1, 0})), value);
  EXPECT_KIND(masks::top_k(x, tensor({1, 1, 1})), shape);
  EXPECT_KIND(masks::top_k(x.to(int64), 1), dtype);
  EXPECT_KIND(masks::top_p(x, 1.5), value);
  EXPECT_KIND(masks::top_p(x, NAN), value);
  EXPECT_KIND(masks::top_p(x, tensor({0.5, -1.})), value);
  EXPECT_KIND(masks::top_p(x, 0.5, -1, 0), value);
  EXPECT_KIND(masks::min_p(x, -0.1), value);
  EXPECT_KIND(masks::min_p(x, 0.5, 2), index);
}

TEST(Sampling, SaysWhatIsOutOfRange) {
  const auto text = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  const Tensor x = zeros({2, 3});
  EXPECT_EQ(text([&] { masks::top_p(x, 1.5); }), "top_p: p must be from 0 to 1, but got 1.5");
  EXPECT_EQ(text([&] {
              masks::min_p(x, tensor({0.5, -1.}));
            }),
            "min_p: min_p must be from 0 to 1, but got values from -1 to 0.5");
  EXPECT_EQ(text([&] { masks::top_k(x, 0); }), "top_k: k must be at least 1, but got 0");
}

}  // namespace
}  // namespace tamis
