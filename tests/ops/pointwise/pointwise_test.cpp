// In place: results that are written back into an operand, and the memory that refuses it.
#include "support/pointwise_cases.h"

namespace tamis {
namespace {

using namespace testing;

TEST(InPlace, WritesThroughViewsAndNothingElse) {
  Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  x.select(1, 1).add_(10);
  x.t().narrow(0, 2, 1).mul_(-1);
  EXPECT_EQ(x.to_vector<int>(), (std::vector<int>{1, 12, -3, 4, 15, -6}));
  x += x;
  EXPECT_EQ(x.to_vector<int>(), (std::vector<int>{2, 24, -6, 8, 30, -12}));
}

TEST(InPlace, DeferredReadersKeepTheOldValues) {
  Tensor x = tensor({1, 2, 3});
  const Tensor before = x * 10;
  x.add_(1);
  EXPECT_EQ(before.to_vector<int>(), (std::vector<int>{10, 20, 30}));
  EXPECT_EQ((x * 10).to_vector<int>(), (std::vector<int>{20, 30, 40}));
}

TEST(InPlace, ReadsAnExpressionOfItself) {
  Tensor x = tensor({{1, 2}, {3, 4}});
  x.add_(x.t() * 10);
  EXPECT_EQ(x.to_vector<int>(), (std::vector<int>{11, 32, 23, 44}));
}

TEST(InPlace, KeepsItsDType) {
  Tensor x = tensor({1.5f, 2.5f});
  x.add_(tensor({1.0, 2.0}, float64));
  EXPECT_EQ(x.dtype(), float32);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{2.5f, 4.5f}));
  Tensor bytes = tensor({1, 2}, int8);
  bytes.add_(tensor({1000, 1}));
  EXPECT_EQ(bytes.to_vector<int>(), (std::vector<int>{-23, 3}));
}

TEST(InPlace, UnaryOpsReturnTheirTensor) {
  Tensor x = tensor({-1.5f, 4.0f});
  EXPECT_EQ(&x.abs_().sqrt_().square_(), &x);
  EXPECT_NEAR(x[0].item<float>(), 1.5f, 1e-6f);
  EXPECT_EQ(x[1].item<float>(), 4.0f);
  x.clamp_({}, 2);
  EXPECT_EQ(x[1].item<float>(), 2.0f);
}

TEST(InPlace, NeedsNoTemporary) {
  if (eager_mode()) return;
  Tensor x = ones({1 << 16}).settle();
  const int64_t before = memory_stats().allocated_bytes;
  x.mul_(2).add_(1).sqrt_();
  EXPECT_LT(memory_stats().allocated_bytes - before, x.numel());
  EXPECT_EQ(x[7].item<float>(), std::sqrt(3.0f));
}

TEST(InPlace, DisjointPartsOfOneTensorMayMeet) {
  Tensor x = arange(8).reshape({2, 4});
  x.slice(1, 0, 2).add_(x.slice(1, 2, 4));
  EXPECT_EQ(x.to_vector<int>(), (std::vector<int>{2, 4, 2, 3, 10, 12, 6, 7}));
  x.slice(1, 0, 4, 2).sub_(x.slice(1, 1, 4, 2));
  EXPECT_EQ(x.to_vector<int>(), (std::vector<int>{-2, 4, -1, 3, -2, 12, -1, 7}));
}

