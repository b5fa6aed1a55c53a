// What the ops on masks of sequences and images share: which dimensions they are about.
#pragma once

#include <algorithm>
#include <optional>

#include "core/check.h"
#include "ops/mask_args.h"
#include "tamis/tensor.h"

namespace tamis {

/// Refuses what is no mask, and finds how many of its last dimensions are meant: 1 or 2.
inline int64_t plane_dims(const char* op, const Tensor& mask, std::optional<int64_t> ndim) {
  check(mask.dtype() == DType::boolean, ErrorKind::dtype,
        "{}: expected a mask (bool), but got {}; write mask != 0", op, name(mask.dtype()));
  check(mask.dim() >= 1, ErrorKind::shape, "{}: mask must have at least one dimension", op);
  const int64_t dims = ndim.value_or(std::min<int64_t>(mask.dim(), 2));
  check(dims == 1 || dims == 2, ErrorKind::value, "{}: ndim must be 1 or 2, but got {}", op, dims);
  check(dims <= mask.dim(), ErrorKind::shape,
        "{}: ndim is 2, but mask has the shape {}; write ndim=1", op, mask.shape());
  return dims;
}

}  // namespace tamis
