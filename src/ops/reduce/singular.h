// Singular values of small matrices.
#pragma once

#include "tamis/tensor.h"

namespace tamis {

/// The sum of the singular values of each matrix over two dimensions, none given meaning those of a
/// matrix. Refuses NaN, which has no singular values; infinities give NaN, as in PyTorch.
Tensor nuclear_norm(const Tensor& x, const Dims& dims, bool keepdim);

}  // namespace tamis
