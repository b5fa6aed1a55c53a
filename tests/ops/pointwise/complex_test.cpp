// Complex numbers: arithmetic, parts, views of parts, moves of 16-byte elements, and refusals.
// Values are PyTorch's.
#include <limits>

#include "ops/row.h"
#include "support/observe.h"
#include "support/pointwise_cases.h"

namespace tamis {
namespace {

using namespace testing;
using C64 = std::complex<float>;
using C128 = std::complex<double>;

std::vector<C128> values_of(const Tensor& x) { return x.to_vector<C128>(); }

Tensor some() { return tensor({C128(1, 2), C128(3, -1), C128(0, 0), C128(-2, 0.5)}); }

TEST(Complex, ListsAndNumbersAreComplex64UnlessAsked) {
  EXPECT_EQ(some().dtype(), complex64);
  EXPECT_EQ(tensor({C64(1, 1), 2.5, 3}).dtype(), complex64);
  EXPECT_EQ(tensor({C128(1, 1)}, complex128).dtype(), complex128);
  EXPECT_EQ(full({2}, C128(0, 1)).dtype(), complex64);
  EXPECT_EQ(tensor(std::vector<C128>{{1, 2}}).dtype(), complex128);
  EXPECT_EQ(tensor({1.5}).mul(C128(0, 1)).dtype(), complex64);
  EXPECT_EQ(tensor({1.5}, float64).mul(C128(0, 1)).dtype(), complex128);
  EXPECT_FALSE(is_floating_point(complex64));
  EXPECT_TRUE(some().is_complex());
}

TEST(Complex, ItemKeepsBothParts) {
  const Scalar z = some()[0].item();
  EXPECT_TRUE(z.is_complex());
  EXPECT_EQ(z.to_complex(), C128(1, 2));
  EXPECT_EQ(some()[0].item<C64>(), C64(1, 2));
  EXPECT_EQ(some()[1].item<float>(), 3.0f);
}

TEST(Complex, Arithmetic) {
  const Tensor x = some(), y = tensor({C128(0, 1), C128(2, 2), C128(1, -1), C128(4, 0)});
  EXPECT_EQ(values_of(x + y), (std::vector<C128>{{1, 3}, {5, 1}, {1, -1}, {2, 0.5}}));
  EXPECT_EQ(values_of(x - y), (std::vector<C128>{{1, 1}, {1, -3}, {-1, 1}, {-6, 0.5}}));
  EXPECT_EQ(values_of(x * y), (std::vector<C128>{{-2, 1}, {8, 4}, {0, 0}, {-8, 2}}));
  EXPECT_EQ(values_of(x / y), (std::vector<C128>{{2, -1}, {0.5, -1}, {0, 0}, {-0.5, 0.125}}));
  EXPECT_EQ(values_of(-x), (std::vector<C128>{{-1, -2}, {-3, 1}, {0, 0}, {2, -0.5}}));
  EXPECT_EQ(values_of(square(x)), (std::vector<C128>{{-3, 4}, {8, -6}, {0, 0}, {3.75, -2}}));
  EXPECT_EQ(values_of(conj(x)), (std::vector<C128>{{1, -2}, {3, 1}, {0, 0}, {-2, -0.5}}));
  EXPECT_EQ(abs(tensor({C128(3, -4), C128(0, 0)})).to_vector<float>(), (std::vector<float>{5, 0}));
  EXPECT_EQ(abs(x).dtype(), float32);
  EXPECT_FLOAT_EQ(angle(x)[0].item<float>(), 1.1071487665176392f);
  EXPECT_EQ((x == tensor({1.0, 3.0, 0.0, -2.0})).to_vector<bool>(),
            (std::vector<bool>{false, false, true, false}));
}

TEST(Complex, MultipliesAndDividesByThePlainFormulas) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  // inf + 0i times 1 + 1i: PyTorch does not repair the NaN of 0 * inf.
  const C128 product = (tensor({C128(inf, 0)}) * C128(0, 1))[0].item().to_complex();
  EXPECT_TRUE(std::isnan(product.real()));
  EXPECT_EQ(product.imag(), inf);
  const C128 quotient = (tensor({C128(1, -1)}) / C128(0, 0))[0].item().to_complex();
  EXPECT_EQ(quotient, C128(inf, -inf));
  // No overflow in between.
  EXPECT_EQ((tensor({C128(1e300, 1e300)}, complex128) / C128(1e300, 1e300))[0].item().to_complex(),
            C128(1, 0));
}

TEST(Complex, Reductions) {
  const Tensor x = some();
  EXPECT_EQ(x.sum().item().to_complex(), C128(2, 1.5));
  EXPECT_EQ(x.mean().item().to_complex(), C128(0.5, 0.375));
  EXPECT_EQ(x.narrow(0, 0, 2).prod().item().to_complex(), C128(5, 5));
  EXPECT_EQ(x.sum({}, false, float32).item<float>(), 2.0f);
  EXPECT_EQ(x.count_nonzero().item<int64_t>(), 3);
  EXPECT_TRUE(x.any().item<bool>());
  EXPECT_FALSE(x.all().item<bool>());
  EXPECT_EQ(empty({0}, complex64).sum().item().to_complex(), C128(0, 0));
  EXPECT_EQ(empty({0}, complex64).prod().item().to_complex(), C128(1, 0));
  const C128 nothing = empty({0}, complex64).mean().item().to_complex();
  EXPECT_TRUE(std::isnan(nothing.real()) && std::isnan(nothing.imag()));
}

TEST(Complex, VariancesAreReal) {  // torch.var and torch.mean of all and of the kept elements
  const Tensor z = tensor({C128(1, 2), C128(3, -1), C128(-2, 0.5), C128(0, 4)}, complex128);
  const Tensor mask = tensor({true, true, false, true});
  const auto expect_near = [](const Tensor& got, double want) {
    EXPECT_EQ(got.dtype(), float64);
    EXPECT_NEAR(got.item<double>(), want, 1e-12);
  };
  expect_near(var(z), 427.0 / 48);
  expect_near(masked::var(z, mask), 26.0 / 3);
  expect_near(masked::var(z, mask, {}, 0), 52.0 / 9);
  expect_near(std(z), std::sqrt(427.0 / 48));
  expect_near(masked::std(z, mask), std::sqrt(26.0 / 3));
  EXPECT_EQ(masked::var(z.to(complex64), mask).dtype(), float32);
  EXPECT_EQ(var_mean(z).second.item().to_complex(), C128(0.5, 1.375));
  EXPECT_LT(std::abs(masked::mean(z, mask).item().to_complex() - C128(4.0 / 3, 5.0 / 3)), 1e-12);
  EXPECT_TRUE(std::isnan(masked::var(z, zeros({4}, boolean)).item<double>()));
  expect_error(ErrorKind::dtype, "\"median_out\" not implemented for 'ComplexDouble'",
               [&] { masked::median(z, mask, 0); });
}

TEST(Complex, SumsOfEveryShapeAreTheSumsOfTheParts) {
  for (DType dtype : {complex64, complex128}) {
    for (const Shape& shape : {Shape{3, 5}, Shape{40, 5000}, Shape{5000, 40}, Shape{70000, 2}}) {
      const Tensor x = arange(numel(shape)).remainder(17).to(real_dtype(dtype)).view(shape);
      const Tensor z = complex(x, x * -3);
      for (const Dims& dims : {Dims{}, Dims{0}, Dims{1}}) {
        EXPECT_TRUE(equal(z.sum(dims).real(), x.sum(dims))) << to_string(shape);
        EXPECT_TRUE(equal(z.sum(dims).imag(), (x * -3).sum(dims))) << to_string(shape);
      }
    }
  }
}

TEST(Complex, PartsAreViews) {
  Tensor z = some();
  z.imag().fill_(9);
  z.real().mul_(2);
  EXPECT_EQ(values_of(z), (std::vector<C128>{{2, 9}, {6, 9}, {0, 9}, {-4, 9}}));
  const Tensor parts = view_as_real(z.view({2, 2}).t());
  EXPECT_EQ(parts.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(parts.strides(), (Shape{2, 4, 1}));
  EXPECT_TRUE(parts.shares_storage(z));
  EXPECT_TRUE(equal(view_as_complex(view_as_real(z)), z));
  const Tensor x = tensor({1.0, 2.0});
  EXPECT_TRUE(x.real().shares_storage(x));
}

TEST(Complex, AViewOfPartsInTheSameExpressionIsReadAsWhatItIs) {
  // The same storage, offset and strides, as complex numbers and as floats.
  const Tensor z = some();
  const Tensor floats = view_as_real(z).flatten().narrow(0, 0, 4);
  EXPECT_EQ(values_of(z + floats), (std::vector<C128>{{2, 2}, {5, -1}, {3, 0}, {-3, 0.5}}));
}

TEST(Complex, WritingPartsThatAreReadGoesByACopy) {
  Tensor z = some();
  Tensor target = view_as_real(z).flatten().narrow(0, 0, 4);
  const Tensor want = abs(z).clone();
  into(target, abs(z));
  EXPECT_TRUE(equal(target, want));
}

TEST(Complex, DeferredReadersOfAStorageSeeItBeforeItsPartsAreWritten) {
  Tensor z = some();
  const Tensor doubled = z * 2;
  z.real().zero_();
  EXPECT_EQ(values_of(doubled)[0], C128(2, 4));
  EXPECT_EQ(values_of(z)[0], C128(0, 2));
}

TEST(Complex, ConvertsByTheRealPart) {
  EXPECT_EQ(some().to(int32).to_vector<int32_t>(), (std::vector<int32_t>{1, 3, 0, -2}));
  EXPECT_EQ(some().to(float16).to_vector<float>(), (std::vector<float>{1, 3, 0, -2}));
  EXPECT_EQ(some().to_bool().to_vector<bool>(), (std::vector<bool>{true, true, false, true}));
  EXPECT_EQ(values_of(tensor({true, false}).to(complex128)), (std::vector<C128>{{1, 0}, {0, 0}}));
  EXPECT_EQ(values_of(tensor({0.1}, float64).to(complex64))[0], C128(0.1f, 0));
  EXPECT_EQ(zeros({4}).copy_(some()).to_vector<float>(), (std::vector<float>{1, 3, 0, -2}));
}

TEST(Complex, TestsLookAtBothParts) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x = tensor({C128(1, nan), C128(inf, 0), C128(0, -inf), C128(1, 1), C128(nan, inf)});
  EXPECT_EQ(isnan(x).to_vector<bool>(), (std::vector<bool>{true, false, false, false, true}));
  EXPECT_EQ(isinf(x).to_vector<bool>(), (std::vector<bool>{false, true, true, false, true}));
  EXPECT_EQ(isfinite(x).to_vector<bool>(), (std::vector<bool>{false, false, false, true, false}));
  EXPECT_TRUE(allclose(some(), some() + C128(1e-9, 1e-9)));
  EXPECT_FALSE(allclose(some(), some() + C128(0, 1e-3)));
}

TEST(Complex, MaskingMovesWholeElements) {
  for (DType dtype : {complex64, complex128}) {
    for (int64_t n : {1, 63, 64, 65, 1000, 70001}) {
      const Tensor x = random_values({n}, dtype, 5),
                   mask = random_mask({n}, static_cast<uint32_t>(n));
      // Without NaN, which equals nothing.
      const std::vector<C128> all = values_of(x.masked_fill(isnan(x), 1));
      const Tensor clean = tensor(all).to(dtype);
      std::vector<C128> kept, filled, scattered;
      const std::vector<bool> bits = mask.to_vector<bool>();
      for (int64_t i = 0; i < n; ++i) {
        if (bits[i]) kept.push_back(all[i]);
        filled.push_back(bits[i] ? C128(7, -7) : all[i]);
        scattered.push_back(bits[i] ? kept.back() : C128(0, 0));
      }
      EXPECT_EQ(values_of(clean[mask]), kept);
      EXPECT_EQ(values_of(clean.masked_fill(mask, C128(7, -7))), filled);
      EXPECT_EQ(values_of(zeros({n}, dtype).masked_scatter(mask, clean[mask])), scattered);
      EXPECT_EQ(values_of(where(mask, clean, 0)), scattered);
    }
  }
}

/// The largest distance between the values and the numbers, relative to each part.
double error_of(const Tensor& x, const std::vector<C128>& want) {
  double error = 0;
  const std::vector<C128> got = values_of(x);
  for (size_t i = 0; i < want.size(); ++i) {
    const auto part = [&](double a, double b) { error = std::max(error, std::abs(a / b - 1)); };
    part(got[i].real(), want[i].real());
    part(got[i].imag(), want[i].imag());
  }
  return error;
}

TEST(Complex, Expm1AndLog1pKeepTheDigitsOfSmallNumbers) {
  // By their series: x + x^2 / 2 and x - x^2 / 2.
  const Tensor small = tensor({C128(1e-9, 2e-9), C128(-3e-20, 1e-20)}, complex128);
  EXPECT_LT(error_of(expm1(small), {{1e-9 - 1.5e-18, 2e-9 + 2e-18}, {-3e-20, 1e-20}}), 1e-15);
  EXPECT_LT(error_of(log1p(small), {{1e-9 + 1.5e-18, 2e-9 - 2e-18}, {-3e-20, 1e-20}}), 1e-15);
  // |1 + x|^2 is 1 + 2^-40 exactly, of which 1 + x shows nothing.
  const double half = std::ldexp(1.0, -21), im = std::ldexp(1.0, -10);
  const double re = -half + std::ldexp(1.0, -41) - half * half / 2;
  const double excess = 2 * re + re * re + im * im;
  EXPECT_NEAR(log1p(tensor({C128(re, im)}, complex128)).item().to_complex().real() / (excess / 2),
              1, 1e-3);
  const Tensor z = tensor({C128(0.5, -0.25), C128(-3, 2), C128(-1.5, -0.5)}, complex128);
  EXPECT_LT(abs(expm1(log1p(z)) - z).max().item<double>(), 1e-15);
  EXPECT_LT(abs(log1p(expm1(z)) - z).max().item<double>(), 1e-14);
  EXPECT_EQ(expm1(z.to(complex64)).dtype(), complex64);
  EXPECT_LT(error_of(log1p(small.to(complex64)), {{1e-9, 2e-9}, {-3e-20, 1e-20}}), 2e-7);
}

TEST(Complex, Expm1AndLog1pOfInfinities) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto at = [](Tensor (*f)(const Tensor&), double re, double im) {
    return f(tensor({C128(re, im)}, complex128)).item().to_complex();
  };
  EXPECT_EQ(at(expm1, -inf, 2), C128(-1, 0));
  EXPECT_EQ(at(expm1, -inf, inf).real(), -1);
  EXPECT_EQ(at(expm1, inf, 0), C128(inf, 0));
  EXPECT_TRUE(std::isnan(at(expm1, 1, inf).real()));
  EXPECT_EQ(at(log1p, -1, 0), C128(-inf, 0));
  EXPECT_EQ(at(log1p, -inf, 1), C128(inf, M_PI));
  EXPECT_EQ(at(log1p, 1, -inf), C128(inf, -M_PI / 2));
  EXPECT_EQ(at(log1p, -0.0, -0.0), C128(0, 0));
  EXPECT_TRUE(std::signbit(at(log1p, 0, -0.0).imag()));
  // e to the 710 overflows; times the sine of a small angle it does not.
  EXPECT_NEAR(std::log(at(expm1, 710, 1e-3).imag()), 710 + std::log(std::sin(1e-3)), 1e-12);
}

