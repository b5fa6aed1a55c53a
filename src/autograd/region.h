// Region: the elements of a tensor that a view of it shows, as operations on gradients that have
// the tensor's or the view's shape.
#pragma once

#include "core/tensor_impl.h"
#include "tamis/tensor.h"

namespace tamis {

/// A view and the tensor that it is a view of: both see the same storage. The view may show several
/// positions of one element, and elements that the base does not have, which count nothing. If one
/// is complex and the other shows its parts, both layouts are of parts.
struct Region {
  Layout base, view;
  bool splits_base = false, splits_view = false;  // whose elements are two parts each
};
Region region_of(const Tensor& base, const Tensor& view);

/// The elements of g (of the base's shape) that the view shows.
Tensor take(const Tensor& g, const Region& region);
/// The reverse: g (of the view's shape) where the view shows it, zero elsewhere. Elements that the
/// view shows several times are added.
Tensor put(const Tensor& g, const Region& region);
/// g (of the base's shape) with zeros in the elements that the view shows.
Tensor erase(const Tensor& g, const Region& region);

/// Complex elements as pairs of real ones: their sizes end with 2.
Layout layout_of_parts(Layout layout);
/// A complex g as real and imaginary parts, [..., 2], and the other way round. A mask of structural
/// zeros is that of both parts, and of either.
Tensor parts_of(const Tensor& g);
Tensor from_parts(const Tensor& g);

}  // namespace tamis
