// What the losses share: reducing what a mask keeps.
#pragma once

#include <optional>
#include <string>

#include "tamis/tensor.h"

namespace tamis {

enum class LossReduction { none, mean, sum };

/// Throws kind value for other names.
LossReduction loss_reduction(const std::string& name);

/// Throws unless mask is bool and broadcasts to the loss's shape.
void check_loss_mask(const std::optional<Tensor>& mask, const Shape& shape);

/// The end of a loss: what mask keeps of it, reduced; a mean is divided by the number kept, or by
/// total if that is given. Computed in float32 at least; the result has the given dtype.
Tensor reduce_loss(const Tensor& loss, const std::optional<Tensor>& mask, LossReduction reduction,
                   DType dtype, const std::optional<Tensor>& total = {});

}  // namespace tamis
