// IndexedElements: the elements of a tensor that integer indices name, for the backend's take and
// put.
#pragma once

#include <vector>

#include "backend/buffer.h"
#include "tamis/dtype.h"
#include "tamis/shape.h"

namespace tamis {

/// An index for one dimension of the indexed tensor: one integer for each position of the iteration
/// space, in [-size, size).
struct IndexColumn {
  Buffer numbers;    // int64
  Shape strides;     // of numbers, over the iteration space
  int64_t size = 0;  // of the indexed dimension; added to negative integers
  int64_t step = 0;  // stride of the indexed dimension
};

/// Position i of the iteration space names the element sum(i_d * strides_d) + sum over columns of
/// index * step. A dimension of the iteration space that is not one of the indexed tensor's has
/// stride 0.
struct IndexedElements {
  Shape shape;
  Shape strides;
  std::vector<IndexColumn> columns;
};

/// What put does with an element and the value for it; arithmetic in the dtype, or in float32 for
/// the half types and rounded after every step. NaN wins in amax and amin; bools add by "or" and
/// multiply by "and".
enum class Combine : uint8_t { assign, add, mul, amax, amin };

}  // namespace tamis
