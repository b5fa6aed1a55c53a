// Region: the elements of a tensor that a view of it shows, as operations on gradients that have
// the tensor's or the view's shape.
#pragma once

#include "core/tensor_impl.h"

namespace tamis {

/// A view and the tensor that it is a view of: both see the same storage. The view may show several
/// positions of one element, and elements that the base does not have, which count nothing.
struct Region {
  Layout base, view;
};

/// The elements of g (of the base's shape) that the view shows.
Tensor take(const Tensor& g, const Region& region);
/// The reverse: g (of the view's shape) where the view shows it, zero elsewhere. Elements that the
/// view shows several times are added.
Tensor put(const Tensor& g, const Region& region);
/// g (of the base's shape) with zeros in the elements that the view shows.
Tensor erase(const Tensor& g, const Region& region);

}  // namespace tamis
