// Norms, and tensors divided by their norm.
#include <cmath>
#include <string>
#include <variant>

#include "core/check.h"
#include "core/convert.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/reduce/reduce.h"
#include "ops/reduce/singular.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// The 2-norm of what is kept, in x's dtype; dims become size 1. Without a gradient.
Tensor root_of_squares(const Tensor& x, const Tensor& mask, const Shape& dims) {
  if (x.numel() == 0) return zeros_on(backend_of(x), reduced_shape(x, dims, true), x.dtype());
  const DType operand = x.dtype() == DType::float64 ? DType::float64 : DType::float32;
  return reduce(Reduction::norm, kept(mask, x, 0), dims, operand, x.dtype());
}

/// The sum of |x|^p, for finite p other than 0, in wide_dtype(x).
Tensor sum_of_powers(const Tensor& x, const Tensor& mask, double p, const Shape& dims) {
  const Tensor wide = p == 1 ? x : x.to(wide_dtype(x));
  const Tensor powers = p == 1 ? abs(wide) : p == 2 ? mul(wide, wide) : pow(abs(wide), p);
  return sum_wide(kept(mask, powers, 0), dims);
}

Tensor root(const Tensor& sum, double p) {
  if (p == 1) return sum;
  const Tensor result = p == 2 ? sqrt(sum) : pow(sum, 1 / p);
  // The norm has no slope at zero; the one that PyTorch takes there is 0.
  return is_tracked(sum) ? where(sum == 0, result.detach(), result) : result;
}

}  // namespace

Tensor vector_norm(const Tensor& x, const Tensor& mask, double p, const Shape& dims, bool keepdim) {
  if (is_complex(x.dtype())) return vector_norm(abs(x), mask, p, dims, keepdim);
  if (p < 0 || std::isinf(p)) {
    for (int64_t d : dims) {
      check(x.shape()[d] != 0, ErrorKind::value,
            "linalg.vector_norm cannot compute the {} norm on the dimension {} because this "
            "dimension is empty and the operation does not have an identity",
            p, d);
    }
  }
  Tensor result;
  if (std::isinf(p)) {
    const Tensor size = kept(mask, abs(x), p > 0 ? 0 : INFINITY);
    result = x.numel() == 0 ? zeros_on(backend_of(x), reduced_shape(x, dims, true), x.dtype())
             : p > 0        ? amax(size, dims, true)
                            : amin(size, dims, true);
  } else if (p == 0) {
    result = sum_wide(kept(mask, ne(x, 0), false), dims);
  } else if (p == 2 && !is_tracked(x)) {
    result = root_of_squares(x, mask, dims);
  } else {
    result = root(sum_of_powers(x, mask, p, dims), p);
  }
  return result.to(x.dtype()).view(reduced_shape(x, dims, keepdim));
}

Tensor norm(const Tensor& x, double p, const Dims& dims, bool keepdim, std::optional<DType> dtype) {
  const DType result = dtype.value_or(x.dtype());
  check(float_type(x.dtype()) == x.dtype() && float_type(result) == result, ErrorKind::dtype,
        "norm(): input dtype should be either floating point or complex. Got {} "
        "instead.",
        scalar_type_name(x.dtype()));
  const Tensor y = vector_norm(x.to(result), Tensor(), p, normalize_dims(dims, x.dim()), keepdim);
  return dtype ? y.to(*dtype) : y;
}

Tensor norm(const Tensor& x, const std::string& p, const Dims& dims, bool keepdim) {
  if (p == "nuc") return nuclear_norm(x, dims, keepdim);
  check(p == "fro", ErrorKind::value, "only valid string values are 'fro' and 'nuc', found {}", p);
  check(dims.size() <= 2, ErrorKind::value,
        "Expected at most 2 dimensions, but got {} dimensions instead.", dims.size());
  return norm(x, 2, dims, keepdim);
}

Tensor normalize(const Tensor& x, double p, int64_t dim, double eps) {
  const Tensor size = norm(x, p, {dim}, true);
  return div(x, maximum(size, scalar_tensor(eps, size.dtype())).settle());
}

namespace {

/// norm as Python calls it, by a number or by a name.
Tensor norm_by(const Tensor& x, const std::variant<double, std::string>& p, const Dims& dims,
               bool keepdim, std::optional<DType> dtype) {
  const auto* name = std::get_if<std::string>(&p);
  if (name == nullptr) return norm(x, std::get<double>(p), dims, keepdim, dtype);
  // With out= the dtype is that of out.
  check(dtype.value_or(x.dtype()) == x.dtype(), ErrorKind::value,
        "dtype argument is not supported in {} norm", *name == "nuc" ? "nuclear" : "frobenius");
  return norm(x, *name, dims, keepdim);
}

}  // namespace

std::vector<Row> norm_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, -2.f, 3.5f}, {4.f, 0.f, 6.f}}));
  const Shape none;
  const Value no_dtype;
  return {
      make_row("norm(Tensor input, float|str p=2, int[] dim=[], bool keepdim=False, *, dtype? "
               "dtype=None) -> Tensor",
               "The p-norm of the elements as of a vector, over all dimensions or the given ones; "
               "or of matrices, 'fro' the same as 2, 'nuc' the sum of the singular values.",
               norm_by,
               SAMPLES({x, 2.0, none, false, no_dtype}, {x, 1.0, Shape{0}, true, no_dtype},
                       {x, HUGE_VAL, Shape{-1}, false, no_dtype},
                       {x, -HUGE_VAL, Shape{0, 1}, false, no_dtype},
                       {x, 0.0, Shape{1}, false, DType::float64}, {x, 3.0, none, true, no_dtype},
                       {x, std::string("fro"), Shape{1}, false, no_dtype}))
          .with_out(),
      make_row("normalize(Tensor input, float p=2, int dim=1, float eps=1e-12) -> Tensor",
               "Each element divided by the norm along dim, or by eps if that is larger.",
               normalize, SAMPLES({x, 2.0, int64_t{1}, 1e-12}, {x, 1.0, int64_t{0}, 1e-12}))
          .function_only()
          .with_out(),
  };
}

}  // namespace tamis
