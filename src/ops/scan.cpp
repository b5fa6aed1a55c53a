// Scan: running sums, products and extremes along a dimension, and differences of neighbours.
#include <algorithm>

#include "core/check.h"
#include "ops/mask_args.h"
#include "ops/pointwise.h"
#include "ops/reduce.h"
#include "ops/row.h"
#include "tamis/indexing.h"
#include "tamis/reduce.h"

namespace tamis {

namespace {

/// A contiguous tensor as [outer, n, inner], n being one of its dimensions.
struct Lines {
  int64_t outer = 1, n = 1, inner = 1;

  Lines(const Shape& shape, int64_t dim) {
    for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
      (d < dim ? outer : d == dim ? n : inner) *= shape[d];
    }
  }
};

/// x in memory of its own, as dtype: what is deferred is computed straight into it.
Tensor own_copy(const Tensor& x, DType dtype) {
  Tensor copy = allocate(x.shape(), dtype);
  store(copy, x.to(dtype));
  return copy;
}

/// Each element is in its own sum and in all behind it.
void record_cumsum(const Tensor& y, const Tensor& x, int64_t dim) {
  record(y, "cumsum", Flow::mixes, {x}, {},
         [dim](const Tensor& g, std::span<const Tensor>) -> Gradients {
           return {flip(cumsum(flip(g, {dim}), dim), {dim})};
         });
}

DType scan_dtype(const Tensor& x, std::optional<DType> dtype) {
  return dtype ? *dtype : is_floating_point(x.dtype()) ? x.dtype() : DType::int64;
}

std::pair<Tensor, Tensor> running_extreme(bool largest, const Tensor& x, int64_t dim) {
  const Lines lines(x.shape(), wrap_dim(dim, x.dim()));
  const Tensor values = own_copy(x, x.dtype());
  const Tensor indices = allocate(x.shape(), DType::int64);
  if (x.numel() != 0) {
    cpu_backend().scan_extreme(largest, storage_of(values)->data(), x.dtype(), lines.outer, lines.n,
                               lines.inner, static_cast<int64_t*>(storage_of(indices)->data()));
  }
  return {values, indices};
}

}  // namespace

Tensor scanned(Scan scan, const char* op, const Tensor& x, int64_t dim, DType result) {
  const int64_t d = wrap_dim(dim, x.dim());
  if (x.dim() == 0 || x.numel() == 0) return own_copy(x, result);
  check_implemented(result != DType::boolean, op, result);
  const Tensor running = own_copy(x, result);
  const Lines lines(x.shape(), d);
  cpu_backend().scan(scan, storage_of(running)->data(), result, lines.outer, lines.n, lines.inner);
  if (scan == Scan::sum && is_floating_point(result) && is_tracked(x)) record_cumsum(running, x, d);
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
  const Tensor x = tensor({{1.f, -2.f, 3.5f}, {4.f, 0.f, 6.f}});
  const Tensor ints = tensor({{5, 0, 5}, {0, 7, 7}});
  const Tensor mask = tensor({{true, false, true}, {true, true, true}});
  const Value absent;
  const std::vector<Args> sums = {
      {x, int64_t{1}, absent}, {ints, int64_t{0}, DType::float32}, {mask, int64_t{-1}, absent}};
  const std::vector<Args> along = {{x, int64_t{1}}, {ints, int64_t{0}}, {mask, int64_t{-1}}};
  const std::string options = "(Tensor input, int dim, dtype? dtype=None) -> Tensor";
  const std::string both = "(Tensor input, int dim) -> (Tensor values, Tensor indices)";
  return {
      make_row("cumsum" + options, "The running sum along dim; integers and bools give int64.",
               cumsum, sums)
          .with_in_place()
          .with_out(),
      make_row("cumprod" + options, "The running product along dim; integers and bools give int64.",
               cumprod, sums)
          .with_in_place()
          .with_out(),
      make_row(
          "cummax" + both,
          "The running maximum along dim and where it stands, the last among equals; NaN wins.",
          cummax, along)
          .with_out(),
      make_row(
          "cummin" + both,
          "The running minimum along dim and where it stands, the last among equals; NaN wins.",
          cummin, along)
          .with_out(),
      make_row("logcumsumexp(Tensor input, int dim) -> Tensor",
               "The logarithm of the running sum of exponentials along dim.", logcumsumexp,
               {{x, int64_t{1}}, {x, int64_t{0}}})
          .with_out(),
      make_row("diff(Tensor input, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) "
               "-> Tensor",
               "The differences between neighbours along dim, n times over; of bools, where they "
               "differ.",
               diff,
               {{x, int64_t{1}, int64_t{-1}, absent, absent},
                {ints, int64_t{2}, int64_t{1}, absent, absent},
                {mask, int64_t{1}, int64_t{0}, absent, absent},
                {ints, int64_t{1}, int64_t{0}, tensor({{1, 2, 3}}), tensor({{4, 4, 4}})}})
          .with_out(),
  };
}

}  // namespace tamis
