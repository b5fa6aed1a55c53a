// Writes to the slices of a dimension that a vector of integers names, and to elements by number.
#include "autograd/node.h"
#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/index/along.h"
#include "ops/index/flat.h"
#include "ops/index/gradients.h"
#include "ops/index/rows.h"
#include "ops/mask_args.h"
#include "tamis/index.h"
#include "tamis/pointwise.h"

namespace tamis {

namespace {

/// index_add and index_reduce take the same arguments.
void check_source(const char* op, const Tensor& x, int64_t dim, const Tensor& index,
                  const Tensor& source) {
  check(index.dim() <= 1, ErrorKind::index,
        "{}(): Index is supposed to be a vector, but got dim: {} with type: {} and size: {}", op,
        index.dim(), scalar_type_name(index.dtype()), index.shape());
  check(is_int64_or_int32(index), ErrorKind::dtype,
        "{}(): Expected dtype int32/int64 for index but got: {}", op,
        scalar_type_name(index.dtype()));
  check(x.dtype() == source.dtype(), ErrorKind::dtype,
        "{}(): self ({}) and source ({}) must have the same scalar type", op,
        scalar_type_name(x.dtype()), scalar_type_name(source.dtype()));
  const Shape from = at_least_1d(source).shape();
  check(dim < static_cast<int64_t>(from.size()), ErrorKind::shape,
        "{}(): Indexing dim {} is out of bounds of the source tensor with dim {}", op, dim,
        source.dim());
  check(index.numel() == from[dim], ErrorKind::shape,
        "{}(): Number of indices ({}) should be equal to source.size(dim): ({}), for dim: {}", op,
        index.numel(), from[dim], dim);
  Shape to = at_least_1d(x).shape();
  to[dim] = from[dim];
  check(to == from, ErrorKind::shape,
        "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
        "self.shape = {} source.shape = {}",
        x.shape(), source.shape());
}

Indices indices_in_self(const Tensor& index, const Tensor& x, int64_t size) {
  Indices indices(at_least_1d(index), x);
  indices.check_within(0, size,
                       [](int64_t) { raise(ErrorKind::index, "index out of range in self"); });
  return indices;
}

/// source * alpha in source's dtype.
Tensor times(const Tensor& source, Scalar alpha) {
  check_fits(alpha, source.dtype());
  if (alpha.dtype() == DType::int64 && alpha.to_int64() == 1) return source;
  return mul(source, scalar_tensor(alpha, source.dtype()));
}

void check_copy(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source) {
  check(index.dim() <= 1, ErrorKind::index,
        "index_copy_(): Index should have dimension 1 or 0 (got {})", index.dim());
  check(source.dim() > 0 || index.numel() == 1, ErrorKind::index,
        "index_copy_(): When source is scalar, index should have one element (got {})",
        index.numel());
  check(source.dim() == x.dim() || source.dim() == 0 || x.dim() == 0, ErrorKind::index,
        "index_copy_(): When source and destination are not scalars, their dimensionality must "
        "match. Source dimensionality ({}), destination dimensionality ({})",
        source.dim(), x.dim());
  check(index.dtype() == DType::int64, ErrorKind::dtype,
        "index_copy_(): Expected a long tensor for index, but got {}",
        scalar_type_name(index.dtype()));
  check(x.dtype() == source.dtype(), ErrorKind::dtype,
        "index_copy_(): self and source expected to have the same dtype, but got (self) {} and "
        "(source) {}",
        scalar_type_name(x.dtype()), scalar_type_name(source.dtype()));
  Shape to = at_least_1d(x).shape(), from = at_least_1d(source).shape();
  const int64_t given = dim < static_cast<int64_t>(from.size()) ? from[dim] : 1;
  to.erase(dim);
  if (dim < static_cast<int64_t>(from.size())) from.erase(dim);
  check(to == from, ErrorKind::shape,
        "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice "
        "shape: {} at dimension {} and source slice shape: {} at dimension 0.",
        to, dim, from);
  check(index.numel() == given, ErrorKind::index,
        "index_copy_(): Number of indices ({}) should be equal to source.size(dim) ({})",
        index.numel(), given);
}

}  // namespace

Tensor& index_fill_(Tensor& x, int64_t dim, const Tensor& index, const Tensor& value) {
  const int64_t d = wrap_dim(dim, x.dim());
  check(index.dtype() == DType::int64, ErrorKind::index,
        "index_fill_(): Expected dtype int64 for index.");
  const Tensor number =
      fill_number(value, x.dtype(),
                  "index_fill_ only supports a 0-dimensional value tensor, but got tensor with",
                  "dimension(s).");
  check(index.dim() <= 1, ErrorKind::shape, "Index has to be a vector/scalar");
  check_write(x, {&index});
  const Tensor to = at_least_1d(x);
  const Indices indices(at_least_1d(index), to);
  indices.check_within(to.shape()[d], d);
  check_writable(x);
  put_elements(to, slices(to, d, indices, index.numel()), number, Combine::assign);
  if (is_tracked(x) || is_tracked(value)) record_index_fill(x, d, index, value);
  return x;
}

Tensor& index_add_(Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                   Scalar alpha) {
  const int64_t d = wrap_dim(dim, x.dim());
  check_source("index_add_", x, d, index, source);
  const Tensor scaled = times(at_least_1d(source), alpha);
  check_write(x, {&index, &source});
  const Tensor to = at_least_1d(x);
  const Indices indices = indices_in_self(index, to, to.shape()[d]);
  check_writable(x);
  put_elements(to, slices(to, d, indices, index.numel()), scaled, Combine::add);
  if (is_tracked(x) || is_tracked(scaled)) record_index_add(x, d, index, scaled);
  return x;
}

Tensor& index_copy_(Tensor& x, int64_t dim, const Tensor& index, const Tensor& source) {
  const int64_t d = wrap_dim(dim, x.dim());
  check_copy(x, d, index, source);
  check_write(x, {&index, &source});
  const Tensor to = at_least_1d(x);
  const int64_t size = to.shape()[d];
  const Indices indices(at_least_1d(index), to);
  indices.check_within(0, size, [&](int64_t i) {
    check(false, ErrorKind::index,
          "index_copy_(): index {} is out of bounds for dimension {} with size {}", i, d, size);
  });
  check_writable(x);
  put_elements(to, slices(to, d, indices, index.numel()), source, Combine::assign);
  if (is_tracked(x) || is_tracked(source)) record_index_copy(x, d, index, source);
  return x;
}

Tensor& index_reduce_(Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                      const std::string& reduce, bool include_self) {
  check(reduce == "prod" || reduce == "mean" || reduce == "amax" || reduce == "amin",
        ErrorKind::value,
        "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {}.",
        reduce);
  const int64_t d = wrap_dim(dim, x.dim());
  check_source("index_reduce_", x, d, index, source);
  check_reduction("index_func_cpu_", reduce, x.dtype());
  check_write(x, {&index, &source});
  const Tensor to = at_least_1d(x);
  const Indices indices = indices_in_self(index, to, to.shape()[d]);
  check_writable(x);
  if (is_tracked(x) || is_tracked(source)) {  // the same as a scatter, whose gradient is known
    const Tensor from = at_least_1d(source);
    Tensor at = at_least_1d(index).to_long();
    for (int64_t k = d + 1; k < from.dim(); ++k) at = at.unsqueeze(-1);
    Tensor target = to;
    scatter_reduce_(target, d, at.expand(from.shape()), from, reduce, include_self);
    return x;
  }
  reduce_elements(
      to, [&](const Tensor& y) { return slices(y, d, indices, index.numel()); },
      at_least_1d(source), reduce, include_self);
  return x;
}

Tensor& put_(Tensor& x, const Tensor& index, const Tensor& source, bool accumulate) {
  check(index.dtype() == DType::int64, ErrorKind::dtype,
        "put_(): Expected a long tensor for index, but got {}", scalar_type_name(index.dtype()));
  check(x.dtype() == source.dtype(), ErrorKind::dtype,
        "put_(): self and source expected to have the same dtype, but got self.dtype = {} and "
        "source.dtype = {}",
        scalar_type_name(x.dtype()), scalar_type_name(source.dtype()));
  check(index.numel() == source.numel(), ErrorKind::index,
        "put_(): Expected source and index to have the same number of elements, but got "
        "source.numel() = {}, index.numel() = {}",
        source.numel(), index.numel());
  check(x.numel() > 0 || source.numel() == 0, ErrorKind::index,
        "put_(): Tried to put elements into an empty tensor");
  if (index.numel() == 0) return x;
  check_write(x, {&index, &source});
  const FlatElements flat(x, index);
  check_writable(x);
  put_elements(x, flat.elements(), source.reshape(index.shape()),
               accumulate ? Combine::add : Combine::assign);
  if (is_tracked(x) || is_tracked(source)) record_put(x, index, source, accumulate);
  return x;
}

Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& value) {
  Tensor result = x.clone();
  return index_fill_(result, dim, index, value);
}
Tensor index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                 Scalar alpha) {
  Tensor result = x.clone();
  return index_add_(result, dim, index, source, alpha);
}
Tensor index_copy(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source) {
  Tensor result = x.clone();
  return index_copy_(result, dim, index, source);
}
Tensor index_reduce(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                    const std::string& reduce, bool include_self) {
  Tensor result = x.clone();
  return index_reduce_(result, dim, index, source, reduce, include_self);
}
Tensor put(const Tensor& x, const Tensor& index, const Tensor& source, bool accumulate) {
  Tensor result = x.clone();
  return put_(result, index, source, accumulate);
}

