// The walk over the entries of an index: integers, slices, None and Ellipsis become a view; what is
// left are tensors that each index dimensions of that view.
#pragma once

#include <vector>

#include "tamis/index.h"

namespace tamis {

/// A bool tensor of rank r indexes the r dimensions of the view from dim on, an integer tensor one.
struct IndexTensor {
  int64_t dim = 0;
  Tensor tensor;
};

struct IndexWalk {
  Tensor view;
  std::vector<IndexTensor> indices;  // by rising dim
};

/// Throws kind index for too many indices, integers out of range, and masks of other sizes.
IndexWalk walk(const Tensor& x, const std::vector<Index>& indices);

}  // namespace tamis
