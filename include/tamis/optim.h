// Optimisers: steps along the gradients that backward collected.
#pragma once

#include <utility>
#include <vector>

#include "tamis/tensor.h"

namespace tamis {

/// What the optimisers share: the parameters, and forgetting their gradients.
class Optimizer {
 public:
  /// Throws kind value if there are none, or if one is not a leaf that requires a gradient.
  explicit Optimizer(std::vector<Tensor> parameters);
  virtual ~Optimizer() = default;

  /// Changes every parameter that has a gradient, in place and unrecorded.
  virtual void step() = 0;
  /// Forgets the gradients.
  void zero_grad();

 protected:
  std::vector<Tensor> parameters_;
};

/// Stochastic gradient descent, by PyTorch's formulas.
class SGD final : public Optimizer {
 public:
  struct Options {
    double lr = 1e-3;
    double momentum = 0;
    double dampening = 0;
    double weight_decay = 0;
    bool nesterov = false;  ///< needs a momentum and no dampening
  };
  SGD(std::vector<Tensor> parameters, const Options& options);
  SGD(std::vector<Tensor> parameters, double lr);
  void step() override;

 private:
  Options options_;
  std::vector<Tensor> velocities_;  // undefined before the first step
};

/// Adam, by PyTorch's formulas; with decoupled weight decay it is AdamW.
class Adam final : public Optimizer {
 public:
  struct Options {
    double lr = 1e-3;
    std::pair<double, double> betas = {0.9, 0.999};
    double eps = 1e-8;
    double weight_decay = 0;
    bool decoupled = false;  ///< the decay acts on the parameter, not on the gradient
  };
  Adam(std::vector<Tensor> parameters, const Options& options);
  explicit Adam(std::vector<Tensor> parameters, double lr = 1e-3);
  void step() override;

 private:
  struct State {
    Tensor first, second;  // running means of the gradient and of its square
    int64_t steps = 0;
  };
  Options options_;
  std::vector<State> states_;
};

}  // namespace tamis
