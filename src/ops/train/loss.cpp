// Losses of numbers: squared, absolute, Huber, and binary cross entropy.
#include "core/check.h"
#include "core/convert.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "ops/train/loss_args.h"
#include "tamis/tamis.h"

namespace tamis {

LossReduction loss_reduction(const std::string& name) {
  if (name == "none") return LossReduction::none;
  if (name == "mean") return LossReduction::mean;
  check(name == "sum", ErrorKind::value, "{} is not a valid value for reduction", name);
  return LossReduction::sum;
}

void check_loss_mask(const std::optional<Tensor>& mask, const Shape& shape) {
  if (!mask) return;
  check_mask(*mask, "loss: expected BoolTensor for mask, but got");
  check(broadcast_shapes(mask->shape(), shape) == shape, ErrorKind::shape,
        "loss: the mask of shape {} does not broadcast to the shape of the loss {}", mask->shape(),
        shape);
}

Tensor reduce_loss(const Tensor& loss, const std::optional<Tensor>& mask, LossReduction reduction,
                   DType dtype, const std::optional<Tensor>& total) {
  const Tensor kept = mask ? where(*mask, loss, 0) : loss;
  if (reduction == LossReduction::none) return kept.to(dtype);
  if (reduction == LossReduction::sum) return sum(kept).to(dtype);
  if (!mask && !total) return mean(kept).to(dtype);
  check(is_floating_point(loss.dtype()), ErrorKind::dtype,
        "mean(): could not infer output dtype. Input dtype must be either a floating point or "
        "complex dtype. Got: {}",
        scalar_type_name(loss.dtype()));
  // A sum in float16 overflows long before its mean does.
  const DType wide = promote_types(loss.dtype(), DType::float32);
  const Tensor whole = sum(kept, {}, false, wide);
  if (total) return (whole / *total).to(dtype);
  const int64_t each = mask->numel() == 0 ? 0 : loss.numel() / mask->numel();
  return (whole / (sum(*mask) * each)).to(dtype);
}

namespace {

/// The end of a loss whose dtype is that of its elements.
Tensor finish(const Tensor& loss, const std::optional<Tensor>& mask, LossReduction reduction) {
  check_loss_mask(mask, loss.shape());
  return reduce_loss(loss, mask, reduction, loss.dtype());
}

/// x - y for a loss that needs floating point.
Tensor float_difference(const char* kernel, const Tensor& x, const Tensor& y) {
  const DType dtype = result_type(x, y);
  check_implemented(is_floating_point(dtype), kernel, dtype);
  return x.to(dtype) - y.to(dtype);
}

void check_same_size(const Tensor& x, const Tensor& target) {
  check(x.shape() == target.shape(), ErrorKind::value,
        "Target size ({}) must be the same as input size ({})", target.shape(), x.shape());
}

Tensor weighted(const Tensor& loss, const std::optional<Tensor>& weight) {
  if (!weight) return loss;
  check(broadcast_shapes(weight->shape(), loss.shape()) == loss.shape(), ErrorKind::shape,
        "loss: the weight of shape {} does not broadcast to the shape of the loss {}",
        weight->shape(), loss.shape());
  return loss * *weight;
}

/// log(sigmoid(x)) without overflow.
Tensor log_sigmoid(const Tensor& x) { return minimum(x, 0) - log1p(exp(-abs(x))); }

}  // namespace

Tensor mse_loss(const Tensor& x, const Tensor& target, const std::optional<Tensor>& mask,
                const std::string& reduction) {
  const LossReduction by = loss_reduction(reduction);
  return finish(square(float_difference("mse_cpu", x, target)), mask, by);
}

Tensor l1_loss(const Tensor& x, const Tensor& target, const std::optional<Tensor>& mask,
               const std::string& reduction) {
  const LossReduction by = loss_reduction(reduction);
  return finish(abs(x - target), mask, by);
}

Tensor huber_loss(const Tensor& x, const Tensor& target, const std::optional<Tensor>& mask,
                  const std::string& reduction, double delta) {
  const LossReduction by = loss_reduction(reduction);
  check(delta > 0, ErrorKind::value, "huber_loss does not support non-positive values for delta.");
  const Tensor d = float_difference("huber_cpu", x, target), size = abs(d);
  check(is_floating_point(x.dtype()), ErrorKind::dtype,
        "result type {} can't be cast to the desired output type {}", scalar_type_name(d.dtype()),
        scalar_type_name(x.dtype()));
  const Tensor loss = where(size >= delta, delta * (size - 0.5 * delta), 0.5 * d * d);
  return finish(loss.to(x.dtype()), mask, by);
}

Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, const std::optional<Tensor>& mask,
                      const std::string& reduction, double beta) {
  const LossReduction by = loss_reduction(reduction);
  check(beta >= 0, ErrorKind::value, "smooth_l1_loss does not support negative values for beta.");
  if (beta == 0) return l1_loss(x, target, mask, reduction);
  const Tensor d = float_difference("smooth_l1_cpu", x, target), size = abs(d);
  return finish(where(size >= beta, size - 0.5 * beta, 0.5 * d * d / beta), mask, by);
}

