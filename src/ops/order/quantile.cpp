// Quantiles, and the order of the elements that a mask keeps.
#include <cmath>
#include <limits>

#include "autograd/node.h"
#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/mask_args.h"
#include "ops/order/order_args.h"
#include "ops/quantile_rank.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// The gradient of a quantile goes to the two elements that it lies between, and to q by their
/// distance; `found` has their indices, two by two.
void record_quantiles(const Tensor& out, const Sliced& sliced, const Tensor& q,
                      const std::vector<FractionalRank>& ranks, const std::vector<int64_t>& found) {
  std::vector<int64_t> below, above;
  std::vector<double> weights, slopes;
  for (size_t i = 0; i < ranks.size(); ++i) {
    below.push_back(found[2 * i]);
    above.push_back(found[2 * i + 1]);
    weights.push_back(ranks[i].weight);
    slopes.push_back(ranks[i].slope);
  }
  const Tensor& x = sliced.elements();
  const Shape shape = out.shape();
  // A number may have another dtype.
  const Tensor qs = to_backend(q.reshape({-1}).to(out.dtype()), backend_of(x));
  const auto saved = [&](const auto& values) {
    return to_backend(tensor(values, shape), backend_of(x));
  };
  record(out, "quantile", Flow::mixes, {x, qs},
         {saved(below), saved(above), saved(weights), saved(slopes), x, qs},
         [](const Tensor& g, std::span<const Tensor> s) -> Gradients {
           const Tensor &lower = s[0], &upper = s[1], &v = s[4];
           const Tensor slope = s[3].to(g.dtype());
           // The weights as they are, and as they change with q.
           const Tensor weight = s[2].to(g.dtype()) + (s[5] - s[5].detach()) * slope;
           const Tensor none = zeros_on(backend_of(g), v.shape(), g.dtype());
           return {
               scatter_add(scatter_add(none, -1, lower, g * (1 - weight)), -1, upper, g * weight),
               g * slope * (gather(v, -1, upper) - gather(v, -1, lower))};
         });
}

/// The quantiles of each slice, shaped as `shape`. The elements between which they lie are found by
/// the backend; the host interpolates.
template <class T>
Tensor interpolate(const Sliced& sliced, const Tensor& q, const std::vector<FractionalRank>& ranks,
                   const Shape& shape) {
  std::vector<int64_t> neighbours;
  neighbours.reserve(2 * ranks.size());
  for (const FractionalRank& r : ranks) {
    neighbours.push_back(r.below);
    neighbours.push_back(r.above);
  }
  Backend& backend = backend_of(sliced.elements());
  const bool tracked = is_tracked(sliced.elements()) || is_tracked(q);
  const auto n = static_cast<int64_t>(neighbours.size());
  const Tensor found = allocate({n}, dtype_of<T>, backend);
  const Tensor indices = allocate({tracked ? n : 0}, DType::int64, backend);
  sliced.backend().select(sliced.slices(), neighbours, n / sliced.count(), buffer_of(found),
                          tracked ? buffer_of(indices) : Buffer());
  const Tensor ends = to_host(found);
  const T* const end = ends.data<T>();
  const Tensor values = allocate_on_host(shape, dtype_of<T>);
  T* const to = values.mutable_data<T>();
  for (size_t i = 0; i < ranks.size(); ++i) {
    to[i] = between(end[2 * i], end[2 * i + 1], static_cast<T>(ranks[i].weight));
  }
  const Tensor out = to_backend(values, backend);
  if (tracked) record_quantiles(out, sliced, q, ranks, indices.to_vector<int64_t>());
  return out;
}

/// Where the quantiles of each slice lie. A slice with NaN, unless they are skipped, has NaN only.
std::vector<FractionalRank> ranks_in(const Sliced& sliced, const std::vector<double>& qs,
                                     Interpolation interpolation, bool skip_nan) {
  const DType dtype = sliced.elements().dtype();
  const int64_t last = sliced.size() - 1;
  std::vector<FractionalRank> ranks;
  for (int64_t nans : isnan(sliced.elements()).sum({-1}).to_vector<int64_t>()) {
    for (double q : qs) {
      if (nans == 0) {
        ranks.push_back(rank_of(q, last, dtype, interpolation));
      } else if (skip_nan && nans <= last) {
        ranks.push_back(rank_of(q, last - nans, dtype, interpolation));
      } else {
        ranks.push_back({last, last, 0, 0});
      }
    }
  }
  return ranks;
}

