// Statistics: variances, and reductions that leave out NaN.
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/check.h"
#include "core/convert.h"
#include "ops/exact.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/reduce/gradients.h"
#include "ops/reduce/reduce.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

void check_spread(const char* op, const Tensor& x) {
  check(is_floating_point(x.dtype()) || is_complex(x), ErrorKind::dtype,
        "{} only support floating point and complex dtypes", op);
}

Moments checked_moments(const char* op, const Tensor& x, const Dims& dims, double correction,
                        const Tensor& mask = {}) {
  check_spread(op, x);
  return moments(x, mask, normalize_dims(dims, x.dim()), correction, x.dtype());
}

/// The sum of the squares of what is kept of x, which is of its wide_dtype; dims become size 1.
Tensor sum_of_squares(const Tensor& x, const Tensor& mask, const Shape& dims) {
  if (x.numel() == 0 || is_tracked(x)) return sum_wide(kept(mask, mul(x, x), 0), dims);
  return reduce(Reduction::square_sum, kept(mask, x, 0), dims, x.dtype(), x.dtype());
}

/// A result of moments as x's own reduction.
Tensor shaped(const Tensor& result, const Tensor& x, const Dims& dims, bool keepdim) {
  const Shape shape = reduced_shape(x, normalize_dims(dims, x.dim()), keepdim);
  return result.to(is_complex(result) ? x.dtype() : real_dtype(x.dtype())).reshape(shape);
}

}  // namespace

Tensor kept(const Tensor& mask, const Tensor& value, Scalar identity) {
  return mask.defined() ? where(mask, value, scalar_tensor(identity, value.dtype())) : value;
}

Tensor sum_wide(const Tensor& x, const Shape& dims) {
  if (x.numel() == 0) return zeros_on(backend_of(x), reduced_shape(x, dims, true), wide_dtype(x));
  const DType operand = x.dtype() == DType::float64 ? DType::float64 : DType::float32;
  const Tensor y = reduce(Reduction::sum, x, dims, operand, wide_dtype(x));
  if (is_tracked(x)) record_sum(y, x, dims, true);
  return y;
}

Tensor count_kept(const Tensor& x, const Tensor& mask, const Shape& dims) {
  int64_t times = 1;
  Tensor part = mask;
  for (int64_t d : dims) {
    if (!mask.defined()) {
      times *= x.shape()[d];
    } else if (mask.strides()[d] == 0 && mask.shape()[d] > 1) {  // broadcast: the same all along
      times *= mask.shape()[d];
      part = part.narrow(d, 0, 1);
    }
  }
  if (!mask.defined()) return scalar_tensor(times, DType::int64);
  for (int64_t d = 0; d < mask.dim(); ++d) {
    if (mask.strides()[d] == 0 && part.shape()[d] > 1) part = part.narrow(d, 0, 1);
  }
  return sum(part, dims, true) * times;
}

Moments moments(const Tensor& x, const Tensor& mask, const Shape& dims, double correction,
                DType result) {
  if (is_complex(x)) {
    const Moments re = moments(real(x), mask, dims, correction, real_dtype(result));
    const Moments im = moments(imag(x), mask, dims, correction, real_dtype(result));
    return {complex(re.mean, im.mean), add(re.var, im.var)};
  }
  const DType wide = wide_dtype(x, result);
  const Tensor n = count_kept(x, mask, dims).to(wide).settle();
  const Tensor total = sum_wide(kept(mask, is_floating_point(x.dtype()) ? x : x.to(wide), 0), dims);
  const Tensor mean = div(total, n).settle();
  const Tensor distance = sub(x.to(wide), mean);
  const Tensor squares = sum_of_squares(distance, mask, dims);
  return {mean, div(squares, maximum(sub(n, correction), scalar_tensor(0, wide)))};
}

Tensor deviation(const Tensor& variance) {
  if (!is_tracked(variance)) return sqrt(variance);
  return where(variance == 0, scalar_tensor(0, variance.dtype()), sqrt(variance));
}

