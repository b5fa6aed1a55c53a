// FlatElements: the elements of a tensor by their number in row-major order, whatever its layout.
#pragma once

#include <vector>

#include "ops/index/indexed.h"

namespace tamis {

/// The elements of x (not empty) that index (int64; negative integers count from the end) names.
/// Throws kind index if one is out of range.
class FlatElements {
 public:
  FlatElements(const Tensor& x, const Tensor& index);
  /// Valid as long as this object.
  const IndexedElements& elements() const { return elements_; }

 private:
  std::vector<Indices> columns_;
  IndexedElements elements_;
};

}  // namespace tamis
