// Losses of margins between classes: one target, or several.
#include "core/check.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "ops/train/loss_args.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// Refuses x that is not [classes] or [batch, classes] of floating point numbers.
void check_class_rows(const char* kernel, const Tensor& x) {
  check((x.dim() == 1 || x.dim() == 2) && x.size(-1) != 0, ErrorKind::shape,
        "Expected non-empty vector or matrix with optional 0-dim batch size, but got: {}",
        x.shape());
  check_implemented(is_floating_point(x.dtype()), kernel, x.dtype());
}

/// Class numbers of x's last dimension, which broadcast over a new last one.
Tensor class_numbers(const Tensor& x) { return arange(x.size(-1)).to(x.device()); }

/// Halves are computed in float32, and rounded at the end.
Tensor widened(const Tensor& x) { return x.to(promote_types(x.dtype(), DType::float32)); }

/// log(sigmoid(x)) without overflow.
Tensor log_sigmoid(const Tensor& x) { return minimum(x, 0) - log1p(exp(-abs(x))); }

}  // namespace

Tensor multi_margin_loss(const Tensor& x, const Tensor& target, int64_t p, double margin,
                         const std::optional<Tensor>& weight, const std::optional<Tensor>& mask,
                         const std::string& reduction) {
  const LossReduction by = loss_reduction(reduction);
  check(p == 1 || p == 2, ErrorKind::value, "only p == 1 and p == 2 supported");
  check_class_rows("multi_margin_loss", x);
  Shape shape = x.shape();
  shape.erase(shape.size() - 1);
  check(target.numel() == numel(shape) && target.dim() <= 1, ErrorKind::shape,
        "inconsistent target size, got: {}", target.shape());
  check(target.dtype() == DType::int64, ErrorKind::dtype, "expected scalar type Long but found {}",
        scalar_type_name(target.dtype()));
  const int64_t classes = x.size(-1);
  check(!weight || (weight->dim() <= 1 && weight->numel() == classes), ErrorKind::shape,
        "inconsistent weight size");
  check_loss_mask(mask, shape);
  const Tensor numbers = target.reshape(shape);
  const Tensor wrong = (numbers < 0) | (numbers >= classes);
  check(!any_true(mask ? wrong & *mask : wrong), ErrorKind::value, "target out of range");
  const Tensor index = where(wrong, 0, numbers).unsqueeze(-1), wide = widened(x);
  Tensor terms = clamp_min(margin - gather(wide, -1, index) + wide, 0);
  if (p == 2) terms = terms * terms;
  if (weight) terms = terms * weight->to(wide.dtype()).reshape({classes}).take(index);
  const Tensor others = where(class_numbers(x) == index, scalar_tensor(0, wide.dtype()), terms);
  return reduce_loss(sum(others, {-1}) / classes, mask, by, x.dtype());
}

Tensor multilabel_margin_loss(const Tensor& x, const Tensor& target,
                              const std::optional<Tensor>& mask, const std::string& reduction) {
  const LossReduction by = loss_reduction(reduction);
  check_class_rows("multilabel_margin_loss_forward_out_frame", x);
  check(target.shape() == x.shape(), ErrorKind::shape,
        "inconsistent target size: {} for input of "
        "size: {}",
        target.shape(), x.shape());
  check(target.dtype() == DType::int64, ErrorKind::dtype, "expected scalar type Long but found {}",
        scalar_type_name(target.dtype()));
  Shape shape = x.shape();
  shape.erase(shape.size() - 1);
  check_loss_mask(mask, shape);
  const int64_t classes = x.size(-1);
  // What comes after a negative number is none.
  const Tensor valid = cumsum(target < 0, -1) == 0;
  const Tensor wrong = valid & (target >= classes);
  check(!any_true(mask ? wrong & mask->unsqueeze(-1) : wrong), ErrorKind::value,
        "target out of range");
  const Tensor counts = valid & (target < classes), index = where(counts, target, 0);
  const Tensor is_target =
      any((index.unsqueeze(-1) == class_numbers(x)) & counts.unsqueeze(-1), {-2});
  const Tensor wide = widened(x);
  const Tensor terms = clamp_min(1 - gather(wide, -1, index).unsqueeze(-1) + wide.unsqueeze(-2), 0);
  const Tensor kept =
      where(counts.unsqueeze(-1) & ~is_target.unsqueeze(-2), terms, scalar_tensor(0, wide.dtype()));
  return reduce_loss(sum(kept, {-1, -2}) / classes, mask, by, x.dtype());
}

Tensor multilabel_soft_margin_loss(const Tensor& x, const Tensor& target,
                                   const std::optional<Tensor>& weight,
                                   const std::optional<Tensor>& mask,
                                   const std::string& reduction) {
  const LossReduction by = loss_reduction(reduction);
  check(x.dim() > 0, ErrorKind::shape,
        "multilabel_soft_margin_loss: expected an input with dimensions");
  // One after the other, so that all compilers give the same error.
  const Tensor without = log_sigmoid(-x), with = log_sigmoid(x);
  Tensor terms = -(target * with + (1 - target) * without);
  if (weight) terms = terms * *weight;
  const Tensor loss = mean(terms, {-1});
  check_loss_mask(mask, loss.shape());
  return reduce_loss(loss, mask, by, loss.dtype());
}

std::vector<Row> class_margin_loss_rows() {
  const Tensor x = SAMPLE(tensor({{0.5f, -2.f, 3.f}, {0.f, 1.5f, -0.25f}}));
  const Tensor y = SAMPLE(tensor({{0.f, 1.f, 1.f}, {0.5f, 0.f, 1.f}}));
  const Tensor labels = SAMPLE(tensor({{2, 0, -1}, {1, -1, 0}})), target = SAMPLE(tensor({2, 0}));
  const Tensor rows = SAMPLE(tensor({true, false})), weight = SAMPLE(tensor({0.5f, 2.f, 1.f}));
  const Value none;
  const std::string mean = "mean", sum = "sum", each = "none";
  const std::string options = "*, Tensor|bool[]? mask=None, str reduction='mean') -> Tensor";
  return {
      make_row("multi_margin_loss(Tensor input, Tensor target, int p=1, float margin=1.0, Tensor? "
               "weight=None, " +
                   options,
               "What the target class lacks to be above the others by margin, reduced.",
               multi_margin_loss,
               SAMPLES({x, target, int64_t{1}, 1.0, none, none, mean},
                       {x, target, int64_t{2}, 0.5, weight, rows, sum},
                       {weight, tensor(1), int64_t{1}, 1.0, none, none, each}))
          .function_only(),
      make_row("multilabel_margin_loss(Tensor input, Tensor target, " + options,
               "What the target classes lack to be above the others by one, reduced.",
               multilabel_margin_loss,
               SAMPLES({x, labels, none, mean}, {x, labels, rows, sum}, {x, labels, rows, each}))
          .function_only(),
      make_row(
          "multilabel_soft_margin_loss(Tensor input, Tensor target, Tensor? weight=None, " +
              options,
          "The cross entropy of sigmoid(input) and target, averaged over classes, reduced.",
          multilabel_soft_margin_loss,
          SAMPLES({x, y, none, none, mean}, {x, y, weight, rows, sum}, {x, y, none, rows, each}))
          .function_only(),
  };
}

}  // namespace tamis
