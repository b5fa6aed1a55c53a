// Losses of margins: signs, pairs and distances on the right side of a limit.
#include "core/check.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "ops/train/loss_args.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

Tensor finish(const Tensor& loss, const std::optional<Tensor>& mask, const std::string& reduction) {
  const LossReduction by = loss_reduction(reduction);
  check_loss_mask(mask, loss.shape());
  return reduce_loss(loss, mask, by, loss.dtype());
}

}  // namespace

Tensor soft_margin_loss(const Tensor& x, const Tensor& target, const std::optional<Tensor>& mask,
                        const std::string& reduction) {
  const Tensor z = -target * x;
  return finish(clamp_min(z, 0) + log1p(exp(-abs(z))), mask, reduction);
}

Tensor hinge_embedding_loss(const Tensor& x, const Tensor& target, double margin,
                            const std::optional<Tensor>& mask, const std::string& reduction) {
  const Tensor none = scalar_tensor(0, x.dtype());
  const Tensor far = where(target != 1, clamp_min(margin - x, 0), none);
  return finish(far + where(target != -1, x, none), mask, reduction);
}

Tensor margin_ranking_loss(const Tensor& a, const Tensor& b, const Tensor& target, double margin,
                           const std::optional<Tensor>& mask, const std::string& reduction) {
  check(a.dim() == b.dim() && b.dim() == target.dim(), ErrorKind::shape,
        "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
        "{}, input2: {}, target: {} ",
        a.shape(), b.shape(), target.shape());
  const Tensor difference = a - b;  // before the rest, so that all compilers give the same error
  return finish(clamp_min(-target * difference + margin, 0), mask, reduction);
}

Tensor cosine_embedding_loss(const Tensor& a, const Tensor& b, const Tensor& target, double margin,
                             const std::optional<Tensor>& mask, const std::string& reduction) {
  check(target.dim() == 0 || target.dim() == 1, ErrorKind::shape,
        "0D or 1D target tensor expected, multi-target not supported");
  const int64_t rank = target.dim() + 1;
  check(a.dim() == rank && b.dim() == rank, ErrorKind::shape,
        "{}D target tensor expects {}D input tensors, but found inputs with sizes {} and {}.",
        target.dim(), rank, a.shape(), b.shape());
  const auto along = [](const Tensor& x) { return sum(x, {-1}, false, x.dtype()); };
  // 1e-12 is PyTorch's, so that vectors of zeros have an angle.
  const Tensor sizes = sqrt((along(a * a) + 1e-12) * (along(b * b) + 1e-12));
  const Tensor cosine = along(a * b) / sizes;
  const Tensor none = scalar_tensor(0, cosine.dtype());
  const Tensor apart = where(target == -1, clamp_min(cosine - margin, 0), none);
  return finish(where(target == 1, 1 - cosine, none) + apart, mask, reduction);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin, double p, double eps, bool swap,
                           const std::optional<Tensor>& mask, const std::string& reduction) {
  check(anchor.dim() == positive.dim() && positive.dim() == negative.dim(), ErrorKind::shape,
        "All inputs should have same dimension but got {}D, {}D and {}D inputs.", anchor.dim(),
        positive.dim(), negative.dim());
  const Tensor near = pairwise_distance(anchor, positive, p, eps);
  Tensor far = pairwise_distance(anchor, negative, p, eps);
  if (swap) far = minimum(far, pairwise_distance(positive, negative, p, eps));
  return finish(clamp_min(margin + near - far, 0), mask, reduction);
}

std::vector<Row> margin_loss_rows() {
  const Tensor x = SAMPLE(tensor({{0.5f, -2.f, 3.f}, {0.f, 1.5f, -0.25f}}));
  const Tensor y = SAMPLE(tensor({{1.f, 0.5f, 2.f}, {-1.f, 2.f, 0.75f}})), z = SAMPLE(y * y - x);
  const Tensor signs = SAMPLE(tensor({{1, -1, 1}, {-1, -1, 1}})), sign = SAMPLE(tensor({1, -1}));
  const Tensor mask = SAMPLE(tensor({{true, false, true}, {false, true, true}}));
  const Tensor rows = SAMPLE(tensor({true, false}));
  const Value none;
  const std::string mean = "mean", sum = "sum", each = "none";
  const std::string options = ", *, Tensor|bool[]? mask=None, str reduction='mean') -> Tensor";
  return {
      make_row("soft_margin_loss(Tensor input, Tensor target" + options,
               "log(1 + exp(-target * input)) where mask is true, reduced.", soft_margin_loss,
               SAMPLES({x, signs, none, mean}, {x, signs, mask, sum}, {x, signs, mask, each}))
          .function_only(),
      make_row("hinge_embedding_loss(Tensor input, Tensor target, float margin=1.0" + options,
               "input where target is 1, what it lacks of margin where it is -1, reduced.",
               hinge_embedding_loss,
               SAMPLES({x, signs, 1.0, none, mean}, {x, signs, 0.5, mask, sum},
                       {x, signs, 2.0, mask, each}))
          .function_only(),
      make_row("margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0" +
                   options,
               "What input1 lacks to be above input2 by margin, or below it where target is -1, "
               "reduced.",
               margin_ranking_loss,
               SAMPLES({x, y, signs, 0.0, none, mean}, {x, y, signs, 0.5, mask, sum},
                       {x, y, signs, 0.5, mask, each})),
      make_row("cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0" +
                   options,
               "One less the cosine of rows where target is 1, their cosine above margin where it "
               "is -1, reduced.",
               cosine_embedding_loss,
               SAMPLES({x, y, sign, 0.0, none, mean}, {x, y, sign, 0.25, rows, sum},
                       {x, y, sign, 0.5, rows, each})),
      make_row("triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float "
               "margin=1.0, float p=2, float eps=1e-06, bool swap=False" +
                   options,
               "What negative lacks to be farther from anchor than positive by margin, reduced.",
               triplet_margin_loss,
               SAMPLES({x, y, z, 1.0, 2.0, 1e-6, false, none, mean},
                       {x, y, z, 4.0, 1.0, 1e-6, true, rows, sum},
                       {x, y, z, 4.0, 2.0, 1e-6, false, rows, each})),
  };
}

}  // namespace tamis
