// What the ops along one dimension share: their checks, and the places that an index points at.
#include "ops/index/along.h"

#include "backend/order.h"
#include "core/check.h"
#include "core/overlap.h"
#include "expr/expr.h"
#include "ops/pointwise/pointwise.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

Combine combine_of(const std::string& reduce) {
  if (reduce == "prod") return Combine::mul;
  if (reduce == "amax") return Combine::amax;
  if (reduce == "amin") return Combine::amin;
  return Combine::add;
}

/// What combining begins with where x's own elements take no part.
Scalar identity(Combine combine, DType dtype) {
  const Reduction reduction = combine == Combine::add    ? Reduction::sum
                              : combine == Combine::mul  ? Reduction::prod
                              : combine == Combine::amax ? Reduction::amax
                                                         : Reduction::amin;
  return neutral(reduction, dtype);
}

/// x, which holds sums, divided by how many numbers were added up in each.
void divide_by_counts(const Tensor& x, const PlacesOf& places_of, bool include_self) {
  const Tensor counts = full_on(backend_of(x), x.shape(), include_self ? 1 : 0, DType::int64);
  put_places(counts, places_of(counts), Tensor(1), Combine::add);
  const Tensor divisor = maximum(counts, 1);
  const bool whole = is_integral(x.dtype());
  store(x, whole ? floor_divide(x, divisor) : div(x, divisor));
}

}  // namespace

IndexedElements slices(const Tensor& x, int64_t dim, const Indices& index, int64_t n) {
  IndexedElements places{x.shape(), x.strides(), {}};
  places.columns.push_back(index.column({n}, x.shape()[dim], x.strides()[dim]));
  IndexColumn& column = places.columns[0];
  const int64_t stride = column.strides[0];
  column.strides = Shape(x.shape().size(), 0);
  column.strides[dim] = stride;
  places.shape[dim] = n;
  places.strides[dim] = 0;
  return places;
}

IndexedElements elements(const Tensor& x, int64_t dim, const Indices& index, const Shape& shape) {
  IndexedElements places{shape, x.strides(), {}};
  places.columns.push_back(index.column(shape, x.shape()[dim], x.strides()[dim]));
  places.strides[dim] = 0;
  return places;
}

void check_element_indices(const Indices& indices, int64_t dim, int64_t size) {
  indices.check_within(0, size, [&](int64_t i) {
    check(false, ErrorKind::value, "index {} is out of bounds for dimension {} with size {}", i,
          dim, size);
  });
}

void check_write(const Tensor& x, std::initializer_list<const Tensor*> reads) {
  check_no_internal_overlap(x);
  for (const Tensor* read : reads) check_no_overlap(x, *read);
}

void reduce_places(const Tensor& x, const PlacesOf& places_of, const Tensor& source,
                   const std::string& reduce, bool include_self) {
  const Combine combine = combine_of(reduce);
  const IndexedElements places = places_of(x);
  if (!include_self) {
    put_places(x, places, Tensor(identity(combine, x.dtype())), Combine::assign);
  }
  put_places(x, places, source, combine);
  if (reduce == "mean") divide_by_counts(x, places_of, include_self);
}

void check_reduction(const char* kernel, const std::string& reduce, DType dtype) {
  check_implemented(has_order(dtype) || (reduce != "amax" && reduce != "amin"), kernel, dtype);
  check_implemented(dtype != DType::boolean || reduce != "mean", kernel, dtype);
}

}  // namespace tamis
