// The gradient of a selection by a mask, for the ops whose results hold one.
#pragma once

#include "autograd/node.h"

namespace tamis {

/// The gradient of x, of this shape, from that of what the mask keeps of it: zero by structure
/// where the mask is false. The mask is broadcast to the shape.
Gradient spread_by_mask(const Tensor& grad, const Tensor& mask, const Shape& shape);

/// Enters `result`, which is what mask keeps of x, both broadcast to shape, into the graph of
/// gradients. Ask is_tracked(x) first.
void record_selection(const Tensor& result, const char* op, const Tensor& x, const Tensor& mask,
                      const Shape& shape);

}  // namespace tamis
