// Gradients of the reductions.
#pragma once

#include "tamis/tensor.h"

namespace tamis {

/// g, reduced over dims (sorted, not negative), in the shape that it broadcasts back from.
Tensor with_dims(const Tensor& g, const Shape& dims, bool keepdim);

// Each enters y, the reduction of x over dims, into the graph of gradients; x is tracked.
void record_sum(const Tensor& y, const Tensor& x, const Shape& dims, bool keepdim);
void record_mean(const Tensor& y, const Tensor& x, const Shape& dims, bool keepdim);
void record_prod(const Tensor& y, const Tensor& x, const Shape& dims, bool keepdim);
/// amax, amin, max, min: elements that are equally extreme share the gradient.
void record_extreme(const Tensor& y, const Tensor& x, const Shape& dims, bool keepdim);

}  // namespace tamis
