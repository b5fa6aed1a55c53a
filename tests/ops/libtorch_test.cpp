// What a user of libtorch writes without a second thought: dimensions without braces, containers,
// loops over rows, pointers to memory. And what must not compile, because it cannot be meant.
#include <array>
#include <deque>
#include <list>
#include <sstream>

#include "support/pointwise_cases.h"

namespace tamis {
namespace {

using namespace testing;
using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

template <class T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

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

// ---- one dimension needs no braces ---------------------------------------------------------------

template <class T>
concept Reduces = requires(const Tensor& x, T dims) {
  x.sum(dims);
};

static_assert(Reduces<int> && Reduces<int64_t> && Reduces<size_t> && Reduces<Shape>);
static_assert(Reduces<std::vector<int64_t>> && !Reduces<bool> && !Reduces<double>);

TEST(OneDimension, IsThatOfAReduction) {
  const Tensor x = matrix();
  EXPECT_EQ(x.sum(0).to_vector<float>(), (Floats{5, 7, 9}));
  EXPECT_EQ(x.sum(1).to_vector<float>(), (Floats{6, 15}));
  EXPECT_EQ(x.mean(-1).to_vector<float>(), (Floats{2, 5}));
  EXPECT_EQ(x.amax(0).to_vector<float>(), (Floats{4, 5, 6}));
  EXPECT_EQ(x.amin(1).to_vector<float>(), (Floats{1, 4}));
  EXPECT_EQ((x > 3).any(0).to_vector<bool>(), (std::vector<bool>{true, true, true}));
  EXPECT_EQ((x > 3).all(1).to_vector<bool>(), (std::vector<bool>{false, true}));
  EXPECT_EQ((x > 3).count_nonzero(1).to_vector<int64_t>(), (Ints{0, 3}));
  EXPECT_EQ(x.nansum(0).to_vector<float>(), (Floats{5, 7, 9}));
  EXPECT_EQ(x.nanmean(1).to_vector<float>(), (Floats{2, 5}));
  EXPECT_EQ(x.norm(1, 0).to_vector<float>(), (Floats{5, 7, 9}));
  EXPECT_EQ(zeros({2, 3}).logsumexp(0).shape(), Shape{3});
  EXPECT_EQ(masked::sum(x, x > 2, 1).to_vector<float>(), (Floats{3, 15}));
  EXPECT_EQ(sum(x, 0).to_vector<float>(), (Floats{5, 7, 9}));
}

TEST(OneDimension, IsFollowedByKeepdim) {
  const Tensor x = matrix();
  EXPECT_EQ(x.sum(0, true).shape(), (Shape{1, 3}));
  EXPECT_EQ(x.mean(1, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(x.norm(2, 1, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(x.std(0, true, true).shape(), (Shape{1, 3}));
}

TEST(OneDimension, IsRefusedByItsNumberWhenOutOfRange) {
  expect_error(ErrorKind::index,
               "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
               [] { matrix().sum(2); });
}

// libtorch's var(dim, unbiased): [1, 4] has the variance 4.5, or 2.25 without the correction.
TEST(OneDimension, IsFollowedByUnbiasedInVarAndStd) {
  const Tensor x = matrix();
  EXPECT_EQ(x.var(0).to_vector<float>(), (Floats{4.5, 4.5, 4.5}));
  EXPECT_EQ(x.var(0, true).to_vector<float>(), (Floats{4.5, 4.5, 4.5}));
  EXPECT_EQ(x.var(0, false).to_vector<float>(), (Floats{2.25, 2.25, 2.25}));
  EXPECT_EQ(x.std(0, false).to_vector<float>(), (Floats{1.5, 1.5, 1.5}));
}

TEST(OneDimension, IsAShapeWhereOneIsTaken) {
  const Tensor x = matrix();
  EXPECT_EQ(zeros(3).shape(), Shape{3});
  EXPECT_EQ(zeros(size_t{3}).shape(), Shape{3});
  EXPECT_EQ(full(2, 1.5).to_vector<float>(), (Floats{1.5, 1.5}));
  EXPECT_EQ(x.view(-1).shape(), Shape{6});
  EXPECT_EQ(x.reshape(6).shape(), Shape{6});
  EXPECT_EQ(x.flip(0)[0].to_vector<float>(), (Floats{4, 5, 6}));
  EXPECT_EQ(x.roll(1, 1)[0].to_vector<float>(), (Floats{3, 1, 2}));
  EXPECT_EQ(x.movedim(0, 1).shape(), (Shape{3, 2}));
  EXPECT_EQ(randint(0, 5, 4).shape(), Shape{4});
  EXPECT_EQ(randint(5, 4).shape(), Shape{4});
}

// ---- containers ----------------------------------------------------------------------------------

template <class T>
concept MakesTensor = requires(const T& values) {
  tensor(values);
};

// A string, a tensor and pairs hold no elements; char has no dtype.
static_assert(!MakesTensor<std::string> && !MakesTensor<Tensor>);
static_assert(!MakesTensor<std::vector<Tensor>> && !MakesTensor<std::vector<char>>);

void expect_made(const Tensor& x, DType dtype, const Shape& shape, const Ints& values) {
  EXPECT_EQ(x.dtype(), dtype);
  EXPECT_EQ(x.shape(), shape);
  EXPECT_EQ(x.to_vector<int64_t>(), values);
}

TEST(TensorOfContainer, CopiesOneDimension) {
  Floats values{1, 2, 3};
  const std::span<float> writable(values);
  const std::span<const float, 3> fixed(values.data(), 3);
  const int64_t plain[] = {1, 2, 3};
  const Tensor x = tensor(writable);
  values[0] = 9;
  expect_made(x, float32, {3}, {1, 2, 3});
  expect_made(tensor(fixed), float32, {3}, {9, 2, 3});
  expect_made(tensor(std::array<double, 2>{1, 2}), float64, {2}, {1, 2});
  expect_made(tensor(plain), int64, {3}, {1, 2, 3});
  expect_made(tensor(std::deque<int16_t>{1, 2}), int16, {2}, {1, 2});
  expect_made(tensor(std::list<bool>{true, false}), boolean, {2}, {1, 0});
  expect_made(tensor(std::array<float, 0>{}), float32, {0}, {});
}

TEST(TensorOfContainer, CopiesRows) {
  using Rows = std::vector<std::vector<int32_t>>;
  expect_made(tensor(Rows{{1, 2, 3}, {4, 5, 6}}), int32, {2, 3}, {1, 2, 3, 4, 5, 6});
  expect_made(tensor(std::vector<std::array<float, 2>>{{1, 2}, {3, 4}, {5, 6}}), float32, {3, 2},
              {1, 2, 3, 4, 5, 6});
  expect_made(tensor(std::vector<std::vector<bool>>{{true, false}, {false, true}}), boolean, {2, 2},
              {1, 0, 0, 1});
  expect_made(tensor(std::vector<Rows>{{{1}, {2}}, {{3}, {4}}}), int32, {2, 2, 1}, {1, 2, 3, 4});
  const double grid[2][2] = {{1, 2}, {3, 4}};
  expect_made(tensor(grid), float64, {2, 2}, {1, 2, 3, 4});
}

TEST(TensorOfContainer, HasTheDimensionsOfItsTypeWhenEmpty) {
  using Rows = std::vector<std::vector<float>>;
  expect_made(tensor(Rows{}), float32, {0, 0}, {});
  expect_made(tensor(Rows{{}, {}}), float32, {2, 0}, {});
}

TEST(TensorOfContainer, RefusesRowsOfDifferentLengths) {
  using Rows = std::vector<std::vector<float>>;
  expect_error(ErrorKind::shape, "expected sequence of length 2 at dim 1 (got 1)", [] {
    tensor(Rows{{1, 2}, {3}});
  });
  expect_error(ErrorKind::shape, "expected sequence of length 0 at dim 1 (got 1)", [] {
    tensor(Rows{{}, {3}});
  });
  expect_error(ErrorKind::shape, "expected sequence of length 1 at dim 2 (got 2)", [] {
    tensor(std::vector<Rows>{{{1}}, {{1, 2}}});
  });
}

TEST(TensorOfContainer, TakesADTypeOrAShape) {
  const std::array<float, 4> values{1, 2, 3, 4};
  expect_made(tensor(values, int64), int64, {4}, {1, 2, 3, 4});
  expect_made(tensor(values, {2, 2}), float32, {2, 2}, {1, 2, 3, 4});
  expect_made(tensor(std::vector<bool>{true, false}, {2, 1}), boolean, {2, 1}, {1, 0});
  expect_error(ErrorKind::shape, "shape '[3]' is invalid for input of size 4",
               [&] { tensor(values, 3); });
}

TEST(ToVector, ConvertsToTypesThatNoDTypeHas) {
  const Tensor x = tensor({0, 3, 255});
  EXPECT_EQ(x.to_vector<size_t>(), (std::vector<size_t>{0, 3, 255}));
  EXPECT_EQ(x.to_vector<long long>(), (std::vector<long long>{0, 3, 255}));
  EXPECT_EQ((x / 2).to_vector<long double>(), (std::vector<long double>{0, 1.5, 127.5}));
}

// ---- memory of others ----------------------------------------------------------------------------

TEST(FromBlob, TakesTheDTypeOfThePointer) {
  Floats values{1, 2, 3, 4};
  const Tensor x = from_blob(values.data(), {2, 2});
  EXPECT_EQ(x.dtype(), float32);
  x[0].fill_(7);
  EXPECT_EQ(values, (Floats{7, 7, 3, 4}));
  unsigned char bytes[4] = {1, 0, 0, 0};
  EXPECT_EQ(from_blob(bytes, {4}).dtype(), uint8);
  EXPECT_EQ(from_blob(bytes, {4}, boolean).to_vector<int64_t>(), (Ints{1, 0, 0, 0}));
}

TEST(FromBlob, OverConstMemoryRefusesWrites) {
  const Floats values{1, 2, 3, 4};
  Tensor x = from_blob(values.data(), {2, 2}, float32);
  Tensor row = x[0];
  const std::string text =
      "unsupported operation: the memory of the written-to tensor is read-only. Please clone() the "
      "tensor before performing the operation.";
  expect_error(ErrorKind::unsupported, text, [&] { x.fill_(0); });
  expect_error(ErrorKind::unsupported, text, [&] { row += 1; });
  expect_error(ErrorKind::unsupported, text, [&] { x[x > 2] = 0; });
  expect_error(ErrorKind::unsupported, text, [&] { x.mutable_data<float>(); });
  EXPECT_EQ(x.data<float>(), values.data());
  EXPECT_EQ((x * 2).to_vector<float>(), (Floats{2, 4, 6, 8}));
  Tensor copy = x.clone();
  copy += 1;
  EXPECT_EQ(copy.to_vector<float>(), (Floats{2, 3, 4, 5}));
}

TEST(FromBlob, GivesConstMemoryBackOnce) {
  const int32_t value = 5;
  int calls = 0;
  {
    const Tensor x = from_blob(&value, {}, int32, [&](const void* p) { calls += p == &value; });
    EXPECT_EQ(x.item<int>(), 5);
  }
  EXPECT_EQ(calls, 1);
}

TEST(DataPtr, IsWhereTheElementsAre) {
  Tensor x = matrix();
  float* const p = x.data_ptr<float>();
  p[4] = 50;
  EXPECT_EQ(x[1][1].item<float>(), 50);
  EXPECT_EQ(x[1].data_ptr<float>(), p + 3);
  EXPECT_EQ(x.data_ptr<const float>(), p);
  EXPECT_EQ(x.t().stride(0), 1);
  EXPECT_EQ(x.t().stride(-1), 3);
}

TEST(DataPtr, ComputesWhatIsDeferredFirst) {
  const Tensor x = tensor({1., 2.});
  const Tensor twice = x * 2;
  EXPECT_EQ((x + 1).data_ptr<float>()[1], 3);
  x.data_ptr<float>()[0] = 7;
  EXPECT_EQ(twice.to_vector<float>(), (Floats{2, 4}));
}

TEST(DataPtr, ChecksTheDTypeAndRefusesReadOnlyMemory) {
  expect_error(ErrorKind::dtype, "expected a tensor of dtype float64, but got float32",
               [] { matrix().data_ptr<double>(); });
  const Floats values{1, 2};
  const Tensor x = from_blob(values.data(), {2});
  expect_error(ErrorKind::unsupported,
               "data_ptr: the memory of this tensor is read-only. Please clone() the tensor to "
               "write to it, or read it through data<T>().",
               [&] { x.data_ptr<float>(); });
  EXPECT_EQ(x.data_ptr<const float>(), values.data());
}

TEST(DataPtr, LeavesWhatBackwardSavedAlone) {
  const Tensor w = tensor({2., 3.}).requires_grad_();
  const Tensor loss = (w * w).sum();
  w.data_ptr<float>();
  loss.backward();
  EXPECT_EQ(w.grad().to_vector<float>(), (Floats{4, 6}));
}

// ---- loops over rows -----------------------------------------------------------------------------

TEST(Iteration, GoesThroughTheFirstDimension) {
  const Tensor x = matrix();
  std::vector<Floats> rows;
  for (const Tensor& row : x.t()) rows.push_back(row.to_vector<float>());
  EXPECT_EQ(rows, (std::vector<Floats>{{1, 4}, {2, 5}, {3, 6}}));
  int64_t sum = 0;
  for (const Tensor& number : tensor({5, 6, 7})) {
    EXPECT_EQ(number.dim(), 0);
    sum = sum * 10 + number.item<int64_t>();
  }
  EXPECT_EQ(sum, 567);
  EXPECT_EQ(std::vector<Tensor>(x.begin(), x.end()).size(), 2u);
}

TEST(Iteration, GivesViewsThatCanBeWrittenTo) {
  const Tensor x = matrix();
  for (Tensor row : x) row += 10;
  EXPECT_EQ(x.to_vector<float>(), (Floats{11, 12, 13, 14, 15, 16}));
}

TEST(Iteration, OverNothingDoesNothing) {
  for (const Tensor& row : zeros({0, 3})) FAIL() << row;
  int rows = 0;
  for (const Tensor& row : zeros({2, 0})) rows += row.numel() == 0;
  EXPECT_EQ(rows, 2);
}

TEST(Iteration, OverNoDimensionIsRefused) {
  expect_error(ErrorKind::index, "iteration over a 0-d tensor", [] {
    for (const Tensor& row : tensor(5)) FAIL() << row;
  });
  expect_error(ErrorKind::index, "iteration over a 0-d tensor", [] { tensor(5).end(); });
}

TEST(Iteration, GoesThroughASelection) {
  const Tensor x = tensor({1, 7, 3, 9});
  Ints found;
  for (const Tensor& v : x[x > 4]) found.push_back(v.item<int64_t>());
  EXPECT_EQ(found, (Ints{7, 9}));
}

TEST(Iteration, LetsGradientsThrough) {
  const Tensor x = tensor({{1., 2.}, {3., 4.}}).requires_grad_();
  Tensor total = 0;
  for (const Tensor& row : x) total = total * 10 + row.sum();
  total.backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{10, 10, 1, 1}));
}

// ---- and the rest --------------------------------------------------------------------------------

TEST(Printing, OfDTypesShapesAndScalars) {
  EXPECT_EQ(printed(float32), "float32");
  EXPECT_EQ(printed(boolean), "bool");
  EXPECT_EQ(printed(matrix().sizes()), "[2, 3]");
  EXPECT_EQ(printed(Shape{}), "[]");
  EXPECT_EQ(printed(tensor(2.5).item()), "2.5");
  EXPECT_EQ(printed(tensor(7).item()), "7");
  EXPECT_EQ(printed(tensor(true).item()), "true");
  EXPECT_EQ(printed(Half(1.5f)), "1.5");
}

TEST(Slices, TakeNoneForAMissingEnd) {
  const Tensor x = tensor({1, 2, 3, 4, 5});
  EXPECT_EQ(x.index({Slice(None, 2)}).to_vector<int64_t>(), (Ints{1, 2}));
  EXPECT_EQ(x.index({Slice(1, None, 2)}).to_vector<int64_t>(), (Ints{2, 4}));
  EXPECT_EQ(x.index({None}).shape(), (Shape{1, 5}));
}

TEST(Functions, AreTheMethodsOfTheSameName) {
  const Tensor x = matrix();
  EXPECT_TRUE(equal(transpose(x, 0, 1), tensor({{1., 4.}, {2., 5.}, {3., 6.}})));
  EXPECT_TRUE(equal(permute(x, {1, 0}), x.t()));
  EXPECT_EQ(reshape(x, {3, -1}).shape(), (Shape{3, 2}));
  EXPECT_EQ(flatten(x).shape(), Shape{6});
  EXPECT_EQ(unsqueeze(x, -1).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(squeeze(unsqueeze(x, 0)).shape(), (Shape{2, 3}));
  EXPECT_EQ(squeeze(unsqueeze(x, 0), 1).shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(select(x, 1, -1).to_vector<float>(), (Floats{3, 6}));
  EXPECT_EQ(narrow(x, 1, 1, 2).shape(), (Shape{2, 2}));
  EXPECT_TRUE(x.equal(matrix()) && x.allclose(matrix() + 1e-7));
  EXPECT_EQ(x.tril().to_vector<float>(), (Floats{1, 0, 0, 4, 5, 0}));
  EXPECT_EQ(x.triu(1).to_vector<float>(), (Floats{0, 2, 3, 0, 0, 6}));
  EXPECT_EQ(arange(1, 4, float64).dtype(), float64);
  EXPECT_TRUE(x.is_floating_point() && !(x > 0).is_floating_point());
}

TEST(Selections, AnswerWhatTensorsDo) {
  const Tensor x = matrix();
  const Tensor rows = tensor({true, true});
  EXPECT_EQ(x[rows].sum(0).to_vector<float>(), (Floats{5, 7, 9}));
  EXPECT_EQ(x[rows].mean(1, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(x[x > 2].max().item<float>(), 6);
  EXPECT_EQ(x[x > 2].min().item<float>(), 3);
  EXPECT_EQ(x[x > 2].size(0), 4);
  EXPECT_EQ(x[x > 2].dtype(), float32);
  EXPECT_EQ(x[rows].dim(), 2);
  EXPECT_EQ(x[x > 5].item<float>(), 6);
}

}  // namespace
}  // namespace tamis
