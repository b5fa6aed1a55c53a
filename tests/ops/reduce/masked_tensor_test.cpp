// MaskedTensor: what it keeps, what it prints, and that nothing leaks. Expected values are those of
// numpy.ma.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "tamis/masked_tensor.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using masked::MaskedTensor;

MaskedTensor sample() {
  return MaskedTensor(tensor({{1.f, NAN, 3.f}, {NAN, NAN, NAN}, {4.f, 5.f, 9.f}}),
                      tensor({{true, false, true}, {false, false, false}, {true, true, true}}));
}

std::string text(const MaskedTensor& x) { return x.to_string(); }

TEST(MaskedTensor, PrintsWhatIsMissing) {
  EXPECT_EQ(text(sample()),
            "masked_tensor([[1., --, 3.],\n"
            "               [--, --, --],\n"
            "               [4., 5., 9.]])");
  EXPECT_EQ(text(MaskedTensor(tensor({1.5f, 2.f}), tensor({true, false}))),
            "masked_tensor([1.5000,     --])");
  EXPECT_EQ(text(MaskedTensor(tensor({1, 2}, int8), tensor({false, true}))),
            "masked_tensor([--,  2], dtype=torch.int8)");
  EXPECT_EQ(text(MaskedTensor(tensor(7), tensor(false))), "masked_tensor(--)");
  EXPECT_EQ(text(MaskedTensor(zeros({0}))), "masked_tensor([])");
  // What is masked out has no say in the format.
  EXPECT_EQ(text(MaskedTensor(tensor({1.f, 1e30f}), tensor({true, false}))),
            "masked_tensor([1., --])");
  std::ostringstream out;
  out << MaskedTensor(arange(2000), arange(2000) > 1);
  EXPECT_EQ(out.str(), "masked_tensor([  --,   --,    2,  ..., 1997, 1998, 1999])");
}

TEST(MaskedTensor, FillsAndPacks) {
  EXPECT_EQ(sample().filled(-1).to_vector<float>(),
            (std::vector<float>{1, -1, 3, -1, -1, -1, 4, 5, 9}));
  EXPECT_EQ(sample().compressed().to_vector<float>(), (std::vector<float>{1, 3, 4, 5, 9}));
  EXPECT_EQ(MaskedTensor::from_nan(tensor({1.f, NAN})).mask().to_vector<bool>(),
            (std::vector<bool>{true, false}));
}

TEST(MaskedTensor, CombinesMasks) {
  const MaskedTensor x(tensor({1, 2, 3, 4}), tensor({true, true, false, false}));
  const MaskedTensor y(tensor({10, 20, 30, 40}), tensor({true, false, true, false}));
  EXPECT_EQ(text(x + y), "masked_tensor([11, --, --, --])");
  EXPECT_EQ(text(x * 2), "masked_tensor([ 2,  4, --, --])");
  EXPECT_EQ(text(10 - x), "masked_tensor([ 9,  8, --, --])");
  EXPECT_EQ(text(x < y), "masked_tensor([True,   --,   --,   --])");
  EXPECT_EQ(text(x == tensor({1, 1, 3, 4})), "masked_tensor([ True, False,    --,    --])");
  EXPECT_EQ(text(-x), "masked_tensor([-1, -2, --, --])");
  EXPECT_EQ(text(x.map(square)), "masked_tensor([ 1,  4, --, --])");
  EXPECT_EQ(text(x.map(static_cast<Tensor (*)(const Tensor&, const Tensor&)>(maximum), y)),
            "masked_tensor([10, --, --, --])");
  // A column and a row.
  EXPECT_EQ(text(x.view({2, 2}) + MaskedTensor(tensor({1, 1}), tensor({false, true}))),
            "masked_tensor([[--,  3],\n               [--, --]])");
}

