// masked: reductions over the elements that a mask keeps. What is masked out is replaced by the
// identity of the reduction inside the same pass, so nothing of the input's size is stored.
#include <cmath>

#include "core/check.h"
#include "core/convert.h"
#include "ops/exact.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/reduce/gradients.h"
#include "ops/reduce/masked.h"
#include "ops/reduce/reduce.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis::masked {

namespace {

Tensor extreme(bool largest, const Tensor& x, const Tensor& given, const Dims& dims, bool keepdim,
               std::optional<DType> dtype) {
  const Tensor mask = input_mask(x, given);
  const Reduction reduction = largest ? Reduction::amax : Reduction::amin;
  const Tensor chosen = kept(mask, x, neutral(reduction, x.dtype()));
  const Shape over = normalize_dims(dims, x.dim());
  const Tensor result =
      largest ? tamis::amax(chosen, over, keepdim) : tamis::amin(chosen, over, keepdim);
  return result.to(dtype.value_or(x.dtype()));
}

Tensor arg_of(bool largest, const char* op, const Tensor& x, const Tensor& mask,
              std::optional<int64_t> dim, bool keepdim, std::optional<DType> dtype) {
  return find_extreme(largest, op, x, input_mask(x, mask), dim, keepdim, false)
      .second.to(dtype.value_or(DType::int64));
}

/// The variance in wide_dtype(x), in the shape of the result, and the dtype that it is asked for
/// in.
Tensor variance(const Tensor& x, const Tensor& mask, const Dims& given, double correction,
                bool keepdim, DType result) {
  const Shape dims = normalize_dims(given, x.dim());
  return moments(x, input_mask(x, mask), dims, correction, result)
      .var.reshape(reduced_shape(x, dims, keepdim));
}

/// var or std with exact = true.
Tensor exact_form(bool root, const Tensor& x, const Tensor& mask, const Dims& dims,
                  double correction, bool keepdim, DType result) {
  Tensor plain;
  if (is_tracked(x)) {
    plain = root ? masked::std(x, mask, dims, correction, keepdim, result)
                 : masked::var(x, mask, dims, correction, keepdim, result);
  }
  return exact_spread(x, input_mask(x, mask), dims, correction, keepdim, root, result, plain);
}

}  // namespace

Tensor output_mask(const Tensor& x, const Tensor& mask, const Dims& dims, bool keepdim) {
  check(mask.defined(), ErrorKind::value, "output_mask requires explicit mask");
  return tamis::any(input_mask(x, mask), dims, keepdim);
}

Tensor count(const Tensor& x, const Tensor& given, const Dims& dims, bool keepdim) {
  const Shape over = normalize_dims(dims, x.dim());
  const Tensor found = count_kept(x, input_mask(x, given), over);
  return found.expand(reduced_shape(x, over, true)).clone().view(reduced_shape(x, over, keepdim));
}

Tensor sum(const Tensor& x, const Tensor& mask, const Dims& dims, bool keepdim,
           std::optional<DType> dtype, bool exact) {
  const DType result = dtype.value_or(result_dtype(Reduction::sum, x.dtype()));
  const auto plain = [&] {
    return tamis::sum(kept(input_mask(x, mask), x, 0), dims, keepdim, dtype);
  };
  if (!exact || !is_floating_point(real_dtype(result))) return plain();
  return exact_sum(x.to(result), input_mask(x, mask), dims, keepdim,
                   is_tracked(x) ? plain() : Tensor());
}

Tensor prod(const Tensor& x, const Tensor& mask, const Dims& dims, bool keepdim,
            std::optional<DType> dtype) {
  return accumulate(Reduction::prod, kept(input_mask(x, mask), x, 1), normalize_dims(dims, x.dim()),
                    keepdim, dtype);
}

