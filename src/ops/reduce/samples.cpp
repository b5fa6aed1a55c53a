// Samples: covariances, histograms, and tensors brought to mean 0 and variance 1.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.h"
#include "core/convert.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

// ---- covariances --------------------------------------------------------------------------------

void check_weights(const char* name, const Tensor& w, int64_t columns) {
  check(w.dim() <= 1, ErrorKind::shape,
        "cov(): expected {} to have one or fewer dimensions but got {} with {} dimensions", name,
        name, w.dim());
  check(w.numel() == columns, ErrorKind::shape,
        "cov(): expected {} to have the same numel as there are observations in the input but got "
        "{} != {}",
        name, w.numel(), columns);
  check(w.numel() == 0 || !any(w < 0).item<bool>(), ErrorKind::value,
        "cov(): {} cannot be negative", name);
}

/// How much each column counts, 1-d; undefined if all count the same.
Tensor weights_of(const std::optional<Tensor>& fweights, const std::optional<Tensor>& aweights,
                  int64_t columns) {
  if (fweights) {
    check(is_integral(fweights->dtype()), ErrorKind::dtype,
          "cov(): expected fweights to have integral dtype but got fweights with {} dtype",
          scalar_type_name(fweights->dtype()));
    check_weights("fweights", *fweights, columns);
  }
  if (aweights) {
    check(is_floating_point(aweights->dtype()), ErrorKind::dtype,
          "cov(): expected aweights to have floating point dtype but got aweights with {} dtype",
          scalar_type_name(aweights->dtype()));
    check_weights("aweights", *aweights, columns);
  }
  if (!fweights) return aweights.value_or(Tensor());
  const Tensor counts = fweights->to(DType::int64);
  return aweights ? counts * *aweights : counts;
}

// ---- histograms ---------------------------------------------------------------------------------

struct Ends {
  double low, high;
};

/// The smallest and the largest element, or what was given; if both are one number, that much less
/// and more.
Ends ends_of(const char* op, const Tensor& x, double low, double high, bool is_given,
             double least_reach) {
  if (!is_given && x.numel() > 0) {
    const auto [least, most] = aminmax(x.detach());
    low = least.item<double>();
    high = most.item<double>();
  }
  if (low == high) {
    low -= least_reach;
    high += least_reach;
  }
  check(std::isfinite(low) && std::isfinite(high), ErrorKind::value,
        "{}: range of [{}, {}] is not finite", op, low, high);
  check(low < high, ErrorKind::value, "{}: max must be larger than min", op);
  return {low, high};
}

/// The sums of weights (or counts, if there are none) by position, of which those that are `bins`
/// do not count.
Tensor sums_by(const Tensor& position, const std::optional<Tensor>& weight, int64_t bins,
               DType dtype) {
  const Tensor where_to = position.flatten();
  const Tensor what = weight ? weight->detach().to(dtype).flatten()
                             : ones({where_to.numel()}, {dtype, position.device()});
  return zeros({bins + 1}, {dtype, position.device()})
      .index_add(0, where_to, what)
      .narrow(0, 0, bins)
      .clone();
}

void check_histogram(const Tensor& x, const std::optional<Tensor>& weight) {
  check_implemented(is_floating_point(x.dtype()), "histogram_cpu", x.dtype());
  if (!weight) return;
  check(weight->dtype() == x.dtype(), ErrorKind::dtype,
        "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should "
        "have the same dtype, but got input(self) {}, and weight {}",
        scalar_type_name(x.dtype()), scalar_type_name(weight->dtype()));
  check(weight->shape() == x.shape(), ErrorKind::shape,
        "torch.histogramdd: if weight tensor is provided it should have the same shape as the "
        "input tensor, but got input of shape {} and weight of shape {}",
        x.shape(), weight->shape());
}

Tensor density_of(const Tensor& counts, const Tensor& edges) {
  return counts / (sum(counts) * diff(edges));
}

std::pair<Tensor, Tensor> histogram_of(const Tensor& x, const Tensor& edges,
                                       const std::optional<Tensor>& weight, bool density) {
  const int64_t bins = edges.numel() - 1;
  const Tensor values = x.detach();
  const Tensor last = edges[bins], within = (values >= edges[0]) & (values <= last);
  const Tensor found = searchsorted(edges, values.contiguous(), false, true) - 1;
  const Tensor position = where(within, minimum(found, bins - 1), bins);
  const Tensor counts = sums_by(position, weight, bins, x.dtype());
  return {density ? density_of(counts, edges) : counts, edges};
}

}  // namespace

