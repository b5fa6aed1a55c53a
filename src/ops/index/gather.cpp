// Gather: ops that read the elements that integer tensors name.
#include "autograd/node.h"
#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/index/along.h"
#include "ops/index/flat.h"
#include "ops/index/gradients.h"
#include "ops/index/rows.h"
#include "tamis/index.h"

namespace tamis {

namespace {

void check_gather_shape(const Tensor& x, int64_t dim, const Tensor& index) {
  check(index.dim() == x.dim(), ErrorKind::shape,
        "Index tensor must have the same number of dimensions as input tensor");
  for (int64_t d = 0; d < x.dim(); ++d) {
    check(d == dim || index.shape()[d] <= x.shape()[d], ErrorKind::shape,
          "Size does not match at dimension {} expected index {} to be no larger than self {} "
          "apart from dimension {}",
          d, index.shape(), x.shape(), dim);
  }
}

}  // namespace

Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index) {
  const int64_t d = wrap_dim(dim, x.dim());
  check(index.dim() <= 1, ErrorKind::index, "index_select(): Index is supposed to be a vector");
  check(is_int64_or_int32(index), ErrorKind::dtype,
        "index_select(): Expected dtype int32 or int64 for index");
  check(x.dim() > 0 || index.numel() == 1, ErrorKind::index,
        "index_select(): Index to scalar can have only 1 value, got {} value(s)", index.numel());
  if (index.dim() == 1 && !is_tracked(x)) {
    if (Tensor few = take_few(x, index, false); few.defined()) return few;
  }
  const Tensor from = at_least_1d(x);
  const Indices indices(at_least_1d(index), from);
  indices.check_within(0, from.shape()[d],
                       [](int64_t) { raise(ErrorKind::index, "index out of range in self"); });
  const Tensor result = take_elements(from, slices(from, d, indices, index.numel()));
  if (is_tracked(from)) record_index_select(result, from, d, index);
  return x.dim() == 0 ? result.select(0, 0) : result;
}

Tensor gather(const Tensor& x, int64_t dim, const Tensor& index) {
  const int64_t d = wrap_dim(dim, x.dim());
  if (index.numel() == 0) return allocate(index.shape(), x.dtype(), backend_of(x));
  check(is_int64_or_int32(index), ErrorKind::dtype,
        "gather(): Expected dtype int32/int64 for index");
  const Tensor from = at_least_1d(x), at = at_least_1d(index);
  check_gather_shape(from, d, at);
  const Indices indices(at, from);
  check_element_indices(indices, d, from.shape()[d]);
  const Tensor result = take_elements(from, elements(from, d, indices, at.shape()));
  if (is_tracked(from)) record_gather(result, from, d, at);
  return result.view(index.shape());
}

Tensor take(const Tensor& x, const Tensor& index) {
  check(index.dtype() == DType::int64, ErrorKind::dtype,
        "take(): Expected a long tensor for index, but got {}", scalar_type_name(index.dtype()));
  check(x.numel() > 0 || index.numel() == 0, ErrorKind::index,
        "take(): tried to take from an empty tensor");
  if (index.numel() == 0) return allocate(index.shape(), x.dtype(), backend_of(x));
  if (!is_tracked(x)) {
    if (Tensor few = take_few(x, index, true); few.defined()) return few;
  }
  const FlatElements flat(x, index);
  const Tensor result = take_elements(x, flat.elements());
  if (is_tracked(x)) record_take(result, x, index);
  return result;
}

Tensor take_along_dim(const Tensor& x, const Tensor& indices, std::optional<int64_t> dim) {
  if (!dim) return gather(x.reshape({-1}), 0, indices.reshape({-1}));
  check(x.dim() == indices.dim(), ErrorKind::shape,
        "torch.take_along_dim(): input and indices should have the same number of dimensions, but "
        "got {} dimensions for input, and {} dimensions for indices",
        x.dim(), indices.dim());
  check(indices.dtype() == DType::int64, ErrorKind::dtype,
        "torch.take_along_dim(): dtype of indices should be Long but got {}",
        scalar_type_name(indices.dtype()));
  const int64_t d = wrap_dim(*dim, x.dim());
  if (x.dim() == 0) return gather(x, 0, indices);
  Shape self = x.shape(), at = indices.shape();
  self[d] = at[d] = 1;
  Shape common = broadcast_shapes(self, at);
  common[d] = x.shape()[d];
  const Tensor from = x.expand(common);
  common[d] = indices.shape()[d];
  return gather(from, d, indices.expand(common));
}

namespace {

Tensor gather_op(const Tensor& x, int64_t dim, const Tensor& index, bool /*sparse_grad*/) {
  return gather(x, dim, index);
}

}  // namespace

std::vector<Row> gather_rows() {
  const auto cube = [] { return arange(24, DType::float32).reshape({2, 3, 4}); };
  const auto grid = [] { return arange(6).reshape({2, 3}); };
  const auto bits = [] { return tensor({{true, false, true}, {false, false, true}}); };
  const auto n = [](int64_t v) { return Value(v); };
  std::vector<Row> rows = {
      make_row("index_select(Tensor input, int dim, Tensor|int[] index) -> Tensor",
               "The slices along a dimension that index names, in its order.", index_select,
               SAMPLES({cube(), n(1), tensor({2, 0, 2})}, {bits(), n(-1), tensor({1})},
                       {tensor(2.5), n(0), tensor({0})}, {grid(), n(0), empty({0}, DType::int64)}))
          .with_out(),
      make_row(
          "gather(Tensor input, int dim, Tensor|int[] index, *, bool sparse_grad=False) -> Tensor",
          "The elements of input at index along dim, and at the same position along the others.",
          gather_op,
          SAMPLES({grid(), n(1), tensor({{0, 0, 2, 1}, {2, 1, 0, 0}}), false},
                  {cube(), n(-2), zeros({2, 1, 3}, DType::int64), false},
                  {bits(), n(0), tensor({{1, 0}}), false}, {tensor(2.5), n(0), tensor(0), false}))
          .with_out(),
      make_row("take(Tensor input, Tensor|int[] index) -> Tensor",
               "The elements of input, seen as 1-d, that index names.", take,
               SAMPLES({cube(), tensor({{0, -1}, {23, 5}})}, {bits(), tensor(2)},
                       {grid(), tensor({-6})}))
          .with_out(),
      make_row("take_along_dim(Tensor input, Tensor|int[] indices, int? dim=None) -> Tensor",
               "gather with input and indices broadcast to each other except along dim.",
               take_along_dim,
               SAMPLES({grid(), tensor({{2}, {0}}), n(1)}, {grid(), tensor({{1, 1, 0}}), n(0)},
                       {cube(), tensor({{{0, 3}}}), n(-1)}, {bits(), tensor({5, 0}), Value()}))
          .with_out(),
  };
  for (Row& row : index_write_rows()) rows.push_back(std::move(row));
  for (Row& row : scatter_along_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace tamis
