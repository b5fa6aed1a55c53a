// Einsum: letters, ellipses, diagonals and implicit results.
#include "support/errors.h"
#include "support/pointwise_cases.h"
#include "tamis/linalg.h"

namespace tamis {
namespace {

using namespace testing;
using Ints = std::vector<int64_t>;

const Tensor kA = arange(6).view({2, 3}), kB = arange(12).view({3, 4});

TEST(Einsum, OfTwoMatricesIsTheirProduct) {
  EXPECT_TRUE(equal(einsum("ij,jk->ik", {kA, kB}), mm(kA, kB)));
  EXPECT_TRUE(equal(einsum("ij,jk", {kA, kB}), mm(kA, kB)));
  EXPECT_TRUE(equal(einsum("ij,jk->ki", {kA, kB}), mm(kA, kB).t()));
  EXPECT_TRUE(
      equal(einsum("ba,cb", {kA, kB.t().narrow(1, 0, 2)}), mm(kB.t().narrow(1, 0, 2), kA).t()));
}

TEST(Einsum, OfRepeatedLettersIsADiagonal) {
  const Tensor square = arange(9).view({3, 3});
  EXPECT_EQ(einsum("ii->i", {square}).to_vector<int64_t>(), (Ints{0, 4, 8}));
  EXPECT_EQ(einsum("ii", {square}).item<int64_t>(), 12);
  EXPECT_KIND(einsum("ii", {kA}), shape);
}

TEST(Einsum, SumsWhatTheResultDoesNotName) {
  EXPECT_EQ(einsum("ij->", {kA}).item<int64_t>(), 15);
  EXPECT_EQ(einsum("ij->j", {kA}).to_vector<int64_t>(), (Ints{3, 5, 7}));
  EXPECT_EQ(einsum("ij,kl->il", {kA, kB}).to_vector<int64_t>(),
            (Ints{36, 45, 54, 63, 144, 180, 216, 252}));
}

TEST(Einsum, BroadcastsEllipses) {
  const Tensor a = arange(24).view({2, 1, 3, 4}), b = arange(40).view({5, 4, 2});
  EXPECT_TRUE(equal(einsum("...ij,...jk->...ik", {a, b}), matmul(a, b)));
  EXPECT_TRUE(equal(einsum("...->...", {a}), a));
  EXPECT_EQ(einsum("i...->...", {kA}).to_vector<int64_t>(), (Ints{3, 5, 7}));
}

TEST(Einsum, TakesAnyNumberOfOperands) {
  const Tensor c = arange(4);
  EXPECT_TRUE(equal(einsum("ij,jk,k->i", {kA, kB, c}), mv(mm(kA, kB), c)));
}

TEST(Einsum, RefusesWhatIsNoEquation) {
  EXPECT_KIND(einsum("ij", {}), value);
  EXPECT_KIND(einsum("ij,jk", {kA}), value);
  EXPECT_KIND(einsum("i1", {kA}), value);
  EXPECT_KIND(einsum("i..", {kA}), value);
  EXPECT_KIND(einsum("ij->k", {kA}), value);
  EXPECT_KIND(einsum("ij->ii", {kA}), value);
  EXPECT_KIND(einsum("i", {kA}), shape);
  EXPECT_KIND(einsum("ij,jk", {kA, kA}), shape);
}

}  // namespace
}  // namespace tamis
