// What the ops of namespace masked share.
#pragma once

#include <vector>

#include "ops/row.h"

namespace tamis {

/// The mask broadcast to x's shape; refuses one that is not bool or has more dimensions than x. An
/// undefined mask stays so. `argument` is its name in the error.
Tensor input_mask(const Tensor& x, const Tensor& mask, const char* argument = "mask");

/// The rows of masked ops that keep the shape of their input.
std::vector<Row> masked_normalization_rows();

}  // namespace tamis