std::vector<Row> index_write_rows() {
  const auto grid = [] { return arange(6).reshape({2, 3}); };
  const auto real = [] { return tensor({{1.5f, -2.f, 3.f}, {0.25f, 5.f, -6.5f}}); };
  const auto bits = [] { return tensor({{true, false, true}, {false, false, true}}); };
  const auto twice = [] { return tensor({1, 1}); };
  const auto n = [](int64_t v) { return Value(v); };
  return {
      make_row(
          "index_fill(Tensor input, int dim, Tensor|int[] index, Tensor|Scalar value) -> Tensor",
          "input with value, a number or a 0-d tensor, in the slices along a dimension that index "
          "names.",
          index_fill,
          SAMPLES({grid(), n(1), tensor({0, -1}), Tensor(7)},
                  {real(), n(0), tensor(1), tensor(2.5f)},
                  {bits(), n(-1), tensor({1}), Tensor(true)}))
          .with_in_place(index_fill_),
      make_row("index_add(Tensor input, int dim, Tensor|int[] index, Tensor source, *, Scalar "
               "alpha=1) -> Tensor",
               "input with source, times alpha, added to the slices along a dimension that index "
               "names.",
               index_add,
               SAMPLES({grid(), n(0), twice(), grid(), Scalar(1)},
                       {real(), n(1), tensor({2, 0, 2}), real(), Scalar(0.5)},
                       {bits(), n(0), twice(), bits(), Scalar(1)}))
          .with_in_place(index_add_)
          .with_out(),
      make_row("index_copy(Tensor input, int dim, Tensor|int[] index, Tensor source) -> Tensor",
               "input with source in the slices along a dimension that index names.", index_copy,
               SAMPLES({grid(), n(0), tensor({1, 0}), grid()},
                       {real(), n(1), tensor({2}), tensor({{7.f}, {8.f}})},
                       {bits(), n(-1), tensor({0, 0, 1}), bits()}))
          .with_in_place(index_copy_)
          .with_out(),
      make_row(
          "index_reduce(Tensor input, int dim, Tensor|int[] index, Tensor source, str reduce, *, "
          "bool include_self=True) -> Tensor",
          "input combined with source by prod, mean, amax or amin in the slices along a dimension "
          "that index names.",
          index_reduce,
          SAMPLES({grid(), n(0), twice(), grid(), std::string("mean"), true},
                  {real(), n(0), twice(), real(), std::string("prod"), false},
                  {real(), n(1), tensor({2, 0, 2}), real(), std::string("amax"), true},
                  {grid(), n(1), tensor({2, 0, 2}), grid(), std::string("amin"), false}))
          .with_in_place(index_reduce_)
          .with_out(),
      make_row(
          "put(Tensor input, Tensor|int[] index, Tensor source, bool accumulate=False) -> Tensor",
          "input with the elements of source written or added to those that index names, input "
          "seen "
          "as 1-d.",
          put,
          SAMPLES({grid(), tensor({0, -1, 0}), tensor({10, 20, 30}), true},
                  {real(), tensor({{1, 2}}), tensor({8.f, 9.f}), false},
                  {bits(), tensor(1), tensor({true}), false}))
          .with_in_place(put_),
  };
}

}  // namespace tamis
