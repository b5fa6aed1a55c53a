// Gradients of complex numbers: the convention, what meets real numbers, parts as views, errors.
#include <cmath>
#include <complex>

#include "support/pointwise_cases.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using namespace testing;
using C = std::complex<double>;
using Numbers = std::vector<C>;
using Doubles = std::vector<double>;

Tensor leaf(const Numbers& values) { return tensor(values).requires_grad_(); }

Numbers grad_of(const Tensor& x) {
  EXPECT_EQ(x.grad().dtype(), complex128);
  return x.grad().to_vector<C>();
}

TEST(ComplexGradients, AreTheSlopesOfBothParts) {  // dL/dRe(z) + i dL/dIm(z)
  const Tensor z = leaf({C(3, 4), C(-1, 2)});
  (z * conj(z)).real().sum().backward();  // |z|^2
  EXPECT_EQ(grad_of(z), (Numbers{C(6, 8), C(-2, 4)}));
  z.set_grad(Tensor());
  const Tensor w = tensor(Numbers{C(5, -7), C(0, 1)});
  (z * w).real().sum().backward();
  EXPECT_EQ(grad_of(z), (Numbers{C(5, 7), C(0, -1)}));
  z.set_grad(Tensor());
  (z * w).imag().sum().backward();  // i conj(w)
  EXPECT_EQ(grad_of(z), (Numbers{C(-7, 5), C(1, 0)}));
  z.set_grad(Tensor());
  abs(z).sum().backward();
  EXPECT_LT(std::abs(grad_of(z)[0] - C(0.6, 0.8)), 1e-15);
}

TEST(ComplexGradients, OfHolomorphicFunctionsAreConjugated) {
  const Tensor z = leaf({C(1, 2)});
  (z * z * z).real().sum().backward();  // conj(3 z^2)
  EXPECT_EQ(grad_of(z), (Numbers{C(-9, -12)}));
}

TEST(ComplexGradients, OfRealOperandsAreReal) {
  const Tensor x = tensor(Doubles{2, 3}).requires_grad_(), z = leaf({C(1, 1), C(0, 2)});
  const Tensor y = x * z;
  y.backward(tensor(Numbers{C(1, 1), C(0, 1)}));
  EXPECT_EQ(x.grad().dtype(), float64);
  EXPECT_EQ(x.grad().to_vector<double>(), (Doubles{2, 2}));  // Re(g conj(z))
  EXPECT_EQ(grad_of(z), (Numbers{C(2, 2), C(0, 3)}));
  const Tensor v = tensor(Doubles{2, 3}).requires_grad_();
  v.to(complex128).imag().sum().backward();
  EXPECT_EQ(v.grad().to_vector<double>(), (Doubles{0, 0}));
}

TEST(ComplexGradients, ComeFromPartsAndGoToParts) {
  const Tensor re = tensor(Doubles{1, 2}).requires_grad_(),
               im = tensor(Doubles{3, -1}).requires_grad_();
  const Tensor z = complex(re, im);
  (z * conj(z)).real().sum().backward();  // |z|^2
  EXPECT_EQ(re.grad().to_vector<double>(), (Doubles{2, 4}));
  EXPECT_EQ(im.grad().to_vector<double>(), (Doubles{6, -2}));
  const Tensor w = leaf({C(1, 2)});
  (view_as_real(w) * tensor(Doubles{3, 5})).sum().backward();
  EXPECT_EQ(grad_of(w), (Numbers{C(3, 5)}));
}

TEST(ComplexGradients, PassThroughWritesToParts) {
  const Tensor x = leaf({C(1, 2), C(3, 4)}), v = tensor(Doubles{5, 6}).requires_grad_();
  const Tensor z = x * 1;
  z.imag().copy_(v);  // z = Re(x) + i v
  (z * z).real().sum().backward();
  EXPECT_EQ(grad_of(x), (Numbers{C(2, 0), C(6, 0)}));
  EXPECT_EQ(v.grad().to_vector<double>(), (Doubles{-10, -12}));
  const Tensor y = tensor(Doubles{1, 2, 3, 4}).requires_grad_();
  const Tensor pairs = (y * 1).view({2, 2});
  view_as_complex(pairs).mul_(tensor(C(0, 1)));  // (a, b) becomes (-b, a)
  (pairs * tensor({{1., 10.}, {100., 1000.}})).sum().backward();
  EXPECT_EQ(y.grad().to_vector<double>(), (Doubles{10, -1, 1000, -100}));
}

TEST(ComplexGradients, StructuralZerosDoNotLeak) {
  const Tensor z = leaf({C(0, 0), C(3, 4), C(NAN, 0)});
  const Tensor keep = tensor({false, true, false});
  where(keep, log(z), 0).real().sum().backward();
  EXPECT_EQ(grad_of(z), (Numbers{C(0), 1.0 / C(3, -4), C(0)}));
  z.set_grad(Tensor());
  abs(reciprocal(z)[keep].get()).sum().backward();
  EXPECT_EQ(grad_of(z)[0], C(0));
  EXPECT_EQ(grad_of(z)[2], C(0));
  z.set_grad(Tensor());
  view_as_real(sqrt(z)).select(0, 1).sum().backward();
  EXPECT_EQ(grad_of(z)[0], C(0));
  EXPECT_EQ(grad_of(z)[2], C(0));
}

