// Printing for what is more than a tensor.
#pragma once

#include <string>

#include "tamis/tensor.h"

namespace tamis {

/// As Tensor::to_string, with another beginning than "tensor(" and with `--` for the elements where
/// mask (bool, x's shape) is false. An undefined mask keeps all.
std::string text_of(const std::string& prefix, const Tensor& x, const Tensor& mask);

}  // namespace tamis
