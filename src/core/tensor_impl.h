// TensorImpl: what a Tensor handle points to: a storage seen through a dtype and a layout.
#pragma once

#include "core/ref.h"
#include "core/storage.h"
#include "tamis/tensor.h"

namespace tamis {

/// Where the elements are: element (i0, i1, ...) is number offset + sum(i_k * strides_k) of the
/// storage.
struct Layout {
  Shape sizes;
  Shape strides;
  int64_t offset = 0;
};

/// Row-major strides for the sizes (dimensions of size 0 count as 1, as in PyTorch).
Shape contiguous_strides(const Shape& sizes);
bool is_contiguous(const Layout& layout);
/// The strides of x when it is broadcast to `shape`, which it must fit.
Shape broadcast_strides(const Layout& x, const Shape& shape);
/// Any dimension with size > 1 and stride 0: several elements share one memory location.
bool has_internal_overlap(const Layout& layout);

/// A node of the graph that gradients flow through (autograd/node.h).
struct GradNode : RefCounted {
  virtual ~GradNode() = default;
};

struct TensorImpl final : RefCounted, Pooled<TensorImpl> {
  TensorImpl(Ref<Storage>&& storage_, DType dtype_, Layout&& layout_)
      : storage(std::move(storage_)),
        layout(std::move(layout_)),
        numel(tamis::numel(layout.sizes)),
        dtype(dtype_) {}
  /// Contiguous.
  TensorImpl(Ref<Storage>&& storage_, DType dtype_, const Shape& shape)
      : storage(std::move(storage_)),
        layout{shape, contiguous_strides(shape), 0},
        numel(tamis::numel(shape)),
        dtype(dtype_) {}
  /// With as many elements as another, in a layout like its own.
  TensorImpl(Ref<Storage>&& storage_, DType dtype_, const TensorImpl& like)
      : storage(std::move(storage_)),
        layout{like.layout.sizes, like.layout.strides, 0},
        numel(like.numel),
        dtype(dtype_) {}

  Ref<Storage> storage;
  Layout layout;
  int64_t numel;
  DType dtype;
  bool is_number = false;  // made from a C++ number: weaker than a 0-d tensor in promotion
  Ref<GradNode> node;      // null: no gradient flows here
  // A view knows whose view it is, because a write through either changes the other's node in the
  // graph. `base_node` is the base's node that `node` was made from.
  Ref<TensorImpl> base;
  Ref<GradNode> base_node;
};

/// A tensor over a storage.
Tensor make_tensor(Ref<Storage> storage, DType dtype, Layout layout);
/// A contiguous tensor over a storage.
Tensor make_tensor(Ref<Storage> storage, DType dtype, const Shape& shape);
/// x's storage through another layout: a view.
Tensor make_view(const Tensor& x, Layout layout);

inline const Ref<Storage>& storage_of(const Tensor& x) { return x.impl().storage; }
inline const Layout& layout_of(const Tensor& x) { return x.impl().layout; }

}  // namespace tamis