Tensor cov(const Tensor& x, int64_t correction, const std::optional<Tensor>& fweights,
           const std::optional<Tensor>& aweights) {
  check(x.dim() <= 2, ErrorKind::shape,
        "cov(): expected input to have two or fewer dimensions but got an input with {} dimensions",
        x.dim());
  check(x.dtype() != DType::boolean, ErrorKind::dtype,
        "cov(): bool dtype is not supported for input");
  const DType dtype = float_type(x.dtype());
  const Tensor rows = (x.dim() < 2 ? x.reshape({1, -1}) : x).to(dtype);
  const int64_t columns = rows.size(1);
  const Tensor w = weights_of(fweights, aweights, columns);
  const Tensor weighted = w.defined() ? rows * w : rows;
  const Tensor total = w.defined() ? sum(w) : full({}, columns, DType::int64).to(x.device());
  const Tensor centred = rows - sum(weighted, {1}, true, dtype) / total;
  // Half of the freedom is lost for every weight that is half as large.
  const Tensor lost = aweights && correction != 0
                          ? correction * sum(w * *aweights) / total
                          : full({}, correction, DType::int64).to(x.device());
  const Tensor divisor = clamp_min(total - lost, 0);
  const Tensor right = (w.defined() ? centred * w : centred).t();
  return (mm(centred, (x.is_complex() ? conj(right) : right).to(dtype)) / divisor).squeeze();
}

Tensor corrcoef(const Tensor& x) {
  check(x.dim() <= 2, ErrorKind::shape,
        "corrcoef(): expected input to have two or fewer dimensions but got an input with {} "
        "dimensions",
        x.dim());
  const Tensor c = cov(x);
  if (c.dim() == 0) return c / c;
  const Tensor d = c.diagonal();
  const Tensor spread = sqrt(d.is_complex() ? real(d) : d);
  const Tensor found = c / spread.unsqueeze(1) / spread;
  // Rounding may leave the range.
  return found.is_complex() ? found : clamp(found, -1, 1);
}

Tensor histc(const Tensor& x, int64_t bins, Scalar min, Scalar max) {
  check_implemented(is_floating_point(x.dtype()), "histogram_cpu", x.dtype());
  check(bins > 0, ErrorKind::value, "histc(): bins must be > 0, but got {}", bins);
  const double low = min.to_double(), high = max.to_double();
  const Ends ends = ends_of("histc", x, low, high, low != high, 1);
  const Tensor values = x.detach();
  const Tensor within = (values >= ends.low) & (values <= ends.high);
  const Tensor share = (values - ends.low) / (ends.high - ends.low) * bins;
  const Tensor number = minimum(where(within, share, 0).to(DType::int64), bins - 1);
  return sums_by(where(within, number, bins), {}, bins, x.dtype());
}

std::pair<Tensor, Tensor> histogram(const Tensor& x, int64_t bins,
                                    const std::optional<Tensor>& range,
                                    const std::optional<Tensor>& weight, bool density) {
  check_histogram(x, weight);
  check(bins > 0, ErrorKind::value, "torch.histogram(): bins must be > 0, but got {}", bins);
  check(!range || range->numel() == 2, ErrorKind::value,
        "torch.histogramdd: for a 1-dimensional histogram range should have 2 elements, but got {}",
        range ? range->numel() : 2);
  const std::vector<double> given = range ? range->to_vector<double>() : std::vector<double>{0, 0};
  const Ends ends = ends_of("torch.histogramdd", x, given[0], given[1], range.has_value(), 0.5);
  const Tensor edges = linspace(ends.low, ends.high, bins + 1, {x.dtype(), x.device()});
  return histogram_of(x, edges, weight, density);
}

std::pair<Tensor, Tensor> histogram(const Tensor& x, const Tensor& bins,
                                    const std::optional<Tensor>& weight, bool density) {
  check_histogram(x, weight);
  check(bins.dim() == 1 && bins.numel() > 1, ErrorKind::shape,
        "torch.histogramdd: bins tensor should have one dimension and at least 2 elements, but got "
        "a tensor of shape {}",
        bins.shape());
  check(
      bins.dtype() == x.dtype(), ErrorKind::dtype,
      "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input "
      "with dtype {} and bins with dtype {}",
      scalar_type_name(x.dtype()), scalar_type_name(bins.dtype()));
  return histogram_of(x, bins.detach().clone(), weight, density);
}

