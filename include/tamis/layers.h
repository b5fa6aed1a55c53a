// Layers: rows of a table by number, their sums in bags, and elements that are left out or scaled
// at random.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "tamis/generator.h"
#include "tamis/tensor.h"

namespace tamis {

// ---- rows by number -----------------------------------------------------------------------------

/// The rows of weight [n, k] that x (int64 or int32) names: x's shape with k after it. The row
/// padding_idx gets no gradient. With max_norm the rows of weight that x names are scaled first, in
/// place, so that none has a larger norm. scale_grad_by_freq divides the gradient of each row by
/// how often x names it.
Tensor embedding(const Tensor& x, const Tensor& weight, std::optional<int64_t> padding_idx = {},
                 std::optional<double> max_norm = {}, double norm_type = 2,
                 bool scale_grad_by_freq = false);
/// In place, and without a gradient: each row of weight that indices name, scaled to max_norm if
/// its norm is larger.
Tensor& embedding_renorm_(Tensor& weight, const Tensor& indices, double max_norm,
                          double norm_type = 2);
/// The sum, mean or largest elements (mode) of the rows of weight [n, k] in each bag, [bags, k];
/// zeros for an empty bag. x [bags, size] has the numbers of the rows, or x is 1-d and offsets
/// (1-d, ascending from 0) say where each bag begins; include_last_offset says that the last one is
/// the end of the last bag. Rows padding_idx do not count. per_sample_weights (x's shape, mode
/// "sum" only) are factors. The gradient of "max" goes to the first of equal elements. The rest is
/// as for embedding.
Tensor embedding_bag(const Tensor& x, const Tensor& weight,
                     const std::optional<Tensor>& offsets = {}, std::optional<double> max_norm = {},
                     double norm_type = 2, bool scale_grad_by_freq = false,
                     const std::string& mode = "mean",
                     const std::optional<Tensor>& per_sample_weights = {},
                     bool include_last_offset = false, std::optional<int64_t> padding_idx = {});

// ---- at random ----------------------------------------------------------------------------------

// Without training all but rrelu give x itself. p is a probability.

/// Each element kept with the probability 1 - p and divided by it, else 0.
Tensor dropout(const Tensor& x, double p = 0.5, bool training = true);
/// The same (without a value for train, too) and the mask of what was kept.
std::pair<Tensor, Tensor> native_dropout(const Tensor& x, double p, std::optional<bool> train);
/// dropout of whole channels: all elements with the same first two indices are kept or not.
Tensor feature_dropout(const Tensor& x, double p = 0.5, bool training = true);
/// Each element kept with the probability 1 - p, else the limit of selu at -infinity; scaled so
/// that mean 0 and variance 1 stay.
Tensor alpha_dropout(const Tensor& x, double p = 0.5, bool training = true);
/// The same for whole channels.
Tensor feature_alpha_dropout(const Tensor& x, double p = 0.5, bool training = true);
/// x, or where it is not positive x times a random number, uniform in [lower, upper); without
/// training x times their middle.
Tensor rrelu(const Tensor& x, double lower = 1.0 / 8, double upper = 1.0 / 3, bool training = false,
             std::optional<Generator> generator = {});

}  // namespace tamis
