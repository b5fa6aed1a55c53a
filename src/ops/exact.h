// Exact reductions: sums, means and variances that are rounded once.
#pragma once

#include <optional>

#include "tamis/tensor.h"

namespace tamis {

// As the functions of tamis::masked with exact = true, for elements of the dtype that is summed and
// a mask that was checked; an undefined one keeps all. They are computed on the host. The gradient
// is that of `plain`, the same reduction without exactness, if that is defined.

/// In the dtype that sum gives.
Tensor exact_sum(const Tensor& x, const Tensor& mask, const Dims& dims, bool keepdim,
                 const Tensor& plain);
Tensor exact_mean(const Tensor& x, const Tensor& mask, const Dims& dims, bool keepdim, DType dtype,
                  const Tensor& plain);
/// The variance, or its root.
Tensor exact_spread(const Tensor& x, const Tensor& mask, const Dims& dims, double correction,
                    bool keepdim, bool root, DType dtype, const Tensor& plain);

}  // namespace tamis
