// uint16, uint32 and uint64: what unsigned dtypes that are wider than a byte must get right.
// Expected values are NumPy's, or by hand.
#include <limits>
#include <vector>

#include "support/pointwise_cases.h"
#include "tamis/index.h"
#include "tamis/masked.h"
#include "tamis/masks.h"
#include "tamis/order.h"
#include "tamis/reduce.h"

namespace tamis {
namespace {

using namespace testing;
using Values = std::vector<uint16_t>;

const int64_t kMost = std::numeric_limits<uint16_t>::max();

TEST(Uint16, ArithmeticWrapsAt65536) {
  const Tensor x = tensor({0, 1, 40000, 65535}, uint16), y = tensor({1, 2, 40000, 65535}, uint16);
  EXPECT_EQ((x + y).to_vector<uint16_t>(), (Values{1, 3, 14464, 65534}));
  EXPECT_EQ((x - y).to_vector<uint16_t>(), (Values{65535, 65535, 0, 0}));
  EXPECT_EQ((x * y).to_vector<uint16_t>(), (Values{0, 2, 4096, 1}));
  EXPECT_EQ(floor_divide(x, y).to_vector<uint16_t>(), (Values{0, 0, 1, 1}));
  EXPECT_EQ(remainder(x, 7).to_vector<uint16_t>(), (Values{0, 1, 2, 1}));
  EXPECT_EQ((-x).to_vector<uint16_t>(), (Values{0, 65535, 25536, 1}));
  EXPECT_EQ((~x).to_vector<uint16_t>(), (Values{65535, 65534, 25535, 0}));
  EXPECT_EQ((x & 255).to_vector<uint16_t>(), (Values{0, 1, 64, 255}));
  EXPECT_EQ(abs(x).to_vector<uint16_t>(), x.to_vector<uint16_t>());
}

TEST(Uint16, TheUpperHalfIsAboveTheLower) {
  const Tensor x = tensor({1, 32767, 32768, 65535}, uint16);
  EXPECT_EQ((x > 32767).to_vector<bool>(), (std::vector<bool>{false, false, true, true}));
  EXPECT_EQ(maximum(x, 40000).to_vector<uint16_t>(), (Values{40000, 40000, 40000, 65535}));
  EXPECT_EQ(amax(x).item<int64_t>(), kMost);
  EXPECT_EQ(amin(x).item<int64_t>(), 1);
  EXPECT_EQ(argmax(x).item<int64_t>(), 3);
  EXPECT_EQ(sort(x.flip({0})).first.to_vector<uint16_t>(), x.to_vector<uint16_t>());
  EXPECT_EQ(x[x > 1].to_vector<uint16_t>(), (Values{32767, 32768, 65535}));
  EXPECT_EQ(isin(x, tensor({65535, 7})).to_vector<bool>(),
            (std::vector<bool>{false, false, false, true}));
}

TEST(Uint16, ConvertsByTheLowBits) {
  EXPECT_EQ(tensor({-1, 65537, 300}).to(uint16).to_vector<uint16_t>(), (Values{65535, 1, 300}));
  EXPECT_EQ(tensor({1.9, 65535.5, 40000.}).to(uint16).to_vector<uint16_t>(),
            (Values{1, 65535, 40000}));
  const Tensor x = tensor({0, 40000, 65535}, uint16);
  EXPECT_EQ(x.to(int16).to_vector<int16_t>(), (std::vector<int16_t>{0, -25536, -1}));
  EXPECT_EQ(x.to(float32).to_vector<float>(), (std::vector<float>{0, 40000, 65535}));
  EXPECT_EQ(x.to(uint8).to_vector<uint8_t>(), (std::vector<uint8_t>{0, 64, 255}));
  EXPECT_EQ(x.to_bool().to_vector<bool>(), (std::vector<bool>{false, true, true}));
  expect_error(ErrorKind::value, "value cannot be converted to type uint16_t without overflow",
               [] { full({2}, 65536, uint16); });
}

TEST(Uint16, SumsAreInt64AndExtremesOfNothingAreTheLimits) {
  const Tensor x = full({100000}, 65535, uint16);
  EXPECT_EQ(sum(x).dtype(), int64);
  EXPECT_EQ(sum(x).item<int64_t>(), 6553500000);
  const Tensor none = zeros({100000}, boolean);
  EXPECT_EQ(masked::amax(x, none).item<int64_t>(), 0);
  EXPECT_EQ(masked::amin(x, none).item<int64_t>(), kMost);
}

TEST(Uint16, PrintsItsName) {
  EXPECT_EQ(tensor({1, 65535}, uint16).to_string(), "tensor([    1, 65535], dtype=torch.uint16)");
}

using Bools = std::vector<bool>;
using Longs = std::vector<uint64_t>;
using Words = std::vector<uint32_t>;

constexpr uint64_t kAll = std::numeric_limits<uint64_t>::max(), kTop = uint64_t{1} << 63;

TEST(Uint32, WrapsAndComparesAsUnsigned) {
  const Tensor x = tensor(Words{0, 1, 2147483648u, 4294967295u});
  EXPECT_EQ((x + 1).to_vector<uint32_t>(), (Words{1, 2, 2147483649u, 0}));
  EXPECT_EQ((x * x).to_vector<uint32_t>(), (Words{0, 1, 0, 1}));
  EXPECT_EQ((x > 2147483647).to_vector<bool>(), (Bools{false, false, true, true}));
  EXPECT_EQ(floor_divide(x, 3).to_vector<uint32_t>(), (Words{0, 0, 715827882u, 1431655765u}));
  EXPECT_EQ(bitwise_right_shift(x, 31).to_vector<uint32_t>(), (Words{0, 0, 1, 1}));
  EXPECT_EQ(x.to(float64).to_vector<double>(), (std::vector<double>{0, 1, 0x1p31, 4294967295.}));
  EXPECT_EQ(x.to(int32).to_vector<int32_t>(), (std::vector<int32_t>{0, 1, INT32_MIN, -1}));
  EXPECT_EQ(x.to(int64).to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 1LL << 31, 4294967295}));
  EXPECT_EQ(sum(x).item<int64_t>(), 6442450944);
  EXPECT_EQ(tensor({-1., 4294967296. + 7, 3e9}, float64).to(uint32).to_vector<uint32_t>(),
            (Words{4294967295u, 7, 3000000000u}));
  EXPECT_EQ((x + tensor({-1, -1, -1, -1}, int32)).to_vector<int64_t>(),
            (std::vector<int64_t>{-1, 0, 2147483647, 4294967294}));
}

