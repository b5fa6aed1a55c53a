// FlatElements: the elements of a tensor by their number in row-major order, whatever its layout.
#include "ops/index/flat.h"

#include "core/check.h"
#include "tamis/mask.h"
#include "tamis/pointwise.h"

namespace tamis {

FlatElements::FlatElements(const Tensor& x, const Tensor& index) {
  const int64_t n = x.numel();
  elements_.shape = index.shape();
  elements_.strides = Shape(index.shape().size(), 0);
  columns_.emplace_back(index, x);
  columns_[0].check_within(-n, n, [&](int64_t i) {
    check(false, ErrorKind::index,
          "out of range: tried to access index {} on a tensor of {} elements.", i, n);
  });
  if (x.is_contiguous()) {
    elements_.columns.push_back(columns_[0].column(index.shape(), n, 1));
    return;
  }
  columns_.clear();
  const Tensor flat = where(index < 0, index + n, index).settle();
  int64_t inner = n;
  for (int64_t d = 0; d < x.dim(); ++d) {
    const int64_t size = x.shape()[d];
    inner /= size;
    columns_.emplace_back(remainder(floor_divide(flat, inner), size), x);
    elements_.columns.push_back(columns_.back().column(index.shape(), size, x.strides()[d]));
  }
}

}  // namespace tamis
