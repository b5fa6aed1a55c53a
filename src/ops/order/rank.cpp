// Order: elements that are found by their rank or their frequency.
#include <limits>

#include "core/check.h"
#include "ops/index/gradients.h"
#include "ops/order/order_args.h"
#include "ops/pointwise/pointwise.h"
#include "tamis/order.h"
#include "tamis/pointwise.h"

namespace tamis {

namespace {

/// The element of the given rank (0-based) of each slice, and its index.
std::pair<Tensor, Tensor> at_ranks(const Sliced& sliced, const std::vector<int64_t>& ranks,
                                   bool keepdim) {
  const Tensor values = sliced.make_results(1, sliced.elements().dtype());
  const Tensor indices = sliced.make_results(1, DType::int64);
  if (!ranks.empty()) {
    sliced.backend().select(sliced.slices(), ranks, 1, buffer_of(values), buffer_of(indices));
  }
  const Tensor& from = sliced.elements();
  if (is_tracked(from)) record_picked(values, from, from.dim() - 1, indices);
  return {sliced.reduced(values, keepdim), sliced.reduced(indices, keepdim)};
}

/// NaNs come last in order, so the first of them follows the others.
std::pair<Tensor, Tensor> median_along(const Tensor& x, int64_t dim, bool keepdim, bool skip_nan) {
  const int64_t d = wrap_dim(dim, x.dim());
  check_not_empty("median", x, d);
  check_ordered("median_out", x.dtype(), false);
  const Sliced sliced(x, d);
  const int64_t n = sliced.size();
  std::vector<int64_t> ranks(static_cast<size_t>(sliced.count()), (n - 1) / 2);
  if (is_floating_point(x.dtype()) && !ranks.empty()) {
    const std::vector<int64_t> nans = isnan(sliced.elements()).sum({-1}).to_vector<int64_t>();
    for (size_t s = 0; s < ranks.size(); ++s) {
      const int64_t others = n - nans[s];
      if (skip_nan) {
        ranks[s] = others > 0 ? (others - 1) / 2 : 0;
      } else if (nans[s] > 0) {
        ranks[s] = others;
      }
    }
  }
  return at_ranks(sliced, ranks, keepdim);
}

Tensor median_of_all(const Tensor& x, bool skip_nan) {
  check_ordered("median_cpu", x.dtype(), false);
  if (x.numel() == 0) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    return full_on(backend_of(x), {}, kNaN, DType::float32).to(x.dtype());
  }
  return median_along(x.reshape({-1}), 0, false, skip_nan).first;
}

}  // namespace

std::pair<Tensor, Tensor> kthvalue(const Tensor& x, int64_t k, int64_t dim, bool keepdim) {
  const int64_t d = wrap_dim(dim, x.dim());
  const int64_t n = x.dim() == 0 ? 1 : x.shape()[d];
  check_not_empty("kthvalue", x, d);
  check(k >= 1 && k <= n, ErrorKind::value,
        "kthvalue(): selected number k out of range for dimension {}", d);
  if (x.dim() == 0) return {x.clone(), zeros_on(backend_of(x), {}, DType::int64)};
  check_ordered("kthvalue_cpu", x.dtype(), false);
  const Sliced sliced(x, d);
  return at_ranks(sliced, std::vector<int64_t>(static_cast<size_t>(sliced.count()), k - 1),
                  keepdim);
}

Tensor median(const Tensor& x) { return median_of_all(x, false); }
Tensor nanmedian(const Tensor& x) { return median_of_all(x, true); }
std::pair<Tensor, Tensor> median(const Tensor& x, int64_t dim, bool keepdim) {
  return median_along(x, dim, keepdim, false);
}
std::pair<Tensor, Tensor> nanmedian(const Tensor& x, int64_t dim, bool keepdim) {
  return median_along(x, dim, keepdim, true);
}

std::pair<Tensor, Tensor> mode(const Tensor& x, int64_t dim, bool keepdim) {
  const int64_t d = wrap_dim(dim, x.dim());
  check_not_empty("mode", x, d);
  check_ordered("mode", x.dtype(), true);
  const Sliced sliced(x, d);
  const Tensor values = sliced.make_results(1, x.dtype()),
               indices = sliced.make_results(1, DType::int64);
  if (x.numel() > 0) {
    sliced.backend().mode(sliced.slices(), buffer_of(values), buffer_of(indices));
  }
  const Tensor& from = sliced.elements();
  if (is_tracked(from)) record_picked(values, from, from.dim() - 1, indices);
  return {sliced.reduced(values, keepdim), sliced.reduced(indices, keepdim)};
}

std::pair<Tensor, Tensor> aminmax(const Tensor& x, std::optional<int64_t> dim, bool keepdim) {
  check_ordered("aminmax_cpu", x.dtype(), true);
  if (!dim) {
    check(x.numel() > 0, ErrorKind::value,
          "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
          "identity.");
    return {amin(x, {}, keepdim), amax(x, {}, keepdim)};
  }
  const int64_t d = wrap_dim(*dim, x.dim());
  check(x.dim() == 0 || x.shape()[d] > 0, ErrorKind::index,
        "aminmax: Expected reduction dim {} to have non-zero size.", d);
  return {amin(x, {d}, keepdim), amax(x, {d}, keepdim)};
}

std::vector<Row> order_rows() {
  const Tensor x = SAMPLE(tensor({{3.f, 1.f, 2.f}, {6.f, 5.f, 4.f}}));
  const Tensor ints = SAMPLE(tensor({30, 10, 20, 10}));
  const std::vector<Args> along = SAMPLES({x, int64_t{-1}, false}, {ints, int64_t{0}, true});
  return {
      make_row("kthvalue(Tensor input, int k, int dim=-1, bool keepdim=False) -> (Tensor values, "
               "Tensor indices)",
               "The k-th smallest element along a dimension, counted from 1, and its index.",
               kthvalue,
               SAMPLES({x, int64_t{2}, int64_t{-1}, false}, {x, int64_t{1}, int64_t{0}, true},
                       {ints, int64_t{2}, int64_t{0}, false}))
          .with_out(),
      make_row(
          "median(Tensor input) -> Tensor",
          "The lower median of all elements; NaN if there is one.",
          +[](const Tensor& input) { return median(input); }, SAMPLES({x}, {ints}))
          .with_out(),
      make_row(
          "median(Tensor input, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
          "The lower median along a dimension and its index; NaN if there is one.",
          +[](const Tensor& input, int64_t dim, bool keepdim) {
            return median(input, dim, keepdim);
          },
          along)
          .with_out(),
      make_row(
          "nanmedian(Tensor input) -> Tensor", "The lower median of the elements that are not NaN.",
          +[](const Tensor& input) { return nanmedian(input); }, SAMPLES({x}, {ints}))
          .with_out(),
      make_row(
          "nanmedian(Tensor input, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
          "The lower median of the elements along a dimension that are not NaN, and its index.",
          +[](const Tensor& input, int64_t dim, bool keepdim) {
            return nanmedian(input, dim, keepdim);
          },
          along)
          .with_out(),
      make_row("mode(Tensor input, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor "
               "indices)",
               "The most frequent element along a dimension, the smallest of several, and its "
               "index.",
               mode, SAMPLES({x, int64_t{-1}, false}, {ints, int64_t{0}, true}))
          .with_out(),
      make_row("aminmax(Tensor input, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor "
               "max)",
               "The smallest and the largest element, of all or along a dimension.", aminmax,
               SAMPLES({x, {}, false}, {x, int64_t{0}, true}, {ints, {}, false}))
          .with_out(),
  };
}

}  // namespace tamis
