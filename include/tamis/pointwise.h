// Pointwise functions and operators: arithmetic, comparisons, logic. All are deferred.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "tamis/pointwise_list.h"
#include "tamis/tensor.h"

namespace tamis {

// Shapes broadcast, dtypes promote. Functions of real analysis (sqrt, exp, ...) and division turn
// integers and bools into float32. Rounding functions and sign keep integers as they are.
// Comparisons give bool; NaN compares unequal to everything. fmax and fmin take the number where
// one is NaN. Shifts by less than 0 or by all bits leave 0, or -1 of a negative number shifted
// right. Only integers are shifted and have gcd and lcm; float_power computes in float64.

#define X(op) Tensor op(const Tensor& x);
TAMIS_UNARY_METHODS(X)
#undef X
#define X(op) Tensor op(const Tensor& a, const Tensor& b);
TAMIS_BINARY_METHODS(X)
#undef X
/// Floating point numbers rounded to this many digits after the decimal point, or with negative
/// decimals before it: `round(tensor({1.26, 14.}), 1)` is `tensor({1.3, 14.})`. Computed in x's
/// dtype as round(x * 10^decimals) / 10^decimals.
Tensor round(const Tensor& x, int64_t decimals);
/// min(max(x, lo), hi); either bound may be missing, not both. NaN stays NaN.
Tensor clamp(const Tensor& x, std::optional<Tensor> min = {}, std::optional<Tensor> max = {});
/// clamp by one bound.
Tensor clamp_min(const Tensor& x, const Tensor& min);
Tensor clamp_max(const Tensor& x, const Tensor& max);
/// The quotient rounded: "floor" down, as floor_divide does it, "trunc" toward zero. Integers stay
/// integers; another rounding_mode is refused.
Tensor div(const Tensor& a, const Tensor& b, const std::string& rounding_mode);
/// x with NaN, infinity and -infinity replaced by numbers: by 0 and by the largest and the smallest
/// that its dtype has, unless others are given. Integers stay as they are.
Tensor nan_to_num(const Tensor& x, double nan = 0, std::optional<double> posinf = {},
                  std::optional<double> neginf = {});
/// Whether an element is infinity (-infinity), bool; integers never are.
Tensor isposinf(const Tensor& x);
Tensor isneginf(const Tensor& x);
/// log(x / (1 - x)), the inverse of sigmoid; with eps, x is limited to eps and 1 - eps first.
Tensor logit(const Tensor& x, std::optional<double> eps = {});
/// The n-th derivative of digamma, n >= 0.
Tensor polygamma(int64_t n, const Tensor& x);
/// The logarithm of the multivariate gamma function of dimension p >= 1. Refuses bools.
Tensor mvlgamma(const Tensor& x, int64_t p);
/// The share of the gamma distribution with shape a (a >= 0) that is below x (x >= 0), and above
/// it. Floating point only; no gradient flows to a.
Tensor igamma(const Tensor& a, const Tensor& x);
Tensor igammac(const Tensor& a, const Tensor& x);
/// x = mantissa * 2^exponent, 0.5 <= |mantissa| < 1, exponent int32; of 0, infinity and NaN the
/// number itself and 0. Floating point only.
std::pair<Tensor, Tensor> frexp(const Tensor& x);
/// x + weight * (end - x), exact at both ends. All have one dtype, of floating point or complex
/// numbers; a number as weight takes theirs.
Tensor lerp(const Tensor& x, const Tensor& end, const Tensor& weight);
/// x + value * tensor1 * tensor2. Refuses bools.
Tensor addcmul(const Tensor& x, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1);
/// x + value * tensor1 / tensor2. Refuses the division of integers.
Tensor addcdiv(const Tensor& x, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1);
/// other - alpha * x.
Tensor rsub(const Tensor& x, const Tensor& other, Scalar alpha = 1);
/// What PyTorch's out= does: writes result into out and returns it. A deferred result is computed
/// straight into out's memory: `into(y, a + b)`. An out of another shape is resized; result's dtype
/// must cast to out's (no floating point into integers).
Tensor& into(Tensor& out, Tensor result);
/// |a - b| <= atol + rtol * |b|, or equal; with equal_nan NaN is close to NaN.
Tensor isclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);
/// Whether all elements are close (a host bool).
bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);
/// Whether shapes and all values are equal (a host bool).
bool equal(const Tensor& a, const Tensor& b);
/// The dtype that PyTorch gives to an operation on a and b: 0-d tensors and numbers are weak.
DType result_type(const Tensor& a, const Tensor& b);