Tensor mean(const Tensor& x, const Tensor& given, const Dims& dims, bool keepdim,
            std::optional<DType> dtype, bool exact) {
  const DType operand = dtype.value_or(x.dtype()), result = float_type(operand);
  const Shape over = normalize_dims(dims, x.dim());
  const Tensor mask = input_mask(x, given), values = x.to(operand);
  if (exact) {
    return exact_mean(values, mask, dims, keepdim, result,
                      is_tracked(x) ? mean(x, given, dims, keepdim, dtype) : Tensor());
  }
  // Integers in float64 where there is one, which holds the sums of all that are not huge.
  const Tensor chosen = kept(mask, operand == result ? values : values.to(wide_dtype(x)), 0);
  const Tensor total = is_complex(result) ? tamis::sum(chosen, over, true) : sum_wide(chosen, over);
  return div(total, count_kept(x, mask, over)).to(result).view(reduced_shape(x, over, keepdim));
}

Tensor amax(const Tensor& x, const Tensor& mask, const Dims& dims, bool keepdim,
            std::optional<DType> dtype) {
  return extreme(true, x, mask, dims, keepdim, dtype);
}

Tensor amin(const Tensor& x, const Tensor& mask, const Dims& dims, bool keepdim,
            std::optional<DType> dtype) {
  return extreme(false, x, mask, dims, keepdim, dtype);
}

Tensor argmax(const Tensor& x, const Tensor& mask, std::optional<int64_t> dim, bool keepdim,
              std::optional<DType> dtype) {
  return arg_of(true, "argmax", x, mask, dim, keepdim, dtype);
}

Tensor argmin(const Tensor& x, const Tensor& mask, std::optional<int64_t> dim, bool keepdim,
              std::optional<DType> dtype) {
  return arg_of(false, "argmin", x, mask, dim, keepdim, dtype);
}

Tensor var(const Tensor& x, const Tensor& mask, const Dims& dims, double correction, bool keepdim,
           std::optional<DType> dtype, bool exact) {
  const DType result = dtype.value_or(real_dtype(float_type(x.dtype())));
  if (exact) return exact_form(false, x, mask, dims, correction, keepdim, result);
  return variance(x, mask, dims, correction, keepdim, result).to(result);
}

Tensor std(const Tensor& x, const Tensor& mask, const Dims& dims, double correction, bool keepdim,
           std::optional<DType> dtype, bool exact) {
  const DType result = dtype.value_or(real_dtype(float_type(x.dtype())));
  if (exact) return exact_form(true, x, mask, dims, correction, keepdim, result);
  return deviation(variance(x, mask, dims, correction, keepdim, result)).to(result);
}

Tensor norm(const Tensor& x, const Tensor& mask, double ord, const Dims& dims, bool keepdim,
            std::optional<DType> dtype) {
  const DType result = dtype.value_or(x.dtype());
  check(is_floating_point(x.dtype()) || is_complex(x.dtype()), ErrorKind::dtype,
        "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}",
        scalar_type_name(x.dtype()));
  check(is_complex(result) == is_complex(x.dtype()) && float_type(result) == result,
        ErrorKind::dtype, "linalg.vector_norm: dtype should be {0} for {0} inputs, but got {1}",
        is_complex(x.dtype()) ? "complex" : "real", scalar_type_name(result));
  return vector_norm(x.to(result), input_mask(x, mask), ord, normalize_dims(dims, x.dim()),
                     keepdim);
}

Tensor logsumexp(const Tensor& x, const Tensor& mask, const Dims& dims, bool keepdim,
                 std::optional<DType> dtype) {
  const DType own = float_type(x.dtype());
  return log_sum_exp(x.to(own), input_mask(x, mask), normalize_dims(dims, x.dim()), keepdim)
      .to(dtype.value_or(own));
}

Tensor any(const Tensor& x, const Tensor& given, const Dims& dims, bool keepdim) {
  const Tensor mask = input_mask(x, given), truth = x.to_bool();
  return tamis::any(mask.defined() ? logical_and(mask, truth) : truth, dims, keepdim);
}

Tensor all(const Tensor& x, const Tensor& given, const Dims& dims, bool keepdim) {
  const Tensor mask = input_mask(x, given), truth = x.to_bool();
  return tamis::all(mask.defined() ? logical_or(logical_not(mask), truth) : truth, dims, keepdim);
}

}  // namespace tamis::masked

