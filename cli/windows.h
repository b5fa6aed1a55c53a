// Windows: an n-dimensional shape cut into boxes that follow each other in row-major order.
#pragma once

#include <cstdint>

#include "tamis/shape.h"

namespace tamis::cli {

/// A part of a shape: elements start[d] <= index < start[d] + size[d]. Those that Windows makes
/// are contiguous in row-major order.
struct Box {
  Shape start;
  Shape size;

  int64_t numel() const { return tamis::numel(size); }
};

/// All of a shape.
Box whole_box(const Shape& shape);

/// The part of an array of the given shape, which broadcasts to the box's, that lines up with box.
Box restrict_to(const Box& box, const Shape& shape);

/// The row-major number of the box's first element.
int64_t first_element(const Box& box, const Shape& shape);

class Windows {
 public:
  /// Boxes of about max_numel elements, never more; at least one element each.
  Windows(const Shape& shape, int64_t max_numel);

  const Shape& shape() const { return shape_; }
  /// None for a shape without elements.
  int64_t count() const { return outer_ * parts_; }
  Box operator[](int64_t number) const;

 private:
  Shape shape_;
  size_t dim_ = 0;     // the dimension that is cut; those before it have size 1 in a box
  int64_t outer_ = 1;  // the product of the sizes before it
  int64_t parts_ = 1;  // how many boxes it is cut into
};

}  // namespace tamis::cli