TEST(MaskedTensor, ReducesWhatIsKept) {
  const MaskedTensor x = sample();
  EXPECT_EQ(text(x.sum()), "masked_tensor(22.)");
  EXPECT_EQ(text(x.sum(1)), "masked_tensor([ 4.,  --, 18.])");
  EXPECT_EQ(text(x.prod(1)), "masked_tensor([  3.,   --, 180.])");
  EXPECT_EQ(text(x.mean(1)), "masked_tensor([2., --, 6.])");
  EXPECT_EQ(text(x.amin(1)), "masked_tensor([1., --, 4.])");
  EXPECT_EQ(text(x.amax(0)), "masked_tensor([4., 5., 9.])");
  EXPECT_EQ(text(x.argmin(1)), "masked_tensor([ 0, --,  0])");
  EXPECT_EQ(text(x.argmax(1)), "masked_tensor([ 2, --,  2])");
  EXPECT_EQ(text(x.argmax()), "masked_tensor(8)");
  EXPECT_EQ(text((x > 3).any(1)), "masked_tensor([False,    --,  True])");
  EXPECT_EQ(text((x > 3).all(1)), "masked_tensor([False,    --,  True])");
  EXPECT_EQ(text(x.var(1)), "masked_tensor([2., --, 7.])");
  EXPECT_EQ(text(x.var(0)), "masked_tensor([ 4.5000,      --, 18.0000])");
  EXPECT_EQ(text(x.std(0, 0)), "masked_tensor([1.5000, 0.0000, 3.0000])");
  EXPECT_EQ(text(x.median(1)), "masked_tensor([1., --, 5.])");
  EXPECT_EQ(text(x.median()), "masked_tensor(4.)");
  EXPECT_EQ(text(x.sum(1, true)),
            "masked_tensor([[ 4.],\n               [ --],\n               [18.]])");
  EXPECT_EQ(x.count(1).to_vector<int64_t>(), (std::vector<int64_t>{2, 0, 3}));
  const MaskedTensor none(tensor({1, 2}), tensor({false, false}));
  EXPECT_EQ(text(none.sum()), "masked_tensor(--)");
  EXPECT_EQ(text(none.median(0)), "masked_tensor(--)");
  EXPECT_EQ(text(none.median({}, true)), "masked_tensor([--])");
}

TEST(MaskedTensor, IndexesBoth) {
  const MaskedTensor x = sample();
  EXPECT_EQ(text(x[0]), "masked_tensor([1., --, 3.])");
  EXPECT_EQ(text(x[tensor({2, 0})]), "masked_tensor([[4., 5., 9.],\n               [1., --, 3.]])");
  EXPECT_EQ(text(x[tensor({true, true, false})]),
            "masked_tensor([[1., --, 3.],\n               [--, --, --]])");
  EXPECT_EQ(text(x.index({Slice(), 1})), "masked_tensor([--, --, 5.])");
  EXPECT_EQ(text(x.moved([](const Tensor& t) { return t.t(); })[1]), "masked_tensor([--, --, 5.])");
  EXPECT_EQ(text(x[0].to(int32)), "masked_tensor([ 1, --,  3], dtype=torch.int32)");
}

TEST(MaskedTensor, LetsNoNaNIntoGradients) {
  Tensor data = tensor({4.f, 0.f, NAN, 9.f}).requires_grad_();
  const MaskedTensor x(data, tensor({true, false, false, true}));
  const MaskedTensor y = x.map(sqrt) / x;
  y.mean().data().backward();
  // The derivative of 1 / sqrt(x), halved.
  const std::vector<float> got = data.grad().to_vector<float>();
  EXPECT_FLOAT_EQ(got[0], -1.f / 32);
  EXPECT_EQ(got[1], 0);
  EXPECT_EQ(got[2], 0);
  EXPECT_FLOAT_EQ(got[3], -1.f / 108);
}

TEST(MaskedTensor, RefusesMasksThatDoNotFit) {
  EXPECT_THROW(MaskedTensor(zeros({2}), zeros({2})), Error);
  EXPECT_THROW(MaskedTensor(zeros({2}), tensor({true, false, true})), Error);
  EXPECT_EQ(text(MaskedTensor(zeros({2, 2}), tensor({true, false}))),
            "masked_tensor([[0., --],\n               [0., --]])");
}

}  // namespace
}  // namespace tamis
