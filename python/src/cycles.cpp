// Cycles through the graph of gradients: for example a hook that refers to its own tensor.
#include "cycles.h"

#include <unordered_map>
#include <vector>

#include "autograd.h"

namespace tamis::python {

namespace {

/// The nodes of which every reference has been found.
class OwnedNodes {
 public:
  explicit OwnedNodes(const TensorImpl& impl) {
    if (impl.use_count() != 1) return;
    found(impl.node);
    found(impl.base_node);
    if (impl.base && impl.base->use_count() == 1) found(impl.base->node);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const Node* const node = nodes_[i];  // the vector may move
      for (const Ref<GradNode>& input : node->inputs) found(input);
      for (const Saved& saved : node->saved) found(saved.node);
    }
  }
  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.end(); }

 private:
  void found(const Ref<GradNode>& ref) {
    if (!ref) return;
    const auto* const node = static_cast<const Node*>(ref.get());
    const int all = node->use_count();
    if (all == 1 || ++counts_[node] == all) nodes_.push_back(node);
  }

  std::vector<const Node*> nodes_;
  std::unordered_map<const Node*, int> counts_;
};

/// The Python object of a function of a node, or null.
template <class Named, class Function>
PyObject* object_in(const Function& function) {
  const Named* const named = function.template target<Named>();
  return named != nullptr && named->function.use_count() == 1 ? named->function->ptr() : nullptr;
}

}  // namespace

Kept keep(py::object o) {
  return {new py::object(std::move(o)), [](py::object* kept) {
            if (!Py_IsInitialized()) return;
            py::gil_scoped_acquire gil;
            delete kept;
          }};
}

Tensor PythonHook::operator()(const Tensor& grad) const {
  py::gil_scoped_acquire gil;
  return tensor_or_none((*function)(object_of(grad)));
}

Gradients PythonVjp::operator()(const Tensor& grad, std::span<const Tensor> saved) const {
  py::gil_scoped_acquire gil;
  const std::vector<Tensor> given = tensors_from((*function)(object_of(grad), objects_of(saved)));
  return Gradients(given.begin(), given.end());
}

int visit_functions(const Tensor& x, visitproc visit, void* arg) noexcept {
  if (!x.defined() || (!x.impl().node && !x.impl().base)) return 0;
  for (const Node* node : OwnedNodes(x.impl())) {
    Py_VISIT(object_in<PythonVjp>(node->vjp));
    for (const auto& [id, hook] : node->hooks) Py_VISIT(object_in<PythonHook>(hook));
  }
  return 0;
}

}  // namespace tamis::python
