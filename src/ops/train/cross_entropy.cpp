// Losses of classes: negative log-likelihood and cross entropy.
#include "core/check.h"
#include "core/convert.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "ops/train/loss_args.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// The dimension of the classes.
int64_t class_dim(const Tensor& x) { return x.dim() == 1 ? 0 : 1; }

/// One number per class as a tensor that broadcasts over x.
Tensor along_classes(const Tensor& numbers, const Tensor& x) {
  Shape shape(x.shape().size(), 1);
  shape[class_dim(x)] = numbers.numel();
  return numbers.view(shape);
}

/// x's shape without the classes.
Shape shape_without_classes(const Tensor& x) {
  Shape shape = x.shape();
  shape.erase(class_dim(x));
  return shape;
}

void check_class_input(const char* kernel, const Tensor& x, const std::optional<Tensor>& weight) {
  check(x.dim() > 0, ErrorKind::shape, "Expected 1 or more dimensions (got 0)");
  check_implemented(is_floating_point(x.dtype()), kernel, x.dtype());
  if (!weight) return;
  const int64_t classes = x.size(class_dim(x));
  check(weight->dim() == 1 && weight->numel() == classes, ErrorKind::shape,
        "weight tensor should be defined either for all {} classes or no classes but got weight "
        "tensor of shape: {}",
        classes, weight->shape());
  check(weight->dtype() == x.dtype(), ErrorKind::dtype, "expected scalar type {} but found {}",
        scalar_type_name(x.dtype()), scalar_type_name(weight->dtype()));
}

void check_target_shape(const Tensor& x, const Tensor& target) {
  if (x.dim() == 1) {
    check(target.dim() == 0, ErrorKind::shape, "size mismatch (got input: {}, target: {})",
          x.shape(), target.shape());
    return;
  }
  check(x.dim() != 2 || target.dim() <= 1, ErrorKind::shape,
        "0D or 1D target tensor expected, multi-target not supported");
  const int64_t batch = target.dim() == 0 ? 0 : target.size(0);
  check(x.size(0) == batch, ErrorKind::value,
        "Expected input batch_size ({}) to match target batch_size ({}).", x.size(0), batch);
  check(target.shape() == shape_without_classes(x), ErrorKind::shape,
        "Expected target size {}, got {}", shape_without_classes(x), target.shape());
}

/// Class numbers and which of them count; refuses those that count and are not a class.
struct Classes {
  Tensor keep, index;  // 0 where it does not count

  Classes(const Tensor& x, const Tensor& t, const std::optional<Tensor>& mask, int64_t ignore)
      : keep(t != ignore) {
    check_target_shape(x, t);
    check(t.dtype() == DType::int64, ErrorKind::dtype, "expected scalar type Long but found {}",
          scalar_type_name(t.dtype()));
    check_loss_mask(mask, t.shape());
    if (mask) keep = keep & *mask;
    keep.settle();
    const Tensor wrong = keep & ((t < 0) | (t >= x.size(class_dim(x))));
    if (any_true(wrong)) {
      raise(ErrorKind::index, fmt::format("Target {} is out of bounds.",
                                          masked_select(t, wrong).to_vector<int64_t>()[0]));
    }
    index = where(keep, t, 0).unsqueeze(class_dim(x));
  }

  /// What numbers, which broadcasts over x, holds for each target; anything where it does not
  /// count.
  Tensor pick(const Tensor& numbers, const Tensor& x) const {
    const int64_t dim = class_dim(x);
    if (x.size(dim) == 0) return zeros_on(backend_of(x), shape_without_classes(x), numbers.dtype());
    return gather(numbers.expand(x.shape()), dim, index).squeeze(dim);
  }
};

/// The number of kept targets, or the sum of their weights.
Tensor total_of(const Classes& classes, const Tensor& x, const std::optional<Tensor>& weight) {
  if (!weight) return sum(classes.keep);
  return sum(where(classes.keep, classes.pick(along_classes(*weight, x), x), 0));
}

/// log_softmax over the classes is (x - largest) - log_sum.
struct Softmax {
  Tensor largest, log_sum;

  explicit Softmax(const Tensor& x) {
    const int64_t dim = class_dim(x);
    // A number to subtract and add again: no gradient goes through it.
    largest = amax(x.detach(), {dim}, /*keepdim=*/true);
    log_sum = log(sum(exp(x - largest), {dim}, /*keepdim=*/true)).settle();
  }
};

Tensor log_probabilities(const Tensor& x) {
  const Softmax softmax(x);
  return x - softmax.largest - softmax.log_sum;
}

/// Halves are computed in float32, and rounded at the end.
Tensor widened(const Tensor& x) { return x.to(promote_types(x.dtype(), DType::float32)); }

std::optional<Tensor> widened(const std::optional<Tensor>& x) {
  return x ? std::optional(widened(*x)) : std::nullopt;
}

