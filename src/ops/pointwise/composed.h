// Composed: what pointwise functions that are made of others share.
#pragma once

#include <span>
#include <utility>

#include "autograd/node.h"
#include "core/convert.h"
#include "ops/pointwise/pointwise.h"
#include "tamis/create.h"
#include "tamis/tensor.h"
#include "tamis/view.h"

namespace tamis {

/// x in dtype, as a tensor: a number alone with others would count as float32.
inline Tensor as_operand(const Tensor& x, DType dtype) {
  return is_number(x) ? scalar_tensor(x.item(), dtype) : x.to(dtype);
}

/// f(operands in dtype), rounded once at the end: 16-bit floating point is float32 in between.
/// Without gradients, for functions that record their own.
template <class F, class... X>
Tensor composed(DType dtype, F f, const X&... x) {
  const NoGradGuard guard;
  const DType wide = compute_dtype(dtype);
  return f(as_operand(x, dtype).to(wide)...).to(dtype);
}

/// The same with the gradients of what f calls.
template <class F>
Tensor in_wide(DType dtype, F f, const Tensor& x) {
  return f(as_operand(x, dtype).to(compute_dtype(dtype))).to(dtype);
}

/// Enters y = f(x) into the graph: slope(g, kept) is g times the derivative, kept x or y. Of
/// complex numbers f is holomorphic.
inline Tensor with_slope(const char* name, Tensor y, const Tensor& x, const Tensor& kept,
                         Tensor (*slope)(const Tensor& g, const Tensor& kept)) {
  if (carries_gradient(y.dtype()) && is_tracked(x)) {
    record(y, name, Flow::pointwise, {x}, {kept},
           [slope](const Tensor& g, std::span<const Tensor> saved) {
             return conjugated(g,
                               [&](const Tensor& h) -> Gradients { return {slope(h, saved[0])}; });
           });
  }
  return y;
}

/// Enters y = f(a, b): slope(g, a, b) gives both gradients.
inline Tensor with_slopes(const char* name, Tensor y, const Tensor& a, const Tensor& b,
                          Gradients (*slopes)(const Tensor& g, const Tensor& a, const Tensor& b)) {
  const Tensor inputs[] = {a, b};
  if (carries_gradient(y.dtype()) && is_tracked(inputs)) {
    record(y, name, Flow::pointwise, {a, b}, {a, b},
           [slopes](const Tensor& g, std::span<const Tensor> saved) {
             return conjugated(g, [&](const Tensor& h) { return slopes(h, saved[0], saved[1]); });
           });
  }
  return y;
}

/// The number 0 beside g, to be chosen by where.
inline Tensor zero_of(const Tensor& g) { return scalar_tensor(0, g.dtype()); }

}  // namespace tamis
