// Losses of distributions: divergence, and the likelihood of counts and of normal numbers.
#include <cmath>
#include <numbers>

#include "core/check.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "ops/train/loss_args.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

Tensor finish(const Tensor& loss, const std::optional<Tensor>& mask, LossReduction by) {
  check_loss_mask(mask, loss.shape());
  return reduce_loss(loss, mask, by, loss.dtype());
}

/// t log(t), 0 where t is 0.
Tensor times_own_log(const Tensor& t) {
  const Tensor zero = t == 0;
  return where(zero, scalar_tensor(0, t.dtype()),
               t * log(where(zero, scalar_tensor(1, t.dtype()), t)));
}

}  // namespace

Tensor kl_div(const Tensor& x, const Tensor& target, const std::optional<Tensor>& mask,
              const std::string& reduction, bool log_target) {
  const bool by_batch = reduction == "batchmean";
  const LossReduction by = by_batch ? LossReduction::sum : loss_reduction(reduction);
  const DType dtype = result_type(x, target);
  check_implemented(is_floating_point(dtype), "kl_div", dtype);
  const Tensor a = x.to(dtype), t = target.to(dtype);
  const Tensor loss = log_target ? exp(t) * (t - a) : times_own_log(t) - t * a;
  const Tensor result = finish(loss, mask, by);
  return by_batch && x.dim() != 0 ? result / x.size(0) : result;
}

Tensor poisson_nll_loss(const Tensor& x, const Tensor& target, bool log_input, bool full,
                        double eps, const std::optional<Tensor>& mask,
                        const std::string& reduction) {
  const LossReduction by = loss_reduction(reduction);
  Tensor loss = log_input ? exp(x) - target * x : x - target * log(x + eps);
  if (full) {
    // Stirling's approximation; where it does not hold, of a number of which it is no NaN.
    const Tensor holds = target > 1, t = where(holds, target, 2);
    const Tensor stirling = t * log(t) - t + 0.5 * log(2 * std::numbers::pi * t);
    loss = loss + where(holds, stirling, 0);
  }
  return finish(loss, mask, by);
}

Tensor gaussian_nll_loss(const Tensor& x, const Tensor& target, const Tensor& var, bool full,
                         double eps, const std::optional<Tensor>& mask,
                         const std::string& reduction) {
  const LossReduction by = loss_reduction(reduction);
  Tensor spread = var;
  if (!(var.shape() == x.shape())) {
    Shape without = x.shape();
    if (!without.empty()) without.erase(without.size() - 1);
    Shape with_one = without;
    with_one.push_back(1);
    if (var.shape() == without && x.dim() > 0) spread = var.unsqueeze(-1);
    check(spread.shape() == with_one, ErrorKind::value, "var is of incorrect size");
  }
  check_loss_mask(mask, broadcast_shapes(x.shape(), target.shape()));
  const Tensor wrong = spread < 0;
  check(!any_true(mask ? wrong & *mask : wrong), ErrorKind::value,
        "var has negative entry/entries");
  // Only the value has a limit: the gradient is that of the variance as it is.
  const Tensor limited = spread + clamp_min(eps - spread, 0).detach();
  Tensor loss = 0.5 * (log(limited) + square(x - target) / limited);
  if (full) loss = loss + 0.5 * std::log(2 * std::numbers::pi);
  return finish(loss, mask, by);
}

std::vector<Row> likelihood_loss_rows() {
  const Tensor x = SAMPLE(tensor({{0.5f, -2.f, 3.f}, {0.f, 1.5f, -0.25f}}));
  const Tensor shares = SAMPLE(tensor({{0.f, 0.25f, 0.75f}, {0.5f, 0.f, 0.5f}}));
  const Tensor counts = SAMPLE(tensor({{0.f, 1.f, 4.f}, {2.f, 0.f, 3.f}})),
               var = SAMPLE(tensor({{0.5f}, {2.f}}));
  const Tensor mask = SAMPLE(tensor({{true, false, true}, {false, true, true}}));
  const Value none;
  const std::string mean = "mean", sum = "sum", each = "none", batch = "batchmean";
  const std::string masked = "*, Tensor|bool[]? mask=None, str reduction='mean'";
  return {
      make_row("kl_div(Tensor input, Tensor target, " + masked +
                   ", bool log_target=False) -> "
                   "Tensor",
               "The divergence of probabilities from log-probabilities where mask is true, "
               "reduced.",
               kl_div,
               SAMPLES({x, shares, none, mean, false}, {x, shares, mask, sum, true},
                       {x, shares, mask, each, false}, {x, shares, none, batch, false}))
          .function_only(),
      make_row("poisson_nll_loss(Tensor input, Tensor target, bool log_input=True, bool "
               "full=False, float eps=1e-08, " +
                   masked + ") -> Tensor",
               "The negative log-likelihood of counts where mask is true, reduced.",
               poisson_nll_loss,
               SAMPLES({x, counts, true, false, 1e-8, none, mean},
                       {x, counts, true, true, 1e-8, mask, sum},
                       {shares, counts, false, false, 0.5, mask, each}))
          .function_only(),
      make_row("gaussian_nll_loss(Tensor input, Tensor target, Tensor var, bool full=False, float "
               "eps=1e-06, " +
                   masked + ") -> Tensor",
               "The negative log-likelihood of normal numbers where mask is true, reduced.",
               gaussian_nll_loss,
               SAMPLES({x, counts, counts + 0.5, false, 1e-6, none, mean},
                       {x, counts, var, true, 1e-6, mask, sum},
                       {x, counts, var, false, 1e-6, mask, each}))
          .function_only(),
  };
}

}  // namespace tamis
