// What the ops along one dimension share: their checks, and the elements that an index names.
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
void divide_by_counts(const Tensor& x, const ElementsOf& elements_of, bool include_self) {
  const DType whole = x.dtype() == DType::uint64 ? DType::uint64 : DType::int64;
  const Tensor counts = full_on(backend_of(x), x.shape(), include_self ? 1 : 0, whole);
  put_elements(counts, elements_of(counts), Tensor(1), Combine::add);
  const Tensor divisor = maximum(counts, 1);
  const DType dtype = result_type(x, divisor);
  // Not floor_divide, which looks for zeros first and so waits for a device.
  store(x, is_integral(x.dtype()) ? defer_recorded(Op::floor_div, dtype, dtype, {x, divisor})
                                  : div(x, divisor));
}

}  // namespace

IndexedElements slices(const Tensor& x, int64_t dim, const Indices& index, int64_t n) {
  IndexedElements indexed{x.shape(), x.strides(), {}};
  indexed.columns.push_back(index.column({n}, x.shape()[dim], x.strides()[dim]));
  IndexColumn& column = indexed.columns[0];
  const int64_t stride = column.strides[0];
  column.strides = Shape(x.shape().size(), 0);
  column.strides[dim] = stride;
  indexed.shape[dim] = n;
  indexed.strides[dim] = 0;
  return indexed;
}

IndexedElements elements(const Tensor& x, int64_t dim, const Indices& index, const Shape& shape) {
  IndexedElements indexed{shape, x.strides(), {}};
  indexed.columns.push_back(index.column(shape, x.shape()[dim], x.strides()[dim]));
  indexed.strides[dim] = 0;
  return indexed;
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

void reduce_elements(const Tensor& x, const ElementsOf& elements_of, const Tensor& source,
                     const std::string& reduce, bool include_self) {
  const Combine combine = combine_of(reduce);
  const IndexedElements indexed = elements_of(x);
  if (!include_self) {
    put_elements(x, indexed, Tensor(identity(combine, x.dtype())), Combine::assign);
  }
  put_elements(x, indexed, source, combine);
  if (reduce == "mean") divide_by_counts(x, elements_of, include_self);
}

void check_reduction(const char* kernel, const std::string& reduce, DType dtype) {
  check_implemented(has_order(dtype) || (reduce != "amax" && reduce != "amin"), kernel, dtype);
  check_implemented(dtype != DType::boolean || reduce != "mean", kernel, dtype);
}

}  // namespace tamis
