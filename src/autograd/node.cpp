// Node: recording operations and writes, and freeing graphs.
#include "autograd/node.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "autograd/region.h"
#include "core/check.h"
#include "core/convert.h"

namespace tamis {

namespace {

thread_local bool grad_enabled = true;

/// What dying nodes leave behind. The outermost destructor empties it.
struct Remains {
  std::vector<Ref<GradNode>> nodes;
  std::vector<Tensor> tensors;
  bool being_freed = false;
};
thread_local Remains remains;

Ref<GradNode> ref_to(Node* node) { return Ref<GradNode>(node); }

Saved save(const Tensor& x, const Node* result_node, const Tensor& result) {
  Saved saved;
  if (!x.defined()) return saved;
  saved.tensor = make_view(x, layout_of(x));
  saved.tensor.impl().is_number = x.impl().is_number;
  saved.version = storage_of(x)->version.load(std::memory_order_relaxed);
  saved.is_result = result_node && &x.impl() == &result.impl();
  if (!saved.is_result) saved.node = ref_to(node_of(x));
  return saved;
}

Node* make_node(const char* op, Flow flow, const Tensor& result, const std::vector<Tensor>& inputs,
                Vjp vjp) {
  auto* node = new Node;
  node->op = op;
  node->flow = flow;
  node->shape = result.shape();
  node->dtype = result.dtype();
  node->vjp = std::move(vjp);
  for (const Tensor& x : inputs) {
    node->inputs.push_back(ref_to(node_of(x)));
    node->input_shapes.push_back(x.shape());
    node->input_dtypes.push_back(x.dtype());
  }
  return node;
}

/// Makes `node` target's node in the graph. If target is a view, its base changes.
void replace_node(const Tensor& target, Ref<GradNode> node) {
  TensorImpl& impl = target.impl();
  if (!impl.base) {
    impl.node = std::move(node);
    return;
  }
  const Tensor base(impl.base.get());
  const Region region = region_of(base, target);
  Node* const merged = make_node("write to a view", Flow::picks, base, {base, target},
                                 [region](const Tensor& g, std::span<const Tensor>) -> Gradients {
                                   return {erase(g, region), take(g, region)};
                                 });
  merged->inputs[1] = std::move(node);
  impl.base->node = ref_to(merged);
}

}  // namespace

bool is_grad_enabled() { return grad_enabled; }
void set_grad_enabled(bool on) { grad_enabled = on; }

Node::Node() {
  static std::atomic<uint64_t> next{0};
  number = next.fetch_add(1, std::memory_order_relaxed);
}

Node::~Node() {
  for (Ref<GradNode>& input : inputs) {
    if (input) remains.nodes.push_back(std::move(input));
  }
  for (Saved& s : saved) {
    if (s.node) remains.nodes.push_back(std::move(s.node));
    if (s.tensor.defined()) remains.tensors.push_back(std::move(s.tensor));
  }
  if (remains.being_freed) return;
  remains.being_freed = true;
  while (!remains.nodes.empty() || !remains.tensors.empty()) {
    // Taken out one by one: freeing one may add others.
    if (!remains.nodes.empty()) {
      const Ref<GradNode> last = std::move(remains.nodes.back());
      remains.nodes.pop_back();
    } else {
      const Tensor last = std::move(remains.tensors.back());
      remains.tensors.pop_back();
    }
  }
  remains.being_freed = false;
}

Node* node_of(const Tensor& x) {
  TensorImpl& impl = x.impl();
  if (impl.base && !(impl.base->node == impl.base_node)) {
    const Tensor base(impl.base.get());
    impl.base_node = impl.base->node;
    if (!impl.base_node) {
      impl.node = nullptr;
    } else {
      const Region region = region_of(base, x);
      impl.node = ref_to(make_node("view", Flow::picks, x, {base},
                                   [region](const Tensor& g, std::span<const Tensor>) -> Gradients {
                                     return {put(g, region)};
                                   }));
    }
  }
  return static_cast<Node*>(impl.node.get());
}

bool is_tracked(std::span<const Tensor> inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const Tensor& x) { return is_tracked(x); });
}

