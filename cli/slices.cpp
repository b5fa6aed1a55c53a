// Slices: checking dimensions, and where the parts of a box go.
#include "slices.h"

#include <algorithm>

#include <fmt/format.h>

#include "usage_error.h"

namespace tamis::cli {

Slices::Slices(const Shape& shape, const std::vector<int64_t>& dims) {
  const auto rank = static_cast<int64_t>(shape.size());
  for (int64_t dim : dims) {
    if (dim < -rank || dim >= rank) {
      throw UsageError(
          fmt::format("--dim: dimension {} is out of range for shape {}", dim, to_string(shape)));
    }
    along.push_back(dim < 0 ? dim + rank : dim);
  }
  std::sort(along.begin(), along.end());
  if (std::adjacent_find(along.begin(), along.end()) != along.end()) {
    throw UsageError("--dim: a dimension is given twice");
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    if (std::binary_search(along.begin(), along.end(), static_cast<int64_t>(d))) {
      numel *= shape[d];
    } else {
      left.push_back(d);
      sizes.push_back(shape[d]);
    }
  }
}

Box Slices::part(const Box& box) const {
  Box own;
  for (size_t d : left) {
    own.start.push_back(box.start[d]);
    own.size.push_back(box.size[d]);
  }
  return own;
}

std::vector<int64_t> Slices::numbers(const Box& part) const {
  std::vector<int64_t> list(static_cast<size_t>(part.numel()));
  Shape index = part.start;
  for (int64_t& number : list) {
    number = 0;
    for (size_t d = 0; d < sizes.size(); ++d) number = number * sizes[d] + index[d];
    size_t d = sizes.size();
    while (d > 0 && ++index[d - 1] == part.start[d - 1] + part.size[d - 1]) {
      --d;
      index[d] = part.start[d];
    }
  }
  return list;
}

}  // namespace tamis::cli
