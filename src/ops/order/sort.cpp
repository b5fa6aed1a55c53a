// Sort: ordering along a dimension.
#include "core/check.h"
#include "expr/expr.h"
#include "ops/index/gradients.h"
#include "ops/order/order_args.h"
#include "ops/pointwise/pointwise.h"
#include "tamis/order.h"

namespace tamis {

Sliced::Sliced(const Tensor& x, int64_t dim) : dim_(dim), is_0d_(x.dim() == 0) {
  x_ = (is_0d_ ? x.view({1}) : x.transpose(dim, -1)).contiguous().settle();
}

int64_t Sliced::count() const {
  int64_t n = 1;
  for (int64_t d = 0; d + 1 < x_.dim(); ++d) n *= x_.shape()[d];
  return n;
}

Slices Sliced::slices() const { return {buffer_of(x_), x_.dtype(), count(), size()}; }

OrderBackend& Sliced::backend() const {
  require(backend_of(x_), Feature::order, x_.dtype());
  return backend_of(x_).order();
}

Tensor Sliced::make_results(int64_t n, DType dtype) const {
  Shape shape = x_.shape();
  shape.back() = n;
  return allocate(shape, dtype, backend_of(x_));
}

Tensor Sliced::in_place(const Tensor& results) const {
  return is_0d_ ? results.view({}) : results.transpose(dim_, -1).contiguous();
}

Tensor Sliced::reduced(const Tensor& results, bool keepdim) const {
  const Tensor found = in_place(results);
  if (keepdim || is_0d_) return found;
  Shape shape = found.shape();
  shape.erase(dim_);
  return found.view(shape);
}

void check_ordered(const char* kernel, DType dtype, bool takes_bool) {
  check_implemented(has_order(dtype) && (takes_bool || dtype != DType::boolean), kernel, dtype);
}

void check_not_empty(const char* op, const Tensor& x, int64_t dim) {
  check(x.dim() == 0 || x.shape()[dim] > 0, ErrorKind::index,
        "{}(): Expected reduction dim {} to have non-zero size.", op, dim);
}

std::pair<Tensor, Tensor> sort(const Tensor& x, int64_t dim, bool descending, bool /*stable*/) {
  const int64_t d = wrap_dim(dim, x.dim());
  check_ordered("sort", x.dtype(), true);
  const Sliced sliced(x, d);
  const Tensor values = sliced.make_results(sliced.size(), x.dtype());
  const Tensor indices = sliced.make_results(sliced.size(), DType::int64);
  if (x.numel() > 0) {
    sliced.backend().sort(sliced.slices(), descending, buffer_of(values), buffer_of(indices));
  }
  const Tensor& from = sliced.elements();
  if (is_tracked(from)) record_picked(values, from, from.dim() - 1, indices);
  return {sliced.in_place(values), sliced.in_place(indices)};
}

Tensor argsort(const Tensor& x, int64_t dim, bool descending, bool stable) {
  return sort(x, dim, descending, stable).second;
}

Tensor msort(const Tensor& x) { return sort(x, 0).first; }

std::pair<Tensor, Tensor> topk(const Tensor& x, int64_t k, int64_t dim, bool largest,
                               bool /*sorted*/) {
  const int64_t d = wrap_dim(dim, x.dim());
  const int64_t n = x.dim() == 0 ? 1 : x.shape()[d];
  check(k >= 0 && k <= n, ErrorKind::value, "selected index k out of range");
  if (x.dim() == 0) return {x.clone(), zeros_on(backend_of(x), {}, DType::int64)};
  check_ordered("topk_cpu", x.dtype(), false);
  if (k > n / 4) {
    const auto [values, indices] = sort(x, d, largest);
    return {values.narrow(d, 0, k).contiguous(), indices.narrow(d, 0, k).contiguous()};
  }
  const Sliced sliced(x, d);
  const Tensor values = sliced.make_results(k, x.dtype()),
               indices = sliced.make_results(k, DType::int64);
  if (values.numel() > 0) {
    sliced.backend().top(sliced.slices(), k, largest, buffer_of(values), buffer_of(indices));
  }
  const Tensor& from = sliced.elements();
  if (is_tracked(from)) record_picked(values, from, from.dim() - 1, indices);
  return {sliced.in_place(values), sliced.in_place(indices)};
}

std::vector<Row> sort_rows() {
  const Tensor x = SAMPLE(tensor({{3.f, 1.f, 2.f}, {6.f, 5.f, 4.f}}));
  const Tensor ints = SAMPLE(tensor({30, 10, 20, 10}));
  std::vector<Row> rows = {
      make_row("sort(Tensor input, int dim=-1, bool descending=False, *, bool stable=False) -> "
               "(Tensor values, Tensor indices)",
               "The elements along a dimension in order, equal ones as they stood, and their "
               "indices.",
               sort,
               SAMPLES({x, int64_t{-1}, false, false}, {x, int64_t{0}, true, true},
                       {ints, int64_t{0}, true, false},
                       {tensor({true, false}), int64_t{0}, false, false}))
          .with_out(),
      make_row("argsort(Tensor input, int dim=-1, bool descending=False, *, bool stable=False) -> "
               "Tensor",
               "The indices that put the elements along a dimension in order.", argsort,
               SAMPLES({x, int64_t{-1}, false, false}, {ints, int64_t{0}, true, true})),
      make_row("msort(Tensor input) -> Tensor", "The elements in order along the first dimension.",
               msort, SAMPLES({x}, {ints}))
          .with_out(),
      make_row("topk(Tensor input, int k, int dim=-1, bool largest=True, bool sorted=True) -> "
               "(Tensor values, Tensor indices)",
               "The k largest or smallest elements along a dimension, in order, and their indices.",
               topk,
               SAMPLES({x, int64_t{2}, int64_t{-1}, true, true},
                       {ints, int64_t{1}, int64_t{0}, false, true}))
          .with_out(),
  };
  for (const auto more : {quantile_rows, unique_rows, search_rows}) {
    for (const Row& row : more()) rows.push_back(row);
  }
  return rows;
}

}  // namespace tamis
