// Gradients of the reductions.
#include "ops/reduce/gradients.h"

#include "autograd/node.h"
#include "expr/expr.h"
#include "tamis/tamis.h"

namespace tamis {

Tensor with_dims(const Tensor& g, const Shape& dims, bool keepdim) {
  if (keepdim) return g;
  Tensor result = g;
  for (int64_t d : dims) result = result.unsqueeze(d);
  return result;
}

void record_sum(const Tensor& y, const Tensor& x, const Shape& dims, bool keepdim) {
  record(y, "sum", Flow::moves, {x}, {},
         [dims, keepdim, shape = x.shape()](const Tensor& g, std::span<const Tensor>) -> Gradients {
           return {with_dims(g, dims, keepdim).expand(shape)};
         });
}

void record_mean(const Tensor& y, const Tensor& x, const Shape& dims, bool keepdim) {
  int64_t count = 1;
  for (int64_t d : dims) count *= x.shape()[d];
  record(y, "mean", Flow::moves, {x}, {},
         [=, shape = x.shape()](const Tensor& g, std::span<const Tensor>) -> Gradients {
           const Tensor whole = with_dims(g, dims, keepdim).expand(shape);
           return {g.dtype() == DType::boolean ? whole : whole / count};
         });
}

namespace {

/// For each element the product of the others. A single zero has one; with two zeros, all are zero.
Tensor products_of_others(const Tensor& x, const Shape& dims) {
  const Tensor is_zero = x == 0, one = scalar_tensor(1, x.dtype()),
               none = scalar_tensor(0, x.dtype());
  const Tensor nonzero = where(is_zero, one, x);
  Tensor product = nonzero, zeros_among = is_zero.to_long();
  for (int64_t d : dims) {
    product = product.prod(d, true);
    zeros_among = zeros_among.sum({d}, true);
  }
  return where(is_zero, where(zeros_among == 1, product, none),
               where(zeros_among == 0, product / nonzero, none));
}

}  // namespace

void record_prod(const Tensor& y, const Tensor& x, const Shape& dims, bool keepdim) {
  record(y, "prod", Flow::mixes, {x}, {x},
         [dims, keepdim](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
           return {with_dims(g, dims, keepdim) * conj(products_of_others(saved[0], dims))};
         });
}

void record_extreme(const Tensor& y, const Tensor& x, const Shape& dims, bool keepdim) {
  record(y, "amax", Flow::mixes, {x}, {x, y},
         [dims, keepdim](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
           const Tensor value = with_dims(saved[1], dims, keepdim);
           const Tensor hit = (saved[0] == value) | (isnan(saved[0]) & isnan(value));
           const Tensor count = dims.empty() ? hit.to_long() : hit.sum(dims, true);
           const Tensor shared = with_dims(g, dims, keepdim) / count.to(g.dtype());
           return {{where(hit, shared, scalar_tensor(0, g.dtype())), hit}};
         });
}

}  // namespace tamis