TEST(InPlace, RefusesOverlappingMemory) {
  const std::string internal =
      "unsupported operation: more than one element of the written-to tensor refers to a single "
      "memory location. Please clone() the tensor before performing the operation.";
  const std::string partial =
      "unsupported operation: some elements of the input tensor and the written-to tensor refer to "
      "a single memory location. Please clone() the tensor before performing the operation.";
  Tensor row = zeros({1, 3});
  expect_error(ErrorKind::unsupported, internal, [&] { row.expand({2, 3}).add_(1); });
  expect_error(ErrorKind::unsupported, internal, [&] { row.expand({2, 3}).neg_(); });
  Tensor x = arange(9).reshape({3, 3});
  expect_error(ErrorKind::unsupported, partial, [&] { x.add_(x.t()); });
  expect_error(ErrorKind::unsupported, partial, [&] { x.add_(x[0]); });
  expect_error(ErrorKind::unsupported, partial, [&] { x.clamp_(x.t()); });
  expect_error(ErrorKind::unsupported, partial, [&] { x.slice(1, 0, 2).mul_(x.slice(1, 1, 3)); });
  expect_error(ErrorKind::unsupported, partial,
               [&] { x.view({9}).slice(0, 1).add_(x.view({9}).slice(0, 0, 8)); });
  EXPECT_EQ(x.to_vector<int>(), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(InPlace, SeesOverlapThroughForeignMemory) {
  std::vector<float> memory(6, 1.0f);
  Tensor a = from_blob(memory.data(), {4}, float32), b = from_blob(memory.data() + 2, {4}, float32);
  EXPECT_THROW(a.add_(b), Error);
  Tensor same = from_blob(memory.data(), {4}, float32);
  a.add_(same);
  EXPECT_EQ(memory, (std::vector<float>{2, 2, 2, 2, 1, 1}));
}

TEST(InPlace, RefusesToGrow) {
  Tensor x = zeros({4}), point = zeros({});
  expect_error(ErrorKind::shape, "output with shape [4] doesn't match the broadcast shape [2, 4]",
               [&] {
                 x.add_(zeros({2, 4}));
               });
  expect_error(ErrorKind::shape, "output with shape [] doesn't match the broadcast shape [4]",
               [&] { point.add_(x); });
  expect_error(ErrorKind::shape, "output with shape [4] doesn't match the broadcast shape [1, 4]",
               [&] { x.clamp_(tensor({{0.0f}})); });
}

TEST(Into, WritesTheMemoryThatIsThere) {
  Tensor y = zeros({2, 3}), column = y.select(1, 1);
  Tensor& same = into(column, tensor({1, 2}) + 1);
  EXPECT_EQ(&same, &column);
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{0, 2, 0, 0, 3, 0}));
}

TEST(Into, ResizesAnOutOfAnotherShape) {
  Tensor y = zeros({7}, float64), sum = y + 1;
  into(y, tensor({{1, 2}, {3, 4}}));
  EXPECT_EQ(y.shape(), (Shape{2, 2}));
  EXPECT_EQ(y.dtype(), float64);
  EXPECT_EQ(y.to_vector<double>(), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(sum.to_vector<int>(), std::vector<int>(7, 1));
}

TEST(Into, RefusesADTypeThatCannotHoldTheResultAndOverlappingMemory) {
  const std::string text = "result type Float can't be cast to the desired output type Long";
  Tensor same = tensor({1, 2}), other = tensor({1, 2, 3}), x = zeros({2});
  expect_error(ErrorKind::dtype, text, [&] { into(same, x + 0.5); });
  expect_error(ErrorKind::dtype, text, [&] { into(other, x + 0.5); });
  EXPECT_EQ(other.to_vector<int>(), (std::vector<int>{1, 2, 3}));
  Tensor wide = zeros({1}).expand({2});
  EXPECT_THROW(into(wide, x + 1), Error);
}

TEST(InPlace, RefusesAResultThatItsDTypeCannotHold) {
  Tensor x = tensor({1, 2}), m = tensor({true, false});
  const std::string text = "result type Float can't be cast to the desired output type Long";
  expect_error(ErrorKind::dtype, text, [&] { x.add_(0.5); });
  expect_error(ErrorKind::dtype, text, [&] { x.div_(2); });
  expect_error(ErrorKind::dtype, text, [&] { x.sqrt_(); });
  expect_error(ErrorKind::dtype, text, [&] { x.clamp_(0.5); });
  expect_error(ErrorKind::dtype, "result type Long can't be cast to the desired output type Bool",
               [&] { m.add_(1); });
  EXPECT_EQ(x.to_vector<int>(), (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace tamis