TEST(Complex, WhatNeedsAnOrderIsRefused) {
  const Tensor z = some();
  expect_error(ErrorKind::dtype, "\"lt_cpu\" not implemented for 'ComplexFloat'",
               [&] { (void)(z < 1); });
  expect_error(ErrorKind::dtype, "\"ge_cpu\" not implemented for 'ComplexFloat'",
               [&] { (void)(z >= z); });
  expect_error(ErrorKind::dtype, "clamp is not supported for complex types", [&] { clamp(z, 0); });
  expect_error(ErrorKind::dtype, "\"max_values_cpu\" not implemented for 'ComplexFloat'",
               [&] { amax(z); });
  expect_error(ErrorKind::dtype, "\"kthvalue_cpu\" not implemented for 'ComplexDouble'",
               [&] { kthvalue(z.to(complex128), 1); });
  expect_error(ErrorKind::dtype, "maximum not implemented for complex tensors.",
               [&] { maximum(z, z); });
  expect_error(ErrorKind::dtype, "floor is not supported for complex inputs", [&] { floor(z); });
}

TEST(Complex, EveryRowComputesOrRefuses) {
  for (const Row& row : all_rows()) {
    for (const Args& sample : row.samples) {
      Args args = sample;
      for (Value& v : args) {
        if (auto* x = std::get_if<Tensor>(&v); x && x->dtype() == float32) *x = x->to(complex64);
      }
      try {
        const Value result = row.call(args);
        if (const auto* x = std::get_if<Tensor>(&result)) x->settle();
      } catch (const Error&) {
      }
    }
  }
}

TEST(Complex, AnImaginaryPartDoesNotFitRealTensors) {
  Tensor x = zeros({2});
  expect_error(ErrorKind::value, "value cannot be converted to type float without overflow",
               [&] { x.fill_(C128(0, 1)); });
  expect_error(ErrorKind::dtype,
               "result type ComplexFloat can't be cast to the desired output type Float",
               [&] { x.add_(some().narrow(0, 0, 2)); });
  x.fill_(C128(3, 0));
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{3, 3}));
}

TEST(Complex, ViewsAsComplexNeedPairs) {
  const auto refuses = [](const char* text, const Tensor& x) {
    EXPECT_THROW(view_as_complex(x), Error) << text;
  };
  refuses("0-d", tensor(1.0));
  refuses("three parts", ones({3, 3}));
  refuses("integers", ones({2, 2}, int64));
  refuses("a step", ones({2, 4}).slice(1, 0, 4, 2));
  refuses("an odd offset", ones({8}).narrow(0, 1, 6).view({3, 2}));
  EXPECT_THROW(imag(ones({2})), Error);
  EXPECT_THROW(view_as_real(ones({2})), Error);
}

}  // namespace
}  // namespace tamis
