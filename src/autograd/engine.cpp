// Engine: the walk back through the graph, from the newest operation to the oldest.
#include <algorithm>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "autograd/node.h"
#include "backend/attempt.h"
#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// x added up over the dimensions that it was broadcast along; bools by or.
Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  if (x.dim() < static_cast<int64_t>(shape.size())) return sum_to(x.unsqueeze(0), shape);
  const int64_t lead = x.dim() - static_cast<int64_t>(shape.size());
  Dims dims;
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (d < lead || (shape[d - lead] == 1 && x.shape()[d] != 1)) dims.push_back(d);
  }
  if (dims.empty()) return x.reshape(shape);
  const Tensor sum = x.dtype() == DType::boolean ? x.any(dims, true) : x.sum(dims, true);
  return sum.reshape(shape);
}

Tensor both(const Tensor& a, const Tensor& b) {
  if (!a.defined()) return b;
  return b.defined() ? a & b : a;
}

void accumulate(Gradient& into, Gradient g) {
  if (!into.value.defined()) {
    into = std::move(g);
    return;
  }
  into.value = into.value + g.value;
  into.support =
      into.support.defined() && g.support.defined() ? into.support | g.support : Tensor();
}

void run_hooks(const Node& node, Gradient& g) {
  for (const auto& [id, hook] : node.hooks) {
    const Tensor changed = hook(g.value);
    if (!changed.defined()) continue;
    check(changed.shape() == node.shape, ErrorKind::shape,
          "hook '{}' has changed the size of value: expected {}, but got {}", id, node.shape,
          changed.shape());
    g = Gradient(changed.to(node.dtype));
  }
}

/// What the node saved, with its graph. Refuses what has been written to since.
std::vector<Tensor> unpack(Node& node) {
  check(
      !node.freed, ErrorKind::unsupported,
      "Trying to backward through the graph a second time (or directly access saved tensors after "
      "they have already been freed): {} has freed what it saved. Specify retain_graph=True if "
      "you need to backward through the graph a second time.",
      node.op);
  std::vector<Tensor> tensors;
  for (const Saved& s : node.saved) {
    if (!s.tensor.defined()) {
      tensors.emplace_back();
      continue;
    }
    const uint32_t version = storage_of(s.tensor)->version.load(std::memory_order_relaxed);
    check(version == s.version, ErrorKind::unsupported,
          "one of the variables needed for gradient computation has been modified by an inplace "
          "operation: a tensor of type {} and shape {} that {} saved is at version {}; expected "
          "version {} instead.",
          scalar_type_name(s.tensor.dtype()), s.tensor.shape(), node.op, version, s.version);
    Tensor x = make_view(s.tensor, layout_of(s.tensor));
    x.impl().is_number = s.tensor.impl().is_number;
    x.impl().node = s.is_result ? Ref<GradNode>(&node) : s.node;
    tensors.push_back(std::move(x));
  }
  return tensors;
}

/// The gradient of input i from what the vjp gave for it: zero where it is zero by structure, in
/// the dtype and shape of the input. Of a complex gradient, a real input gets the real part: its
/// imaginary part did not vary.
Gradient finish(const Node& node, size_t i, Gradient given, const Tensor& support) {
  Gradient g = std::move(given);
  if (node.flow == Flow::pointwise) g.support = both(support, g.support);
  const Shape& shape = node.input_shapes[i];
  if (g.support.defined() && node.flow == Flow::pointwise) {
    // Selected, not multiplied by zero: the other elements may be infinite or NaN.
    g.value = where(g.support, g.value, scalar_tensor(0, g.value.dtype()));
  }
  const Node& next = static_cast<const Node&>(*node.inputs[i]);
  if (g.support.defined()) {
    const Tensor whole = g.support.expand(broadcast_shapes(g.support.shape(), g.value.shape()));
    g.support = next.is_leaf() ? Tensor() : sum_to(whole, shape);
  }
  g.value = sum_to(g.value, shape).to(node.input_dtypes[i]);
  return g;
}

bool moves_elements(const Node& node) {
  return node.flow == Flow::moves || node.flow == Flow::picks;
}

/// Whether it is worth knowing which elements the node left out: another operation comes before it.
bool leaves_out(const Node& node) {
  return node.flow == Flow::picks &&
         std::any_of(node.inputs.begin(), node.inputs.end(), [](const Ref<GradNode>& input) {
           return input && !static_cast<const Node&>(*input).is_leaf();
         });
}

/// The vjp of what the node knows to be nonzero, for nodes that only move elements.
Gradients moved_supports(const Node& node, const Tensor& support, std::span<const Tensor> saved) {
  NoGradGuard guard;
  Gradients moved = node.vjp(support, saved);
  for (Gradient& g : moved) {
    if (g.value.defined()) g.value = g.value.to_bool();
  }
  return moved;
}

