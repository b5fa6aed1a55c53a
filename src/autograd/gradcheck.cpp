// Gradcheck: gradients against difference quotients.
#include <cmath>

#include "autograd/node.h"
#include "core/check.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

using Function = std::function<Tensor(const std::vector<Tensor>&)>;

/// The result for inputs[which] with `step` added to element `at`, in row-major order.
std::vector<double> stepped(const Function& f, const std::vector<Tensor>& inputs, size_t which,
                            int64_t at, double step) {
  NoGradGuard guard;
  std::vector<Tensor> changed = inputs;
  Tensor host = inputs[which].detach().cpu().clone();
  host.mutable_data<double>()[at] += step;
  changed[which] = host.to(inputs[which].device());
  return f(changed).to_vector<double>();
}

/// The gradients of each element of the result with respect to inputs[which]: [result, input].
std::vector<std::vector<double>> jacobian(const Tensor& y, const Tensor& x) {
  std::vector<std::vector<double>> rows;
  for (int64_t i = 0; i < y.numel(); ++i) {
    Tensor one = zeros({y.numel()}, {DType::float64, y.device()});
    one.select(0, i).fill_(1);
    const Tensor g = grad({y}, {x}, {one.view(y.shape())}, true, false, true)[0];
    rows.push_back(g.defined() ? g.to_vector<double>()
                               : std::vector<double>(static_cast<size_t>(x.numel())));
  }
  return rows;
}

bool is_close(double got, double want, double atol, double rtol) {
  return std::abs(got - want) <= atol + rtol * std::abs(want);
}

}  // namespace

bool gradcheck(const Function& f, const std::vector<Tensor>& inputs, double eps, double atol,
               double rtol) {
  const EnableGradGuard guard;
  const Tensor y = f(inputs);
  check(y.dtype() == DType::float64, ErrorKind::dtype,
        "gradcheck: expected a float64 result, but got {}", name(y.dtype()));
  check(y.requires_grad(), ErrorKind::value,
        "gradcheck: no gradient flows from the result to an input");
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].requires_grad()) continue;
    check(inputs[i].dtype() == DType::float64, ErrorKind::dtype,
          "gradcheck: expected float64 inputs, but got {}", name(inputs[i].dtype()));
    const auto rows = jacobian(y, inputs[i]);
    for (int64_t at = 0; at < inputs[i].numel(); ++at) {
      const std::vector<double> above = stepped(f, inputs, i, at, eps),
                                below = stepped(f, inputs, i, at, -eps);
      for (size_t k = 0; k < above.size(); ++k) {
        // Two equal infinities have no difference.
        const bool same = above[k] == below[k];
        const double want = same ? 0 : (above[k] - below[k]) / (2 * eps), got = rows[k][at];
        check(is_close(got, want, atol, rtol), ErrorKind::value,
              "gradcheck: the gradient of result element {} with respect to element {} of input {} "
              "is {}, but the difference quotient is {}",
              k, at, i, got, want);
      }
    }
  }
  return true;
}

bool gradgradcheck(const Function& f, const std::vector<Tensor>& inputs, double eps, double atol,
                   double rtol) {
  const EnableGradGuard guard;
  const Tensor y = f(inputs);
  std::vector<Tensor> all = inputs;
  // Weights that do not repeat, so that no two terms cancel.
  all.push_back((arange(y.numel(), {DType::float64, y.device()}) * 0.37 + 0.5)
                    .view(y.shape())
                    .detach()
                    .requires_grad_());
  const Function first = [&](const std::vector<Tensor>& at) {
    const EnableGradGuard recording;
    std::vector<Tensor> x(at.begin(), at.end() - 1), wanted;
    for (size_t i = 0; i < x.size(); ++i) {
      if (!inputs[i].requires_grad()) continue;
      if (!x[i].requires_grad()) x[i] = x[i].detach().requires_grad_();
      wanted.push_back(x[i]);
    }
    std::vector<Tensor> parts;
    for (const Tensor& g : grad({f(x)}, wanted, {at.back()}, true, true, true)) {
      if (g.defined()) parts.push_back(g.reshape({-1}));
    }
    return cat(parts);
  };
  // Where f is flat, its gradient is zero and depends on nothing.
  return !first(all).requires_grad() || gradcheck(first, all, eps, atol, rtol);
}

}  // namespace tamis
