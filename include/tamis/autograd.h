// Autograd: gradients by walking back through the operations that were recorded.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tamis/tensor.h"

namespace tamis {

/// Whether operations of this thread are recorded (they are, unless a guard says otherwise).
bool is_grad_enabled();
void set_grad_enabled(bool on);

/// While it lives, operations of this thread are not recorded.
class NoGradGuard {
 public:
  NoGradGuard() : before_(is_grad_enabled()) { set_grad_enabled(false); }
  ~NoGradGuard() { set_grad_enabled(before_); }
  NoGradGuard(const NoGradGuard&) = delete;
  NoGradGuard& operator=(const NoGradGuard&) = delete;

 private:
  bool before_;
};

/// While it lives, operations of this thread are recorded, also inside a NoGradGuard.
class EnableGradGuard {
 public:
  EnableGradGuard() : before_(is_grad_enabled()) { set_grad_enabled(true); }
  ~EnableGradGuard() { set_grad_enabled(before_); }
  EnableGradGuard(const EnableGradGuard&) = delete;
  EnableGradGuard& operator=(const EnableGradGuard&) = delete;

 private:
  bool before_;
};

/// Adds the gradients of the roots (weighted by grads; an undefined one is 1 and needs a root of
/// one element, which is real) to `.grad()` of every leaf that they were computed from. What the
/// operations saved is freed on the way unless retain_graph (default: create_graph); with
/// create_graph the gradients can be differentiated again.
void backward(const std::vector<Tensor>& roots, const std::vector<Tensor>& grads = {},
              std::optional<bool> retain_graph = {}, bool create_graph = false);

/// The gradients of the outputs with respect to the inputs, as backward would add them; `.grad()`
/// stays as it is. An input that the outputs do not depend on is an error, or, with allow_unused,
/// an undefined tensor.
std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& grad_outputs = {},
                         std::optional<bool> retain_graph = {}, bool create_graph = false,
                         bool allow_unused = false);

/// A function with a gradient of its own. `forward` runs unrecorded; `vjp` gets the gradient of its
/// result and what `save` returned for (inputs, result), and returns one gradient per input
/// (undefined: none). Written in Tamis' operations, vjp can be differentiated in turn.
struct CustomFunction {
  std::string name;
  std::function<Tensor(const std::vector<Tensor>& inputs)> forward;
  std::function<std::vector<Tensor>(const Tensor& grad, const std::vector<Tensor>& saved)> vjp;
  /// Default: saves the inputs and the result, in this order.
  std::function<std::vector<Tensor>(const std::vector<Tensor>& inputs, const Tensor& result)> save;

  Tensor operator()(const std::vector<Tensor>& inputs) const;
};

/// Compares the gradients of f at the inputs (float64 or complex128; those that require gradients)
/// with difference quotients, of complex numbers by their parts. Throws kind value and says where
/// they differ by more than atol + rtol * |expected|; returns true.
bool gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& f,
               const std::vector<Tensor>& inputs, double eps = 1e-6, double atol = 1e-5,
               double rtol = 1e-3);
/// The same for the gradients of the gradients.
bool gradgradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                   const std::vector<Tensor>& inputs, double eps = 1e-6, double atol = 1e-5,
                   double rtol = 1e-3);

}  // namespace tamis
