// Pointwise: what arithmetic, comparisons and logic share: promotion over operands and writing back
// in-place results.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <vector>

#include "autograd/node.h"
#include "expr/expr.h"
#include "tamis/tensor.h"

namespace tamis {

/// result_type for any number of operands. That of one operand is its dtype, except for a floating
/// point number, which counts as float32.
DType result_type(std::initializer_list<const Tensor*> operands);
inline DType result_type(const Tensor& x) {
  return layout_of(x).sizes.empty() ? result_type({&x}) : x.impl().dtype;
}

/// The dtype that functions of analysis compute in: floating point and complex as it is, all else
/// in float32.
constexpr DType float_type(DType dtype) {
  return is_floating_point(dtype) || is_complex(dtype) ? dtype : DType::float32;
}

/// Whether x is a C++ or Python number that became a tensor: it is weak in promotion.
bool is_number(const Tensor& x);
/// Refuses a number that dtype cannot hold; tensors are cast as by copy_.
void check_number_fits(const Tensor& value, DType dtype);

/// Throws PyTorch's `"abs_cpu" not implemented for 'Bool'` unless ok.
void check_implemented(bool ok, const char* kernel, DType dtype);

/// Enters y, the result of op on inputs, into the graph of gradients (gradients.cpp).
void record_pointwise(Op op, const Tensor& y, std::span<const Tensor> inputs);

/// defer, with its gradient entered into the graph. Ops call this one unless they record a gradient
/// of their own.
inline Tensor defer_recorded(Op op, DType operand, DType result,
                             std::initializer_list<TensorRef> inputs) {
  Tensor y = defer(op, operand, result, std::span(inputs.begin(), inputs.size()));
  const auto tracked = [](const Tensor& x) { return is_tracked(x); };
  if (carries_gradient(result) && std::any_of(inputs.begin(), inputs.end(), tracked)) {
    record_pointwise(op, y, std::vector<Tensor>(inputs.begin(), inputs.end()));
  }
  return y;
}

/// The derivative of digamma, in ops that have all derivatives themselves (special.cpp).
Tensor trigamma(const Tensor& x);

/// Ends an in-place operation: stores value, which was computed from self and reads, into self;
/// returns self. Refuses overlapping memory, a value of another shape than self's, and one whose
/// dtype does not cast to self's.
Tensor& write_back(Tensor& self, Tensor value, std::span<const Tensor* const> reads);
inline Tensor& write_back(Tensor& self, Tensor value,
                          std::initializer_list<const Tensor*> reads = {}) {
  return write_back(self, std::move(value),
                    std::span<const Tensor* const>(reads.begin(), reads.size()));
}

/// Ends an operation with out= whose result has another shape than out: points out's handle at
/// result's data, which no one else has. Nothing that is still deferred reads the old data.
void rebind(Tensor& out, const Tensor& result);

}  // namespace tamis
