// Softmax, log-sum-exps, variances, norms and indices of extremes: values from PyTorch 1.13 or by
// hand.
#include <complex>
#include <limits>

#include "support/mask_cases.h"
#include "tamis/complex.h"
#include "tamis/masked.h"
#include "tamis/reduce.h"
#include "tamis/runtime.h"

namespace tamis {
namespace {

using namespace mask_cases;

const double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

void expect_near(const Tensor& got, const std::vector<double>& want, double room = 1e-6) {
  const std::vector<double> values = got.to_vector<double>();
  ASSERT_EQ(values.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::isfinite(want[i])) {
      EXPECT_NEAR(values[i], want[i], room) << i;
    } else {
      EXPECT_TRUE(values[i] == want[i] || (values[i] != values[i] && want[i] != want[i])) << i;
    }
  }
}

TEST(Softmax, HasPyTorchsValues) {
  const Tensor x = tensor({{1., 2., 3.}, {-1., 0., 1000.}});
  expect_near(softmax(x, 1), {0.09003057, 0.24472848, 0.66524094, 0, 0, 1});
  expect_near(log_softmax(x, 1), {-2.4076059, -1.4076059, -0.4076059, -1001, -1000, 0}, 1e-4);
  expect_near(softmin(x, 1), {0.66524094, 0.24472848, 0.09003057, 0.73105860, 0.26894143, 0});
  expect_near(softmax(x, 0), {0.88079703, 0.88079703, 0, 0.11920292, 0.11920292, 1});
}

TEST(Softmax, SumsToOneAlongEveryDimension) {
  const Tensor x = (values_of(float32, {5, 70, 33}) / 9).settle();
  for (int64_t dim : {0, 1, 2}) {
    const Tensor total = softmax(x, dim).sum({dim});
    EXPECT_LT((total - 1).abs().amax().item<double>(), 1e-5);
    EXPECT_TRUE(allclose(log_softmax(x, dim).exp(), softmax(x, dim), 1e-4, 1e-6));
  }
}

TEST(Softmax, DoesNotChangeItsInput) {
  const Tensor x = tensor({1.f, 2.f}), expression = x * 2;
  softmax(expression, 0);
  softmax(x, 0);
  expect_same(x, tensor({1.f, 2.f}));
  expect_same(expression, tensor({2.f, 4.f}));
}

TEST(Softmax, RefusesIntegers) {
  EXPECT_THROW(softmax(tensor({1, 2}), 0), Error);
  EXPECT_THROW(log_softmax(tensor({true}), 0), Error);
  EXPECT_THROW(softmax(tensor({1.}), 1), Error);
  expect_near(softmax(tensor({1, 1}), 0, float32), {0.5, 0.5});
}

TEST(LogSumExp, DoesNotOverflow) {
  expect_near(logsumexp(tensor({{1000., 1000.}, {-kInf, -kInf}, {kInf, 1.}}), {1}),
              {1000.6931, -kInf, kInf}, 1e-3);
  expect_near(logaddexp(tensor({1000., -kInf, kInf, 0.}), tensor({1000., -kInf, kInf, kNaN})),
              {1000.6931, -kInf, kInf, kNaN}, 1e-3);
  expect_near(logaddexp2(tensor({3., 0.}), tensor({3., -40.})), {4, 0});
  EXPECT_EQ(logsumexp(zeros({2, 0}), {1})[1].item<double>(), -kInf);
  EXPECT_EQ(logsumexp(tensor({1, 2}), {0}).dtype(), float32);
}

TEST(Variance, HasPyTorchsValues) {
  const Tensor x = tensor({{1., 2., 4.}, {3., 3., 3.}});
  expect_near(var(x, {1}), {2.3333333, 0});
  expect_near(var(x, {1}, 0), {1.5555556, 0});
  expect_near(tamis::std(x, {}, 1), {1.0327955});
  expect_near(var(x, {0}, 2), {kInf, kInf, kInf});
  expect_near(var(tensor({5.})), {kNaN});
  const auto [spread, center] = std_mean(x, {1}, 1, true);
  EXPECT_EQ(spread.shape(), (Shape{2, 1}));
  expect_near(center, {2.3333333, 3});
}

TEST(Variance, IsAccurateFarFromZero) {
  const Tensor x = (arange(10000) % 2).to(float32) + 1e6f;
  EXPECT_NEAR(var(x, {}, 0).item<double>(), 0.25, 1e-7);
}

TEST(Variance, ReadsItsInputWithoutACopy) {
  const bool eager = eager_mode();
  set_eager_mode(false);
  const Tensor x = values_of(float32, {1000, 1000});
  const auto allocated = [](const auto& f) {
    const int64_t before = memory_stats().allocated_bytes;
    f();
    return memory_stats().allocated_bytes - before;
  };
  EXPECT_LE(allocated([&] { var(x).settle(); }), 64 * 1024);
  EXPECT_LE(allocated([&] { norm(x, 3, {0}).settle(); }), 64 * 1024);
  EXPECT_LE(allocated([&] { logsumexp(x, {1}).settle(); }), 64 * 1024);
  EXPECT_LE(allocated([&] { argmax(x * 2 - 1).settle(); }), 64 * 1024);
  set_eager_mode(eager);
}

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

TEST(Extremes, TheFirstAmongEquals) {
  const Tensor x = tensor({{1, 7, 7}, {2, 2, 0}});
  expect_same(argmax(x, 1), tensor({1, 0}));
  expect_same(argmin(x, 0), tensor({0, 1, 1}));
  expect_same(argmax(x), tensor(1));
  const auto [values, indices] = max(x, 1, true);
  expect_same(values, tensor({{7}, {2}}));
  expect_same(indices, tensor({{1}, {0}}));
  EXPECT_EQ(argmax(tensor({1., kNaN, 9., kNaN})).item<int64_t>(), 1);
  EXPECT_EQ(argmin(tensor({1., kNaN, 0., kNaN})).item<int64_t>(), 1);
  expect_same(min(tensor({true, false}), 0).first, tensor(false));
  EXPECT_EQ(x.max().item<int64_t>(), 7);
  expect_same(aminmax(x, 1).first, tensor({1, 0}));
}

TEST(Extremes, AreWhereAPlainLoopFindsThem) {
  for (const Shape& shape : {Shape{5, 3}, Shape{3, 9001}, Shape{9001, 3}, Shape{70, 5000},
                             Shape{2, 300, 7}, Shape{20, 100, 3}}) {
    const Tensor x = values_of(int32, shape);
    const std::vector<int32_t> in = x.to_vector<int32_t>();
    for (int64_t dim = 0; dim < x.dim(); ++dim) {
      int64_t inner = 1;
      for (int64_t d = dim + 1; d < x.dim(); ++d) inner *= shape[d];
      const int64_t n = shape[dim], outer = x.numel() / (n * inner);
      std::vector<int64_t> want;
      for (int64_t o = 0; o < outer; ++o) {
        for (int64_t i = 0; i < inner; ++i) {
          int64_t best = 0;
          for (int64_t k = 1; k < n; ++k) {
            if (in[(o * n + k) * inner + i] > in[(o * n + best) * inner + i]) best = k;
          }
          want.push_back(best);
        }
      }
      EXPECT_EQ(argmax(x, dim).to_vector<int64_t>(), want) << to_string(shape) << " " << dim;
    }
  }
}

TEST(Extremes, RefuseNothing) {
  EXPECT_THROW(argmax(zeros({0})), Error);
  EXPECT_THROW(argmax(zeros({2, 0}), 1), Error);
  EXPECT_EQ(argmax(zeros({2, 0}), 0).shape(), Shape{0});
  EXPECT_THROW(aminmax(zeros({0})), Error);
  EXPECT_THROW(argmax(tensor({true})), Error);
}

TEST(Reduce, LeavesOutNaN) {
  const Tensor x = tensor({{1., kNaN}, {kNaN, kNaN}});
  expect_near(nansum(x, {1}), {1, 0});
  expect_near(nanmean(x, {1}), {1, kNaN});
  EXPECT_EQ(nansum(tensor({1, 2})).item<int64_t>(), 3);
}

TEST(Reduce, FindsExtremesWithoutNaN) {
  const Tensor x = tensor({{1., kNaN, -kInf}, {kNaN, kNaN, kNaN}, {2., 5., kInf}});
  expect_near(nanmax(x, {1}), {1, kNaN, kInf});
  expect_near(nanmin(x, {-1}), {-kInf, kNaN, 2});
  expect_near(nanmax(x.transpose(0, 1), {1}), {2, 5, kInf});
  expect_near(nanmin(x), {-kInf});
  EXPECT_EQ(nanmax(x, {0, 1}, true).shape(), Shape({1, 1}));
  EXPECT_EQ(nanmax(tensor({3, 9})).item<int64_t>(), 9);
  EXPECT_EQ(nanmin(tensor({true, false})).dtype(), boolean);
  EXPECT_EQ(nanmax(zeros({0, 2}), {1}).shape(), Shape{0});
  EXPECT_THROW(nanmax(zeros({0})), Error);
  EXPECT_THROW(nanmin(zeros({2, 0}), {1}), Error);
  EXPECT_THROW(nanmax(zeros({2}, complex64)), Error);
}

TEST(Reduce, DividesByTheNumberOfElementsThatAreNotNaN) {
  const Tensor x = tensor({{1., kNaN, 3.}, {kNaN, kNaN, kNaN}, {4., kNaN, kNaN}});
  expect_near(nanvar(x, {1}), {1, kNaN, 0});
  expect_near(nanvar(x, {1}, 1), {2, kNaN, kNaN});
  expect_near(nanstd(x, {1}, 1), {std::sqrt(2.), kNaN, kNaN});
  expect_near(nanstd(x), {std::sqrt(14. / 9)});  // of 1, 3 and 4
  EXPECT_EQ(nanvar(x, {0}, 0, true).shape(), Shape({1, 3}));
  EXPECT_THROW(nanvar(tensor({1, 2})), Error);
}

}  // namespace
}  // namespace tamis
