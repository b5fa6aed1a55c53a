// Norms of every order: values from PyTorch 1.13 or by hand.
#include <complex>
#include <limits>

#include "support/mask_cases.h"
#include "tamis/complex.h"
#include "tamis/masked.h"
#include "tamis/reduce.h"

namespace tamis {
namespace {

using namespace mask_cases;

const double kInf = std::numeric_limits<double>::infinity();

TEST(Norm, OfEveryOrder) {
  const Tensor x = tensor({{3., -4.}, {0., 2.}});
  expect_near(norm(x), {5.3851648});
  expect_near(norm(x, 1, {1}), {7, 2});
  expect_near(norm(x, kInf, {1}), {4, 2});
  expect_near(norm(x, -kInf, {1}), {3, 0});
  expect_near(norm(x, 0, {1}), {2, 1});
  expect_near(norm(x, 3, {1}), {4.4979415, 2});
  expect_near(normalize(x), {0.6, -0.8, 0, 1});
  EXPECT_THROW(norm(tensor({1, 2})), Error);
  EXPECT_THROW(norm(zeros({0}), kInf), Error);
}

TEST(Norm, OfComplexNumbersIsThatOfTheirSizes) {
  const Tensor z = tensor({std::complex<double>(3, 4), std::complex<double>(0, -12)}, complex128);
  EXPECT_EQ(norm(z).dtype(), float64);
  expect_near(norm(z), {13});
  expect_near(norm(z, 1), {17});
  expect_near(norm(z, kInf), {12});
  expect_near(norm(z, 0), {2});
  EXPECT_EQ(norm(z, 1, {}, false, complex128).dtype(), complex128);
  expect_near(norm(z, 1, {}, false, float64), {3});
  expect_near(masked::norm(z, tensor({true, false})), {5});
  const Tensor unit = masked::normalize(z, tensor({true, false}), 2, 0);
  expect_near(real(unit), {0.6, 0});
  expect_near(imag(unit), {0.8, 0});
  expect_near(abs(normalize(z, 2, 0)), {5. / 13, 12. / 13});
  EXPECT_THROW(masked::norm(z, Tensor(), 2, {}, false, float64), Error);
}

}  // namespace
}  // namespace tamis