TEST(ComplexGradients, AtZeroAreZeroWhereThereIsNone) {  // as in PyTorch
  const Tensor z = leaf({C(0)});
  (abs(z) + angle(z) + sgn(z).real()).sum().backward();
  EXPECT_EQ(grad_of(z), (Numbers{C(0)}));
}

TEST(ComplexGradients, HaveDerivatives) {
  const Tensor z = leaf({C(1, 2)});
  const Tensor g = grad({(z * z * z).real().sum()}, {z}, {}, {}, true)[0];  // conj(3 z^2)
  g.real().sum().backward();                                                // Re(3 z^2)
  EXPECT_EQ(grad_of(z), (Numbers{C(6, -12)}));
}

TEST(ComplexGradients, ArePassedToHooks) {
  const Tensor z = leaf({C(1, 2)}), y = z * C(0, 1);
  y.register_hook([](const Tensor& g) { return g * C(0, 2); });
  y.real().sum().backward();
  EXPECT_EQ(grad_of(z), (Numbers{C(2, 0)}));
}

TEST(ComplexGradients, OfAComplexResultNeedAGradient) {
  const Tensor z = leaf({C(1, 2)}), y = (z * C(0, 2)).sum();
  expect_error(
      ErrorKind::unsupported,
      "grad can be implicitly created only for real scalar outputs but got complex128; take "
      "abs() or real() of it, or give a gradient",
      [&] { y.backward(); });
  expect_error(
      ErrorKind::dtype,
      "For complex Tensors, both grad_output and output are required to have the same "
      "dtype. Mismatch in dtype: grad_output has a dtype of float32 and output has a dtype "
      "of complex128.",
      [&] { y.backward(tensor(1.0)); });
  y.backward(tensor(C(1, 1)));
  EXPECT_EQ(grad_of(z), (Numbers{C(2, -2)}));
}

TEST(ComplexGradients, AreCheckedByParts) {
  const Tensor z = leaf({C(0.5, -0.25), C(-1, 0.75)}), x = tensor(0.5, float64).requires_grad_();
  const auto f = [](const std::vector<Tensor>& in) { return exp(in[0] * in[1]) * abs(in[0]); };
  EXPECT_TRUE(gradcheck(f, {z, x}));
  EXPECT_TRUE(gradgradcheck(f, {z, x}));
  const CustomFunction unconjugated{"square",
                                    [](const std::vector<Tensor>& in) { return in[0] * in[0]; },
                                    [](const Tensor& g, const std::vector<Tensor>& saved) {
                                      return std::vector<Tensor>{g * saved[0] * 2};
                                    },
                                    {}};
  try {
    gradcheck([&](const std::vector<Tensor>& in) { return unconjugated(in); }, {z});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).find(
                  "gradcheck: the gradient of the imaginary part of element 0 of the result with "
                  "respect to the real part of element 0 of input 0 is"),
              0u)
        << e.what();
  }
}

TEST(ComplexGradients, OfBranchesAreThoseOfTheFunction) {  // where roots of products would differ
  const Tensor z = leaf({C(-1.5, 0.5), C(-0.5, -2), C(0.25, -0.75), C(2, 1)});
  using Function = Tensor (*)(const Tensor&);
  for (Function f : std::initializer_list<Function>{asin, acos, atan, asinh, acosh, atanh}) {
    EXPECT_TRUE(gradcheck([f](const std::vector<Tensor>& in) { return f(in[0]); }, {z}));
  }
  // A negative real base, whose logarithm is complex beside a complex exponent.
  const Tensor base = tensor(Doubles{-1.5, 2}).requires_grad_(), e = leaf({C(0.5, 1), C(1, -0.5)});
  EXPECT_TRUE(
      gradcheck([](const std::vector<Tensor>& in) { return pow(in[0], in[1]); }, {base, e}));
}

TEST(ComplexGradients, OfTheNuclearNorm) {
  for (const Shape& shape : {Shape{2, 3}, Shape{3, 2}}) {
    const Tensor re = (arange(6, float64) * 0.7 - 1).view(shape), im = sin(re * 2);
    const Tensor z = complex(re, im).requires_grad_();
    EXPECT_TRUE(gradcheck([](const std::vector<Tensor>& in) { return norm(in[0], "nuc"); }, {z}));
  }
}

TEST(ComplexGradients, TrainComplexParameters) {
  const C goal(1, -2);
  Tensor p = leaf({C(0)}), q = leaf({C(0)});
  SGD sgd({p}, 0.25);
  Adam adam({q}, 0.5);
  for (int i = 0; i < 2; ++i) {
    for (auto* pair : {&p, &q}) {
      pair->set_grad(Tensor());
      square(abs(*pair - goal)).sum().backward();
    }
    sgd.step();
    adam.step();
  }
  EXPECT_EQ(p.to_vector<C>(), (Numbers{C(0.75, -1.5)}));
  // Both parts by the learning rate, for gradients of any size.
  EXPECT_NEAR(q.real().item<double>(), 0.95, 0.05);
  EXPECT_NEAR(q.imag().item<double>(), -0.98, 0.03);
}

}  // namespace
}  // namespace tamis
