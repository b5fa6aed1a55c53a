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
