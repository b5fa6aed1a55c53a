// Pointwise: promotion over operands, and the in-place form of every pointwise function.
#include "ops/pointwise/pointwise.h"

#include "core/check.h"
#include "core/convert.h"
#include "core/overlap.h"
#include "tamis/pointwise.h"

namespace tamis {
namespace {

/// The higher category decides, unless the lower one is of a higher kind: an integer among bools,
/// floating point among integers, or complex among real numbers, which it takes the width of.
std::optional<DType> combine(std::optional<DType> higher, std::optional<DType> lower) {
  if (!higher) return lower;
  if (!lower || is_complex(*higher)) return higher;
  if (is_floating_point(*higher)) {
    if (!is_complex(*lower)) return higher;
    return *higher == DType::float64 ? DType::complex128 : DType::complex64;
  }
  if (*higher == DType::boolean || is_floating_point(*lower) || is_complex(*lower)) {
    return promote_types(*higher, *lower);
  }
  return higher;
}

void check_castable(DType from, DType to) {
  check(can_cast(from, to), ErrorKind::dtype,
        "result type {} can't be cast to the desired output type {}", scalar_type_name(from),
        scalar_type_name(to));
}

}  // namespace

DType result_type(std::initializer_list<const Tensor*> operands) {
  std::optional<DType> dimensioned, zero_dim, number;
  for (const Tensor* x : operands) {
    const TensorImpl& impl = x->impl();
    const bool weak = impl.is_number && impl.layout.sizes.empty();
    auto& category = !impl.layout.sizes.empty() ? dimensioned : weak ? number : zero_dim;
    const DType dtype = !weak                           ? impl.dtype
                        : is_floating_point(impl.dtype) ? DType::float32
                        : is_complex(impl.dtype)        ? DType::complex64
                                                        : impl.dtype;
    category = !category ? dtype
               : weak    ? promote_numbers(*category, dtype)
                         : promote_types(*category, dtype);
  }
  const DType result = *combine(dimensioned, combine(zero_dim, number));
  if (number == DType::uint64 && is_integral(result)) {
    check(result == DType::uint64, ErrorKind::value,
          "a number above the largest int64 cannot be converted to {} without overflow",
          name(result));
  }
  return result;
}

DType result_type(const Tensor& a, const Tensor& b) {
  const TensorImpl &x = a.impl(), &y = b.impl();
  if (x.dtype == y.dtype && !x.layout.sizes.empty() && !y.layout.sizes.empty()) return x.dtype;
  return result_type({&a, &b});
}

bool is_number(const Tensor& x) { return x.impl().is_number && x.dim() == 0; }

void check_number_fits(const Tensor& value, DType dtype) {
  if (is_number(value)) check_fits(value.item(), dtype);
}

void check_implemented(bool ok, const char* kernel, DType dtype) {
  check(ok, ErrorKind::dtype, "\"{}\" not implemented for '{}'", kernel, scalar_type_name(dtype));
}

Tensor& write_back(Tensor& self, Tensor value, std::span<const Tensor* const> reads) {
  check_no_internal_overlap(self);
  for (const Tensor* read : reads) check_no_partial_overlap(self, *read);
  check(value.shape() == self.shape(), ErrorKind::shape,
        "output with shape {} doesn't match the broadcast shape {}", self.shape(), value.shape());
  check_castable(value.dtype(), self.dtype());
  check_writable(self);
  if (is_grad_enabled() && (node_of(value) || node_of(self))) {
    copy_saved(self, value, reads);
    store(self, value);
    record_write(self, value);
  } else {
    store(self, std::move(value));
  }
  return self;
}

void rebind(Tensor& out, const Tensor& result) {
  prepare_write(out);
  TensorImpl& impl = out.impl();
  impl.storage = storage_of(result);
  impl.layout = layout_of(result);
  impl.numel = result.numel();
  impl.is_number = false;
}

Tensor& into(Tensor& out, Tensor result) {
  if (out.shape() == result.shape()) return write_back(out, std::move(result));
  check_castable(result.dtype(), out.dtype());
  const Tensor fresh = allocate(result.shape(), out.dtype(), backend_of(result));
  store(fresh, std::move(result));
  rebind(out, fresh);
  return out;
}

#define X(op) \
  Tensor& Tensor::op##_() { return write_back(*this, tamis::op(*this)); }
TAMIS_UNARY_METHODS(X)
#undef X

#define X(op)                                                    \
  Tensor& Tensor::op##_(const Tensor& other) {                   \
    return write_back(*this, tamis::op(*this, other), {&other}); \
  }
TAMIS_BINARY_METHODS(X)
#undef X

Tensor& Tensor::round_(int64_t decimals) {
  return write_back(*this, tamis::round(*this, decimals));
}

Tensor& Tensor::clamp_(std::optional<Tensor> min, std::optional<Tensor> max) {
  return write_back(*this, tamis::clamp(*this, min, max), {min ? &*min : this, max ? &*max : this});
}

}  // namespace tamis