TEST(Uint64, NumbersAboveTheLargestInt64AreExact) {
  const Tensor x = tensor(Longs{0, kTop - 1, kTop, kAll});
  EXPECT_EQ(x[3].item().dtype(), uint64);
  EXPECT_EQ(x[1].item().dtype(), int64);
  EXPECT_EQ(x[3].item<uint64_t>(), kAll);
  EXPECT_EQ(x[2].item<double>(), 0x1p63);
  EXPECT_EQ((x == kAll).to_vector<bool>(), (Bools{false, false, false, true}));
  EXPECT_EQ((x < kTop).to_vector<bool>(), (Bools{true, true, false, false}));
  EXPECT_EQ((x + kAll).to_vector<uint64_t>(), (Longs{kAll, kTop - 2, kTop - 1, kAll - 1}));
  EXPECT_EQ(full({1}, kAll).to_vector<uint64_t>(), Longs{kAll});
  EXPECT_EQ(tensor({kTop, uint64_t{1}}).dtype(), uint64);
  EXPECT_EQ(x.to_string(),
            "tensor([                   0,  9223372036854775807,  9223372036854775808,\n"
            "        18446744073709551615], dtype=torch.uint64)");
  expect_error(ErrorKind::value, "value cannot be converted to type int64_t without overflow",
               [] { full({1}, kAll, int64); });
  expect_error(
      ErrorKind::value,
      "no integer dtype has -1 and numbers above the largest int64; choose one with dtype=", [] {
        tensor({-1, kTop});
      });
  expect_error(ErrorKind::value, "value cannot be converted to type int64_t without overflow",
               [] { (void)index(arange(3), {Index(tensor(Longs{kAll})[0])}); });
}

