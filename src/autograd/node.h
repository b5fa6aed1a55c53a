// Node: an operation as the graph of gradients remembers it; recording, and what a write does to
// it.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/tensor_impl.h"
#include "tamis/autograd.h"
#include "tamis/complex.h"

namespace tamis {

/// A gradient on its way. Where `support` (bool, the value's shape) is false, the value is zero by
/// structure: nothing of the element went into the result. Undefined: it may be nonzero anywhere.
struct Gradient {
  Tensor value, support;

  Gradient() = default;
  Gradient(Tensor v) : value(std::move(v)) {}
  Gradient(Tensor v, Tensor s) : value(std::move(v)), support(std::move(s)) {}
};
using Gradients = std::vector<Gradient>;

/// How the elements of an input's gradient come from those of the result's.
enum class Flow : uint8_t {
  pointwise,  // each from the one at its position (before broadcasting is undone): structural zeros
              // stay
  moves,      // copied, repeated or summed: the vjp of the support is the support of the vjp
  picks,      // the same, and some elements of the input are in no element of the result
  mixes,      // any other way: structural zeros are lost
  products,   // by products of matrices, batch by batch, whose factors are what was saved
};

/// The vector-Jacobian product: from the gradient of the result and what was saved, the gradients
/// of the inputs, one each; a value of the shape that the input was broadcast to is accepted.
using Vjp = std::function<Gradients(const Tensor& grad, std::span<const Tensor> saved)>;

/// A tensor that a node keeps for its vjp. The result itself is kept without its node, which would
/// be a cycle.
struct Saved {
  Tensor tensor;
  Ref<GradNode> node;
  uint32_t version = 0;
  bool is_result = false;
};

using Hook = std::function<Tensor(const Tensor& grad)>;

struct Node final : GradNode {
  Node();
  /// Frees the nodes that only this one kept without recursing into them.
  ~Node() override;

  std::string op;   // of a leaf: empty
  uint64_t number;  // counts up: inputs have smaller ones
  Flow flow = Flow::mixes;
  Shape shape;  // of the result
  DType dtype{};
  std::vector<Ref<GradNode>> inputs;  // null where no gradient is wanted
  std::vector<Shape> input_shapes;
  std::vector<DType> input_dtypes;
  std::vector<Saved> saved;
  Vjp vjp;
  bool freed = false;  // what was saved is gone
  Tensor grad;         // of a leaf, or if retain_grad was called
  bool retains_grad = false;
  std::vector<std::pair<int64_t, Hook>> hooks;

  bool is_leaf() const { return !vjp && !freed; }
};

/// The tensor's node in the graph as it is now: a view of what was written to since gets a new
/// one. Null if no gradient flows.
Node* node_of(const Tensor& x);
/// Whether an operation on x has to be recorded.
inline bool is_tracked(const Tensor& x) {
  const TensorImpl& impl = x.impl();
  return (impl.node || impl.base) && is_grad_enabled() && node_of(x) != nullptr;
}
bool is_tracked(std::span<const Tensor> inputs);

/// Whether results of this dtype have gradients.
constexpr bool carries_gradient(DType dtype) {
  return is_floating_point(dtype) || is_complex(dtype);
}

/// The gradients of a function that is holomorphic where its numbers are complex: g times the
/// conjugate of its derivative. `times` multiplies by the derivative itself, as the vjp of real
/// numbers does.
template <class F>
Gradients conjugated(const Tensor& g, F times) {
  if (!is_complex(g.dtype())) return times(g);
  Gradients found = times(conj(g));
  for (Gradient& x : found) {
    if (x.value.defined()) x.value = conj(x.value);
  }
  return found;
}

/// Enters `result` into the graph. Ask is_tracked first: the lambda costs an allocation.
void record(const Tensor& result, const char* op, Flow flow, std::vector<Tensor> inputs,
            std::vector<Tensor> saved, Vjp vjp);

/// x's storage through another layout, as an operation of the user's: the view knows its base.
Tensor user_view(const Tensor& x, Layout layout);
/// The same of another dtype: complex numbers as their parts, or parts as complex numbers.
Tensor user_view(const Tensor& x, DType dtype, Layout layout);

/// Before a write to target that the graph must record: refuses leaves that require a gradient.
void check_writable(const Tensor& target);
/// Before target takes a value that was computed from it and from `reads`: what the operations on
/// the way saved of target's memory becomes a copy, since the write is theirs.
void copy_saved(const Tensor& target, const Tensor& value, std::span<const Tensor* const> reads);
/// After it: target is now the result of an operation on inputs, the first of which is its old
/// value. Call it in any case; it does nothing where nothing is tracked.
void record_write(const Tensor& target, const char* op, Flow flow, std::vector<Tensor> inputs,
                  std::vector<Tensor> saved, Vjp vjp);
/// The same where a tensor with the new values exists: target takes over its node in the graph.
void record_write(const Tensor& target, const Tensor& value);

}  // namespace tamis
