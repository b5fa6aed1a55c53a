// Softmax: normalised exponentials, and sums of exponentials under a logarithm.
#include <cmath>
#include <limits>

#include "core/check.h"
#include "core/convert.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/reduce/reduce.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Halves as float32: what is computed from them is rounded once, at the end.
Tensor widened(const Tensor& x) { return x.to(compute_dtype(x.dtype())); }

/// The largest kept element, -infinity if there is none; dims become size 1. Settled, because it is
/// broadcast.
Tensor largest(const Tensor& x, const Tensor& mask, const Shape& dims) {
  return reduce(Reduction::amax, kept(mask, x, -kInfinity), dims, x.dtype(), x.dtype());
}

/// log(base^a + base^b) by way of the larger one; `tail` is log(1 + base^d) of a d that is not
/// positive.
Tensor log_add(const char* op, const Tensor& a, const Tensor& b, Tensor (*tail)(const Tensor& d)) {
  const DType dtype = result_type(a, b);
  check_implemented(is_floating_point(dtype), op, dtype);
  const Tensor x = widened(a.to(dtype)), y = widened(b.to(dtype));
  const Tensor high = maximum(x, y), low = minimum(x, y);
  // Equal infinities have no difference, and equal numbers have this one.
  const Tensor apart = where(eq(x, y), scalar_tensor(0, high.dtype()), sub(low, high));
  return add(high, tail(apart)).to(dtype);
}

}  // namespace

Tensor floating_input(const char* op, const Tensor& x, std::optional<DType> dtype) {
  const DType to = dtype.value_or(x.dtype());
  check_implemented(is_floating_point(to), op, to);
  return x.to(to);
}

Tensor log_sum_exp(const Tensor& given, const Tensor& mask, const Shape& dims, bool keepdim) {
  const Shape shape = reduced_shape(given, dims, keepdim);
  if (given.numel() == 0) return full_on(backend_of(given), shape, -kInfinity, given.dtype());
  const Tensor x = widened(given);
  Tensor shift = largest(x, mask, dims);
  shift = kept(isfinite(shift), shift, 0).settle();
  const Tensor sum = sum_wide(kept(mask, exp(sub(x, shift)), 0), dims);
  // A NaN among the elements is not shifted away: it is in the sum.
  return add(log(sum), shift).to(given.dtype()).view(shape);
}

namespace {

/// Whether dims is the innermost dimension, whose rows are normalised one by one in the cache.
bool is_rowwise(const Tensor& x, const Shape& dims) {
  constexpr int64_t kLongest = 1 << 16;  // what is longer leaves the cache, and gives few rows
  return x.dim() == 0 || (dims[0] == x.dim() - 1 && x.shape().back() <= kLongest);
}

Tensor compute_softmax(const Tensor& given, const Tensor& mask, const Shape& dims) {
  if (is_rowwise(given, dims)) return softmax_rows(false, given, mask);
  const Tensor x = widened(given);
  const Tensor shift = largest(x, mask, dims);
  const auto powers = [&] { return kept(mask, exp(sub(x, shift)), 0); };
  if (x.dtype() != given.dtype()) {  // a second exponential takes less than memory for the first
    const Tensor sum = sum_wide(powers(), dims).to(x.dtype()).settle();
    return kept(mask, div(powers(), sum), 0).to(given.dtype());
  }
  const Tensor result = powers().settle();
  const Tensor sum = sum_wide(result, dims).to(x.dtype()).settle();
  // In a statement of its own: store computes in place only what no one else holds.
  Tensor quotient = kept(mask, div(result, sum), 0);
  store(result, std::move(quotient));
  return result;
}

Tensor compute_log_softmax(const Tensor& given, const Tensor& mask, const Shape& dims) {
  if (is_rowwise(given, dims)) return softmax_rows(true, given, mask);
  const Tensor x = widened(given);
  const Tensor shift = largest(x, mask, dims);
  const Tensor sum = sum_wide(kept(mask, exp(sub(x, shift)), 0), dims);
  const Tensor log_sum = log(sum).to(x.dtype()).settle();
  return kept(mask, sub(sub(x, shift), log_sum), -kInfinity).to(given.dtype());
}

/// Computes y, which has x's shape, unrecorded, and records its gradient: `slope` of the gradient
/// and y, both zero where they are masked out, and the dimensions that it sums over.
Tensor normalised(const char* op, Tensor (*run)(const Tensor&, const Tensor&, const Shape&),
                  const Tensor& x, const Tensor& mask, int64_t dim,
                  Tensor (*slope)(const Tensor& g, const Tensor& y, const Shape& dims)) {
  const Shape dims = normalize_dims({dim}, x.dim());
  if (x.numel() == 0) return allocate(x.shape(), x.dtype(), backend_of(x));
  Tensor y;
  {
    NoGradGuard guard;
    y = run(x.detach(), mask, dims);
  }
  if (is_tracked(x)) {
    record(y, op, Flow::mixes, {x}, {y, mask},
           [dims, slope](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
             const Tensor& keeps = saved[1];
             return {{kept(keeps, slope(kept(keeps, g, 0), saved[0], dims), 0), keeps}};
           });
  }
  return y;
}

}  // namespace

