// Losses: how far predictions are from targets, with a mask of the elements that count.
#pragma once

#include <optional>
#include <string>

#include "tamis/tensor.h"

namespace tamis {

// All are those of torch.nn.functional, with a mask beside. reduction is "none", "mean" or "sum".
// Where mask (bool, broadcast to the shape of the loss without reduction) is false, an element
// counts nothing, whatever it holds, NaN and infinities too: with "none" its loss is 0, and "mean"
// divides by what is kept. The mean of nothing is NaN. Everything is computed in one pass, without
// a temporary of the input's size.
//
//   mse_loss(prediction, target, masks::from_lengths(lengths))

/// (x - y)^2 for targets y. Shapes broadcast, dtypes promote; the result is floating point.
Tensor mse_loss(const Tensor& x, const Tensor& target, const std::optional<Tensor>& mask = {},
                const std::string& reduction = "mean");
/// |x - y|
Tensor l1_loss(const Tensor& x, const Tensor& target, const std::optional<Tensor>& mask = {},
               const std::string& reduction = "mean");
/// d^2 / 2 where d = |x - y| <= delta, and delta * (d - delta / 2) beyond; dtype of x. delta > 0.
Tensor huber_loss(const Tensor& x, const Tensor& target, const std::optional<Tensor>& mask = {},
                  const std::string& reduction = "mean", double delta = 1.0);
/// d^2 / (2 beta) where d = |x - y| < beta, and d - beta / 2 beyond. beta >= 0; 0 is l1_loss.
Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, const std::optional<Tensor>& mask = {},
                      const std::string& reduction = "mean", double beta = 1.0);

/// -(t log p + (1 - t) log(1 - p)) for probabilities x and targets t of the same shape and dtype;
/// logarithms are not below -100. Refuses a kept x outside [0, 1]. weight broadcasts.
Tensor binary_cross_entropy(const Tensor& x, const Tensor& target,
                            const std::optional<Tensor>& weight = {},
                            const std::optional<Tensor>& mask = {},
                            const std::string& reduction = "mean");
/// The same for p = sigmoid(x), without overflow; the first term is multiplied by pos_weight, which
/// broadcasts. dtype of target.
Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target,
                                        const std::optional<Tensor>& weight = {},
                                        const std::optional<Tensor>& mask = {},
                                        const std::string& reduction = "mean",
                                        const std::optional<Tensor>& pos_weight = {});

/// t (log t - x) for log-probabilities x and probabilities t, or with log_target exp(t) (t - x).
/// Where t is 0 its logarithm counts nothing. reduction may be "batchmean", too: the sum divided by
/// the first size.
Tensor kl_div(const Tensor& x, const Tensor& target, const std::optional<Tensor>& mask = {},
              const std::string& reduction = "mean", bool log_target = false);
/// exp(x) - t x, or without log_input x - t log(x + eps), for counts t; `full` adds Stirling's
/// approximation of log(t!) where t > 1.
Tensor poisson_nll_loss(const Tensor& x, const Tensor& target, bool log_input = true,
                        bool full = false, double eps = 1e-8,
                        const std::optional<Tensor>& mask = {},
                        const std::string& reduction = "mean");
/// (log v + (x - t)^2 / v) / 2 for variances v, not below eps; `full` adds log(2 pi) / 2. var has
/// x's shape, or is 1 or missing in the last dimension. Refuses negative variances that count.
Tensor gaussian_nll_loss(const Tensor& x, const Tensor& target, const Tensor& var,
                         bool full = false, double eps = 1e-6,
                         const std::optional<Tensor>& mask = {},
                         const std::string& reduction = "mean");

/// log(1 + exp(-t x)) for t that is 1 or -1, without overflow.
Tensor soft_margin_loss(const Tensor& x, const Tensor& target,
                        const std::optional<Tensor>& mask = {},
                        const std::string& reduction = "mean");
/// x where t is 1, max(0, margin - x) where it is -1.
Tensor hinge_embedding_loss(const Tensor& x, const Tensor& target, double margin = 1.0,
                            const std::optional<Tensor>& mask = {},
                            const std::string& reduction = "mean");
/// max(0, margin - t (a - b)) for t that is 1 or -1.
Tensor margin_ranking_loss(const Tensor& a, const Tensor& b, const Tensor& target,
                           double margin = 0, const std::optional<Tensor>& mask = {},
                           const std::string& reduction = "mean");
/// 1 - cos(a, b) where t is 1, max(0, cos(a, b) - margin) where it is -1, for the angles between
/// rows a, b [n, k] and t [n], or a, b [k] and t 0-d. The loss has t's shape.
Tensor cosine_embedding_loss(const Tensor& a, const Tensor& b, const Tensor& target,
                             double margin = 0, const std::optional<Tensor>& mask = {},
                             const std::string& reduction = "mean");
/// max(0, margin + d(anchor, positive) - d(anchor, negative)) for distances d along the last
/// dimension, as of pairwise_distance; with swap d(positive, negative) takes the place of the last
/// if it is smaller. The loss has no last dimension.
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin = 1.0, double p = 2, double eps = 1e-6, bool swap = false,
                           const std::optional<Tensor>& mask = {},
                           const std::string& reduction = "mean");

// For the next three x is [classes] or [batch, classes], and the loss (and the mask) has x's shape
// without the classes.

/// The mean over the classes c other than the target t of max(0, margin - x[t] + x[c])^p, times
/// weight[t]; p is 1 or 2. A kept target that is no class is refused.
Tensor multi_margin_loss(const Tensor& x, const Tensor& target, int64_t p = 1, double margin = 1.0,
                         const std::optional<Tensor>& weight = {},
                         const std::optional<Tensor>& mask = {},
                         const std::string& reduction = "mean");
/// The sum over targets t and classes c that are none of max(0, 1 - x[t] + x[c]), divided by the
/// number of classes. target (int64, x's shape) has class numbers, up to the first -1.
Tensor multilabel_margin_loss(const Tensor& x, const Tensor& target,
                              const std::optional<Tensor>& mask = {},
                              const std::string& reduction = "mean");
/// The mean over the classes of the binary cross entropy of sigmoid(x) and target, times weight.
/// The classes are the last dimension of any x.
Tensor multilabel_soft_margin_loss(const Tensor& x, const Tensor& target,
                                   const std::optional<Tensor>& weight = {},
                                   const std::optional<Tensor>& mask = {},
                                   const std::string& reduction = "mean");

// For these, x is [classes] or [batch, classes, ...], the loss (and the mask) has x's shape without
// the classes, and weight is [classes], of x's dtype. A target that is ignore_index counts nothing.
// A kept target outside [0, classes) is an error of kind index. "mean" divides by the sum of the
// weights of the kept targets.

/// -x[target], for log-probabilities x; target is int64 class numbers.
Tensor nll_loss(const Tensor& x, const Tensor& target, const std::optional<Tensor>& weight = {},
                const std::optional<Tensor>& mask = {}, int64_t ignore_index = -100,
                const std::string& reduction = "mean");
/// The same for log_softmax(x). target is class numbers, or probabilities of x's shape; for those
/// "mean" divides by the number kept and nothing is ignored. label_smoothing in [0, 1] mixes the
/// target with the uniform distribution.
Tensor cross_entropy(const Tensor& x, const Tensor& target,
                     const std::optional<Tensor>& weight = {},
                     const std::optional<Tensor>& mask = {}, int64_t ignore_index = -100,
                     const std::string& reduction = "mean", double label_smoothing = 0.0);

}  // namespace tamis
