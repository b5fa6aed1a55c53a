// Scan: running sums, products and extremes along a dimension, and differences of neighbours.
#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "ops/index/gradients.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/reduce/reduce.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// A contiguous tensor as [outer, reduced, inner], `dim` being the one in the middle.
ReductionShape lines_of(const Shape& shape, int64_t dim) {
  ReductionShape lines;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    (d < dim ? lines.outer : d == dim ? lines.reduced : lines.inner) *= shape[d];
  }
  return lines;
}

/// x in memory of its own, as dtype: what is deferred is computed straight into it.
Tensor own_copy(const Tensor& x, DType dtype) {
  require(backend_of(x), Feature::scan, dtype);
  Tensor copy = allocate(x.shape(), dtype, backend_of(x));
  store(copy, x.to(dtype));
  return copy;
}

DType scan_dtype(const Tensor& x, std::optional<DType> dtype) {
  return dtype.value_or(result_dtype(Reduction::sum, x.dtype()));
}

std::pair<Tensor, Tensor> running_extreme(bool largest, const Tensor& x, int64_t dim) {
  check_implemented(!is_complex(x.dtype()), largest ? "cummax_helper_cpu" : "cummin_helper_cpu",
                    x.dtype());
  const ReductionShape lines = lines_of(x.shape(), wrap_dim(dim, x.dim()));
  const Tensor values = own_copy(x, x.dtype());
  const Tensor indices = allocate(x.shape(), DType::int64, backend_of(x));
  if (x.numel() != 0) {
    backend_of(x).scan_extreme(largest, buffer_of(values), x.dtype(), lines, buffer_of(indices));
  }
  if (is_tracked(x)) record_gather(values, x, wrap_dim(dim, x.dim()), indices);
  return {values, indices};
}

/// The running sum from the end.
Tensor sum_from_end(const Tensor& x, int64_t dim) {
  return x.dim() == 0 ? x : flip(cumsum(flip(x, {dim}), dim), {dim});
}

Gradients prod_gradient(const Tensor& g, const Tensor& x, int64_t dim) {
  // Up to the first zero, each product divided by the element. The first zero itself gets the
  // products of the others, up to the second one. After that nothing counts.
  const Tensor is_zero = x == 0, none = scalar_tensor(0, x.dtype());
  const Tensor nonzero = where(is_zero, scalar_tensor(1, x.dtype()), x);
  const Tensor zeros_so_far = cumsum(is_zero, dim), terms = g * cumprod(nonzero, dim);
  const Tensor before = sum_from_end(where(zeros_so_far == 0, terms, none), dim) / nonzero;
  const Tensor at_zero = sum_from_end(where(zeros_so_far == 1, terms, none), dim);
  return {where(zeros_so_far == 0, before, where(is_zero & (zeros_so_far == 1), at_zero, none))};
}

/// In logarithms, the positive and the negative part of g separately, so that nothing overflows.
Gradients log_sum_exp_gradient(const Tensor& g, const Tensor& x, const Tensor& y, int64_t dim) {
  const Tensor least = scalar_tensor(-INFINITY, x.dtype());
  const auto part = [&](const Tensor& size) {
    // A sum of zeros only has no slope.
    const Tensor logs = where((size > 0) & (y > least), log(size) - y, least);
    if (x.dim() == 0) return exp(logs + x);
    return exp(flip(logcumsumexp(flip(logs, {dim}), dim), {dim}) + x);
  };
  return {part(g) - part(-g)};
}

void record_scan(Scan scan, const Tensor& y, const Tensor& x, int64_t dim) {
  switch (scan) {
    case Scan::sum:
      return record(y, "cumsum", Flow::moves, {x}, {},
                    [dim](const Tensor& g, std::span<const Tensor>) -> Gradients {
                      return {sum_from_end(g, dim)};
                    });
    case Scan::prod:
      return record(y, "cumprod", Flow::mixes, {x}, {x},
                    [dim](const Tensor& g, std::span<const Tensor> saved) {
                      return prod_gradient(g, conj(saved[0]), dim);
                    });
    default:
      return record(y, "logcumsumexp", Flow::mixes, {x}, {x, y},
                    [dim](const Tensor& g, std::span<const Tensor> saved) {
                      return log_sum_exp_gradient(g, saved[0], saved[1], dim);
                    });
  }
}

}  // namespace

Tensor scanned(Scan scan, const char* op, const Tensor& x, int64_t dim, DType result) {
  const int64_t d = wrap_dim(dim, x.dim());
  if (x.dim() == 0 || x.numel() == 0) return x.to(result).clone();
  check_implemented(result != DType::boolean, op, result);
  const Tensor running = own_copy(x, result);
  backend_of(x).scan(scan, buffer_of(running), result, lines_of(x.shape(), d));
  if (carries_gradient(result) && is_tracked(x)) record_scan(scan, running, x.to(result), d);
  return running;
}

