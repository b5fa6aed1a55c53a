// Windows, work in order, summaries and quantiles of streams.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "in_order.h"
#include "progress.h"
#include "support/cli.h"
#include "tamis/tamis.h"

namespace tamis::cli {
namespace {

TEST(CliWindows, CoverAShapeInOrderWithoutGaps) {
  for (const Shape& shape : {Shape{}, Shape{7}, Shape{3, 5}, Shape{2, 3, 4}, Shape{4, 1, 6},
                             Shape{1, 1}, Shape{13, 2, 1, 3}}) {
    for (int64_t limit : {1, 2, 3, 5, 8, 13, 1000}) {
      const Windows windows(shape, limit);
      int64_t next = 0;
      for (int64_t n = 0; n < windows.count(); ++n) {
        const Box box = windows[n];
        EXPECT_EQ(first_element(box, shape), next);
        EXPECT_GT(box.numel(), 0);
        EXPECT_LE(box.numel(), limit);
        next += box.numel();
      }
      EXPECT_EQ(next, numel(shape)) << to_string(shape) << " " << limit;
    }
  }
  EXPECT_EQ(Windows({3, 0, 5}, 4).count(), 0);
  EXPECT_EQ(Windows({0}, 4).count(), 0);
}

TEST(CliWindows, AreOfNearlyEqualSize) {
  const Windows windows({1001}, 1000);
  EXPECT_EQ(windows.count(), 2);
  EXPECT_EQ(windows[0].numel(), 501);
}

TEST(CliInOrder, TakesResultsInOrder) {
  for (int threads : {1, 2, 7}) {
    std::vector<int64_t> taken;
    in_order(
        100, threads, 3,
        [&](int64_t number, int worker) {
          EXPECT_LT(worker, threads);
          if (number % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          return number * 2;
        },
        [&](std::span<const int64_t> results) {
          EXPECT_LE(results.size(), 3u);
          taken.insert(taken.end(), results.begin(), results.end());
        });
    ASSERT_EQ(taken.size(), 100u);
    for (int64_t n = 0; n < 100; ++n) EXPECT_EQ(taken[n], 2 * n);
  }
}

TEST(CliInOrder, StopsAtTheFirstException) {
  for (int threads : {1, 3}) {
    std::vector<int64_t> taken;
    const auto work = [](int64_t number, int) {
      if (number == 20) throw std::runtime_error("twenty");
      return number;
    };
    const auto take = [&](std::span<const int64_t> results) {
      taken.insert(taken.end(), results.begin(), results.end());
    };
    EXPECT_THROW(in_order(1000, threads, 8, work, take), std::runtime_error);
    EXPECT_LE(taken.size(), 20u);
    EXPECT_THROW(in_order(
                     1000, threads, 8, [](int64_t n, int) { return n; },
                     [](std::span<const int64_t>) { throw std::logic_error("take"); }),
                 std::logic_error);
  }
}

Summary summary_of(const Tensor& x, const std::vector<Quantile>& quantiles = {}, int threads = 2) {
  Progress progress(false);
  const Runner runner(threads, progress);
  const Array array = array_of("x", x);
  const Stream stream{x.dtype(), x.shape(), [&](const Box& box) {
                        BoxOfArrays inputs({&array, 1}, box);
                        return inputs[0];
                      }};
  return summarize(runner, stream, quantiles);
}

TEST(CliSummary, CountsNanAndInfinitiesApart) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const Summary s = summary_of(tensor({1.f, nan, 3.f, inf, nan}));
  EXPECT_EQ(s.count, 3);
  EXPECT_EQ(s.nan, 2);
  EXPECT_EQ(s.inf, 1);
  EXPECT_EQ(s.min.to_double(), 1);
  EXPECT_EQ(s.max.to_double(), inf);
  EXPECT_EQ(s.sum.to_double(), inf);
}

TEST(CliSummary, OfNothing) {
  const Summary s = summary_of(zeros({0}), {{0.5, false}});
  EXPECT_EQ(s.count, 0);
  EXPECT_EQ(s.sum.to_double(), 0);
  EXPECT_TRUE(std::isnan(s.mean));
  EXPECT_TRUE(std::isnan(s.var));
  EXPECT_TRUE(std::isnan(s.min.to_double()));
  EXPECT_TRUE(std::isnan(s.quantiles[0].to_double()));
}

TEST(CliSummary, SumsIntegersExactly) {
  const int64_t big = std::numeric_limits<int64_t>::max();
  const Summary s = summary_of(tensor(std::vector<int64_t>{big, big, -big, -5, 2}));
  EXPECT_EQ(s.sum.dtype(), DType::int64);
  EXPECT_EQ(s.sum.to_int64(), big - 3);
  EXPECT_EQ(s.min.to_int64(), -big);
  const Summary over = summary_of(tensor(std::vector<int64_t>{big, big}));
  EXPECT_EQ(over.sum.to_double(), 2.0 * static_cast<double>(big));
}

TEST(CliSummary, JoinsWindowsWithoutLosingDigits) {
  // Far from zero, a sum of squares would lose all digits of the variance.
  const Tensor x = arange(3000000).to_double() % 10 + 1e9;
  const Summary s = summary_of(x);
  EXPECT_NEAR(s.mean, 1e9 + 4.5, 1e-6);
  EXPECT_NEAR(s.var, 8.25 * 3e6 / (3e6 - 1), 1e-6);
  const Tensor tenths = full({5000000}, 0.1, float64);
  EXPECT_NEAR(summary_of(tenths).sum.to_double(), 500000.0, 1e-8);  // one by one: 1e-3 off
}

TEST(CliSummary, DoesNotDependOnThreads) {
  manual_seed(3);
  const Tensor x = randn({2500000});
  const Summary one = summary_of(x, {{0.3, false}}, 1), many = summary_of(x, {{0.3, false}}, 5);
  EXPECT_EQ(one.sum.to_double(), many.sum.to_double());
  EXPECT_EQ(one.var, many.var);
  EXPECT_EQ(one.quantiles[0].to_double(), many.quantiles[0].to_double());
}

/// Against sorting everything, for ranks at both ends and between.
void check_quantiles(const Tensor& x) {
  std::vector<Quantile> wanted;
  for (double p : {0.0, 0.001, 0.05, 0.25, 0.5, 0.77, 0.999, 1.0}) wanted.push_back({p, false});
  wanted.push_back({0.5, true});
  const Summary s = summary_of(x, wanted);
  const Tensor real = is_floating_point(x.dtype()) ? masked_select(x, ~isnan(x)) : x.flatten();
  std::vector<double> sorted = real.to_vector<double>();
  std::sort(sorted.begin(), sorted.end());
  const double last = static_cast<double>(sorted.size()) - 1;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const double at = wanted[i].lower ? std::floor(last / 2) : wanted[i].p * last;
    const double low = sorted[static_cast<size_t>(at)];
    const double high = sorted[static_cast<size_t>(std::ceil(at))];
    const double expected = low == high ? low : low + (high - low) * (at - std::floor(at));
    const double got = s.quantiles[i].to_double();
    const double near = 1e-12 * std::abs(high - low) + std::numeric_limits<double>::min();
    EXPECT_TRUE(got == expected || std::abs(got - expected) <= near)
        << name(x.dtype()) << " " << wanted[i].p << ": " << got << " is not " << expected;
  }
}

TEST(CliQuantiles, AreExact) {
  manual_seed(5);
  const Tensor x = randn({3000001}, float64);  // more than are sorted in memory
  check_quantiles(x);
  check_quantiles(x.to_float());
  check_quantiles(x.to_half());
  check_quantiles(x.to_bfloat16());
  check_quantiles((x * 1e18).to_long());
  check_quantiles((x * 1e8).to_int());
  check_quantiles((x * 1000).to_short());
  check_quantiles((x * 20).to_char());
  check_quantiles(abs(x * 30).to_byte());
  check_quantiles(x > 1);
}

TEST(CliQuantiles, OfHardData) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  manual_seed(6);
  const Tensor x = randn({2200000}, float64);
  check_quantiles(full({2200000}, 7.25, float64));           // all in one bucket
  check_quantiles(where(x > 0, Tensor(0.0), Tensor(-0.0)));  // both zeros
  check_quantiles(where(abs(x) < 2, x, Tensor(inf)));        // many infinities
  check_quantiles(where(x < 1, x, Tensor(nan)));             // NaN
  check_quantiles(where(x > 0, x * 1e-310, x));              // subnormals
  check_quantiles(floor(x * 3));                             // ties
  check_quantiles(where(x > 0, Tensor(-inf), x * 1e300));
  check_quantiles(tensor({3.0, 1.0}));
  check_quantiles(tensor({3.0}));
}

TEST(CliProgress, ShowsShareSpeedAndTimeLeft) {
  EXPECT_EQ(progress_line("select", 500000000, 1000000000, 0.5, 80),
            "select [####################--------------------]   50 %  1.00 GB/s  1 s left");
  EXPECT_EQ(progress_line("select", 0, 1000, 0, 80),
            "select [----------------------------------------]    0 %  0.00 GB/s");
  EXPECT_EQ(progress_line("q", 1000000000, 100000000000, 1, 30), "q    1 %  1.00 GB/s  1:39 min");
  EXPECT_LT(progress_line("statistics", 10, 1000, 1, 20).size(), 20u);
}

}  // namespace
}  // namespace tamis::cli