Tensor binary_cross_entropy(const Tensor& x, const Tensor& target,
                            const std::optional<Tensor>& weight, const std::optional<Tensor>& mask,
                            const std::string& reduction) {
  const LossReduction by = loss_reduction(reduction);
  check_same_size(x, target);
  check_implemented(is_floating_point(x.dtype()), "binary_cross_entropy", x.dtype());
  check(target.dtype() == x.dtype(), ErrorKind::dtype, "Found dtype {} but expected {}",
        scalar_type_name(target.dtype()), scalar_type_name(x.dtype()));
  check_loss_mask(mask, x.shape());
  const Tensor allowed = (x >= 0) & (x <= 1);
  check(all_true(mask ? allowed | ~*mask : allowed), ErrorKind::value,
        "all elements of input should be between 0 and 1");
  const Tensor loss = (target - 1) * maximum(log1p(-x), -100) - target * maximum(log(x), -100);
  return finish(weighted(loss, weight), mask, by);
}

Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target,
                                        const std::optional<Tensor>& weight,
                                        const std::optional<Tensor>& mask,
                                        const std::string& reduction,
                                        const std::optional<Tensor>& pos_weight) {
  const LossReduction by = loss_reduction(reduction);
  check_same_size(x, target);
  for (const Tensor* t : {&target, &x}) {
    check(is_floating_point(t->dtype()), ErrorKind::dtype,
          "result type Float can't be cast to the desired output type {}",
          scalar_type_name(t->dtype()));
  }
  Tensor part = log_sigmoid(x);
  if (pos_weight) {
    check(broadcast_shapes(pos_weight->shape(), x.shape()) == x.shape(), ErrorKind::shape,
          "loss: the pos_weight of shape {} does not broadcast to the shape of the loss {}",
          pos_weight->shape(), x.shape());
    part = ((*pos_weight - 1) * target + 1) * part;
  }
  const Tensor loss = ((1 - target) * x - part).to(target.dtype());
  return finish(weighted(loss, weight), mask, by);
}

std::vector<Row> loss_rows() {
  const Tensor x = SAMPLE(tensor({{0.5f, -2.f, 3.f}, {0.f, 1.5f, -0.25f}}));
  const Tensor y = SAMPLE(tensor({{0.f, 1.f, 1.f}, {0.5f, 0.f, 1.f}}));
  const Tensor p = SAMPLE(sigmoid(x).settle());
  const Tensor mask = SAMPLE(tensor({{true, false, true}, {false, true, true}}));
  const Tensor weight = SAMPLE(tensor({0.5f, 2.f, 1.f}));
  const Value none;
  const std::string mean = "mean", sum = "sum", each = "none";
  const std::vector<Args> plain =
      SAMPLES({x, y, none, mean}, {x, y, mask, mean}, {x, y, mask, sum}, {x, y, mask, each});
  const std::vector<Args> with_number = SAMPLES({x, y, none, mean, 0.75}, {x, y, mask, mean, 0.75},
                                                {x, y, mask, sum, 2.0}, {x, y, mask, each, 0.75});
  return {
      make_row("mse_loss(Tensor input, Tensor target, *, Tensor|bool[]? mask=None, str "
               "reduction='mean') -> Tensor",
               "The squared difference where mask is true, reduced.", mse_loss, plain),
      make_row("l1_loss(Tensor input, Tensor target, *, Tensor|bool[]? mask=None, str "
               "reduction='mean') -> Tensor",
               "The absolute difference where mask is true, reduced.", l1_loss, plain),
      make_row("huber_loss(Tensor input, Tensor target, *, Tensor|bool[]? mask=None, str "
               "reduction='mean', float delta=1.0) -> Tensor",
               "The difference where mask is true, squared if small, absolute beyond delta, "
               "reduced.",
               huber_loss, with_number),
      make_row(
          "smooth_l1_loss(Tensor input, Tensor target, *, Tensor|bool[]? mask=None, str "
          "reduction='mean', float beta=1.0) -> Tensor",
          "The difference where mask is true, squared if below beta, absolute beyond, reduced.",
          smooth_l1_loss, with_number),
      make_row(
          "binary_cross_entropy(Tensor input, Tensor target, Tensor? weight=None, *, "
          "Tensor|bool[]? mask=None, str reduction='mean') -> Tensor",
          "The cross entropy of probabilities and targets where mask is true, reduced.",
          binary_cross_entropy,
          SAMPLES({p, y, none, none, mean}, {p, y, weight, mask, sum}, {p, y, none, mask, each})),
      make_row(
          "binary_cross_entropy_with_logits(Tensor input, Tensor target, Tensor? weight=None, *, "
          "Tensor|bool[]? mask=None, str reduction='mean', Tensor? pos_weight=None) -> Tensor",
          "The cross entropy of sigmoid(input) and targets where mask is true, reduced.",
          binary_cross_entropy_with_logits,
          SAMPLES({x, y, none, none, mean, none}, {x, y, weight, mask, sum, weight},
                  {x, y, none, mask, each, none})),
  };
}

}  // namespace tamis
