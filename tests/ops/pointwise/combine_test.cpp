// Sums with factors, and interpolation between two tensors.
#include "support/pointwise_cases.h"
#include "tamis/autograd.h"

namespace tamis {
namespace {

using namespace testing;
using Doubles = std::vector<double>;

TEST(Lerp, ReachesBothEnds) {
  const Tensor a = tensor(Doubles{1, 1e16}), b = tensor(Doubles{5, 1});
  EXPECT_EQ(lerp(a, b, 0).to_vector<double>(), (Doubles{1, 1e16}));
  EXPECT_EQ(lerp(a, b, 1).to_vector<double>(), (Doubles{5, 1}));
  EXPECT_EQ(lerp(a, b, tensor(Doubles{0.25, 1})).to_vector<double>(), (Doubles{2, 1}));
  Tensor x = a.clone();
  x.lerp_(b, 0.25);
  EXPECT_EQ(x.to_vector<double>()[0], 2);
}

TEST(Lerp, TakesOneDtypeOfFloatingPoint) {
  expect_error(ErrorKind::dtype, "expected dtype float32 for `end` but got dtype float64",
               [] { lerp(tensor({1.f}), tensor(Doubles{1}), 0.5); });
  expect_error(ErrorKind::dtype, "expected dtype float32 for `weight` but got dtype float64",
               [] { lerp(tensor({1.f}), tensor({1.f}), tensor(Doubles{1})); });
  expect_error(ErrorKind::dtype, "\"lerp_kernel_scalar\" not implemented for 'Long'",
               [] { lerp(tensor({1}), tensor({1}), 0.5); });
}

TEST(Addcmul, AddsAProduct) {
  const Tensor x = tensor({1, 2}), y = tensor({3, 4});
  EXPECT_EQ(addcmul(x, y, tensor({{5}, {6}}), 2).to_vector<int64_t>(),
            (std::vector<int64_t>{31, 42, 37, 50}));
  EXPECT_EQ(addcmul(x, y, y, 0.5).to_vector<int64_t>(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(addcmul(x, y, tensor({0.5f, 2.f})).dtype(), float32);
  expect_error(ErrorKind::dtype, "\"addcmul_cpu_out\" not implemented for 'Bool'",
               [] { addcmul(tensor({true}), tensor({true}), tensor({true})); });
  Tensor z = tensor({1.0, 1.0});
  z.addcmul_(z, tensor({2.0, 3.0}), -1);
  EXPECT_EQ(z.to_vector<double>(), (Doubles{-1, -2}));
}

TEST(Addcdiv, AddsAQuotient) {
  const Tensor x = tensor({1.0, 2.0});
  EXPECT_EQ(addcdiv(x, tensor({3, 4}), tensor({2.0, 8.0}), 2).to_vector<double>(), (Doubles{4, 3}));
  expect_error(
      ErrorKind::dtype,
      "Integer division with addcdiv is no longer supported, and in a future  release addcdiv "
      "will perform a true division of tensor1 and tensor2. Divide with div and a "
      "rounding_mode, or convert one of them to floating point.",
      [&] { addcdiv(x, tensor({1}), tensor({2})); });
  Tensor z = x.clone();
  z.addcdiv_(x, tensor({2.0, 4.0}));
  EXPECT_EQ(z.to_vector<double>(), (Doubles{1.5, 2.5}));
}

TEST(Rsub, SubtractsFromTheOther) {
  EXPECT_EQ(rsub(tensor({1, 2}), 10, 3).to_vector<int64_t>(), (std::vector<int64_t>{7, 4}));
}

}  // namespace
}  // namespace tamis
