// ZarrGrid: the chunks of an array, and slabs, the rows of chunks that follow each other in memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tamis/shape.h"

namespace tamis::io {

/// A slab is a part of the array that is contiguous in row-major order and whose chunks belong to
/// it alone: one index of each dimension before `dim`, the rows of one chunk along `dim`, and all
/// of the dimensions after it. So an array is gone through slab by slab, and no chunk is met twice.
///
/// All sizes of chunks are at least 1, and the number of elements fits 63 bits.
class ZarrGrid {
 public:
  ZarrGrid(const Shape& shape, const Shape& chunk) : shape_(shape), chunk_(chunk) {
    while (dim_ + 1 < shape.size() && chunk[dim_] == 1) ++dim_;
    for (size_t d = dim_ + 1; d < shape.size(); ++d) {
      row_ *= shape[d];
      parts_.push_back((shape[d] + chunk[d] - 1) / chunk[d]);
    }
    if (!shape.empty()) {
      rows_ = chunk[dim_];
      steps_ = (shape[dim_] + rows_ - 1) / rows_;
    }
  }

  const Shape& shape() const { return shape_; }
  const Shape& chunk() const { return chunk_; }
  size_t dim() const { return dim_; }
  /// Elements of one index along `dim`.
  int64_t row() const { return row_; }
  /// Elements of a slab that is not cut off by the end of the array; if they are more than memory
  /// can have, some large number.
  int64_t whole_slab() const {
    constexpr int64_t kMost = INT64_MAX / 64;
    return row_ > kMost / rows_ ? kMost : std::max<int64_t>(1, rows_ * row_);
  }
  /// How many chunks of a slab there are along each dimension after `dim`.
  const Shape& parts() const { return parts_; }
  int64_t chunks_per_slab() const { return numel(parts_); }

  int64_t slab_of(int64_t element) const {
    if (shape_.empty()) return 0;
    const int64_t index = element / row_;
    return index / shape_[dim_] * steps_ + index % shape_[dim_] / rows_;
  }
  /// The first element of a slab.
  int64_t begin(int64_t slab) const {
    if (shape_.empty()) return 0;
    return (slab / steps_ * shape_[dim_] + slab % steps_ * rows_) * row_;
  }
  /// Indices along `dim`.
  int64_t rows(int64_t slab) const {
    if (shape_.empty()) return 1;
    return std::min(rows_, shape_[dim_] - slab % steps_ * rows_);
  }
  int64_t elements(int64_t slab) const { return rows(slab) * row_; }

  /// The place of a chunk in the grid of chunks, by its row-major number among those of the slab.
  Shape index(int64_t slab, int64_t number) const {
    Shape index(shape_.size(), 0);
    if (shape_.empty()) return index;
    for (size_t d = shape_.size(); d-- > dim_ + 1;) {
      index[d] = number % parts_[d - dim_ - 1];
      number /= parts_[d - dim_ - 1];
    }
    index[dim_] = slab % steps_;
    int64_t outer = slab / steps_;
    for (size_t d = dim_; d-- > 0;) {
      index[d] = outer % shape_[d];
      outer /= shape_[d];
    }
    return index;
  }
  /// The sizes of what the array has of a chunk.
  Shape clipped(const Shape& index) const {
    Shape size = chunk_;
    for (size_t d = 0; d < size.size(); ++d) {
      size[d] = std::min(chunk_[d], shape_[d] - index[d] * chunk_[d]);
    }
    return size;
  }
  /// Where a chunk begins in its slab, in elements.
  int64_t offset(const Shape& index) const {
    int64_t offset = 0;
    for (size_t d = dim_ + 1; d < shape_.size(); ++d) {
      offset = offset * shape_[d] + index[d] * chunk_[d];
    }
    return offset;
  }
  /// The strides of a slab, for all dimensions.
  Shape strides() const {
    Shape strides(shape_.size(), 0);
    int64_t stride = 1;
    for (size_t d = shape_.size(); d-- > dim_;) {
      strides[d] = stride;
      stride *= shape_[d];
    }
    return strides;
  }

 private:
  Shape shape_, chunk_, parts_;
  size_t dim_ = 0;
  int64_t row_ = 1, rows_ = 1, steps_ = 1;
};

}  // namespace tamis::io
