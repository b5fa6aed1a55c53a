// Products of matrices: against sums by hand, in every layout, number of threads and mode.
#include <atomic>
#include <cmath>
#include <complex>
#include <thread>

#include "ops/row.h"
#include "support/observe.h"
#include "support/pointwise_cases.h"
#include "tamis/autograd.h"
#include "tamis/reduce.h"
#include "tamis/runtime.h"

namespace tamis {
namespace {

using namespace testing;

/// Small whole numbers, whose products and sums every dtype but the narrowest holds exactly.
Tensor whole(const Shape& shape, DType dtype, int seed) {
  return (arange(numel(shape)) * (7 + 2 * seed) + seed).remainder(9).sub(4).to(dtype).view(shape);
}

Tensor by_hand(const Tensor& a, const Tensor& b) {
  return sum(a.unsqueeze(2) * b.unsqueeze(0), {1}, false, a.dtype());
}

TEST(Matmul, IsTheSumOfProducts) {
  for (DType dtype : {int8, int16, int32, int64, float32, float64, complex64, complex128}) {
    for (const auto& [m, k, n] : {std::tuple(2, 3, 4), {1, 1, 1}, {5, 1, 7}, {67, 45, 33}}) {
      const Tensor a = whole({m, k}, dtype, 1), b = whole({k, n}, dtype, 2);
      EXPECT_TRUE(equal(mm(a, b), by_hand(a, b))) << name(dtype) << m;
      EXPECT_TRUE(equal(matmul(a, b.select(1, 0)), by_hand(a, b).select(1, 0))) << name(dtype) << m;
    }
  }
}

TEST(Matmul, IntegersWrapAround) {
  EXPECT_EQ(mm(tensor({{100, 100}}, int8), tensor({{2}, {2}}, int8)).to_vector<int64_t>(),
            (std::vector<int64_t>{-112}));
  EXPECT_EQ(dot(tensor({200, 100}, uint8), tensor({2, 3}, uint8)).item<int64_t>(), 188);
}

TEST(Matmul, RoundsHalvesOnce) {
  // In float16 2048 + 1 would be 2048 each time.
  const Tensor a = full({1, 5}, 1, float16);
  const Tensor b = tensor({2048.f, 1.f, 1.f, 1.f, 1.f}).to(float16).view({5, 1});
  EXPECT_EQ(mm(a, b).item<float>(), 2052.0f);
  EXPECT_EQ(matmul(a, b.view({5})).item<float>(), 2052.0f);
  EXPECT_EQ(mm(a, b).dtype(), float16);
}

TEST(Matmul, BroadcastsBatches) {
  const Tensor a = whole({7, 1, 2, 3}, float32, 1), b = whole({4, 3, 5}, float32, 2);
  const Tensor c = matmul(a, b);
  ASSERT_EQ(c.shape(), (Shape{7, 4, 2, 5}));
  for (int64_t i = 0; i < 7; ++i) {
    for (int64_t j = 0; j < 4; ++j) EXPECT_TRUE(equal(c[i][j], by_hand(a[i][0], b[j])));
  }
}

TEST(Matmul, GivesTheSameBitsInEveryLayout) {
  // Of 1030 rows a few are left when the others are taken in large blocks.
  for (const auto& [m, k, n] :
       {std::tuple(5, 6, 7), {40, 50, 60}, {300, 200, 100}, {1030, 100, 90}}) {
    const Tensor a = rand({m, k}), b = rand({k, n});
    const Tensor want = mm(a, b);
    for (LayoutKind left : kLayoutKinds) {
      for (LayoutKind right :
           {LayoutKind::contiguous, LayoutKind::transposed, LayoutKind::sliced}) {
        const auto x = with_layout(left, a), y = with_layout(right, b);
        if (!x || !y) continue;
        EXPECT_TRUE(equal(mm(*x, *y), want)) << layout_name(left) << ", " << layout_name(right);
      }
    }
  }
}

TEST(Matmul, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Tensor a = rand({1000, 120}), b = rand({120, 90}), batch = rand({9, 64, 64});
  const int before = get_num_threads();
  std::vector<std::string> seen;
  for (int threads : {1, 2, 5}) {
    set_num_threads(threads);
    seen.push_back(observe(mm(a, b)) + observe(bmm(batch, batch)) + observe(matmul(a, a[0])));
  }
  set_num_threads(before);
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[0], seen[2]);
}

TEST(Matmul, OfNothingIsZero) {
  EXPECT_TRUE(equal(mm(ones({2, 0}), ones({0, 3})), zeros({2, 3})));
  EXPECT_EQ(matmul(ones({0, 3}), ones({3})).shape(), Shape{0});
  EXPECT_EQ(bmm(ones({0, 2, 3}), ones({0, 3, 4})).shape(), (Shape{0, 2, 4}));
  EXPECT_EQ(dot(ones({0}), ones({0})).item<float>(), 0.0f);
}

TEST(Matmul, ReadsDeferredOperands) {
  const Tensor a = whole({4, 3}, float32, 1), b = whole({3, 2}, float32, 2);
  EXPECT_TRUE(equal(mm(a * 2, (b + 1).masked_fill(b > 2, 0)),
                    by_hand(a * 2, (b + 1).masked_fill(b > 2, 0))));
}

TEST(Matmul, RefusesAsPyTorch) {
  const Tensor a = ones({2, 3});
  expect_error(ErrorKind::shape, "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
               [&] { matmul(a, a); });
  expect_error(ErrorKind::shape,
               "both arguments to matmul need to be at least 1D, but they are 0D and 2D",
               [&] { matmul(tensor(1.0), a); });
  expect_error(ErrorKind::shape, "size mismatch, got 2, 2x3,2", [&] { mv(a, ones({2})); });
  expect_error(ErrorKind::shape,
               "Expected size for first two dimensions of batch2 tensor to be: [1, 3] but got: [1, "
               "2].",
               [&] {
                 bmm(ones({1, 2, 3}), ones({1, 2, 3}));
               });
  expect_error(ErrorKind::dtype, "expected scalar type Float but found Double", [&] {
    mm(a, ones({3, 2}, float64));
  });
  expect_error(ErrorKind::dtype, "\"addmm_impl_cpu_\" not implemented for 'Bool'", [&] {
    mm(ones({2, 2}, boolean), ones({2, 2}, boolean));
  });
}

TEST(Matmul, HasGradients) {
  const Tensor a = whole({2, 3}, float64, 1).clone().requires_grad_(),
               b = whole({3, 2}, float64, 2).clone().requires_grad_();
  EXPECT_TRUE(
      gradcheck([](const std::vector<Tensor>& in) { return matmul(in[0], in[1]); }, {a, b}));
}

TEST(Addmm, IgnoresInputWithBetaZero) {
  const Tensor nothing = full({2, 2}, std::nan(""));
  const Tensor a = whole({2, 3}, float32, 1), b = whole({3, 2}, float32, 2);
  EXPECT_TRUE(equal(addmm(nothing, a, b, 0, 2), by_hand(a, b) * 2));
  EXPECT_TRUE(equal(addmm(ones({2}), a, b, 3, -1), 3 - by_hand(a, b)));
}

// Whole numbers, so that the products are exact in any order.
TEST(Matmul, BlocksAndCallersAtTheSameTimeDoNotDisturbEachOther) {
  const Tensor a = (arange(900 * 700) % 17 - 8).view({900, 700}),
               b = (arange(700 * 3) % 13 - 6).view({700, 3});
  const std::vector<double> want = mm(a, b).to_vector<double>();
  const Tensor x = a.to_double(), y = b.to_double();
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < 25; ++i) wrong += mm(x, y).to_vector<double>() != want;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
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
