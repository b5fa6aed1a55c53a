// Sums and differences with a factor before their second operand, as PyTorch's alpha= gives it.
#pragma once

#include "tamis/tensor.h"

namespace tamis {

/// x + alpha * other and x - alpha * other, in the dtype of the result. Refuses an alpha that this
/// dtype does not have.
Tensor add_scaled(const Tensor& x, const Tensor& other, Scalar alpha);
Tensor sub_scaled(const Tensor& x, const Tensor& other, Scalar alpha);

}  // namespace tamis
