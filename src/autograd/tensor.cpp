// Tensor's methods for gradients: requires_grad, grad, hooks; and custom functions.
#include <atomic>

#include "autograd/node.h"
#include "core/check.h"
#include "core/convert.h"

namespace tamis {

bool Tensor::requires_grad() const { return node_of(*this) != nullptr; }

Tensor& Tensor::requires_grad_(bool on) & {
  Node* const node = node_of(*this);
  check(!on || carries_gradient(dtype()), ErrorKind::dtype,
        "only Tensors of floating point and complex dtype can require gradients");
  check(on || !node || node->is_leaf(), ErrorKind::unsupported,
        "you can only change requires_grad flags of leaf variables. If you want to use a computed "
        "variable in a subgraph that doesn't require differentiation use var_no_grad = "
        "var.detach().");
  if (on == (node != nullptr)) return *this;
  if (!on) {
    impl().node = nullptr;
    return *this;
  }
  auto* leaf = new Node;
  leaf->shape = shape();
  leaf->dtype = dtype();
  impl().node = Ref<GradNode>(leaf);
  // From here on it is not a view as far as gradients are concerned.
  impl().base = nullptr;
  impl().base_node = nullptr;
  return *this;
}
Tensor Tensor::requires_grad_(bool on) && {
  requires_grad_(on);
  return std::move(*this);
}

bool Tensor::is_leaf() const {
  const Node* const node = node_of(*this);
  return !node || node->is_leaf();
}

Tensor Tensor::grad() const {
  const Node* const node = node_of(*this);
  return node ? node->grad : Tensor();
}

void Tensor::set_grad(const Tensor& value) const {
  Node* const node = node_of(*this);
  check(node != nullptr || !value.defined(), ErrorKind::unsupported,
        "a gradient can be given only to a tensor that requires one");
  if (!node) return;
  if (value.defined()) {
    check(value.shape() == shape(), ErrorKind::shape,
          "assigned grad has data of a different size: {} for a tensor of shape {}", value.shape(),
          shape());
    check(value.dtype() == dtype(), ErrorKind::dtype,
          "assigned grad has data of a different type: {} for a tensor of type {}",
          scalar_type_name(value.dtype()), scalar_type_name(dtype()));
  }
  node->grad = value;
}

void Tensor::retain_grad() const {
  Node* const node = node_of(*this);
  check(node != nullptr, ErrorKind::unsupported,
        "can't retain_grad on Tensor that has requires_grad=False");
  node->retains_grad = true;
}

void Tensor::backward() const { tamis::backward({*this}); }

void Tensor::backward(const Tensor& gradient, std::optional<bool> retain_graph,
                      bool create_graph) const {
  tamis::backward({*this}, {gradient}, retain_graph, create_graph);
}

int64_t Tensor::register_hook(std::function<Tensor(const Tensor&)> hook) const {
  Node* const node = node_of(*this);
  check(node != nullptr, ErrorKind::unsupported,
        "cannot register a hook on a tensor that doesn't require gradient");
  static std::atomic<int64_t> next{0};
  const int64_t id = next++;
  node->hooks.emplace_back(id, std::move(hook));
  return id;
}

void Tensor::remove_hook(int64_t id) const {
  Node* const node = node_of(*this);
  if (node) std::erase_if(node->hooks, [id](const auto& hook) { return hook.first == id; });
}

Tensor CustomFunction::operator()(const std::vector<Tensor>& inputs) const {
  Tensor result;
  {
    NoGradGuard guard;
    result = forward(inputs);
  }
  if (!is_tracked(inputs) || !carries_gradient(result.dtype())) return result;
  // A result that is one of the inputs, or a view of one, is a tensor of its own here.
  result = result.detach();
  std::vector<Tensor> kept;
  if (save) {
    kept = save(inputs, result);
  } else {
    kept = inputs;
    kept.push_back(result);
  }
  // The name lives as long as the function that the node holds.
  auto shared = std::make_shared<const CustomFunction>(*this);
  record(result, shared->name.c_str(), Flow::mixes, inputs, std::move(kept),
         [shared](const Tensor& g, std::span<const Tensor> saved) {
           const std::vector<Tensor> given = shared->vjp(g, {saved.begin(), saved.end()});
           return Gradients(given.begin(), given.end());
         });
  return result;
}

}  // namespace tamis
