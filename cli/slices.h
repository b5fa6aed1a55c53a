// Slices: results for every index of some dimensions, from windows of all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "windows.h"

namespace tamis::cli {

/// Dimensions that are counted or summed along, and those that are left.
struct Slices {
  /// Throws UsageError, with the name of the option, for dimensions that the shape has not or that
  /// are given twice; negative ones count from the end.
  Slices(const Shape& shape, const std::vector<int64_t>& dims);

  std::vector<int64_t> along;  // none negative, in order
  std::vector<size_t> left;
  Shape sizes;        // of what is left
  int64_t numel = 1;  // elements along, for each index of what is left

  /// The part of `sizes` that a box of the shape belongs to.
  Box part(const Box& box) const;
  /// The row-major numbers in `sizes` of all elements of such a part, in order.
  std::vector<int64_t> numbers(const Box& part) const;
};

}  // namespace tamis::cli