Tensor var(const Tensor& x, const Dims& dims, double correction, bool keepdim, bool exact) {
  check_spread("std and var", x);
  const auto plain = [&] {
    return shaped(checked_moments("std and var", x, dims, correction).var, x, dims, keepdim);
  };
  if (!exact) return plain();
  return exact_spread(x, {}, dims, correction, keepdim, false, real_dtype(x.dtype()),
                      is_tracked(x) ? plain() : Tensor());
}

Tensor std(const Tensor& x, const Dims& dims, double correction, bool keepdim, bool exact) {
  check_spread("std and var", x);
  const auto plain = [&] {
    return shaped(deviation(checked_moments("std and var", x, dims, correction).var), x, dims,
                  keepdim);
  };
  if (!exact) return plain();
  return exact_spread(x, {}, dims, correction, keepdim, true, real_dtype(x.dtype()),
                      is_tracked(x) ? plain() : Tensor());
}

std::pair<Tensor, Tensor> var_mean(const Tensor& x, const Dims& dims, double correction,
                                   bool keepdim) {
  const Moments found = checked_moments("std_mean and var_mean", x, dims, correction);
  return {shaped(found.var, x, dims, keepdim), shaped(found.mean, x, dims, keepdim)};
}

std::pair<Tensor, Tensor> std_mean(const Tensor& x, const Dims& dims, double correction,
                                   bool keepdim) {
  const Moments found = checked_moments("std_mean and var_mean", x, dims, correction);
  return {shaped(deviation(found.var), x, dims, keepdim), shaped(found.mean, x, dims, keepdim)};
}

Tensor nansum(const Tensor& x, const Dims& dims, bool keepdim, std::optional<DType> dtype) {
  check(!is_complex(x.dtype()), ErrorKind::dtype, "nansum does not support complex inputs");
  if (!is_floating_point(x.dtype())) return sum(x, dims, keepdim, dtype);
  const auto is_number = [&] { return logical_not(isnan(x)); };
  const DType result = dtype.value_or(result_dtype(Reduction::nansum, x.dtype()));
  // Integers have no NaN to ignore.
  if (!is_floating_point(result)) return sum(kept(is_number(), x, 0), dims, keepdim, dtype);
  const Shape over = normalize_dims(dims, x.dim());
  const Tensor y = reduce_along(Reduction::nansum, x.to(result), over, keepdim, result);
  if (is_tracked(x)) {
    record(
        y, "nansum", Flow::mixes, {x}, {is_number()},
        [over, keepdim](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
          return {{where(saved[0], with_dims(g, over, keepdim), zeros({}, g.dtype())), saved[0]}};
        });
  }
  return y;
}

Tensor nanmean(const Tensor& x, const Dims& dims, bool keepdim, std::optional<DType> dtype) {
  check(is_floating_point(x.dtype()), ErrorKind::dtype,
        "nanmean(): expected input to have floating point or complex dtype but got {}",
        scalar_type_name(x.dtype()));
  const Tensor is_number = logical_not(isnan(x));
  const Tensor total =
      sum(kept(is_number, x, 0), dims, keepdim, wide_dtype(x, dtype.value_or(x.dtype())));
  return div(total, sum(is_number, dims, keepdim)).to(dtype.value_or(x.dtype()));
}

namespace {

/// An extreme, by its plain and its masked form.
template <auto kPlain, auto kMasked>
Tensor nan_extreme(const Tensor& x, const Dims& dims, bool keepdim) {
  // The plain form refuses to reduce nothing.
  if (!is_floating_point(x.dtype()) || x.numel() == 0) return kPlain(x, dims, keepdim);
  const Tensor is_number = logical_not(isnan(x));
  const Tensor found = kMasked(x, is_number, dims, keepdim, std::nullopt);
  return where(any(is_number, dims, keepdim), found, scalar_tensor(NAN, x.dtype()));
}

}  // namespace

