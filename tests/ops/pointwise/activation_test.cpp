// The functions of neural networks; values and gradients from PyTorch.
#include "tamis/activation.h"

#include <cmath>
#include <functional>

#include "support/pointwise_cases.h"
#include "tamis/autograd.h"

namespace tamis {
namespace {

using namespace testing;
using Doubles = std::vector<double>;

const Doubles kInputs = {-4, -1, -0.25, 0, 0.5, 3, 25};

void expect_close(const Tensor& found, const Doubles& wanted) {
  ASSERT_EQ(found.dtype(), float64);
  const Doubles values = found.to_vector<double>();
  ASSERT_EQ(values.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(values[i], wanted[i], 1e-14 * std::fabs(wanted[i])) << kInputs[i];
  }
}

TEST(Activation, HasTheValuesOfPyTorch) {
  const Tensor x = tensor(kInputs);
  expect_close(gelu(x), {-0.00012668496733247991, -0.15865525393145702, -0.10032341857926907, 0,
                         0.34573123063700656, 2.99595030590511, 25});
  expect_close(silu(x), {-0.07194483984836623, -0.2689414213699951, -0.10945587477855048, 0,
                         0.3112296656009273, 2.8577223804672998, 24.9999999996528});
  expect_close(mish(x), {-0.07259174079202535, -0.30340146137410895, -0.129926963679141, 0,
                         0.3752452113048951, 2.9865350049679575, 25});
  expect_close(logsigmoid(x),
               {-4.0181499279178094, -1.3132616875182228, -0.8259394198788436, -0.6931471805599453,
                -0.4740769841801067, -0.04858735157374206, -1.3887943864867583e-11});
  expect_close(leaky_relu(x), {-0.04, -0.01, -0.0025, 0, 0.5, 3, 25});
  expect_close(elu(x, 0.5),
               {-0.4908421805556329, -0.31606027941427883, -0.11059960846429756, 0, 0.5, 3, 25});
  expect_close(celu(x, 0.5),
               {-0.49983226868604874, -0.43233235838169365, -0.1967346701436833, 0, 0.5, 3, 25});
  expect_close(selu(x), {-1.7258986281898945, -1.1113307378125625, -0.388890197478119, 0,
                         0.5253504936777402, 3.1521029620664414, 26.26752468388701});
  expect_close(softplus(x, 2, 3), {0.00016770318644788442, 0.06346400552148625, 0.23703849209005334,
                                   0.34657359027997264, 0.6566308437591114, 3, 25});
  expect_close(softsign(x), {-0.8, -0.5, -0.2, 0, 0.3333333333333333, 0.75, 0.9615384615384616});
}

TEST(Activation, OfPiecesOfLinesHasTheValuesOfPyTorch) {
  const Tensor x = tensor(kInputs);
  expect_close(hardtanh(x), {-1, -1, -0.25, 0, 0.5, 1, 1});
  expect_close(relu6(x), {0, 0, 0, 0, 0.5, 3, 6});
  expect_close(hardsigmoid(x),
               {0, 0.3333333333333333, 0.4583333333333333, 0.5, 0.5833333333333334, 1, 1});
  expect_close(hardswish(x),
               {0, -0.3333333333333333, -0.11458333333333333, 0, 0.2916666666666667, 3, 25});
  expect_close(hardshrink(x), {-4, -1, 0, 0, 0, 3, 25});
  expect_close(softshrink(x), {-3.5, -0.5, 0, 0, 0, 2.5, 24.5});
  expect_close(threshold(x, 0.5, 7), {7, 7, 7, 7, 7, 3, 25});
}

TEST(Activation, HasTheGradientsOfPyTorchAtKinks) {
  const auto gradient = [](const std::function<Tensor(const Tensor&)>& f) {
    const Tensor x = tensor(kInputs).requires_grad_();
    f(x).sum().backward();
    return x.grad();
  };
  expect_close(gradient([](const Tensor& x) { return hardtanh(x, -1, 3); }), {0, 0, 1, 1, 1, 0, 0});
  expect_close(gradient(hardswish),
               {0, 0.16666666666666669, 0.4166666666666667, 0.5, 0.6666666666666666, 1.5, 1});
  expect_close(gradient(mish), {-0.05377320979348033, 0.059216755877395014, 0.43981560172180506,
                                0.6, 0.8864243753577272, 1.0211069109294435, 1});
}

TEST(Activation, HasNoNanInGradientsOfLargeNumbers) {
  for (auto* f : {silu, mish, logsigmoid, selu, softsign, hardswish}) {
    const Tensor x = tensor(Doubles{200, 800, -800}).requires_grad_();
    f(x).sum().backward();
    EXPECT_TRUE(all(isfinite(x.grad())).item<bool>());
  }
  const Tensor x = tensor(Doubles{800, -800}).requires_grad_();
  (elu(x) + celu(x, 2.0) + softplus(x)).sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Doubles{3, 0}));
}

