// Optimisers: each update is one fused pass over a parameter and its state.
#include <cmath>

#include "core/check.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

void check_not_negative(double value, const char* what) {
  check(value >= 0, ErrorKind::value, "Invalid {}: {}", what, value);
}

Tensor in_parts(const Tensor& x) { return is_complex(x) ? view_as_real(x) : x; }

}  // namespace

Optimizer::Optimizer(std::vector<Tensor> parameters) : parameters_(std::move(parameters)) {
  check(!parameters_.empty(), ErrorKind::value, "optimizer got an empty parameter list");
  for (const Tensor& p : parameters_) {
    check(p.requires_grad() && p.is_leaf(), ErrorKind::value, "can't optimize a non-leaf Tensor");
  }
}

void Optimizer::zero_grad() {
  for (const Tensor& p : parameters_) p.set_grad(Tensor());
}

SGD::SGD(std::vector<Tensor> parameters, const Options& options)
    : Optimizer(std::move(parameters)), options_(options), velocities_(parameters_.size()) {
  check_not_negative(options.lr, "learning rate");
  check_not_negative(options.momentum, "momentum value");
  check_not_negative(options.weight_decay, "weight_decay value");
  check(!options.nesterov || (options.momentum > 0 && options.dampening == 0), ErrorKind::value,
        "Nesterov momentum requires a momentum and zero dampening");
}

SGD::SGD(std::vector<Tensor> parameters, double lr)
    : SGD(std::move(parameters), Options{.lr = lr}) {}

void SGD::step() {
  const NoGradGuard guard;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    Tensor& p = parameters_[i];
    Tensor g = p.grad();
    if (!g.defined()) continue;
    if (options_.weight_decay != 0) g = g + p * options_.weight_decay;
    if (options_.momentum != 0) {
      Tensor& v = velocities_[i];
      if (!v.defined()) {
        v = g.clone();
      } else {
        v.copy_(v * options_.momentum + g * (1 - options_.dampening));
      }
      g = options_.nesterov ? g + v * options_.momentum : v;
    }
    p.sub_(g * options_.lr);
  }
}

Adam::Adam(std::vector<Tensor> parameters, const Options& options)
    : Optimizer(std::move(parameters)), options_(options), states_(parameters_.size()) {
  check_not_negative(options.lr, "learning rate");
  check_not_negative(options.eps, "epsilon value");
  check_not_negative(options.weight_decay, "weight_decay value");
  const auto [a, b] = options.betas;
  check(a >= 0 && a < 1, ErrorKind::value, "Invalid beta parameter at index 0: {}", a);
  check(b >= 0 && b < 1, ErrorKind::value, "Invalid beta parameter at index 1: {}", b);
}

Adam::Adam(std::vector<Tensor> parameters, double lr)
    : Adam(std::move(parameters), Options{.lr = lr}) {}

void Adam::step() {
  const NoGradGuard guard;
  const auto [beta1, beta2] = options_.betas;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].grad().defined()) continue;
    // Complex numbers are two parameters each, as in PyTorch.
    Tensor p = in_parts(parameters_[i]), g = in_parts(parameters_[i].grad());
    State& s = states_[i];
    if (!s.first.defined()) {
      s.first = zeros_like(p);
      s.second = zeros_like(p);
    }
    ++s.steps;
    if (options_.weight_decay != 0 && options_.decoupled) {
      p.mul_(1 - options_.lr * options_.weight_decay);
    } else if (options_.weight_decay != 0) {
      g = g + p * options_.weight_decay;
    }
    s.first.copy_(s.first * beta1 + g * (1 - beta1));
    s.second.copy_(s.second * beta2 + g * g * (1 - beta2));
    const double correction1 = 1 - std::pow(beta1, s.steps);
    const double correction2 = 1 - std::pow(beta2, s.steps);
    const Tensor scale = s.second.sqrt() / std::sqrt(correction2) + options_.eps;
    p.sub_(s.first / scale * (options_.lr / correction1));
  }
}

}  // namespace tamis