void record(const Tensor& result, const char* op, Flow flow, std::vector<Tensor> inputs,
            std::vector<Tensor> saved, Vjp vjp) {
  // A result that an op has reshaped inside is a view of memory that no one else knows. Its node
  // comes from here, not from the op inside.
  const bool is_view = std::any_of(inputs.begin(), inputs.end(), [&](const Tensor& x) {
    return storage_of(x) == storage_of(result);
  });
  if (!is_view) result.impl().base = nullptr;
  Node* const node = make_node(op, flow, result, inputs, std::move(vjp));
  const Ref<GradNode> holder = ref_to(node);
  for (const Tensor& x : saved) node->saved.push_back(save(x, node, result));
  result.impl().node = holder;
}

Tensor user_view(const Tensor& x, Layout layout) {
  return user_view(x, x.dtype(), std::move(layout));
}

Tensor user_view(const Tensor& x, DType dtype, Layout layout) {
  Tensor view = make_tensor(storage_of(x), dtype, std::move(layout));
  if (!carries_gradient(dtype)) return view;
  TensorImpl& from = x.impl();
  view.impl().base = from.base ? from.base : Ref<TensorImpl>(&from);
  node_of(x);  // brings from.base_node up to date
  view.impl().base_node = view.impl().base->node;
  return view;
}

void check_writable(const Tensor& target) {
  if (!is_grad_enabled()) return;
  const TensorImpl& impl = target.impl();
  const GradNode* const own = impl.base ? impl.base->node.get() : impl.node.get();
  const auto* const node = static_cast<const Node*>(own);
  if (!node || !node->is_leaf()) return;
  check(impl.base.get() == nullptr, ErrorKind::unsupported,
        "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  raise(ErrorKind::unsupported,
        "a leaf Variable that requires grad is being used in an in-place operation.");
}

void copy_saved(const Tensor& target, const Tensor& value, std::span<const Tensor* const> reads) {
  uint64_t first = 0;  // the number of the oldest node that may be new
  const auto is_older = [&first](const Tensor& x) {
    if (const Node* node = node_of(x)) first = std::max(first, node->number + 1);
  };
  is_older(target);
  for (const Tensor* read : reads) is_older(*read);
  std::set<Node*> seen;
  std::vector<Node*> open = {node_of(value)};
  while (!open.empty()) {
    Node* const node = open.back();
    open.pop_back();
    if (!node || node->number < first || !seen.insert(node).second) continue;
    for (Saved& s : node->saved) {
      if (!s.tensor.defined() || !(storage_of(s.tensor) == storage_of(target))) continue;
      s.tensor = s.tensor.clone().settle();
      s.version = storage_of(s.tensor)->version.load(std::memory_order_relaxed);
    }
    for (const Ref<GradNode>& input : node->inputs) {
      open.push_back(static_cast<Node*>(input.get()));
    }
  }
}

void record_write(const Tensor& target, const char* op, Flow flow, std::vector<Tensor> inputs,
                  std::vector<Tensor> saved, Vjp vjp) {
  if (!carries_gradient(target.dtype()) || !is_tracked(inputs)) return;
  Node* const node = make_node(op, flow, target, inputs, std::move(vjp));
  const Ref<GradNode> holder = ref_to(node);
  for (const Tensor& x : saved) node->saved.push_back(save(x, nullptr, target));
  replace_node(target, holder);
}

void record_write(const Tensor& target, const Tensor& value) {
  if (!is_grad_enabled() || !carries_gradient(target.dtype())) return;
  Node* const node = node_of(value);
  if (!node && !node_of(target)) return;
  if (node && value.dtype() == target.dtype() && value.shape() == target.shape()) {
    return replace_node(target, ref_to(node));
  }
  replace_node(
      target,
      ref_to(make_node("copy_", Flow::pointwise, target, {value},
                       [](const Tensor& g, std::span<const Tensor>) -> Gradients { return {g}; })));
}

}  // namespace tamis
