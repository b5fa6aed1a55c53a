// FlatPlaces: integers that count the elements of a tensor in row-major order, whatever its layout.
#pragma once

#include <vector>

#include "ops/index/places.h"

namespace tamis {

/// The places in x (not empty) that index (int64; negative integers count from the end) names.
/// Throws kind index if one is out of range.
class FlatPlaces {
 public:
  FlatPlaces(const Tensor& x, const Tensor& index);
  /// Good as long as this object.
  const IndexedElements& places() const { return places_; }

 private:
  std::vector<Indices> columns_;
  IndexedElements places_;
};

}  // namespace tamis