/// The gradients of a product of matrices, as far as they are wanted. A row of the first factor is
/// left out if none of its products counts, NaN or not, and so is a column of the second.
Gradients through_product(const Node& node, const Gradient& g, std::vector<Tensor> saved) {
  const Tensor zero = scalar_tensor(0, g.value.dtype());
  const Tensor rows = g.support.any({2}, true), columns = g.support.any({1}, true);
  if (saved[0].defined()) saved[0] = where(rows, saved[0], zero);
  if (saved[1].defined()) saved[1] = where(columns, saved[1], zero);
  Gradients given = node.vjp(g.value, saved);
  if (given[0].value.defined()) given[0] = {where(rows, given[0].value, zero), rows};
  if (given[1].value.defined()) given[1] = {where(columns, given[1].value, zero), columns};
  return given;
}

void free_saved(Node& node) {
  node.saved.clear();
  node.vjp = nullptr;
  node.freed = true;
}

class Walk {
 public:
  Walk(bool keep, bool create, bool accumulates)
      : keep_(keep), create_(create), accumulates_(accumulates) {}

  /// Frees nothing before `commit`, for a walk that may be unwound and begin again. It costs some
  /// fusion: what is saved is seen, and settled where several need it.
  void set_repeatable() { repeatable_ = true; }

  void start(Node* node, Tensor grad) { enter(node, Gradient(std::move(grad))); }
  /// Only nodes that lead to one of these are visited, and their gradients are kept.
  void want(const std::vector<Node*>& wanted, const std::vector<Node*>& roots);
  /// Computes all gradients. If it fails on the way, the leaves have those that they had.
  void run();
  /// Gives the gradients to the leaves, and frees what was saved.
  void commit();
  Tensor found(Node* node) const {
    const auto at = found_.find(node);
    return at == found_.end() ? Tensor() : at->second;
  }

 private:
  struct Newest {
    bool operator()(const Node* a, const Node* b) const { return a->number < b->number; }
  };

  void enter(Node* node, Gradient g) {
    if (!useful_.empty() && !useful_.count(node)) return;
    auto [at, is_new] = pending_.try_emplace(node);
    if (is_new) {
      queue_.push(node);
      holders_.emplace_back(node);
    }
    accumulate(at->second, std::move(g));
  }
  void visit(Node& node, Gradient g);
  void deliver(Node& node, const Gradient& g);
  void add_grad(Node& node, const Tensor& value) const;

  bool keep_, create_, accumulates_, repeatable_ = false;
  std::priority_queue<Node*, std::vector<Node*>, Newest> queue_;
  std::unordered_map<Node*, Gradient> pending_;
  std::vector<Ref<GradNode>> holders_;
  std::unordered_set<const Node*> useful_, wanted_;
  std::unordered_map<const Node*, Tensor> found_;
  std::vector<std::pair<Node*, Tensor>> delivered_;
  std::vector<Node*> to_free_;
};

void Walk::want(const std::vector<Node*>& wanted, const std::vector<Node*>& roots) {
  wanted_.insert(wanted.begin(), wanted.end());
  useful_.insert(wanted.begin(), wanted.end());
  // Oldest first, so that the inputs of a node have been decided before it.
  std::vector<const Node*> all, stack(roots.begin(), roots.end());
  std::unordered_set<const Node*> seen(roots.begin(), roots.end());
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    all.push_back(node);
    for (const Ref<GradNode>& input : node->inputs) {
      const auto* next = static_cast<const Node*>(input.get());
      if (next && seen.insert(next).second) stack.push_back(next);
    }
  }
  std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->number < b->number; });
  for (const Node* node : all) {
    for (const Ref<GradNode>& input : node->inputs) {
      if (useful_.count(static_cast<const Node*>(input.get()))) useful_.insert(node);
    }
  }
}

void Walk::deliver(Node& node, const Gradient& g) {
  if (wanted_.count(&node)) found_[&node] = g.value;
  if (!accumulates_ || !(node.is_leaf() || node.retains_grad)) return;
  Tensor value = g.value;
  if (!create_ && !node.grad.defined()) {
    // Settled, in its own memory: what it was computed from can be freed.
    value = value.is_contiguous() && value.is_deferred() ? value.detach().settle()
                                                         : value.detach().clone();
  }
  delivered_.emplace_back(&node, std::move(value));
}

void Walk::add_grad(Node& node, const Tensor& value) const {
  if (!node.grad.defined()) {
    node.grad = value;
  } else if (create_) {
    node.grad = node.grad + value;
  } else {
    NoGradGuard guard;
    node.grad.add_(value);
  }
}

