// Checks of arguments that the masking ops share.
#pragma once

#include <optional>
#include <string_view>

#include "tamis/tensor.h"

namespace tamis {

/// Throws kind dtype unless mask is bool. `text` is PyTorch's message; the dtype and what to write
/// instead are added to it. `argument` is the mask's name in the advice.
void check_mask(const Tensor& mask, std::string_view text, std::string_view argument = "mask");

/// The kinds of comparisons of integers.
enum class Limit { below, up_to, above, from };
/// `counts` compared with `limits` (counts < limits, <=, >, >=) as a structured mask, if counts are
/// 0, 1, 2, ... along the last dimension and the limits the same all along it; otherwise nothing.
/// Both are integers.
std::optional<Tensor> interval_mask(const Tensor& counts, Limit limit, const Tensor& limits);

/// Refuses a shape that does not broadcast to x's own.
void check_broadcasts_to(const Tensor& x, const Shape& shape);

/// The number to fill a tensor of this dtype with: value, which must be 0-d and fit.
/// `text` is PyTorch's message for other dimensions, up to their number.
Tensor fill_number(const Tensor& value, DType dtype, std::string_view text, std::string_view end);

/// dims of an x of this rank as sorted, distinct, non-negative numbers; all of them if none are
/// given.
Shape normalize_dims(const Dims& dims, int64_t rank);

}  // namespace tamis
