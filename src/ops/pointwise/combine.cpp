// Combine: sums with factors, interpolation between two tensors, and the dtypes that combine.
#include <complex>

#include "core/check.h"
#include "core/convert.h"
#include "ops/pointwise/alpha.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

/// A factor in the dtype of the operation; of integers without its fraction, as in PyTorch.
Tensor factor_of(Scalar value, DType dtype, DType wide) {
  check_fits(value, dtype);
  return Tensor(value).to(dtype).to(wide);
}

/// x + combined(value * tensor1, tensor2).
Tensor add_combined(const char* kernel, Tensor (*combine)(const Tensor&, const Tensor&),
                    const Tensor& x, const Tensor& a, const Tensor& b, Scalar value) {
  const DType dtype = result_type({&x, &a, &b}), wide = compute_dtype(dtype);
  check_implemented(dtype != DType::boolean, kernel, dtype);
  const Tensor factor = factor_of(value, dtype, wide);
  const auto in = [wide, dtype](const Tensor& t) { return t.to(dtype).to(wide); };
  const Tensor first = value.to_complex() == 1.0 ? in(a) : mul(factor, in(a));
  return add(in(x), combine(first, in(b))).to(dtype);
}

bool is_whole(const Tensor& x) { return !is_floating_point(x.dtype()) && !is_complex(x.dtype()); }

void check_same(const char* name, DType expected, const Tensor& x) {
  check(x.dtype() == expected, ErrorKind::dtype, "expected dtype {} for `{}` but got dtype {}",
        tamis::name(expected), name, tamis::name(x.dtype()));
}

}  // namespace

Tensor addcmul(const Tensor& x, const Tensor& tensor1, const Tensor& tensor2, Scalar value) {
  return add_combined("addcmul_cpu_out", mul, x, tensor1, tensor2, value);
}

Tensor addcdiv(const Tensor& x, const Tensor& tensor1, const Tensor& tensor2, Scalar value) {
  check(!is_whole(tensor1) || !is_whole(tensor2), ErrorKind::dtype,
        "Integer division with addcdiv is no longer supported, and in a future  release addcdiv "
        "will perform a true division of tensor1 and tensor2. Divide with div and a rounding_mode, "
        "or convert one of them to floating point.");
  return add_combined("addcdiv_cpu_out", div, x, tensor1, tensor2, value);
}

Tensor rsub(const Tensor& x, const Tensor& other, Scalar alpha) {
  return sub_scaled(other, x, alpha);
}

Tensor lerp(const Tensor& x, const Tensor& end, const Tensor& weight) {
  const DType dtype = x.dtype(), wide = compute_dtype(dtype);
  const bool by_number = is_number(weight);
  check_same("end", dtype, end);
  if (!by_number) check_same("weight", dtype, weight);
  check_implemented(!is_whole(x), by_number ? "lerp_kernel_scalar" : "lerp_kernel_tensor", dtype);
  if (by_number) check_fits(weight.item(), wide);
  // Alone with another number a number would count as float32.
  const Tensor w = by_number ? scalar_tensor(weight.item(), wide) : weight.to(wide);
  const Tensor a = x.to(wide), b = end.to(wide), d = b - a;
  // From the nearer end, so that both are reached.
  const auto near = [&] { return a + w * d; };
  const auto far = [&] { return b - d * (1 - w); };
  if (by_number) return (std::abs(weight.item().to_complex()) < 0.5 ? near() : far()).to(dtype);
  return where(abs(w) < 0.5, near(), far()).to(dtype);
}

Tensor& Tensor::lerp_(const Tensor& end, const Tensor& weight) {
  return write_back(*this, tamis::lerp(*this, end, weight), {&end, &weight});
}

Tensor& Tensor::addcmul_(const Tensor& tensor1, const Tensor& tensor2, Scalar value) {
  return write_back(*this, tamis::addcmul(*this, tensor1, tensor2, value), {&tensor1, &tensor2});
}

Tensor& Tensor::addcdiv_(const Tensor& tensor1, const Tensor& tensor2, Scalar value) {
  return write_back(*this, tamis::addcdiv(*this, tensor1, tensor2, value), {&tensor1, &tensor2});
}

Tensor& Tensor::logit_(std::optional<double> eps) {
  return write_back(*this, tamis::logit(*this, eps));
}

std::vector<Row> combine_rows() {
  const Tensor floats = SAMPLE(tensor({{0.5f, -1.5f, 2.0f}, {0.0f, 2.5f, -7.0f}}));
  const Tensor row = SAMPLE(tensor({2.0f, -0.5f, 3.0f})),
               column = SAMPLE(tensor({{0.25f}, {0.75f}}));
  const Tensor ints = SAMPLE(tensor({{7, -7, 3}, {0, 12, -1}})), few = SAMPLE(tensor({2, -3, 5}));
  return {
      make_row("lerp(Tensor input, Tensor end, Tensor|Scalar weight) -> Tensor",
               "input + weight * (end - input), exact at both ends.", lerp,
               SAMPLES({floats, row, Tensor(0.25)}, {floats, floats.t().t() + 1, column},
                       {row, row * 2, Tensor(0.75)}))
          .with_in_place()
          .with_out()
          .is_pointwise(),
      make_row("addcmul(Tensor input, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
               "input + value * tensor1 * tensor2.", addcmul,
               SAMPLES({floats, row, column, Scalar(1)}, {floats, column, floats, Scalar(0.5)},
                       {ints, few, few, Scalar(-2)}))
          .with_in_place()
          .with_out()
          .is_pointwise(),
      make_row("addcdiv(Tensor input, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
               "input + value * tensor1 / tensor2.", addcdiv,
               SAMPLES({floats, row, column, Scalar(1)}, {floats, ints, row, Scalar(0.5)}))
          .with_in_place()
          .with_out()
          .is_pointwise(),
      make_row(
          "rsub(Tensor input, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor",
          "other - alpha * input.", rsub,
          SAMPLES({floats, row, Scalar(1)}, {ints, Tensor(3), Scalar(2)}, {ints, row, Scalar(0.5)}))
          .is_pointwise()
          .function_only(),
      make_row("promote_types(dtype type1, dtype type2) -> dtype",
               "The smallest dtype that both can be converted to, as for tensors of these dtypes.",
               promote_types, SAMPLES({DType::int64, DType::float32}, {DType::uint8, DType::int8})),
      make_row("can_cast(dtype from_, dtype to) -> bool",
               "Whether results of one dtype may be written to the other: not if that one is of a "
               "lower kind (complex, floating point, integer, bool).",
               can_cast, SAMPLES({DType::float64, DType::float32}, {DType::float32, DType::int64})),
  };
}

}  // namespace tamis
