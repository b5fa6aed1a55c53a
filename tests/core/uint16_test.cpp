// uint16: what an unsigned dtype that is wider than a byte must get right. Expected values are
// NumPy's, or by hand.
#include <limits>
#include <vector>

#include "support/pointwise_cases.h"
#include "tamis/masked.h"
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

}  // namespace
}  // namespace tamis