Tensor cumsum(const Tensor& x, int64_t dim, std::optional<DType> dtype) {
  return scanned(Scan::sum, "cumsum_out_cpu", x, dim, scan_dtype(x, dtype));
}

Tensor cumprod(const Tensor& x, int64_t dim, std::optional<DType> dtype) {
  return scanned(Scan::prod, "cumprod_out_cpu", x, dim, scan_dtype(x, dtype));
}

Tensor& cumsum_(Tensor& x, int64_t dim, std::optional<DType> dtype) {
  return write_back(x, cumsum(x, dim, dtype.value_or(x.dtype())));
}

Tensor& cumprod_(Tensor& x, int64_t dim, std::optional<DType> dtype) {
  return write_back(x, cumprod(x, dim, dtype.value_or(x.dtype())));
}

std::pair<Tensor, Tensor> cummax(const Tensor& x, int64_t dim) {
  return running_extreme(true, x, dim);
}

std::pair<Tensor, Tensor> cummin(const Tensor& x, int64_t dim) {
  return running_extreme(false, x, dim);
}

Tensor logcumsumexp(const Tensor& x, int64_t dim) {
  check_implemented(is_floating_point(x.dtype()), "logcumsumexp_out_cpu", x.dtype());
  return scanned(Scan::logsumexp, "logcumsumexp_out_cpu", x, dim, x.dtype());
}

Tensor diff(const Tensor& x, int64_t n, int64_t dim, std::optional<Tensor> prepend,
            std::optional<Tensor> append) {
  check(x.dim() > 0, ErrorKind::shape, "diff expects input to be at least one-dimensional");
  const int64_t d = wrap_dim(dim, x.dim());
  check(n >= 0, ErrorKind::value, "order must be non-negative but got {}", n);
  std::vector<Tensor> parts;
  if (prepend) parts.push_back(*prepend);
  parts.push_back(x);
  if (append) parts.push_back(*append);
  Tensor result = parts.size() == 1 ? x : cat(parts, d);
  if (n == 0) return result.clone();
  for (int64_t i = std::min(n, result.size(d)); i > 0; --i) {
    const int64_t left = result.size(d) - 1;
    const Tensor next = result.narrow(d, 1, left), before = result.narrow(d, 0, left);
    result = x.dtype() == DType::boolean ? ne(next, before) : sub(next, before);
  }
  return result;
}

std::vector<Row> scan_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, -2.f, 3.5f}, {4.f, 0.f, 6.f}}));
  const Tensor ints = SAMPLE(tensor({{5, 0, 5}, {0, 7, 7}}));
  const Tensor mask = SAMPLE(tensor({{true, false, true}, {true, true, true}}));
  const Value absent;
  const std::vector<Args> sums = SAMPLES(
      {x, int64_t{1}, absent}, {ints, int64_t{0}, DType::float32}, {mask, int64_t{-1}, absent});
  const std::vector<Args> along = SAMPLES({x, int64_t{1}}, {ints, int64_t{0}}, {mask, int64_t{-1}});
  const std::string options = "(Tensor input, int dim, *, dtype? dtype=None) -> Tensor";
  const std::string both = "(Tensor input, int dim) -> (Tensor values, Tensor indices)";
  return {
      make_row("cumsum" + options,
               "The running sum along dim; integers and bools give int64, uint64 itself.", cumsum,
               sums)
          .with_in_place()
          .with_out(),
      make_row("cumprod" + options,
               "The running product along dim; integers and bools give int64, uint64 itself.",
               cumprod, sums)
          .with_in_place()
          .with_out(),
      make_row("cummax" + both,
               "The running maximum along dim and its index, the last among equals; NaN wins.",
               cummax, along)
          .with_out(),
      make_row("cummin" + both,
               "The running minimum along dim and its index, the last among equals; NaN wins.",
               cummin, along)
          .with_out(),
      make_row("logcumsumexp(Tensor input, int dim) -> Tensor",
               "The logarithm of the running sum of exponentials along dim.", logcumsumexp,
               SAMPLES({x, int64_t{1}}, {x, int64_t{0}}))
          .with_out(),
      make_row("diff(Tensor input, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) "
               "-> Tensor",
               "The differences between neighbours along dim, n times over; of bools, where they "
               "differ.",
               diff,
               SAMPLES({x, int64_t{1}, int64_t{-1}, absent, absent},
                       {ints, int64_t{2}, int64_t{1}, absent, absent},
                       {mask, int64_t{1}, int64_t{0}, absent, absent},
                       {ints, int64_t{1}, int64_t{0}, tensor({{1, 2, 3}}), tensor({{4, 4, 4}})}))
          .with_out(),
  };
}

}  // namespace tamis
