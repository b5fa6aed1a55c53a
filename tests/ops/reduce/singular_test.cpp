// Norms of matrices by their names: values from PyTorch 1.13 or by hand.
#include <cmath>
#include <complex>

#include "support/pointwise_cases.h"
#include "tamis/autograd.h"
#include "tamis/create.h"
#include "tamis/reduce.h"
#include "tamis/view.h"

namespace tamis {
namespace {

using namespace testing;

/// Small whole numbers in no order.
Tensor whole(const Shape& shape, DType dtype, int seed) {
  return (arange(numel(shape)) * (7 + 2 * seed) + seed).remainder(9).sub(4).to(dtype).view(shape);
}

/// From PyTorch 1.13: torch.norm(x, 'nuc').
TEST(NuclearNorm, IsTheSumOfTheSingularValues) {
  const Tensor x = tensor({{1., 2., 3.}, {4., 5., 7.}}, float64);
  EXPECT_NEAR(norm(x, "nuc").item<double>(), 10.762534997211358, 1e-13);
  EXPECT_NEAR(x.t().norm("nuc").item<double>(), 10.762534997211358, 1e-13);
  EXPECT_EQ(norm(x, "nuc", {0, 1}, true).shape(), (Shape{1, 1}));
  EXPECT_NEAR(norm(diag(tensor({3., 0., -4.}, float64)), "nuc").item<double>(), 7, 1e-14);
  EXPECT_EQ(norm(zeros({3, 4}), "nuc").item<float>(), 0);
  EXPECT_EQ(norm(zeros({0, 4}), "nuc").item<float>(), 0);
  EXPECT_EQ(norm(zeros({2, 0, 4}), "nuc", {1, 2}).shape(), (Shape{2}));
  EXPECT_NEAR(norm(x * 1e200, "nuc").item<double>(), 1.0762534997211358e201, 1e188);
  EXPECT_NEAR(norm(x * 1e-200, "nuc").item<double>(), 1.0762534997211358e-199, 1e-212);
  EXPECT_EQ(norm(x.to_float(), "nuc").dtype(), float32);
}

TEST(NuclearNorm, OfEveryMatrixOfABatch) {
  const Tensor x = whole({3, 4, 2}, float64, 3), y = norm(x, "nuc", {2, 0});
  EXPECT_EQ(y.shape(), (Shape{4}));
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(y[i].item<double>(), norm(x.select(1, i), "nuc").item<double>(), 1e-12);
  }
}

TEST(NuclearNorm, OfRotationsIsTheirSize) {
  const std::complex<double> i(0, 1);
  const Tensor unitary = tensor({{1. + 0. * i, i}, {i, 1. + 0. * i}}, complex128) / std::sqrt(2.0);
  const Tensor size = norm(unitary, "nuc");
  EXPECT_EQ(size.dtype(), float64);
  EXPECT_NEAR(size.item<double>(), 2, 1e-14);
}

TEST(NuclearNorm, HasTheSlopeOfTheUnitaryFactor) {
  // A symmetric positive matrix has the identity as its factor.
  const Tensor x = tensor({{2., 1.}, {1., 3.}}, float64).requires_grad_();
  backward({norm(x, "nuc") * 5});
  EXPECT_TRUE(allclose(x.grad(), eye(2, {}, float64) * 5));
  // Along singular values that are zero it is flat.
  const Tensor flat = tensor({{0., 0., 0.}, {0., 7., 0.}}, float64).requires_grad_();
  backward({norm(flat, "nuc")});
  EXPECT_TRUE(allclose(flat.grad(), tensor({{0., 0., 0.}, {0., 1., 0.}}, float64)));
  const Tensor twice = tensor({{2., 1.}, {1., 3.}}, float64).requires_grad_();
  expect_error(
      ErrorKind::unsupported,
      "norm: the gradient of the nuclear norm has no derivative here; call backward without "
      "create_graph",
      [&] { grad({norm(twice, "nuc")}, {twice}, {}, {}, true); });
}

TEST(NuclearNorm, RefusesWhatPyTorchRefuses) {
  expect_error(ErrorKind::shape,
               "Expected a tensor with 2 dimensions, but got a tensor with 1 dimension instead.",
               [] { norm(ones({3}), "nuc"); });
  expect_error(ErrorKind::value, "nuclear norm requires a 'dim' argument of size 2", [] {
    norm(ones({3, 3}), "nuc", {0});
  });
  expect_error(ErrorKind::dtype,
               "linalg.svd: Expected a floating point or complex tensor as input. Got Long", [] {
                 norm(ones({2, 2}, int64), "nuc");
               });
  expect_error(ErrorKind::dtype, "\"linalg_svd_cpu\" not implemented for 'Half'", [] {
    norm(ones({2, 2}, float16), "nuc");
  });
  expect_error(ErrorKind::value,
               "linalg.svd: The algorithm failed to converge because the input matrix contained "
               "non-finite values.",
               [] {
                 norm(full({2, 2}, NAN), "nuc");
               });
  EXPECT_TRUE(isnan(norm(full({2, 2}, INFINITY), "nuc")).item<bool>());
  expect_error(ErrorKind::value, "only valid string values are 'fro' and 'nuc', found inf", [] {
    norm(ones({2, 2}), "inf");
  });
}

TEST(FrobeniusNorm, IsTheNormOfTheElements) {
  const Tensor x = tensor({{3., -4.}, {0., 2.}});
  EXPECT_TRUE(equal(norm(x, "fro"), norm(x, 2)));
  EXPECT_TRUE(equal(norm(x, "fro", {1}, true), norm(x, 2, {1}, true)));
  EXPECT_TRUE(equal(norm(ones({2, 3, 4}), "fro"), norm(ones({24}))));
  expect_error(ErrorKind::value, "Expected at most 2 dimensions, but got 3 dimensions instead.",
               [] {
                 norm(ones({2, 3, 4}), "fro", {0, 1, 2});
               });
}

}  // namespace
}  // namespace tamis