Tensor quantile_of(const Tensor& x, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                   const std::string& interpolation, bool skip_nan) {
  check(x.numel() > 0, ErrorKind::value, "quantile() input tensor must be non-empty");
  check(x.dtype() == DType::float32 || x.dtype() == DType::float64, ErrorKind::dtype,
        "quantile() input tensor must be either float or double dtype");
  const std::vector<double> qs = probabilities(q, x.dtype());
  const Interpolation how = interpolation_of(interpolation);
  const int64_t d = dim ? wrap_dim(*dim, x.dim()) : 0;

  Shape kept = x.shape();  // of the result for one q
  if (!dim) {
    kept = keepdim ? Shape(kept.size(), 1) : Shape{};
  } else if (x.dim() > 0) {
    kept[d] = 1;
    if (!keepdim) kept.erase(d);
  }
  if (q.dim() == 1) kept.insert(0, q.numel());

  const Sliced sliced(dim ? x : x.reshape({-1}), d);
  Tensor out = sliced.make_results(static_cast<int64_t>(qs.size()), x.dtype());
  if (out.numel() > 0) {
    const std::vector<FractionalRank> ranks = ranks_in(sliced, qs, how, skip_nan);
    out = x.dtype() == DType::float32 ? interpolate<float>(sliced, q, ranks, out.shape())
                                      : interpolate<double>(sliced, q, ranks, out.shape());
  }
  if (!dim || x.dim() <= 1) return out.view(kept);
  // The quantiles come first, followed by the dimensions of x in their order.
  Shape order = {d};
  for (int64_t i = 0; i < x.dim(); ++i) {
    if (i != d) order.push_back(i);
  }
  return out.transpose(d, -1).permute(order).contiguous().view(kept);
}

/// x with NaN where mask is false.
Tensor with_nan(const char* op, const Tensor& x, const Tensor& mask) {
  if (!mask.defined()) return x;
  check_mask(mask, std::string(op) + ": expected BoolTensor for mask, but got");
  check_broadcasts_to(x, mask.shape());
  return where(mask, x, scalar_tensor(std::numeric_limits<double>::quiet_NaN(), x.dtype()));
}

}  // namespace

Tensor quantile(const Tensor& x, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                const std::string& interpolation) {
  return quantile_of(x, q, dim, keepdim, interpolation, false);
}

Tensor nanquantile(const Tensor& x, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                   const std::string& interpolation) {
  return quantile_of(x, q, dim, keepdim, interpolation, true);
}

Tensor percentile(const Tensor& x, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                  const std::string& interpolation) {
  check(!is_complex(q.dtype()), ErrorKind::dtype, "percentile() q must be real, but got {}",
        scalar_type_name(q.dtype()));
  check(q.dim() <= 1, ErrorKind::shape,
        "percentile() q must be a number or a 1-d tensor, but got shape {}", q.shape());
  for (double v : q.to_vector<double>()) {
    check(v >= 0 && v <= 100, ErrorKind::value,
          "percentile() q must be in the range [0, 100] but got {}", v);
  }
  Tensor share = q.cpu().to(DType::float64) / 100;
  // A number stays one, since quantile takes it whatever its dtype.
  share.impl().is_number = q.impl().is_number;
  if (!q.impl().is_number) share = share.to(x.dtype()).to(q.device());
  return quantile(x, share, dim, keepdim, interpolation);
}