Tensor nanmax(const Tensor& x, const Dims& dims, bool keepdim) {
  return nan_extreme<amax, masked::amax>(x, dims, keepdim);
}

Tensor nanmin(const Tensor& x, const Dims& dims, bool keepdim) {
  return nan_extreme<amin, masked::amin>(x, dims, keepdim);
}

Tensor nanvar(const Tensor& x, const Dims& dims, double correction, bool keepdim) {
  const Tensor is_number = logical_not(isnan(x));
  return shaped(checked_moments("nanstd and nanvar", x, dims, correction, is_number).var, x, dims,
                keepdim);
}

Tensor nanstd(const Tensor& x, const Dims& dims, double correction, bool keepdim) {
  const Tensor is_number = logical_not(isnan(x));
  const Moments found = checked_moments("nanstd and nanvar", x, dims, correction, is_number);
  return shaped(deviation(found.var), x, dims, keepdim);
}

namespace {

/// PyTorch's two ways to say what is taken off the number of elements.
double correction_of(std::optional<bool> unbiased, std::optional<double> correction) {
  check(!unbiased || !correction, ErrorKind::value,
        "Only one of unbiased and correction may be given");
  return unbiased ? *unbiased : correction.value_or(1);
}

/// An op as Python calls it: (input, dim, unbiased, keepdim, correction).
template <auto kOp>
auto with_correction(const Tensor& x, const Dims& dims, std::optional<bool> unbiased, bool keepdim,
                     std::optional<double> correction) {
  return kOp(x, dims, correction_of(unbiased, correction), keepdim);
}

/// The same with exact at the end.
template <auto kOp>
Tensor with_exact(const Tensor& x, const Dims& dims, std::optional<bool> unbiased, bool keepdim,
                  std::optional<double> correction, bool exact) {
  return kOp(x, dims, correction_of(unbiased, correction), keepdim, exact);
}

/// PyTorch's overload (input, unbiased).
template <auto kOp>
auto of_all(const Tensor& x, bool unbiased) {
  return kOp(x, {}, unbiased ? 1 : 0, false);
}
Tensor var_of_all(const Tensor& x, bool unbiased) { return var(x, {}, unbiased ? 1 : 0); }
Tensor std_of_all(const Tensor& x, bool unbiased) { return tamis::std(x, {}, unbiased ? 1 : 0); }

/// The same with NumPy's arguments: (input, dim, keepdim, correction).
template <auto kOp>
Tensor with_divisor(const Tensor& x, const Dims& dims, bool keepdim, double correction) {
  return kOp(x, dims, correction, keepdim);
}

}  // namespace

