// IntervalRows: structured masks as ops see them: which interval is kept of each row of a shape.
#pragma once

#include <utility>

#include "core/interval.h"
#include "core/tensor_impl.h"

namespace tamis {

/// The recipe of a structured mask, or null.
inline Ref<const Intervals> structure_of(const Tensor& mask) {
  const Ref<const Recipe> recipe = storage_of(mask)->recipe();
  return Ref(as_intervals(recipe.get()));
}

/// A structured mask as seen from a shape: which of its rows applies to each row of the shape.
struct IntervalRows {
  Ref<const Intervals> intervals;  // null if the shape does not see whole rows
  Shape strides;                   // in rows, per dimension of the shape but the last
  int64_t first = 0;

  IntervalRows(Ref<const Intervals> structure, const Layout& layout, const Shape& shape)
      : intervals(std::move(structure)), strides(broadcast_strides(layout, shape)) {
    const int64_t cols = intervals->cols();
    bool whole = strides.back() == 1 && shape.back() == cols && layout.offset % cols == 0;
    strides.erase(strides.size() - 1);
    for (int64_t& stride : strides) {
      whole = whole && stride % cols == 0;
      stride /= cols;
    }
    first = layout.offset / cols;
    if (!whole) intervals = nullptr;
  }

  std::pair<int64_t, int64_t> row(const Shape& index) const {
    int64_t at = first;
    for (size_t d = 0; d < strides.size(); ++d) at += index[d] * strides[d];
    return intervals->row(at);
  }
};

}  // namespace tamis
