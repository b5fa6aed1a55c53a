// What the ops along one dimension share: their checks, and the places that an index points at.
#pragma once

#include <string>

#include "ops/index/places.h"

namespace tamis {

/// A view of x with at least one dimension.
inline Tensor at_least_1d(const Tensor& x) { return x.dim() == 0 ? x.unsqueeze(0) : x; }

inline bool is_int64_or_int32(const Tensor& index) {
  return index.dtype() == DType::int64 || index.dtype() == DType::int32;
}

/// Whole slices of dim: place k of the vector `index` of n integers stands for slice index[k] of x.
IndexedElements slices(const Tensor& x, int64_t dim, const Indices& index, int64_t n);
/// Single elements: position i of index's shape stands for the element of x at i, but for dim at
/// index[i].
IndexedElements elements(const Tensor& x, int64_t dim, const Indices& index, const Shape& shape);

/// "index 5 is out of bounds for dimension 0 with size 3" unless all are in [0, size).
void check_element_indices(const Indices& indices, int64_t dim, int64_t size);
/// Refuses an in-place write to x by an op that reads the others.
void check_write(const Tensor& x, std::initializer_list<const Tensor*> reads);

/// The places in a tensor of x's shape, whatever its layout.
using PlacesOf = std::function<IndexedElements(const Tensor&)>;
/// scatter_reduce and index_reduce: combines source into x at the places by "sum", "prod", "mean",
/// "amax" or "amin"; all has been checked.
void reduce_places(const Tensor& x, const PlacesOf& places_of, const Tensor& source,
                   const std::string& reduce, bool include_self);
/// Refuses a dtype that has no such reduction.
void check_reduction(const char* kernel, const std::string& reduce, DType dtype);

}  // namespace tamis
