// What all views share: making one, and its gradient.
#pragma once

#include <span>
#include <utility>

#include "autograd/node.h"
#include "core/tensor_impl.h"
#include "tamis/tensor.h"

namespace tamis {

/// A view of x. `back` turns a gradient of the view into one of x.
template <class F>
Tensor view_of(const Tensor& x, const char* op, Flow flow, Layout layout, F back) {
  const Tensor view = user_view(x, std::move(layout));
  if (is_tracked(x)) {
    record(view, op, flow, {x}, {},
           [back](const Tensor& g, std::span<const Tensor>) -> Gradients { return {back(g)}; });
  }
  return view;
}

/// The same elements in the same order.
inline Tensor reshaped(const Tensor& x, const char* op, Layout layout) {
  return view_of(x, op, Flow::moves, std::move(layout),
                 [shape = x.shape()](const Tensor& g) { return g.reshape(shape); });
}

}  // namespace tamis
