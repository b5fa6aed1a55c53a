// Norms of every order: values from PyTorch 1.13 or by hand.
#include <limits>

#include "support/mask_cases.h"
#include "tamis/reduce.h"

namespace tamis {
namespace {

using namespace mask_cases;

const double kInf = std::numeric_limits<double>::infinity();

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

}  // namespace
}  // namespace tamis
