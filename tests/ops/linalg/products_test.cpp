// Products made of matrix products, and contractions: against sums by hand.
#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/linalg.h"

namespace tamis {
namespace {

using namespace testing;
using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

const Tensor kX = tensor({{1.f, 2.f}, {3.f, 4.f}});

TEST(Products, WithASummand) {
  const Tensor v = tensor({1.f, -1.f});
  EXPECT_EQ(addmv(v, kX, v, 2, 3).to_vector<float>(), (Floats{-1, -5}));
  EXPECT_EQ(addr(kX, v, v, 1, 2).to_vector<float>(), (Floats{3, 0, 1, 6}));
  const Tensor batch = kX.expand({3, 2, 2});
  EXPECT_EQ(addbmm(kX, batch, batch).to_vector<float>(), (Floats{22, 32, 48, 70}));
  EXPECT_EQ(baddbmm(v, batch, batch)[2].to_vector<float>(), (Floats{8, 9, 16, 21}));
}

TEST(Products, IgnoreTheSummandForBetaZero) {
  const Tensor v = tensor({1.f, -1.f});
  EXPECT_EQ(addmv(full({2}, NAN), kX, v, 0).to_vector<float>(), (Floats{-1, -1}));
  EXPECT_EQ(addr(full({2, 2}, NAN), v, v, 0).to_vector<float>(), (Floats{1, -1, -1, 1}));
}

TEST(Products, RoundHalvesOnce) {
  // In float16 2048 + 1 would be 2048.
  const Tensor v = tensor({2048.f, 1.f, 1.f}).to(float16), ones3 = ones({1, 3}, float16);
  EXPECT_EQ(addmv(tensor({2.f}).to(float16), ones3, v).item<float>(), 2052.f);
}

TEST(Products, RefuseShapesThatDoNotFit) {
  EXPECT_KIND(addmv(zeros({3}), kX, zeros({2})), shape);
  EXPECT_KIND(addr(kX, kX, zeros({2})), shape);
  EXPECT_KIND(addbmm(kX, kX, kX), shape);
  EXPECT_KIND(inner(kX, zeros({3})), shape);
  EXPECT_KIND(trace(zeros({2})), shape);
  EXPECT_KIND(tensordot(kX, zeros({3, 2}), 1), shape);
  EXPECT_KIND(tensordot(kX, kX, -1), value);
  EXPECT_KIND(tensordot(kX, kX, Shape{0, 0}, Shape{0, 1}), value);
}

TEST(Tensordot, SumsOverDimensions) {
  const Tensor a = arange(24).view({2, 3, 4}), b = arange(12).view({4, 3});
  const Tensor c = tensordot(a, b, Shape{1, 2}, Shape{1, 0});
  // The sum of a[i, j, k] * b[k, j].
  int64_t first = 0;
  for (int64_t j = 0; j < 3; ++j) {
    for (int64_t k = 0; k < 4; ++k) first += (4 * j + k) * (3 * k + j);
  }
  EXPECT_EQ(c.shape(), (Shape{2}));
  EXPECT_EQ(c[0].item<int64_t>(), first);
  EXPECT_EQ(tensordot(arange(2), arange(3), 0).to_vector<int64_t>(), (Ints{0, 0, 0, 0, 1, 2}));
  EXPECT_EQ(tensordot(arange(6).view({2, 3}), arange(6).view({2, 3})).item<int64_t>(), 55);
}

TEST(Inner, SumsOverTheLastDimensions) {
  EXPECT_EQ(inner(kX, kX).to_vector<float>(), (Floats{5, 11, 11, 25}));
  EXPECT_EQ(inner(tensor(2.f), kX).to_vector<float>(), (Floats{2, 4, 6, 8}));
}

TEST(Kron, ReplacesElementsByTensors) {
  EXPECT_EQ(kron(tensor({1, 2}), tensor({{1, 0}, {3, 1}})).to_vector<int64_t>(),
            (Ints{1, 0, 2, 0, 3, 1, 6, 2}));
}

TEST(Cross, IsTheVectorProduct) {
  const Tensor a = tensor({1, 2, 3}), b = tensor({-1, 0, 2});
  EXPECT_EQ(cross(a, b).to_vector<int64_t>(), (Ints{4, -5, 2}));
  EXPECT_EQ(cross(a.view({3, 1}), b.view({3, 1})).to_vector<int64_t>(), (Ints{4, -5, 2}));
  EXPECT_KIND(cross(kX, kX), shape);
  EXPECT_KIND(cross(a, b.to(float32)), dtype);
}

TEST(Vander, HasPowersAsColumns) {
  EXPECT_EQ(vander(tensor({2, 3})).to_vector<int64_t>(), (Ints{2, 1, 3, 1}));
  EXPECT_EQ(vander(tensor({2, 3}), 3, true).to_vector<int64_t>(), (Ints{1, 2, 4, 1, 3, 9}));
}

TEST(Vdot, ConjugatesTheFirst) {
  const Tensor i = complex(tensor({0.f}), tensor({1.f}));
  EXPECT_EQ(real(vdot(i, i)).item<float>(), 1.f);
  EXPECT_EQ(real(dot(i, i)).item<float>(), -1.f);
}

}  // namespace
}  // namespace tamis
