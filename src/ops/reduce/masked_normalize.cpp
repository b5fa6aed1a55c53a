// masked: normalisations and scans, which keep the shape of their input.
#include "ops/reduce/masked.h"

#include <limits>

#include "core/check.h"
#include "core/convert.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/reduce/reduce.h"
#include "tamis/tamis.h"

namespace tamis::masked {

namespace {

/// x with -infinity where it is masked out: what adds nothing to a sum of exponentials.
Tensor exponent(const Tensor& x, const Tensor& given, const char* argument) {
  const Tensor mask = input_mask(x, given, argument);
  check_implemented(!mask.defined() || is_floating_point(x.dtype()), "logaddexp_cpu", x.dtype());
  return mask.defined() ? kept(mask, x, neutral(Reduction::amax, x.dtype())) : x;
}

}  // namespace

Tensor logaddexp(const Tensor& x, const Tensor& other, const Tensor& x_mask,
                 const Tensor& other_mask, std::optional<DType> dtype) {
  const Tensor first = exponent(x, x_mask, "input_mask");
  const Tensor second = exponent(other, other_mask, "other_mask");
  return tamis::logaddexp(first, second).to(dtype.value_or(x.dtype()));
}

Tensor softmax(const Tensor& x, const Tensor& mask, int64_t dim, std::optional<DType> dtype) {
  return softmax_along(floating_input("softmax_lastdim_kernel_impl", x, dtype), input_mask(x, mask),
                       dim);
}

Tensor log_softmax(const Tensor& x, const Tensor& mask, int64_t dim, std::optional<DType> dtype) {
  return log_softmax_along(floating_input("log_softmax_lastdim_kernel_impl", x, dtype),
                           input_mask(x, mask), dim);
}

Tensor softmin(const Tensor& x, const Tensor& mask, int64_t dim, std::optional<DType> dtype) {
  return softmax_along(neg(floating_input("softmax_lastdim_kernel_impl", x, dtype)),
                       input_mask(x, mask), dim);
}

Tensor normalize(const Tensor& x, const Tensor& given, double ord, int64_t dim, double eps,
                 std::optional<DType> dtype) {
  const Tensor size = norm(x, given, ord, {dim}, true, dtype);
  const Tensor divisor = maximum(size, scalar_tensor(eps, size.dtype())).settle();
  return kept(input_mask(x, given), div(x, divisor), 0);
}

Tensor cumsum(const Tensor& x, const Tensor& mask, int64_t dim, std::optional<DType> dtype) {
  return scanned(Scan::sum, "cumsum_out_cpu", kept(input_mask(x, mask), x, 0), dim,
                 dtype.value_or(x.dtype()));
}

Tensor cumprod(const Tensor& x, const Tensor& mask, int64_t dim, std::optional<DType> dtype) {
  return scanned(Scan::prod, "cumprod_out_cpu", kept(input_mask(x, mask), x, 1), dim,
                 dtype.value_or(x.dtype()));
}

}  // namespace tamis::masked

namespace tamis {

namespace {

using MaskArg = std::optional<Tensor>;

/// Ops as Python calls them, with the mask last.
template <auto kOp>
Tensor along(const Tensor& x, int64_t dim, std::optional<DType> dtype, MaskArg mask) {
  return kOp(x, mask.value_or(Tensor()), dim, dtype);
}

Tensor normalize_of(const Tensor& x, double ord, int64_t dim, double eps,
                    std::optional<DType> dtype, MaskArg mask) {
  return masked::normalize(x, mask.value_or(Tensor()), ord, dim, eps, dtype);
}

Tensor logaddexp_of(const Tensor& x, const Tensor& other, std::optional<DType> dtype,
                    MaskArg x_mask, MaskArg other_mask) {
  return masked::logaddexp(x, other, x_mask.value_or(Tensor()), other_mask.value_or(Tensor()),
                           dtype);
}

}  // namespace

std::vector<Row> masked_normalization_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, -2.f, 3.5f}, {4.f, 0.f, 6.f}}));
  const Tensor ints = SAMPLE(tensor({{5, 0, 5}, {0, 7, 7}}));
  const Tensor mask = SAMPLE(tensor({{true, false, true}, {false, false, false}}));
  const Tensor row = SAMPLE(tensor({true, false, true}));
  const Value absent;
  const std::vector<Args> samples =
      SAMPLES({x, int64_t{1}, absent, mask}, {x, int64_t{0}, DType::float64, row},
              {ints, int64_t{-1}, DType::float32, mask}, {x, int64_t{0}, absent, absent});
  std::vector<Args> sums = samples;
  sums.push_back({ints, int64_t{1}, absent, mask});
  const std::string options =
      "(Tensor input, int dim, *, dtype? dtype=None, Tensor|bool[]? mask=None) -> Tensor";
  return {
      make_row("masked.logaddexp(Tensor input, Tensor|Scalar other, *, dtype? dtype=None, Tensor? "
               "input_mask=None, Tensor? other_mask=None) -> Tensor",
               "log(exp(input) + exp(other)), where what is masked out counts as -infinity.",
               logaddexp_of,
               SAMPLES({x, x, absent, mask, row}, {x, x, DType::float64, absent, mask})),
      make_row("masked.softmax" + options,
               "softmax of the kept elements along dim; 0 where masked out.",
               along<masked::softmax>, samples),
      make_row("masked.log_softmax" + options,
               "log_softmax of the kept elements along dim; -infinity where masked out.",
               along<masked::log_softmax>, samples),
      make_row("masked.softmin" + options,
               "softmin of the kept elements along dim; 0 where masked out.",
               along<masked::softmin>, samples),
      make_row("masked.normalize(Tensor input, float ord, int dim, *, float eps=1e-12, dtype? "
               "dtype=None, Tensor|bool[]? mask=None) -> Tensor",
               "The kept elements divided by their norm along dim, or by eps if that is larger; 0 "
               "where masked out.",
               normalize_of,
               SAMPLES({x, 2.0, int64_t{1}, 1e-12, absent, mask},
                       {x, 1.0, int64_t{0}, 1e-12, absent, row})),
      make_row("masked.cumsum" + options,
               "The running sum of the kept elements along dim, in the dtype of input.",
               along<masked::cumsum>, sums),
      make_row("masked.cumprod" + options,
               "The running product of the kept elements along dim, in the dtype of input.",
               along<masked::cumprod>, sums),
  };
}

}  // namespace tamis