void Walk::visit(Node& node, Gradient g) {
  run_hooks(node, g);
  deliver(node, g);
  if (node.is_leaf()) return;
  Gradients given, moved;
  {
    const std::vector<Tensor> saved = unpack(node);
    given = node.flow == Flow::products && g.support.defined() ? through_product(node, g, saved)
                                                               : node.vjp(g.value, saved);
    if (moves_elements(node) && (g.support.defined() || leaves_out(node))) {
      const Tensor all = full_on(backend_of(g.value), {}, true, DType::boolean).expand(node.shape);
      moved = moved_supports(node, g.support.defined() ? g.support : all, saved);
    }
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!node.inputs[i] || i >= given.size() || !given[i].value.defined()) continue;
    Gradient next = given[i];
    if (i < moved.size()) next.support = both(next.support, moved[i].value);
    enter(static_cast<Node*>(node.inputs[i].get()), finish(node, i, std::move(next), g.support));
  }
  if (keep_ || node.saved.empty()) return;
  if (repeatable_) {
    to_free_.push_back(&node);
  } else {
    free_saved(node);
  }
}

void Walk::run() {
  while (!queue_.empty()) {
    Node* const node = queue_.top();
    queue_.pop();
    Gradient g = std::move(pending_[node]);
    pending_.erase(node);
    visit(*node, std::move(g));
  }
}

void Walk::commit() {
  for (auto& [node, value] : delivered_) add_grad(*node, std::exchange(value, Tensor()));
  for (Node* node : to_free_) free_saved(*node);
}

/// The gradient to start from at a root.
Tensor seed(const Tensor& root, const Tensor& grad) {
  check(node_of(root) != nullptr, ErrorKind::unsupported,
        "element 0 of tensors does not require grad and does not have a grad_fn");
  if (!grad.defined()) {
    check(root.numel() == 1, ErrorKind::unsupported,
          "grad can be implicitly created only for scalar outputs");
    check(!is_complex(root), ErrorKind::unsupported,
          "grad can be implicitly created only for real scalar outputs but got {}; take abs() or "
          "real() of it, or give a gradient",
          name(root.dtype()));
    return ones_like(root);
  }
  check(grad.shape() == root.shape(), ErrorKind::shape,
        "Mismatch in shape: grad_output has a shape of {} and output has a shape of {}.",
        grad.shape(), root.shape());
  check(is_complex(grad) == is_complex(root), ErrorKind::dtype,
        "For complex Tensors, both grad_output and output are required to have the same dtype. "
        "Mismatch in dtype: grad_output has a dtype of {} and output has a dtype of {}.",
        name(grad.dtype()), name(root.dtype()));
  return grad.to(root.dtype());
}

/// The thread's mode while gradients are computed.
class Mode {
 public:
  explicit Mode(bool create) : before_(is_grad_enabled()) { set_grad_enabled(create); }
  ~Mode() { set_grad_enabled(before_); }

 private:
  bool before_;
};

void start_all(Walk& walk, const std::vector<Tensor>& roots, const std::vector<Tensor>& grads) {
  check(grads.empty() || grads.size() == roots.size(), ErrorKind::value,
        "got {} tensors and {} gradients", roots.size(), grads.size());
  for (size_t i = 0; i < roots.size(); ++i) {
    if (Attempt::current() || (Attempt::unwinding_expected() && !is_on_host(roots[i]))) {
      walk.set_repeatable();
    }
    Tensor g = seed(roots[i], grads.empty() ? Tensor() : grads[i]);
    walk.start(node_of(roots[i]), std::move(g));
  }
}

}  // namespace

void backward(const std::vector<Tensor>& roots, const std::vector<Tensor>& grads,
              std::optional<bool> retain_graph, bool create_graph) {
  const Mode mode(create_graph);
  Walk walk(retain_graph.value_or(create_graph), create_graph, true);
  start_all(walk, roots, grads);
  walk.run();
  walk.commit();
}

std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& grad_outputs, std::optional<bool> retain_graph,
                         bool create_graph, bool allow_unused) {
  std::vector<Node*> wanted, roots;
  for (const Tensor& x : inputs) {
    wanted.push_back(node_of(x));
    check(wanted.back() != nullptr, ErrorKind::unsupported,
          "One of the differentiated Tensors does not require grad");
  }
  for (const Tensor& y : outputs) {
    if (node_of(y)) roots.push_back(node_of(y));
  }
  const Mode mode(create_graph);
  Walk walk(retain_graph.value_or(create_graph), create_graph, false);
  walk.want(wanted, roots);
  start_all(walk, outputs, grad_outputs);
  walk.run();
  std::vector<Tensor> found;
  for (Node* node : wanted) {
    found.push_back(walk.found(node));
    check(found.back().defined() || allow_unused, ErrorKind::unsupported,
          "One of the differentiated Tensors appears to not have been used in the graph. Set "
          "allow_unused=True if this is the desired behavior.");
  }
  walk.commit();
  return found;
}

}  // namespace tamis