std::vector<Row> statistic_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, -2.f, 3.5f}, {4.f, 0.f, 6.f}}));
  const Tensor holes = SAMPLE(where(tensor({{true, false, true}, {true, true, false}}), x, NAN));
  const Shape none;
  const Value absent;
  const std::string dims = "(Tensor input, int[] dim=[], ";
  const std::string corrected =
      dims + "bool? unbiased=None, bool keepdim=False, *, float? correction=None) -> ";
  const std::vector<Args> moment_samples =
      SAMPLES({x, none, absent, false, absent}, {x, Shape{1}, false, true, absent},
              {x, Shape{0, -1}, absent, false, 2.0}, {x, Shape{0}, true, false, absent});
  const std::string with_exactness =
      dims +
      "bool? unbiased=None, bool keepdim=False, *, float? correction=None, bool exact=False) -> ";
  std::vector<Args> exact_samples = moment_samples;
  for (Args& sample : exact_samples) sample.push_back(false);
  exact_samples.push_back({x, Shape{1}, absent, false, absent, true});
  const std::vector<Args> nan_samples =
      SAMPLES({holes, none, false, absent}, {holes, Shape{0}, true, absent},
              {x, Shape{-1}, false, DType::float64});
  const std::string extreme = dims + "bool keepdim=False) -> Tensor";
  const std::vector<Args> extreme_samples =
      SAMPLES({holes, none, false}, {holes, Shape{0}, true}, {x, Shape{-1}, false});
  const std::string divided = dims + "bool keepdim=False, *, float correction=0) -> Tensor";
  const std::vector<Args> divided_samples =
      SAMPLES({holes, none, false, 0.0}, {holes, Shape{0}, true, 0.0}, {x, Shape{-1}, false, 1.0});
  return {
      make_row("var" + with_exactness + "Tensor",
               "The variance over all dimensions or the given ones; the divisor is the number of "
               "elements less correction, by default 1. With exact, that of exact arithmetic, "
               "rounded once.",
               with_exact<var>, exact_samples)
          .with_out(),
      make_row("var(Tensor input, bool unbiased) -> Tensor",
               "The variance of all elements; the divisor is their number, less one if unbiased.",
               var_of_all, SAMPLES({x, true}, {x, false})),
      make_row("std" + with_exactness + "Tensor",
               "The standard deviation over all dimensions or the given ones. With exact, that of "
               "exact arithmetic, rounded once.",
               with_exact<static_cast<Tensor (*)(const Tensor&, const Dims&, double, bool, bool)>(
                   tamis::std)>,
               exact_samples)
          .with_out(),
      make_row("std(Tensor input, bool unbiased) -> Tensor",
               "The standard deviation of all elements; the divisor is their number, less one if "
               "unbiased.",
               std_of_all, SAMPLES({x, true}, {x, false})),
      make_row("var_mean" + corrected + "(Tensor var, Tensor mean)",
               "The variance and the mean over all dimensions or the given ones.",
               with_correction<var_mean>, moment_samples)
          .function_only(),
      make_row("var_mean(Tensor input, bool unbiased) -> (Tensor var, Tensor mean)",
               "The variance and the mean of all elements; the divisor is their number, less one "
               "if unbiased.",
               of_all<var_mean>, SAMPLES({x, true}, {x, false}))
          .function_only(),
      make_row("std_mean" + corrected + "(Tensor std, Tensor mean)",
               "The standard deviation and the mean over all dimensions or the given ones.",
               with_correction<std_mean>, moment_samples)
          .function_only(),
      make_row("std_mean(Tensor input, bool unbiased) -> (Tensor std, Tensor mean)",
               "The standard deviation and the mean of all elements; the divisor is their number, "
               "less one if unbiased.",
               of_all<std_mean>, SAMPLES({x, true}, {x, false}))
          .function_only(),
      make_row("nansum" + dims + "bool keepdim=False, *, dtype? dtype=None) -> Tensor",
               "The sum of the elements that are not NaN, over all dimensions or the given ones.",
               nansum, nan_samples)
          .with_out(),
      make_row("nanmean" + dims + "bool keepdim=False, *, dtype? dtype=None) -> Tensor",
               "The mean of the elements that are not NaN, over all dimensions or the given ones.",
               nanmean, nan_samples)
          .with_out(),
      make_row("nanmax" + extreme,
               "The largest element that is not NaN, over all dimensions or the given ones.",
               nanmax, extreme_samples)
          .with_out(),
      make_row("nanmin" + extreme,
               "The smallest element that is not NaN, over all dimensions or the given ones.",
               nanmin, extreme_samples)
          .with_out(),
      make_row("nanvar" + divided,
               "The variance of the elements that are not NaN, over all dimensions or the given "
               "ones; the divisor is their number less correction, by default 0, as NumPy has it.",
               with_divisor<nanvar>, divided_samples)
          .with_out(),
      make_row("nanstd" + divided,
               "The standard deviation of the elements that are not NaN, over all dimensions or "
               "the given ones; the divisor is that of nanvar.",
               with_divisor<nanstd>, divided_samples)
          .with_out(),
  };
}

}  // namespace tamis
