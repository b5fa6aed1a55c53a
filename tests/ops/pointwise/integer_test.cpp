// Shifts of bits and common divisors.
#include <cstdint>
#include <limits>

#include "support/pointwise_cases.h"

namespace tamis {
namespace {

using namespace testing;
using Ints = std::vector<int64_t>;

TEST(Shifts, MoveBitsAndKeepTheSign) {
  const Tensor x = tensor({1, -3, 255});
  EXPECT_EQ((x << 2).to_vector<int64_t>(), (Ints{4, -12, 1020}));
  EXPECT_EQ((x >> 1).to_vector<int64_t>(), (Ints{0, -2, 127}));
  EXPECT_EQ((1 << tensor({0, 3})).to_vector<int64_t>(), (Ints{1, 8}));
  EXPECT_EQ((x << tensor({{0}, {1}})).shape(), (Shape{2, 3}));
}

TEST(Shifts, ByTooMuchOrLessThanNothingLeaveTheSign) {
  for (DType dtype : {int8, int16, int32, int64}) {
    const int bits = 8 * static_cast<int>(itemsize(dtype));
    const Tensor x = tensor({5, -5}).to(dtype);
    for (int count : {bits, bits + 1, -1, -bits}) {
      const Tensor by = tensor(count).to(dtype);
      EXPECT_EQ((x << by).to_vector<int64_t>(), (Ints{0, 0})) << name(dtype) << count;
      EXPECT_EQ((x >> by).to_vector<int64_t>(), (Ints{0, -1})) << name(dtype) << count;
    }
    EXPECT_EQ((x >> tensor(bits - 1).to(dtype)).to_vector<int64_t>(), (Ints{0, -1}));
  }
  EXPECT_EQ((tensor({200}).to(uint8) >> tensor({9}).to(uint8)).item<int>(), 0);
  EXPECT_EQ((tensor({200}).to(uint8) << tensor({1}).to(uint8)).item<int>(), 144);
}

TEST(Shifts, TakeIntegersOnly) {
  expect_error(ErrorKind::dtype, "\"lshift_cpu\" not implemented for 'Float'",
               [] { bitwise_left_shift(tensor({1.f}), tensor({1})); });
  expect_error(ErrorKind::dtype, "\"rshift_cpu\" not implemented for 'Bool'",
               [] { bitwise_right_shift(tensor({true}), tensor({true})); });
}

TEST(Shifts, WriteInPlace) {
  Tensor x = tensor({1, 2});
  x.bitwise_left_shift_(3).bitwise_right_shift_(tensor({1, 2}));
  EXPECT_EQ(x.to_vector<int64_t>(), (Ints{4, 4}));
}

TEST(Divisors, AreNotNegative) {
  const Tensor a = tensor({12, -12, 0, 7, 0}), b = tensor({18, 18, 0, 0, -5});
  EXPECT_EQ(gcd(a, b).to_vector<int64_t>(), (Ints{6, 6, 0, 7, 5}));
  EXPECT_EQ(lcm(a, b).to_vector<int64_t>(), (Ints{36, 36, 0, 0, 0}));
  EXPECT_EQ(gcd(tensor({std::numeric_limits<int64_t>::min()}), tensor({6})).item<int64_t>(), 2);
  EXPECT_EQ(gcd(tensor({12}).to(uint8), tensor({-8}).to(int8)).dtype(), int16);
  expect_error(ErrorKind::dtype, "\"gcd_cpu\" not implemented for 'Float'",
               [] { gcd(tensor({1.f}), tensor({1})); });
}

}  // namespace
}  // namespace tamis
