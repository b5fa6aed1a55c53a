// What a user of libtorch writes without a second thought, and what must not compile, because it
// cannot be meant.
#include "pointwise_cases.h"

namespace tamis {
namespace {

using namespace testing;
using Floats = std::vector<float>;

Tensor matrix() { return tensor({{1., 2., 3.}, {4., 5., 6.}}); }

// ---- what an index can be ------------------------------------------------------------------------

template <class T>
concept Indexes = requires(const Tensor& x, T index) {
  x[index];
};

static_assert(!Indexes<double> && !Indexes<float> && !Indexes<long double>);
static_assert(!Indexes<Half> && !Indexes<BFloat16> && !Indexes<std::complex<float>>);
static_assert(Indexes<int> && Indexes<long> && Indexes<long long> && Indexes<short>);
static_assert(Indexes<int8_t> && Indexes<uint8_t> && Indexes<unsigned> && Indexes<size_t>);
static_assert(Indexes<bool> && Indexes<Tensor> && Indexes<Masked> && Indexes<Scalar>);

TEST(Brackets, TakeEveryKindOfInteger) {
  enum Column { first, second };
  const Tensor x = tensor({10, 20, 30});
  const auto value = [](const Tensor& v) { return v.item<int64_t>(); };
  EXPECT_EQ(value(x[0]), 10);
  EXPECT_EQ(value(x[-1]), 30);
  EXPECT_EQ(value(x[1L]), 20);
  EXPECT_EQ(value(x[size_t{2}]), 30);
  EXPECT_EQ(value(x[int8_t{-2}]), 20);
  EXPECT_EQ(value(x[uint8_t{2}]), 30);
  EXPECT_EQ(value(x[second]), 20);
}

TEST(Brackets, OfABoolAddADimension) {
  Tensor x = matrix();
  EXPECT_EQ(Tensor(x[true]).shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(Tensor(x[false]).shape(), (Shape{0, 2, 3}));
  EXPECT_TRUE(equal(Tensor(x[true])[0], x));
  x[false] = 9;
  EXPECT_TRUE(equal(x, matrix()));
  x[true] = 9;
  EXPECT_EQ(x.to_vector<float>(), Floats(6, 9));
}

}  // namespace
}  // namespace tamis
