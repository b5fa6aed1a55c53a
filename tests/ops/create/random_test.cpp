// Random numbers: the generator's known answers, ranges, moments, and independence of the order.
#include <array>
#include <cmath>
#include <numeric>

#include "backend/cpu/kernels/kernels.h"
#include "core/philox.h"
#include "support/pointwise_cases.h"
#include "tamis/generator.h"
#include "tamis/order.h"

namespace tamis {
namespace {

using namespace testing;
using Doubles = std::vector<double>;
using Ints = std::vector<int64_t>;

constexpr DType kFloats[] = {float16, bfloat16, float32, float64};

double mean_of(const Doubles& x) { return std::accumulate(x.begin(), x.end(), 0.0) / x.size(); }

double variance_of(const Doubles& x) {
  const double mean = mean_of(x);
  double sum = 0;
  for (double v : x) sum += (v - mean) * (v - mean);
  return sum / x.size();
}

/// Of counts against equal expectations.
double chi_square(const Ints& counts) {
  const double expected =
      std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
  double sum = 0;
  for (int64_t c : counts) sum += (c - expected) * (c - expected) / expected;
  return sum;
}

/// Three standard deviations above the mean of chi-square with n classes.
double chi_square_bound(size_t n) { return n - 1 + 3 * std::sqrt(2.0 * (n - 1)); }

// The vectors that come with Random123.
TEST(Philox, GivesTheKnownAnswers) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, IsTheSameForManyCountersOnEveryInstructionSet) {
  const uint64_t seed = 0x299f31d0a4093822;
  for (const char* isa : {"scalar", "sse4", "avx2", "avx512"}) {
    const cpu::Kernels* kernels = cpu::kernels_for(isa);
    if (!kernels) continue;
    for (uint64_t first : {uint64_t{0}, uint64_t{0xFFFFFFF8}, ~uint64_t{0} - 3}) {
      for (size_t n : {0, 1, 7, 8, 15, 16, 31, 32, 33, 100}) {
        std::vector<uint32_t> words(4 * n + 1, 77);
        kernels->philox(seed, first, words.data(), n);
        for (size_t k = 0; k < n; ++k) {
          const uint64_t at = first + k;
          const auto expected = philox({static_cast<uint32_t>(at), static_cast<uint32_t>(at >> 32)},
                                       {0xa4093822, 0x299f31d0});
          for (size_t j = 0; j < 4; ++j)
            ASSERT_EQ(words[4 * k + j], expected[j]) << isa << " " << n;
        }
        ASSERT_EQ(words.back(), 77u) << isa << " " << n;
      }
    }
  }
}

TEST(Seed, RestartsTheStream) {
  manual_seed(42);
  const Doubles a = rand({5}).to_vector<double>(), b = rand({5}).to_vector<double>();
  EXPECT_NE(a, b);
  manual_seed(42);
  EXPECT_EQ(rand({5}).to_vector<double>(), a);
  EXPECT_EQ(rand({5}).to_vector<double>(), b);
  manual_seed(43);
  EXPECT_NE(rand({5}).to_vector<double>(), a);
  manual_seed(uint64_t{42} << 32);
  EXPECT_NE(rand({5}).to_vector<double>(), a);
}

TEST(Seed, MakesEveryFunctionRepeatable) {
  const auto draw = [] {
    manual_seed(7);
    return std::vector<std::string>{rand({9}).to_string(), randn({9}, float64).to_string(),
                                    randint(100, {9}).to_string(), randperm(9).to_string(),
                                    bernoulli(full({9}, 0.5)).to_string()};
  };
  EXPECT_EQ(draw(), draw());
}

TEST(Seed, DoesNotDependOnTheNumberOfThreads) {
  const int before = get_num_threads();
  std::vector<std::string> texts;
  for (int threads : {1, 2}) {
    set_num_threads(threads);
    manual_seed(3);
    texts.push_back(rand({300000}).sum().to_string() + randn({300000}).sum().to_string() +
                    randperm(100000).narrow(0, 500, 20).to_string());
  }
  set_num_threads(before);
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(Seed, TheStartOfALongerCallIsTheShorterOne) {
  manual_seed(11);
  const Doubles longer = randn({1001}).to_vector<double>();
  manual_seed(11);
  const Doubles shorter = randn({10}).to_vector<double>();
  EXPECT_EQ(Doubles(longer.begin(), longer.begin() + 10), shorter);
}

TEST(Rand, IsUniformBelowOne) {
  manual_seed(1);
  for (DType dtype : kFloats) {
    SCOPED_TRACE(name(dtype));
    const Tensor x = rand({100, 1000}, dtype);
    EXPECT_EQ(x.dtype(), dtype);
    EXPECT_EQ(x.shape().vec(), (Ints{100, 1000}));
    const Doubles values = x.to_vector<double>();
    Ints counts(64, 0);
    for (double v : values) {
      ASSERT_GE(v, 0);
      ASSERT_LT(v, 1);
      ++counts[static_cast<size_t>(v * 64)];
    }
    EXPECT_LT(chi_square(counts), chi_square_bound(counts.size()));
    // Rounding down to few bits moves the mean by half of the last one.
    const double last_bit = dtype == float16 ? 0x1p-11 : dtype == bfloat16 ? 0x1p-8 : 0;
    EXPECT_NEAR(mean_of(values), 0.5 - last_bit / 2, 0.004);
    EXPECT_NEAR(variance_of(values), 1.0 / 12, 0.002);
  }
}

TEST(Rand, FillsAllBitsOfADouble) {
  manual_seed(2);
  const Doubles x = rand({1000}, float64).to_vector<double>();
  int fine = 0;
  for (double v : x) fine += std::fmod(v * 0x1p32, 1.0) != 0;
  EXPECT_GT(fine, 990);
}

TEST(Rand, NeighboursAreNotCorrelated) {
  manual_seed(5);
  const Doubles x = rand({100001}).to_vector<double>();
  double sum = 0;
  for (size_t i = 0; i + 1 < x.size(); ++i) sum += (x[i] - 0.5) * (x[i + 1] - 0.5);
  EXPECT_NEAR(sum / (x.size() - 1) * 12, 0, 0.01);
}

TEST(Rand, TakesShapesWithoutElements) {
  EXPECT_EQ(rand({}).dim(), 0);
  EXPECT_EQ(rand({0, 3}).numel(), 0);
  EXPECT_EQ(rand_like(zeros({2, 3}, int64), float64).dtype(), float64);
  EXPECT_EQ(randn_like(zeros({2, 3}).t()).shape().vec(), (Ints{3, 2}));
}

TEST(Rand, RefusesIntegers) {
  expect_error(ErrorKind::dtype, "\"check_uniform_bounds\" not implemented for 'Long'",
               [] { rand({2}, int64); });
  expect_error(ErrorKind::dtype, "\"normal_kernel_cpu\" not implemented for 'Bool'",
               [] { randn({2}, boolean); });
  expect_error(ErrorKind::shape, "Trying to create tensor with negative dimension -1: [-1]",
               [] { rand({-1}); });
}

TEST(Randn, HasNormalMoments) {
  manual_seed(9);
  for (DType dtype : kFloats) {
    SCOPED_TRACE(name(dtype));
    const Doubles x = randn({200001}, dtype).to_vector<double>();
    EXPECT_NEAR(mean_of(x), 0, 0.01);
    EXPECT_NEAR(variance_of(x), 1, 0.015);
    double third = 0, fourth = 0;
    int64_t beyond = 0;
    for (double v : x) {
      ASSERT_TRUE(std::isfinite(v));
      third += v * v * v;
      fourth += v * v * v * v;
      beyond += std::abs(v) > 1.96;
    }
    EXPECT_NEAR(third / x.size(), 0, 0.05);
    EXPECT_NEAR(fourth / x.size(), 3, 0.1);
    EXPECT_NEAR(static_cast<double>(beyond) / x.size(), 0.05, 0.004);
  }
}

TEST(Randint, CoversItsRangeEvenly) {
  manual_seed(4);
  const Ints x = randint(-3, 7, {100000}).to_vector<int64_t>();
  Ints counts(10, 0);
  for (int64_t v : x) {
    ASSERT_GE(v, -3);
    ASSERT_LT(v, 7);
    ++counts[v + 3];
  }
  EXPECT_LT(chi_square(counts), chi_square_bound(10));
}

TEST(Randint, ReachesBothEndsOfEveryDType) {
  manual_seed(8);
  const auto ends = [](int64_t low, int64_t high, DType dtype) {
    const Ints x = randint(low, high, {20000}, dtype).to_vector<int64_t>();
    return std::pair(*std::min_element(x.begin(), x.end()), *std::max_element(x.begin(), x.end()));
  };
  EXPECT_EQ(ends(0, 2, boolean), std::pair(int64_t{0}, int64_t{1}));
  EXPECT_EQ(ends(0, 256, uint8), std::pair(int64_t{0}, int64_t{255}));
  EXPECT_EQ(ends(-128, 128, int8), std::pair(int64_t{-128}, int64_t{127}));
  EXPECT_EQ(ends(5, 6, float16), std::pair(int64_t{5}, int64_t{5}));
  const auto [low, high] = ends(INT64_MIN, INT64_MAX, int64);
  EXPECT_LT(low, -(int64_t{1} << 62));
  EXPECT_GT(high, int64_t{1} << 62);
  EXPECT_EQ(randint(3, {2, 2}).dtype(), int64);
}

TEST(Randint, RefusesEmptyAndUnrepresentableRanges) {
  expect_error(ErrorKind::value,
               "random_ expects 'from' to be less than 'to', but got from=5 >= to=5",
               [] { randint(5, 5, {2}); });
  expect_error(ErrorKind::value, "from is out of bounds for unsigned char",
               [] { randint(-1, 3, {2}, uint8); });
  expect_error(ErrorKind::value, "to - 1 is out of bounds for unsigned char",
               [] { randint(0, 257, {2}, uint8); });
  expect_error(ErrorKind::value, "to - 1 is out of bounds for bool",
               [] { randint(0, 3, {2}, boolean); });
  expect_error(ErrorKind::value, "from is out of bounds for signed char",
               [] { randint(-200, 3, {2}, int8); });
  expect_error(ErrorKind::value, "to - 1 is out of bounds for c10::Half",
               [] { randint(0, 70000, {2}, float16); });
}

TEST(Randperm, IsAPermutation) {
  manual_seed(6);
  for (DType dtype : {uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16,
                      float32, float64}) {
    for (int64_t n : {0, 1, 2, 7, 128}) {
      const Tensor x = randperm(n, dtype);
      EXPECT_EQ(x.dtype(), dtype);
      Ints values = x.to_vector<int64_t>();
      std::sort(values.begin(), values.end());
      Ints want(n);
      std::iota(want.begin(), want.end(), 0);
      EXPECT_EQ(values, want) << name(dtype) << " " << n;
    }
  }
}

TEST(Randperm, GivesEveryOrderEquallyOften) {
  manual_seed(10);
  Ints counts(24, 0);
  for (int i = 0; i < 24000; ++i) {
    const Ints p = randperm(4).to_vector<int64_t>();
    Ints rest = {0, 1, 2, 3};
    int64_t rank = 0;
    for (int64_t v : p) {
      const auto at = std::find(rest.begin(), rest.end(), v);
      rank = rank * static_cast<int64_t>(rest.size()) + (at - rest.begin());
      rest.erase(at);
    }
    ++counts[rank];
  }
  EXPECT_LT(chi_square(counts), chi_square_bound(24));
}

TEST(Randperm, RefusesWhatDoesNotFit) {
  expect_error(ErrorKind::shape, "Trying to create tensor with negative dimension -1: [-1]",
               [] { randperm(-1); });
  expect_error(ErrorKind::value, "value cannot be converted to type uint8_t without overflow",
               [] { randperm(257, uint8); });
  expect_error(ErrorKind::value, "n cannot be greater than 2049 for Half type.",
               [] { randperm(2050, float16); });
  expect_error(ErrorKind::value, "n cannot be greater than 2^24+1 for Float type.",
               [] { randperm((1 << 24) + 2, float32); });
  expect_error(ErrorKind::dtype, "\"randperm\" not implemented for 'Bool'",
               [] { randperm(2, boolean); });
}

TEST(Bernoulli, FollowsTheProbabilities) {
  manual_seed(12);
  for (DType dtype : kFloats) {
    SCOPED_TRACE(name(dtype));
    const Tensor p = tensor({0.0, 0.25, 1.0}).to(dtype);
    const Tensor x = bernoulli(p.expand({40000, 3}));
    EXPECT_EQ(x.dtype(), dtype);
    const Doubles values = x.to_vector<double>();
    Doubles sums(3, 0);
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_TRUE(values[i] == 0 || values[i] == 1);
      sums[i % 3] += values[i];
    }
    EXPECT_EQ(sums[0], 0);
    EXPECT_NEAR(sums[1], 10000, 260);
    EXPECT_EQ(sums[2], 40000);
  }
  EXPECT_EQ(bernoulli(zeros({0})).numel(), 0);
  EXPECT_EQ(bernoulli(ones({})).item<int>(), 1);
}

TEST(Bernoulli, RefusesWhatIsNoProbability) {
  for (double p : {1.5, -0.5, std::nan("")}) {
    expect_error(ErrorKind::value, "Expected p_in >= 0 && p_in <= 1 to be true, but got false.",
                 [=] { bernoulli(full({3}, p)); });
  }
  expect_error(ErrorKind::dtype, "\"bernoulli_tensor_cpu_p_\" not implemented for 'Long'", [] {
    bernoulli(tensor({1, 0}));
  });
}

}  // namespace
}  // namespace tamis
