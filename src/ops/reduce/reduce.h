// What reductions with and without a mask share. Everywhere an undefined mask keeps all, and dims
// are sorted, distinct and not negative.
#pragma once

#include <optional>
#include <utility>

#include "expr/expr.h"
#include "tamis/tensor.h"

namespace tamis {

/// x's shape after reducing dims.
Shape reduced_shape(const Tensor& x, const Shape& dims, bool keepdim);

/// The reduction to a result of this dtype. Its gradient is the caller's to record.
Tensor reduce_along(Reduction reduction, const Tensor& x, const Shape& dims, bool keepdim,
                    DType result);

/// The sum or product; x is converted to the result's dtype first, as in PyTorch.
Tensor accumulate(Reduction reduction, const Tensor& x, const Shape& dims, bool keepdim,
                  std::optional<DType> dtype);

/// value where mask is true, identity elsewhere. Deferred; never computes with what is masked out.
Tensor kept(const Tensor& mask, const Tensor& value, Scalar identity);

/// The sum in wide_dtype(x) of a floating point or bool x; dims become size 1.
Tensor sum_wide(const Tensor& x, const Shape& dims);

/// How many elements of x are kept, int64; dims become size 1, and others too where all rows have
/// the same mask.
Tensor count_kept(const Tensor& x, const Tensor& mask, const Shape& dims);

struct Moments {
  Tensor mean, var;  // of wide_dtype(x), the mean of complex numbers complex128; dims are of size 1
};
/// The mean and variance of what is kept; NaN where there is nothing. The variance of complex
/// numbers is the sum of those of their parts.
Moments moments(const Tensor& x, const Tensor& mask, const Shape& dims, double correction,
                DType result);
/// The standard deviation of a variance. Where that is 0, all elements are equal, and the gradient
/// is 0 as in PyTorch, not infinity times 0.
Tensor deviation(const Tensor& variance);

/// The extremes along dim, or of the whole tensor, and their indices. `op` is for the errors.
std::pair<Tensor, Tensor> find_extreme(bool largest, const char* op, const Tensor& x,
                                       const Tensor& mask, std::optional<int64_t> dim, bool keepdim,
                                       bool takes_bools);

/// The p-norm of x, which is floating point or complex, in x's real dtype. Refuses to reduce
/// nothing where that has no value.
Tensor vector_norm(const Tensor& x, const Tensor& mask, double p, const Shape& dims, bool keepdim);

/// log(sum(exp(x))) in x's dtype, which is floating point.
Tensor log_sum_exp(const Tensor& x, const Tensor& mask, const Shape& dims, bool keepdim);

/// softmax, or its logarithm, of x, which is floating point.
Tensor softmax_along(const Tensor& x, const Tensor& mask, int64_t dim);
Tensor log_softmax_along(const Tensor& x, const Tensor& mask, int64_t dim);
/// x converted to dtype, which must be floating point then. `op` is for the error.
Tensor floating_input(const char* op, const Tensor& x, std::optional<DType> dtype);

/// Running sums, products or log-sum-exps along dim, in the dtype `result`.
Tensor scanned(Scan scan, const char* op, const Tensor& x, int64_t dim, DType result);

}  // namespace tamis
