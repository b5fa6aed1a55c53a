// Methods of Tensor that are the free functions of ops.h under another spelling. Included by ops.h.
#pragma once

#include "tamis/ops.h"

namespace tamis {

inline Tensor Tensor::masked_select(const Tensor& mask) const {
  return tamis::masked_select(*this, mask);
}
inline Tensor Tensor::masked_fill(const Tensor& mask, const Tensor& value) const {
  return tamis::masked_fill(*this, mask, value);
}
inline Tensor& Tensor::masked_fill_(Tensor mask, const Tensor& value) {
  return tamis::masked_fill_(*this, std::move(mask), value);
}
inline Tensor Tensor::masked_scatter(const Tensor& mask, const Tensor& source) const {
  return tamis::masked_scatter(*this, mask, source);
}
inline Tensor& Tensor::masked_scatter_(Tensor mask, const Tensor& source) {
  return tamis::masked_scatter_(*this, std::move(mask), source);
}
inline Tensor Tensor::where(const Tensor& condition, const Tensor& other) const {
  return tamis::where(condition, *this, other);
}
inline Tensor Tensor::nonzero() const { return tamis::nonzero(*this); }
inline Tensor Tensor::argwhere() const { return tamis::argwhere(*this); }
inline Tensor Tensor::count_nonzero(const Dims& dims) const {
  return tamis::count_nonzero(*this, dims);
}
inline Tensor Tensor::isin(const Tensor& test_elements, bool invert) const {
  return tamis::isin(*this, test_elements, invert);
}
inline Masked Tensor::operator[](Tensor mask) const { return Masked(*this, std::move(mask)); }
template <Truth T>
Masked Tensor::operator[](T mask) const {
  return Masked(*this, Tensor(static_cast<bool>(mask)));
}

inline Tensor Tensor::sum(const Dims& dims, bool keepdim, std::optional<DType> dtype) const {
  return tamis::sum(*this, dims, keepdim, dtype);
}
inline Tensor Tensor::mean(const Dims& dims, bool keepdim, std::optional<DType> dtype) const {
  return tamis::mean(*this, dims, keepdim, dtype);
}
inline Tensor Tensor::prod(std::optional<int64_t> dim, bool keepdim,
                           std::optional<DType> dtype) const {
  return tamis::prod(*this, dim, keepdim, dtype);
}
inline Tensor Tensor::amax(const Dims& dims, bool keepdim) const {
  return tamis::amax(*this, dims, keepdim);
}
inline Tensor Tensor::amin(const Dims& dims, bool keepdim) const {
  return tamis::amin(*this, dims, keepdim);
}
inline Tensor Tensor::max() const { return tamis::max(*this); }
inline Tensor Tensor::min() const { return tamis::min(*this); }
inline Tensor Tensor::any(const Dims& dims, bool keepdim) const {
  return tamis::any(*this, dims, keepdim);
}
inline Tensor Tensor::all(const Dims& dims, bool keepdim) const {
  return tamis::all(*this, dims, keepdim);
}

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
