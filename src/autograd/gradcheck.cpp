// Gradcheck: gradients against difference quotients. Complex numbers are checked as pairs of real
// ones: the gradient with respect to z has the slopes of Re(z) and Im(z) as its parts.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "autograd/node.h"
#include "core/check.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

using Function = std::function<Tensor(const std::vector<Tensor>&)>;

/// Real numbers as they are, complex ones as their parts, [..., 2].
Tensor reals(const Tensor& x) { return is_complex(x) ? view_as_real(x) : x; }

bool is_checked(DType dtype) { return dtype == DType::float64 || dtype == DType::complex128; }

/// The result for inputs[which] with `step` added to number `at` of its reals, in row-major order.
std::vector<double> stepped(const Function& f, const std::vector<Tensor>& inputs, size_t which,
                            int64_t at, double step) {
  NoGradGuard guard;
  std::vector<Tensor> changed = inputs;
  const Tensor host = inputs[which].detach().cpu().clone();
  reals(host).mutable_data<double>()[at] += step;
  changed[which] = host.to(inputs[which].device());
  return reals(f(changed)).to_vector<double>();
}

/// The gradients of each real number of the result with respect to those of x: [result, input].
std::vector<std::vector<double>> jacobian(const Tensor& result, const Tensor& x) {
  std::vector<std::vector<double>> rows;
  const Tensor y = reals(result);
  for (int64_t i = 0; i < y.numel(); ++i) {
    Tensor one = zeros({y.numel()}, {DType::float64, y.device()});
    one.select(0, i).fill_(1);
    const Tensor g = grad({y}, {x}, {one.view(y.shape())}, true, false, true)[0];
    rows.push_back(reals(g.defined() ? g : zeros_like(x)).to_vector<double>());
  }
  return rows;
}

/// "element 3", or of complex numbers "the imaginary part of element 1".
std::string place(int64_t at, const Tensor& x) {
  if (!is_complex(x)) return fmt::format("element {}", at);
  return fmt::format("the {} part of element {}", at % 2 == 0 ? "real" : "imaginary", at / 2);
}

bool is_close(double got, double want, double atol, double rtol) {
  return std::abs(got - want) <= atol + rtol * std::abs(want);
}

}  // namespace

bool gradcheck(const Function& f, const std::vector<Tensor>& inputs, double eps, double atol,
               double rtol) {
  const EnableGradGuard guard;
  const Tensor y = f(inputs);
  check(is_checked(y.dtype()), ErrorKind::dtype,
        "gradcheck: expected a float64 or complex128 result, but got {}", name(y.dtype()));
  check(y.requires_grad(), ErrorKind::value,
        "gradcheck: no gradient flows from the result to an input");
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].requires_grad()) continue;
    check(is_checked(inputs[i].dtype()), ErrorKind::dtype,
          "gradcheck: expected float64 or complex128 inputs, but got {}", name(inputs[i].dtype()));
    const auto rows = jacobian(y, inputs[i]);
    const int64_t count = inputs[i].numel() * (is_complex(inputs[i]) ? 2 : 1);
    for (int64_t at = 0; at < count; ++at) {
      const std::vector<double> above = stepped(f, inputs, i, at, eps),
                                below = stepped(f, inputs, i, at, -eps);
      for (size_t k = 0; k < above.size(); ++k) {
        // Two equal infinities have no difference.
        const bool same = above[k] == below[k];
        const double want = same ? 0 : (above[k] - below[k]) / (2 * eps), got = rows[k][at];
        check(
            is_close(got, want, atol, rtol), ErrorKind::value,
            "gradcheck: the gradient of {} of the result with respect to {} of input {} is {}, but "
            "the difference quotient is {}",
            place(static_cast<int64_t>(k), y), place(at, inputs[i]), i, got, want);
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
  const Tensor weights =
      (arange(reals(y).numel(), {DType::float64, y.device()}) * 0.37 + 0.5).view(reals(y).shape());
  all.push_back((is_complex(y) ? view_as_complex(weights) : weights).detach().requires_grad_());
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
      if (g.defined()) parts.push_back(reals(g).reshape({-1}));
    }
    return cat(parts);
  };
  // Where f is flat, its gradient is zero and depends on nothing.
  return !first(all).requires_grad() || gradcheck(first, all, eps, atol, rtol);
}

}  // namespace tamis
