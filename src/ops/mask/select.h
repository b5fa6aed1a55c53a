// Selections of a given size and their opposite, each the gradient of the other; neither waits for
// a count.
#pragma once

#include "autograd/node.h"

namespace tamis {

/// Zeros of this shape, with the elements of source, in order, where mask (broadcast to the shape)
/// is true, as long as there are any.
Tensor spread_by_mask(const Tensor& source, const Tensor& mask, const Shape& shape);

/// The first `size` elements that mask keeps of x, both broadcast to shape, filled up with `fill`,
/// and the number of all that it keeps, 0-d int64. Throws kind value unless x's dtype holds `fill`.
std::pair<Tensor, Tensor> select_padded(const Tensor& x, const Tensor& mask, const Shape& shape,
                                        int64_t size, Scalar fill);

/// Enters `result`, which is what mask keeps of x, both broadcast to shape, into the graph of
/// gradients. Ask is_tracked(x) first.
void record_selection(const Tensor& result, const char* op, const Tensor& x, const Tensor& mask,
                      const Shape& shape);

}  // namespace tamis
