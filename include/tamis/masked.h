// masked: reductions and normalisations over the elements that a mask keeps.
#pragma once

#include <optional>
#include <string>

#include "tamis/tensor.h"

namespace tamis::masked {

// ---- order --------------------------------------------------------------------------------------

/// The median along dim of the elements that mask (bool, broadcast to x) keeps, without NaNs as in
/// PyTorch; the lower one of two. Where nothing is kept it is NaN, and integers and bools are
/// refused. dtype is the result's, by default x's.
Tensor median(const Tensor& x, int64_t dim = -1, bool keepdim = false,
              std::optional<DType> dtype = {}, std::optional<Tensor> mask = {});
/// tamis::quantile of the elements that mask keeps: NaN if one of them is NaN, or if there are
/// none.
Tensor quantile(const Tensor& x, const Tensor& q, std::optional<int64_t> dim = {},
                bool keepdim = false, const std::string& interpolation = "linear",
                std::optional<Tensor> mask = {});

}  // namespace tamis::masked
