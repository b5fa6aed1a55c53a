// Alpha: sums and differences with a factor before their second operand.
#include "ops/pointwise/alpha.h"

#include "core/check.h"
#include "core/convert.h"
#include "ops/pointwise/pointwise.h"
#include "tamis/pointwise.h"

namespace tamis {

namespace {

/// alpha * other in the dtype of an operation on x and other.
Tensor scaled(const Tensor& x, const Tensor& other, Scalar alpha) {
  if (alpha.dtype() == DType::int64 && alpha.to_int64() == 1) return other;
  const DType common = result_type(x, other);
  check(alpha.dtype() != DType::boolean || common == DType::boolean, ErrorKind::dtype,
        "Boolean alpha only supported for Boolean results.");
  check(!alpha.is_complex() || is_complex(common), ErrorKind::dtype,
        "For non-complex input tensors, argument alpha must not be a complex number.");
  check(!alpha.is_floating_point() || !(is_integral(common) || common == DType::boolean),
        ErrorKind::dtype,
        "For integral input tensors, argument alpha must not be a floating point number.");
  check_fits(alpha, common);
  return alpha.to_complex() == 1.0 ? other : mul(other.to(common), Tensor(alpha).to(common));
}

}  // namespace

Tensor add_scaled(const Tensor& x, const Tensor& other, Scalar alpha) {
  return add(x, scaled(x, other, alpha));
}

Tensor sub_scaled(const Tensor& x, const Tensor& other, Scalar alpha) {
  if (other.dtype() == DType::boolean) return sub(x, other);  // which refuses it
  return sub(x, scaled(x, other, alpha));
}

}  // namespace tamis
