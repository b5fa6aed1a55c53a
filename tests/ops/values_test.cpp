// Values of a tensor as host numbers.
#include "support/pointwise_cases.h"

namespace tamis {
namespace {

using namespace testing;
using Ints = std::vector<int64_t>;

TEST(Values, ItemReadsTheOnlyElement) {
  EXPECT_EQ(tensor({{2.5}}).item<double>(), 2.5);
  EXPECT_EQ(tensor(INT64_MIN).item<int64_t>(), INT64_MIN);
  EXPECT_EQ(tensor({1, 2, 3})[1].item<int>(), 2);
  EXPECT_EQ((tensor(3) * 2).item<int>(), 6);
  EXPECT_EQ(full({}, 1, boolean).item().dtype(), boolean);
  for (DType dtype : kAllDTypes) EXPECT_EQ(ones({1, 1}, dtype).item<int>(), 1) << name(dtype);
  expect_error(ErrorKind::value, "a Tensor with 2 elements cannot be converted to Scalar", [] {
    tensor({1, 2}).item();
  });
  expect_error(ErrorKind::value, "a Tensor with 0 elements cannot be converted to Scalar",
               [] { tensor({}).item(); });
}

TEST(Values, ToVectorConvertsAndReadsRowMajor) {
  const Tensor x = tensor({{-1.5, 0.0}, {2.5, 3.0}});
  EXPECT_EQ(x.t().to_vector<int64_t>(), (Ints{-1, 2, 0, 3}));
  EXPECT_EQ(x.to_vector<bool>(), (std::vector<bool>{true, false, true, true}));
  EXPECT_EQ((x + 1).to_vector<float>(), (std::vector<float>{-0.5, 1, 3.5, 4}));
  EXPECT_TRUE(zeros({0, 2}).to_vector<double>().empty());
}

TEST(Values, AnyNonzeroByteIsTrue) {
  uint8_t bytes[] = {0, 1, 2, 255};
  const Tensor x = from_blob(bytes, {4}, boolean);
  EXPECT_EQ(x.to_vector<bool>(), (std::vector<bool>{false, true, true, true}));
  EXPECT_EQ(x.to_vector<int64_t>(), (Ints{0, 1, 1, 1}));
  EXPECT_EQ(x[2].item<int>(), 1);
  EXPECT_EQ(x.to_string(), "tensor([False,  True,  True,  True])");
}

}  // namespace
}  // namespace tamis