Tensor of_probabilities(const Tensor& x, const Tensor& target, const std::optional<Tensor>& weight,
                        const std::optional<Tensor>& mask, LossReduction by, double smoothing) {
  check(is_floating_point(target.dtype()), ErrorKind::dtype,
        "Expected floating point type for target with class probabilities, got {}",
        scalar_type_name(target.dtype()));
  const int64_t dim = class_dim(x);
  const Shape shape = shape_without_classes(x);
  check_loss_mask(mask, shape);
  const DType dtype = promote_types(x.dtype(), target.dtype());
  Tensor share = widened(target);
  if (smoothing > 0) {
    share = share * (1 - smoothing) + smoothing / static_cast<double>(x.size(dim));
  }
  Tensor terms = log_probabilities(widened(x)) * share;
  if (weight) terms = terms * along_classes(widened(*weight), x);
  return reduce_loss(-sum(terms, {dim}), mask, by, dtype);
}

}  // namespace

Tensor nll_loss(const Tensor& x, const Tensor& target, const std::optional<Tensor>& weight,
                const std::optional<Tensor>& mask, int64_t ignore_index,
                const std::string& reduction) {
  const LossReduction by = loss_reduction(reduction);
  check_class_input("nll_loss_out_frame", x, weight);
  const Classes classes(x, target, mask, ignore_index);
  const Tensor wide = widened(x);
  const std::optional<Tensor> wide_weight = widened(weight);
  Tensor loss = -classes.pick(wide, x);
  if (weight) loss = loss * classes.pick(along_classes(*wide_weight, x), x);
  return reduce_loss(loss, classes.keep, by, x.dtype(), total_of(classes, x, wide_weight));
}

Tensor cross_entropy(const Tensor& x, const Tensor& target, const std::optional<Tensor>& weight,
                     const std::optional<Tensor>& mask, int64_t ignore_index,
                     const std::string& reduction, double label_smoothing) {
  const LossReduction by = loss_reduction(reduction);
  check(label_smoothing >= 0 && label_smoothing <= 1, ErrorKind::value,
        "label_smoothing must be between 0.0 and 1.0. Got: {}", label_smoothing);
  check_class_input("log_softmax_lastdim_kernel_impl", x, weight);
  if (x.shape() == target.shape()) {
    check(ignore_index < 0, ErrorKind::value,
          "ignore_index is not supported for floating point target");
    return of_probabilities(x, target, weight, mask, by, label_smoothing);
  }
  const Classes classes(x, target, mask, ignore_index);
  const int64_t dim = class_dim(x);
  const std::optional<Tensor> wide_weight = widened(weight);
  const Tensor wide = widened(x);
  const Softmax softmax(wide);
  Tensor loss =
      -(classes.pick(wide, x) - softmax.largest.squeeze(dim) - softmax.log_sum.squeeze(dim));
  if (weight) loss = loss * classes.pick(along_classes(*wide_weight, x), x);
  if (label_smoothing > 0) {
    const Tensor log_p = wide - softmax.largest - softmax.log_sum;
    const Tensor terms = weight ? log_p * along_classes(*wide_weight, x) : log_p;
    const double share = label_smoothing / static_cast<double>(x.size(dim));
    loss = loss * (1 - label_smoothing) - sum(terms, {dim}) * share;
  }
  return reduce_loss(loss, classes.keep, by, x.dtype(), total_of(classes, x, wide_weight));
}

std::vector<Row> cross_entropy_rows() {
  const Tensor x = SAMPLE(tensor({{0.5f, -2.f, 3.f}, {0.f, 1.5f, -0.25f}, {1.f, 1.f, 4.f}}));
  const Tensor image = SAMPLE(arange(12.f).view({2, 3, 2}));
  const Tensor target = SAMPLE(tensor({2, 0, 1})), pixels = SAMPLE(tensor({{0, 1}, {2, -100}}));
  const Tensor mask = SAMPLE(tensor({true, false, true}));
  const Tensor shares = SAMPLE(tensor({{1.f, 0.f, 0.f}, {0.25f, 0.5f, 0.25f}, {0.f, 0.5f, 0.5f}}));
  const Tensor weight = SAMPLE(tensor({0.5f, 2.f, 1.f}));
  const Value none;
  const std::string mean = "mean", sum = "sum", each = "none";
  const int64_t ignored = -100;
  return {
      make_row(
          "nll_loss(Tensor input, Tensor target, Tensor? weight=None, *, Tensor|bool[]? "
          "mask=None, int ignore_index=-100, str reduction='mean') -> Tensor",
          "The negative log-likelihood of the target classes where mask is true, reduced.",
          nll_loss,
          SAMPLES({x, target, none, none, ignored, mean}, {x, target, weight, mask, ignored, mean},
                  {x, target, weight, none, int64_t{1}, sum},
                  {image, pixels, none, none, ignored, each},
                  {weight, tensor(2), none, none, ignored, mean})),
      make_row("cross_entropy(Tensor input, Tensor target, Tensor? weight=None, *, Tensor|bool[]? "
               "mask=None, int ignore_index=-100, str reduction='mean', float label_smoothing=0.0) "
               "-> Tensor",
               "The cross entropy of softmax(input) and target, class numbers or probabilities, "
               "where mask is true, reduced.",
               cross_entropy,
               SAMPLES({x, target, none, none, ignored, mean, 0.0},
                       {x, target, weight, mask, ignored, mean, 0.1},
                       {x, shares, weight, mask, ignored, mean, 0.25},
                       {image, pixels, none, none, ignored, each, 0.0},
                       {weight, tensor(2), none, none, ignored, sum, 0.0})),
  };
}

}  // namespace tamis
