// Windows: cutting a shape.
#include "windows.h"

#include <algorithm>

namespace tamis::cli {

Box whole_box(const Shape& shape) { return {Shape(shape.size(), 0), shape}; }

Box restrict_to(const Box& box, const Shape& shape) {
  Box own = whole_box(shape);
  const size_t skip = box.size.size() - shape.size();
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    own.start[d] = box.start[d + skip];
    own.size[d] = box.size[d + skip];
  }
  return own;
}

int64_t first_element(const Box& box, const Shape& shape) {
  int64_t first = 0;
  for (size_t d = 0; d < shape.size(); ++d) first = first * shape[d] + box.start[d];
  return first;
}

Windows::Windows(const Shape& shape, int64_t max_numel) : shape_(shape) {
  // Whole dimensions from the right as long as they fit, then a part of the next.
  int64_t inner = 1;
  dim_ = shape.size();
  while (dim_ > 0 && inner * shape[dim_ - 1] <= max_numel) inner *= shape[--dim_];
  if (dim_ > 0 && inner > 0) {
    --dim_;
    const int64_t per_box = std::max<int64_t>(1, max_numel / inner);
    parts_ = (shape[dim_] + per_box - 1) / per_box;
  }
  for (size_t d = 0; d < dim_; ++d) outer_ *= shape[d];
  if (numel(shape) == 0) outer_ = 0;
}

Box Windows::operator[](int64_t number) const {
  Box box = whole_box(shape_);
  const int64_t part = number % parts_;
  int64_t rest = number / parts_;
  for (size_t d = dim_; d-- > 0;) {
    box.start[d] = rest % shape_[d];
    box.size[d] = 1;
    rest /= shape_[d];
  }
  if (dim_ < shape_.size() && parts_ > 1) {
    // Parts of nearly equal size: the first few have one element more.
    const int64_t n = shape_[dim_], small = n / parts_, larger = n % parts_;
    box.start[dim_] = part * small + std::min(part, larger);
    box.size[dim_] = small + (part < larger);
  }
  return box;
}

}  // namespace tamis::cli
