// masked: reductions and normalisations over the elements that a mask keeps, as torch.masked has
// them.
#pragma once

#include <optional>
#include <string>

#include "tamis/tensor.h"

/// In every function mask is bool and broadcasts to the shape of x; true keeps. An undefined mask
/// keeps all. What is masked out contributes nothing, even if it is NaN. dims is what is reduced,
/// none given means all dimensions. A mask that keeps nothing of a row gives the result that the
/// function names; output_mask says where those are.
namespace tamis::masked {

/// Whether anything of each row is kept: true where the results below are made of elements. bool.
Tensor output_mask(const Tensor& x, const Tensor& mask, const Dims& dims = {},
                   bool keepdim = false);
/// How many elements are kept. int64.
Tensor count(const Tensor& x, const Tensor& mask, const Dims& dims = {}, bool keepdim = false);

/// Integers and bools give int64, uint64 gives uint64. If nothing is kept: 0 and 1. With `exact`,
/// here and below, the result of exact arithmetic, rounded once, as of tamis::sum.
Tensor sum(const Tensor& x, const Tensor& mask, const Dims& dims = {}, bool keepdim = false,
           std::optional<DType> dtype = {}, bool exact = false);
Tensor prod(const Tensor& x, const Tensor& mask, const Dims& dims = {}, bool keepdim = false,
            std::optional<DType> dtype = {});
/// Divided by the number of kept elements. Integers and bools give float32; x is converted to dtype
/// first. If nothing is kept: NaN.
Tensor mean(const Tensor& x, const Tensor& mask, const Dims& dims = {}, bool keepdim = false,
            std::optional<DType> dtype = {}, bool exact = false);
/// NaN wins if it is kept. If nothing is kept: the smallest (largest) value of the dtype,
/// infinities included.
Tensor amax(const Tensor& x, const Tensor& mask, const Dims& dims = {}, bool keepdim = false,
            std::optional<DType> dtype = {});
Tensor amin(const Tensor& x, const Tensor& mask, const Dims& dims = {}, bool keepdim = false,
            std::optional<DType> dtype = {});
/// The index of the largest (smallest) kept element along dim, or in row-major order of the whole
/// tensor: the first among equals, never one that is masked out. If nothing is kept: -1. int64, or
/// dtype.
Tensor argmax(const Tensor& x, const Tensor& mask, std::optional<int64_t> dim = {},
              bool keepdim = false, std::optional<DType> dtype = {});
Tensor argmin(const Tensor& x, const Tensor& mask, std::optional<int64_t> dim = {},
              bool keepdim = false, std::optional<DType> dtype = {});
/// The divisor is the number of kept elements less correction, but not less than 0; correction is 1
/// unless given, as in var and in PyTorch since 2.0 (1.13 took 0). Integers give float32, complex
/// numbers the variance of both parts, which is real. If nothing is kept: NaN.
Tensor var(const Tensor& x, const Tensor& mask, const Dims& dims = {}, double correction = 1,
           bool keepdim = false, std::optional<DType> dtype = {}, bool exact = false);
Tensor std(const Tensor& x, const Tensor& mask, const Dims& dims = {}, double correction = 1,
           bool keepdim = false, std::optional<DType> dtype = {}, bool exact = false);
/// As tamis::norm with p = ord; real numbers take a real dtype, complex ones a complex one. If
/// nothing is kept: 0, but infinity for a negative ord.
Tensor norm(const Tensor& x, const Tensor& mask, double ord = 2, const Dims& dims = {},
            bool keepdim = false, std::optional<DType> dtype = {});
/// log(sum(exp(x))), without overflow. Integers give float32. If nothing is kept: -infinity.
Tensor logsumexp(const Tensor& x, const Tensor& mask, const Dims& dims = {}, bool keepdim = false,
                 std::optional<DType> dtype = {});
/// Whether any (all) of the kept elements are nonzero. bool. If nothing is kept: false and true.
Tensor any(const Tensor& x, const Tensor& mask, const Dims& dims = {}, bool keepdim = false);
Tensor all(const Tensor& x, const Tensor& mask, const Dims& dims = {}, bool keepdim = false);

/// log(exp(x) + exp(other)), where a value that is masked out counts as -infinity. Each mask
/// broadcasts to its own tensor. Floating point only. Deferred.
Tensor logaddexp(const Tensor& x, const Tensor& other, const Tensor& x_mask,
                 const Tensor& other_mask, std::optional<DType> dtype = {});

// ---- these keep the shape -----------------------------------------------------------------------

/// Over the kept elements along dim; 0 (log_softmax: -infinity) where an element is masked out, so
/// a row of which nothing is kept is all 0. Floating point only; x is converted to dtype first.
Tensor softmax(const Tensor& x, const Tensor& mask, int64_t dim, std::optional<DType> dtype = {});
Tensor log_softmax(const Tensor& x, const Tensor& mask, int64_t dim,
                   std::optional<DType> dtype = {});
Tensor softmin(const Tensor& x, const Tensor& mask, int64_t dim, std::optional<DType> dtype = {});
/// x divided by the larger of eps and the norm of what is kept along dim; 0 where masked out.
Tensor normalize(const Tensor& x, const Tensor& mask, double ord, int64_t dim, double eps = 1e-12,
                 std::optional<DType> dtype = {});
/// Running sums and products along dim; an element that is masked out repeats what comes before it.
/// x is converted to dtype first; none given keeps x's.
Tensor cumsum(const Tensor& x, const Tensor& mask, int64_t dim, std::optional<DType> dtype = {});
Tensor cumprod(const Tensor& x, const Tensor& mask, int64_t dim, std::optional<DType> dtype = {});

// ---- order --------------------------------------------------------------------------------------

/// The median of the kept elements along dim, without NaNs as in PyTorch; the lower one of two. If
/// nothing is kept: NaN, or an error of kind value for integers and bools, which have no NaN. dtype
/// is the result's, by default x's.
Tensor median(const Tensor& x, const Tensor& mask, int64_t dim = -1, bool keepdim = false,
              std::optional<DType> dtype = {});
/// tamis::quantile of the kept elements. NaN if one of them is NaN; of nothing: NaN.
Tensor quantile(const Tensor& x, const Tensor& mask, const Tensor& q,
                std::optional<int64_t> dim = {}, bool keepdim = false,
                const std::string& interpolation = "linear");

}  // namespace tamis::masked
