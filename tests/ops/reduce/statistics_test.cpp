// Variances, and reductions without NaN: values from PyTorch 1.13, NumPy or by hand.
#include <limits>

#include "support/mask_cases.h"
#include "tamis/reduce.h"
#include "tamis/runtime.h"

namespace tamis {
namespace {

using namespace mask_cases;

const double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

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
