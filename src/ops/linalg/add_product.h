// What addmm and its kin share: beta * input + alpha * product.
#pragma once

#include "tamis/tensor.h"

namespace tamis {

/// beta * input + alpha * product, of one dtype; input is expanded to the product's shape. With
/// beta 0 input is ignored.
Tensor add_product(const Tensor& input, Tensor product, Scalar beta, Scalar alpha);

}  // namespace tamis