Tensor layer_norm(const Tensor& x, const Shape& normalized_shape,
                  const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
                  double eps) {
  const auto rank = static_cast<int64_t>(normalized_shape.size());
  check(rank > 0, ErrorKind::shape,
        "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
        "element, but got normalized_shape = {}",
        normalized_shape);
  Shape last;
  for (int64_t d = std::max<int64_t>(x.dim() - rank, 0); d < x.dim(); ++d) {
    last.push_back(x.shape()[d]);
  }
  check(last == normalized_shape, ErrorKind::shape,
        "Given normalized_shape={}, expected input with that shape at its end, but got input of "
        "size {}",
        normalized_shape, x.shape());
  for (const auto& [name, factor] : {std::pair("weight", &weight), std::pair("bias", &bias)}) {
    check(!*factor || (*factor)->shape() == normalized_shape, ErrorKind::shape,
          "Expected {} to be of same shape as normalized_shape, but got {} of shape {} and "
          "normalized_shape = {}",
          name, name, *factor ? (*factor)->shape() : Shape(), normalized_shape);
  }
  check_implemented(is_floating_point(x.dtype()), "LayerNormKernelImpl", x.dtype());
  Dims dims;
  for (int64_t d = -rank; d < 0; ++d) dims.push_back(d);
  const DType wide = compute_dtype(x.dtype());
  const Tensor values = x.to(wide);
  const auto [spread, centre] = var_mean(values, dims, 0, true);
  Tensor y = (values - centre) * rsqrt(spread + eps);
  if (weight) y = y * weight->to(wide);
  if (bias) y = y + bias->to(wide);
  return y.to(x.dtype());
}

bool is_nonzero(const Tensor& x) {
  check(x.numel() != 0, ErrorKind::value, "Boolean value of Tensor with no values is ambiguous");
  check(x.numel() == 1, ErrorKind::value,
        "Boolean value of Tensor with more than one value is ambiguous");
  return x.item().to_bool();
}

std::vector<Row> sample_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, -2.f, 3.5f, 0.5f}, {4.f, 0.f, 6.f, 1.f}}));
  const Tensor ints = SAMPLE(tensor({{1, 2, 4}, {0, 3, 1}})), often = SAMPLE(tensor({1, 2, 0, 3}));
  const Tensor share = SAMPLE(tensor({0.5f, 1.f, 0.25f, 2.f})),
               edges = SAMPLE(tensor({-2.f, 0.f, 0.5f, 4.f}));
  const Value none;
  const auto n = [](int64_t v) { return Value(v); };
  return {
      make_row("cov(Tensor input, *, int correction=1, Tensor? fweights=None, Tensor? "
               "aweights=None) -> Tensor",
               "The covariances of the rows of input.", cov,
               SAMPLES({x, n(1), none, none}, {x, n(0), often, share}, {x, n(1), often, none},
                       {ints, n(1), none, none}, {share, n(1), none, none})),
      make_row("corrcoef(Tensor input) -> Tensor", "The correlations of the rows of input.",
               corrcoef, SAMPLES({x}, {ints}, {share})),
      make_row("histc(Tensor input, int bins=100, Scalar min=0, Scalar max=0) -> Tensor",
               "How many elements are in each of equal intervals from min to max, or between the "
               "extremes.",
               histc, SAMPLES({x, n(4), Scalar(0), Scalar(0)}, {x, n(3), Scalar(-1), Scalar(4)}))
          .with_out(),
      make_row("histogram(Tensor input, Tensor bins, *, Tensor? weight=None, bool density=False) "
               "-> (Tensor hist, Tensor bin_edges)",
               "How many elements, or what weights, are between each two edges, and the edges.",
               static_cast<std::pair<Tensor, Tensor> (*)(
                   const Tensor&, const Tensor&, const std::optional<Tensor>&, bool)>(histogram),
               SAMPLES({x, edges, none, false}, {share, edges, share, true}))
          .with_out(),
      make_row("histogram(Tensor input, int bins, *, Tensor|float[]? range=None, Tensor? "
               "weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
               "How many elements, or what weights, are in each of equal intervals, and their "
               "edges.",
               static_cast<std::pair<Tensor, Tensor> (*)(
                   const Tensor&, int64_t, const std::optional<Tensor>&,
                   const std::optional<Tensor>&, bool)>(histogram),
               SAMPLES({x, n(4), none, none, false}, {x, n(3), edges.narrow(0, 1, 2), x, true}))
          .with_out(),
      make_row("layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? "
               "bias=None, float eps=1e-05) -> Tensor",
               "The elements less their mean, divided by their standard deviation, over the last "
               "dimensions; times weight, plus bias.",
               layer_norm,
               SAMPLES({x, Shape{4}, none, none, 1e-5}, {x, Shape{4}, share, edges, 1e-5},
                       {x, Shape{2, 4}, x, none, 0.5}))
          .function_only(),
      make_row("is_nonzero(Tensor input) -> bool", "Whether the only element is not zero.",
               is_nonzero, SAMPLES({tensor({2.5f})}, {tensor(0)}, {tensor({{false}})})),
  };
}

}  // namespace tamis
