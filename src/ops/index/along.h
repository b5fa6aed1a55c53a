// What the ops along one dimension share: their checks, and the elements that an index names.
#pragma once

#include <string>

#include "ops/index/indexed.h"

namespace tamis {

/// A view of x with at least one dimension.
inline Tensor at_least_1d(const Tensor& x) { return x.dim() == 0 ? x.unsqueeze(0) : x; }

inline bool is_int64_or_int32(const Tensor& index) {
  return index.dtype() == DType::int64 || index.dtype() == DType::int32;
}

/// Whole slices of dim: position k of the vector `index` of n integers names slice index[k] of x.
IndexedElements slices(const Tensor& x, int64_t dim, const Indices& index, int64_t n);
/// Single elements: position i of index's shape names the element of x at i, with index[i] as the
/// coordinate along dim.
IndexedElements elements(const Tensor& x, int64_t dim, const Indices& index, const Shape& shape);

/// "index 5 is out of bounds for dimension 0 with size 3" unless all are in [0, size).
void check_element_indices(const Indices& indices, int64_t dim, int64_t size);
/// Refuses an in-place write to x by an op that reads the others.
void check_write(const Tensor& x, std::initializer_list<const Tensor*> reads);

/// The indexed elements of a tensor of x's shape, whatever its layout.
using ElementsOf = std::function<IndexedElements(const Tensor&)>;
/// scatter_reduce and index_reduce: combines source into the indexed elements of x by "sum",
/// "prod", "mean", "amax" or "amin"; everything has been checked.
void reduce_elements(const Tensor& x, const ElementsOf& elements_of, const Tensor& source,
                     const std::string& reduce, bool include_self);
/// Refuses a dtype that has no such reduction.
void check_reduction(const char* kernel, const std::string& reduce, DType dtype);

}  // namespace tamis