Tensor softmax_along(const Tensor& x, const Tensor& mask, int64_t dim) {
  return normalised(
      "softmax", compute_softmax, x, mask, dim,
      +[](const Tensor& g, const Tensor& y, const Shape& dims) {
        return y * (g - sum(g * y, dims, !dims.empty()));
      });
}

Tensor log_softmax_along(const Tensor& x, const Tensor& mask, int64_t dim) {
  return normalised(
      "log_softmax", compute_log_softmax, x, mask, dim,
      +[](const Tensor& g, const Tensor& y, const Shape& dims) {
        return g - exp(y) * sum(g, dims, !dims.empty());
      });
}

Tensor logsumexp(const Tensor& x, const Dims& dims, bool keepdim) {
  return log_sum_exp(x.to(float_type(x.dtype())), Tensor(), normalize_dims(dims, x.dim()), keepdim);
}

Tensor logaddexp(const Tensor& a, const Tensor& b) {
  return log_add(
      "logaddexp_cpu", a, b, +[](const Tensor& d) { return log1p(exp(d)); });
}

Tensor logaddexp2(const Tensor& a, const Tensor& b) {
  return log_add(
      "logaddexp2_cpu", a, b,
      +[](const Tensor& d) { return mul(log1p(exp(mul(d, M_LN2))), M_LOG2E); });
}

Tensor softmax(const Tensor& x, int64_t dim, std::optional<DType> dtype) {
  return softmax_along(floating_input("softmax_lastdim_kernel_impl", x, dtype), Tensor(), dim);
}

Tensor log_softmax(const Tensor& x, int64_t dim, std::optional<DType> dtype) {
  return log_softmax_along(floating_input("log_softmax_lastdim_kernel_impl", x, dtype), Tensor(),
                           dim);
}

Tensor softmin(const Tensor& x, int64_t dim, std::optional<DType> dtype) {
  return softmax_along(neg(floating_input("softmax_lastdim_kernel_impl", x, dtype)), Tensor(), dim);
}

std::vector<Row> softmax_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, -2.f, 3.5f}, {4.f, 0.f, 6.f}}));
  const Tensor ints = SAMPLE(tensor({{5, 0, 5}, {0, 7, 7}}));
  const Value no_dtype;
  const std::vector<Args> samples =
      SAMPLES({x, int64_t{1}, no_dtype}, {x, int64_t{0}, DType::float64},
              {ints, int64_t{-1}, DType::float32});
  const std::string options = "(Tensor input, int dim, *, dtype? dtype=None) -> Tensor";
  return {
      make_row("logsumexp(Tensor input, int[] dim, bool keepdim=False) -> Tensor",
               "The logarithm of the sum of exponentials over the given dimensions.", logsumexp,
               SAMPLES({x, Shape{1}, false}, {x, Shape{0, 1}, true}, {ints, Shape{-1}, false}))
          .with_out(),
      make_row("logaddexp(Tensor input, Tensor|Scalar other) -> Tensor",
               "log(exp(input) + exp(other)), without overflow.", logaddexp,
               SAMPLES({x, tensor({0.f, 1.f, -1.f})}, {x, x}))
          .is_pointwise()
          .with_out(),
      make_row("logaddexp2(Tensor input, Tensor|Scalar other) -> Tensor",
               "log2(2^input + 2^other), without overflow.", logaddexp2,
               SAMPLES({x, tensor({0.f, 1.f, -1.f})}, {x, x}))
          .is_pointwise()
          .with_out(),
      make_row("softmax" + options,
               "The exponentials along dim, divided by their sum: numbers that add up to 1.",
               softmax, samples)
          .with_out(),
      make_row("log_softmax" + options, "The logarithm of softmax, computed without overflow.",
               log_softmax, samples)
          .with_out(),
      make_row("softmin" + options, "softmax of the negated input.", softmin, samples)
          .function_only(),
  };
}

}  // namespace tamis