TEST(Uint64, SumsWrapWithoutASignAndExtremesOfNothingAreTheLimits) {
  const Tensor x = tensor(Longs{kTop, kTop - 1, 0});
  EXPECT_EQ(sum(x).dtype(), uint64);
  EXPECT_EQ(sum(x).item<uint64_t>(), kAll);
  EXPECT_EQ(cumsum(x, 0).to_vector<uint64_t>(), (Longs{kTop, kAll, kAll}));
  EXPECT_EQ(prod(x.slice(0, 0, 2)).item<uint64_t>(), kTop);
  EXPECT_EQ(sum(tensor({0x1p63, 3.}, float64), {}, false, uint64).item<uint64_t>(), kTop + 3);
  EXPECT_EQ(amax(x).item<uint64_t>(), kTop);
  EXPECT_EQ(argmax(x).item<int64_t>(), 0);
  EXPECT_EQ(sort(x).first.to_vector<uint64_t>(), (Longs{0, kTop - 1, kTop}));
  const Tensor none = zeros({3}, boolean);
  EXPECT_EQ(masked::amin(x, none).item<uint64_t>(), kAll);
  EXPECT_EQ(masked::amax(x, none).item<uint64_t>(), 0u);
}

// float64, to which they promote, holds neither all of int64 nor all of uint64.
TEST(Uint64, ComparesWithSignedIntegersByValue) {
  const Tensor x = tensor(Longs{5, kTop, kTop - 1, kAll});
  const Tensor y = tensor({int64_t{5}, INT64_MIN, INT64_MAX - 1, int64_t{-1}});
  EXPECT_EQ((x + y).dtype(), float64);
  EXPECT_EQ((x == y).to_vector<bool>(), (Bools{true, false, false, false}));
  EXPECT_EQ((x != y).to_vector<bool>(), (Bools{false, true, true, true}));
  EXPECT_EQ((x > y).to_vector<bool>(), (Bools{false, true, true, true}));
  EXPECT_EQ((y < x).to_vector<bool>(), (Bools{false, true, true, true}));
  EXPECT_EQ((x <= y).to_vector<bool>(), (Bools{true, false, false, false}));
  EXPECT_EQ((y >= x).to_vector<bool>(), (Bools{true, false, false, false}));
  EXPECT_EQ(isin(x, y).to_vector<bool>(), (Bools{true, false, false, false}));
  EXPECT_EQ(masks::between(x, y, INT64_MAX).to_vector<bool>(), (Bools{true, false, true, false}));
  expect_error(ErrorKind::dtype, "result type Double can't be cast to the desired output type Long",
               [&] { y.clone().add_(x); });
}

TEST(Uint64, ConvertsFromAndToFloatingPointAbove2To63) {
  EXPECT_EQ(tensor({0x1p63, 0x1.8p63, 0x1.fffffffffffffp63, -1., 2.9}, float64)
                .to(uint64)
                .to_vector<uint64_t>(),
            (Longs{kTop, 3 * (kTop / 2), kAll - 2047, kAll, 2}));
  EXPECT_EQ(tensor({0x1p63f, 0x1.8p63f}).to(uint64).to_vector<uint64_t>(),
            (Longs{kTop, 3 * (kTop / 2)}));
  const Tensor x = tensor(Longs{kTop, kAll, kTop + 1024, kTop + 1025, (1ULL << 40) + 1});
  EXPECT_EQ(x.to(float64).to_vector<double>(),
            (std::vector<double>{0x1p63, 0x1p64, 0x1p63, 0x1.0000000000001p63, 0x1p40 + 1}));
  EXPECT_EQ(x.to(float32).to_vector<float>(),
            (std::vector<float>{0x1p63f, 0x1p64f, 0x1p63f, 0x1p63f, 0x1p40f}));
  EXPECT_EQ(
      x.to(int64).to_vector<int64_t>(),
      (std::vector<int64_t>{INT64_MIN, -1, INT64_MIN + 1024, INT64_MIN + 1025, (1LL << 40) + 1}));
}

TEST(Uint64, MeansByIndexAreExactAbove2To63) {
  const Tensor x = tensor(Longs{kTop + 1, 3});
  EXPECT_EQ(
      x.index_reduce(0, tensor({1}), tensor(Longs{kTop + 5}), "mean", false).to_vector<uint64_t>(),
      (Longs{kTop + 1, kTop + 5}));
}

}  // namespace
}  // namespace tamis