namespace masked {

Tensor median(const Tensor& x, const Tensor& mask, int64_t dim, bool keepdim,
              std::optional<DType> dtype) {
  check_ordered("median_out", x.dtype(), true);
  const bool is_float = is_floating_point(x.dtype());
  const Tensor values = is_float ? x : x.to(DType::float64);
  const Tensor found = nanmedian(with_nan("masked.median", values, mask), dim, keepdim).first;
  check(is_float || !isnan(found).any().item<bool>(), ErrorKind::value,
        "masked median expects no fully masked out rows if dtype is not floating point");
  return found.to(dtype.value_or(x.dtype()));
}

Tensor quantile(const Tensor& x, const Tensor& mask, const Tensor& q, std::optional<int64_t> dim,
                bool keepdim, const std::string& interpolation) {
  if (!mask.defined()) return tamis::quantile(x, q, dim, keepdim, interpolation);
  const Tensor found =
      nanquantile(with_nan("masked.quantile", x, mask), q, dim, keepdim, interpolation);
  // A NaN that is kept decides, as it does without a mask.
  const Tensor nans = isnan(x).bitwise_and(mask);
  const Tensor spoiled = dim ? nans.any({*dim}, keepdim) : nans.any({}, keepdim);
  return where(spoiled, scalar_tensor(std::numeric_limits<double>::quiet_NaN(), x.dtype()), found);
}

}  // namespace masked

namespace {

Tensor masked_median_op(const Tensor& x, int64_t dim, bool keepdim, std::optional<DType> dtype,
                        std::optional<Tensor> mask) {
  return masked::median(x, mask.value_or(Tensor()), dim, keepdim, dtype);
}
Tensor masked_quantile_op(const Tensor& x, const Tensor& q, std::optional<int64_t> dim,
                          bool keepdim, const std::string& interpolation,
                          std::optional<Tensor> mask) {
  return masked::quantile(x, mask.value_or(Tensor()), q, dim, keepdim, interpolation);
}

}  // namespace

std::vector<Row> quantile_rows() {
  const Tensor x = SAMPLE(tensor({{3.f, 1.f, 2.f, 8.f}, {6.f, 5.f, 4.f, 7.f}}));
  const Tensor q = SAMPLE(tensor({0.25f, 0.5f}));
  const Tensor mask = SAMPLE(tensor({true, false, true, true}));
  const std::string linear = "linear", nearest = "nearest";
  return {
      make_row("quantile(Tensor input, Tensor|Scalar|float[] q, int? dim=None, bool keepdim=False, "
               "*, str interpolation='linear') -> Tensor",
               "The q-quantiles of all elements or along a dimension; NaN if there is a NaN.",
               quantile,
               SAMPLES({x, q, int64_t{1}, false, linear}, {x, Tensor(0.3), {}, true, nearest}))
          .with_out(),
      make_row("nanquantile(Tensor input, Tensor|Scalar|float[] q, int? dim=None, bool "
               "keepdim=False, *, str interpolation='linear') -> Tensor",
               "The q-quantiles of the elements that are not NaN, of all or along a dimension.",
               nanquantile,
               SAMPLES({x, q, int64_t{0}, true, linear}, {x, Tensor(0.3), {}, false, nearest}))
          .with_out(),
      make_row(
          "percentile(Tensor input, Tensor|Scalar|float[] q, int? dim=None, bool keepdim=False, *, "
          "str interpolation='linear') -> Tensor",
          "quantile with q in percent, from 0 to 100.", percentile,
          SAMPLES({x, Tensor(25), int64_t{1}, false, linear},
                  {x, tensor({5.f, 95.f}), {}, true, nearest}))
          .with_out(),
      make_row(
          "masked.median(Tensor input, int dim=-1, *, bool keepdim=False, dtype? dtype=None, "
          "Tensor|bool[]? mask=None) -> Tensor",
          "The lower median along a dimension of the elements that the mask keeps and that "
          "are not NaN.",
          masked_median_op,
          SAMPLES({x, int64_t{-1}, false, {}, mask}, {x, int64_t{0}, true, DType::float64, {}})),
      make_row("masked.quantile(Tensor input, Tensor|Scalar|float[] q, int? dim=None, bool "
               "keepdim=False, *, str interpolation='linear', Tensor|bool[]? mask=None) -> Tensor",
               "The q-quantiles of the elements that the mask keeps, of all or along a dimension.",
               masked_quantile_op,
               SAMPLES({x, q, int64_t{1}, false, linear, mask},
                       {x, Tensor(0.3), {}, true, nearest, {}})),
  };
}

}  // namespace tamis
