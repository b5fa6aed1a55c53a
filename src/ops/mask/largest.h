// The largest elements of rows as masks, with exact numbers among equal ones.
#pragma once

#include "tamis/tensor.h"

namespace tamis {

/// True for the elements along dim that are larger than `least`, and for the first of those equal
/// to it, so that `count` are true. Both have size 1 along dim, or are numbers. x has no NaN, and
/// at least one dimension.
Tensor keep_from(const Tensor& x, const Tensor& least, const Tensor& count, int64_t dim);

/// True for the k largest elements along dim, the first among equal ones; for all if there are no
/// more than k. x has no NaN, and at least one dimension.
Tensor keep_largest(const Tensor& x, int64_t k, int64_t dim);

}  // namespace tamis