namespace tamis {

Tensor input_mask(const Tensor& x, const Tensor& mask, const char* argument) {
  if (!mask.defined()) return mask;
  check_mask(mask, "masked: expected BoolTensor for mask, but got", argument);
  check(mask.dim() <= x.dim(), ErrorKind::index,
        "_input_mask expected broadcastable mask (got mask dimensionality higher than of the "
        "input)");
  return mask.shape() == x.shape() ? mask : mask.broadcast_to(x.shape());
}

namespace {

using MaskArg = std::optional<Tensor>;

Tensor mask_of(const MaskArg& mask) { return mask.value_or(Tensor()); }

/// Ops as Python calls them, with the mask last.
template <auto kOp>
Tensor reduction(const Tensor& x, const Dims& dims, bool keepdim, std::optional<DType> dtype,
                 MaskArg mask) {
  return kOp(x, mask_of(mask), dims, keepdim, dtype);
}

template <auto kOp>
Tensor exact_reduction(const Tensor& x, const Dims& dims, bool keepdim, std::optional<DType> dtype,
                       MaskArg mask, bool exact) {
  return kOp(x, mask_of(mask), dims, keepdim, dtype, exact);
}

template <auto kOp>
Tensor truth(const Tensor& x, const Dims& dims, bool keepdim, MaskArg mask) {
  return kOp(x, mask_of(mask), dims, keepdim);
}

template <auto kOp>
Tensor search(const Tensor& x, std::optional<int64_t> dim, bool keepdim, std::optional<DType> dtype,
              MaskArg mask) {
  return kOp(x, mask_of(mask), dim, keepdim, dtype);
}

template <auto kOp>
Tensor spread(const Tensor& x, const Dims& dims, std::optional<bool> unbiased,
              std::optional<double> correction, bool keepdim, std::optional<DType> dtype,
              MaskArg mask, bool exact) {
  check(!unbiased || !correction, ErrorKind::value,
        "Only one of unbiased and correction may be given");
  const double less = unbiased ? *unbiased : correction.value_or(1);
  return kOp(x, mask_of(mask), dims, less, keepdim, dtype, exact);
}

Tensor norm_of(const Tensor& x, double ord, const Dims& dims, bool keepdim,
               std::optional<DType> dtype, MaskArg mask) {
  return masked::norm(x, mask_of(mask), ord, dims, keepdim, dtype);
}

Tensor output_mask_of(const Tensor& x, const Dims& dims, bool keepdim, const MaskArg& mask) {
  return masked::output_mask(x, mask_of(mask), dims, keepdim);
}

}  // namespace

std::vector<Row> masked_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, -2.f, 3.5f}, {4.f, 0.f, 6.f}}));
  const Tensor ints = SAMPLE(tensor({{5, 0, 5}, {0, 7, 7}}));
  const Tensor mask = SAMPLE(tensor({{true, false, true}, {false, false, false}}));
  const Tensor row = SAMPLE(tensor({true, false, true})),
               column = SAMPLE(tensor({{false}, {true}}));
  const Shape none;
  const Value absent;
  const std::string options =
      "bool keepdim=False, dtype? dtype=None, Tensor|bool[]? mask=None) -> Tensor";
  const std::string dims = "(Tensor input, int[] dim=[], *, ";
  const std::vector<Args> samples = SAMPLES(
      {x, none, false, absent, mask}, {x, Shape{1}, true, absent, row},
      {x, Shape{0, 1}, false, DType::float64, column}, {x, Shape{-1}, false, absent, absent});
  const std::string exact_options =
      "bool keepdim=False, dtype? dtype=None, Tensor|bool[]? mask=None, bool exact=False) -> "
      "Tensor";
  std::vector<Args> with_ints = samples;
  with_ints.push_back({ints, Shape{1}, false, absent, mask});
  std::vector<Args> exact_samples = with_ints;
  for (Args& sample : exact_samples) sample.push_back(false);
  exact_samples.push_back({x, Shape{1}, false, absent, row, true});
  const std::vector<Args> searches =
      SAMPLES({x, absent, false, absent, mask}, {ints, int64_t{1}, false, absent, mask},
              {x, int64_t{0}, true, absent, column});
  const std::vector<Args> truths =
      SAMPLES({ints, none, false, mask}, {ints, Shape{1}, true, row},
              {x, Shape{0, 1}, false, absent}, {x, Shape{-1}, false, mask});
  const std::vector<Args> spreads =
      SAMPLES({x, none, absent, absent, false, absent, mask, false},
              {x, Shape{1}, false, absent, true, absent, row, false},
              {x, Shape{1}, false, absent, true, absent, row, true},
              {ints, Shape{0}, absent, 0.5, false, absent, column, false});
  const std::string moment =
      "(Tensor input, int[] dim=[], bool? unbiased=None, *, float? "
      "correction=None, " +
      exact_options;
  const std::string arg = "(Tensor input, int? dim=None, *, " + options;
  const std::string truth_options =
      dims + "bool keepdim=False, Tensor|bool[]? mask=None) -> Tensor";
  std::vector<Row> rows = {
      make_row("masked.sum" + dims + exact_options,
               "The sum of the kept elements; 0 if there are none. With exact, here and in mean, "
               "var and std, that of exact arithmetic, rounded once.",
               exact_reduction<masked::sum>, exact_samples),
      make_row("masked.prod" + dims + options,
               "The product of the kept elements; 1 if there are none.", reduction<masked::prod>,
               with_ints),
      make_row("masked.mean" + dims + exact_options,
               "The mean of the kept elements; NaN if there are none.",
               exact_reduction<masked::mean>, exact_samples),
      make_row("masked.amax" + dims + options,
               "The largest kept element; the least value of the dtype if there are none.",
               reduction<masked::amax>, with_ints),
      make_row("masked.amin" + dims + options,
               "The smallest kept element; the greatest value of the dtype if there are none.",
               reduction<masked::amin>, with_ints),
      make_row(
          "masked.argmax" + arg,
          "The index of the largest kept element, the first among equals; -1 if there are none.",
          search<masked::argmax>, searches),
      make_row(
          "masked.argmin" + arg,
          "The index of the smallest kept element, the first among equals; -1 if there are none.",
          search<masked::argmin>, searches),
      make_row("masked.var" + moment,
               "The variance of the kept elements, with their number less correction (1) as the "
               "divisor; NaN if there are none.",
               spread<masked::var>, spreads),
      make_row("masked.std" + moment,
               "The standard deviation of the kept elements; NaN if there are none.",
               spread<masked::std>, spreads),
      make_row("masked.norm(Tensor input, float ord=2, int[] dim=[], *, " + options,
               "The norm of the kept elements; 0 if there are none, infinity if ord is negative.",
               norm_of,
               SAMPLES({x, 2.0, none, false, absent, mask}, {x, 1.0, Shape{1}, true, absent, row},
                       {x, -HUGE_VAL, Shape{0}, false, absent, column})),
      make_row("masked.logsumexp" + dims + options,
               "The logarithm of the sum of exponentials of the kept elements; -infinity if there "
               "are none.",
               reduction<masked::logsumexp>, samples),
      make_row("masked.any" + truth_options,
               "Whether any kept element is nonzero; false if there are none.", truth<masked::any>,
               truths),
      make_row("masked.all" + truth_options,
               "Whether all kept elements are nonzero; true if there are none.", truth<masked::all>,
               truths),
      make_row("masked.count" + truth_options, "The number of kept elements.", truth<masked::count>,
               truths),
      make_row(
          "masked.output_mask" + truth_options,
          "True where a reduction by this mask is made of any elements.", output_mask_of,
          SAMPLES({x, Shape{1}, false, mask}, {x, none, true, row}, {x, Shape{0}, false, column})),
  };
  for (Row& r : masked_normalization_rows()) rows.push_back(std::move(r));
  return rows;
}

}  // namespace tamis