TEST(Gelu, ByTanhIsAnApproximation) {
  expect_close(gelu(tensor(kInputs), "tanh"),
               {-7.024594819227126e-05, -0.15880800939172324, -0.100324649298315, 0,
                0.34571400982514394, 2.996362607918227, 25});
  expect_error(ErrorKind::value, "approximate argument must be either none or tanh.",
               [] { gelu(tensor({1.0}), "erf"); });
}

TEST(Activation, RefusesIntegersWherePyTorchDoes) {
  const Tensor x = tensor({1, -2});
  expect_error(ErrorKind::dtype, "\"GeluKernelImpl\" not implemented for 'Long'", [&] { gelu(x); });
  expect_error(ErrorKind::dtype, "\"elu_cpu\" not implemented for 'Long'", [&] { selu(x); });
  EXPECT_EQ(hardtanh(x).to_vector<int64_t>(), (std::vector<int64_t>{1, -1}));
  EXPECT_EQ(threshold(x, 0, 9).to_vector<int64_t>(), (std::vector<int64_t>{1, 9}));
  expect_error(ErrorKind::value, "cannot do hardtanh on an unsigned type with negative limits",
               [] { hardtanh(tensor({1}).to(uint8)); });
  expect_error(ErrorKind::value, "ZeroDivisionError: alpha cannot be 0 for CELU",
               [] { celu(tensor({1.0}), 0); });
  expect_error(ErrorKind::value, "lambda must be greater or equal to 0, but found to be -1.",
               [] { softshrink(tensor({1.0}), -1); });
}

TEST(Prelu, HasAWeightForEachChannel) {
  const Tensor x = tensor({{-1.0, 2.0}, {-3.0, -4.0}});
  EXPECT_EQ(prelu(x, tensor({0.5, 0.25})).to_vector<double>(), (Doubles{-0.5, 2, -1.5, -1}));
  EXPECT_EQ(prelu(x, tensor({0.5})).to_vector<double>(), (Doubles{-0.5, 2, -1.5, -2}));
  EXPECT_EQ(prelu(tensor(-2.0), tensor({0.5})).item<double>(), -1);
  expect_error(
      ErrorKind::shape,
      "Mismatch of parameter numbers and input channel size. Found parameter numbers = 3 and "
      "channel size = 2.",
      [&] {
        prelu(x, tensor({1.0, 2.0, 3.0}));
      });
}

TEST(Glu, GatesOneHalfByTheOther) {
  const Tensor x = tensor({{1.0, 2.0, 0.0, 0.0}});
  EXPECT_EQ(glu(x).to_vector<double>(), (Doubles{0.5, 1}));
  EXPECT_EQ(glu(x.t(), 0).shape(), (Shape{2, 1}));
  expect_error(ErrorKind::shape, "Halving dimension must be even, but dimension 0 is size 1",
               [&] { glu(x, 0); });
  expect_error(ErrorKind::shape, "glu does not support 0-dimensional tensors",
               [] { glu(tensor(1.0)); });
}

}  // namespace
}  // namespace tamis