// ---- methods and operators ----------------------------------------------------------------------

#define X(op) \
  inline Tensor Tensor::op() const { return tamis::op(*this); }
TAMIS_UNARY_METHODS(X)
#undef X
#define X(op) \
  inline Tensor Tensor::op(const Tensor& other) const { return tamis::op(*this, other); }
TAMIS_BINARY_METHODS(X)
#undef X
inline Tensor Tensor::round(int64_t decimals) const { return tamis::round(*this, decimals); }
inline Tensor Tensor::clamp(std::optional<Tensor> min, std::optional<Tensor> max) const {
  return tamis::clamp(*this, std::move(min), std::move(max));
}
inline Tensor Tensor::clamp_min(const Tensor& min) const { return tamis::clamp_min(*this, min); }
inline Tensor Tensor::clamp_max(const Tensor& max) const { return tamis::clamp_max(*this, max); }
inline Tensor Tensor::nan_to_num(double nan, std::optional<double> posinf,
                                 std::optional<double> neginf) const {
  return tamis::nan_to_num(*this, nan, posinf, neginf);
}
inline Tensor Tensor::logit(std::optional<double> eps) const { return tamis::logit(*this, eps); }
inline std::pair<Tensor, Tensor> Tensor::frexp() const { return tamis::frexp(*this); }
inline Tensor Tensor::lerp(const Tensor& end, const Tensor& weight) const {
  return tamis::lerp(*this, end, weight);
}
inline Tensor Tensor::addcmul(const Tensor& tensor1, const Tensor& tensor2, Scalar value) const {
  return tamis::addcmul(*this, tensor1, tensor2, value);
}
inline Tensor Tensor::addcdiv(const Tensor& tensor1, const Tensor& tensor2, Scalar value) const {
  return tamis::addcdiv(*this, tensor1, tensor2, value);
}
inline Tensor Tensor::isclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
  return tamis::isclose(*this, other, rtol, atol, equal_nan);
}
inline bool Tensor::allclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
  return tamis::allclose(*this, other, rtol, atol, equal_nan);
}
inline bool Tensor::equal(const Tensor& other) const { return tamis::equal(*this, other); }

// Operators take their operands by value and let go of them: an operand without a name then belongs
// to the result alone, and `x[(x > 1) & (x < 2)] = 0` can compute it in the same pass as the write.
// clang-format off
#define TAMIS_OPERATORS(X)                                                                  \
  X(+, add) X(-, sub) X(*, mul) X(/, div) X(%, remainder)                                   \
  X(&, bitwise_and) X(|, bitwise_or) X(^, bitwise_xor)                                      \
  X(<<, bitwise_left_shift) X(>>, bitwise_right_shift)                                      \
  X(<, lt) X(<=, le) X(>, gt) X(>=, ge) X(==, eq) X(!=, ne)
// clang-format on
#define X(sign, op)                                 \
  inline Tensor operator sign(Tensor a, Tensor b) { \
    Tensor result = op(a, b);                       \
    a = Tensor();                                   \
    b = Tensor();                                   \
    return result;                                  \
  }
TAMIS_OPERATORS(X)
#undef X
inline Tensor operator-(Tensor a) {
  Tensor result = neg(a);
  a = Tensor();
  return result;
}
inline Tensor operator~(Tensor a) {
  Tensor result = bitwise_not(a);
  a = Tensor();
  return result;
}

}  // namespace tamis
