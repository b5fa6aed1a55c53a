// Reductions, scans and softmax.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tamis/tensor.h"

namespace tamis {

// ---- reductions: over all dimensions if none are given ------------------------------------------

/// Integers and bools sum to int64, uint64 to uint64. The sum of nothing is 0. With `exact` the
/// result is the sum of exact arithmetic, rounded once (tamis/partial.h): one that is 0 is +0.
Tensor sum(const Tensor& x, const Dims& dims = {}, bool keepdim = false,
           std::optional<DType> dtype = {}, bool exact = false);
/// Floating point only (or with dtype). The mean of nothing is NaN.
Tensor mean(const Tensor& x, const Dims& dims = {}, bool keepdim = false,
            std::optional<DType> dtype = {}, bool exact = false);
Tensor prod(const Tensor& x, std::optional<int64_t> dim = {}, bool keepdim = false,
            std::optional<DType> dtype = {});
/// NaN wins. Refuses to reduce nothing.
Tensor amax(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
Tensor amin(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
Tensor max(const Tensor& x);
Tensor min(const Tensor& x);
/// Bool (uint8 for a uint8 x, as in PyTorch). any of nothing is false, all of nothing is true.
Tensor any(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
Tensor all(const Tensor& x, const Dims& dims = {}, bool keepdim = false);

// ---- extremes and their indices -----------------------------------------------------------------

/// The index (int64) of the largest (smallest) element along dim, or in row-major order of the
/// whole tensor. The smallest index among equals; NaN wins. Refuses bools and empty dimensions.
Tensor argmax(const Tensor& x, std::optional<int64_t> dim = {}, bool keepdim = false);
Tensor argmin(const Tensor& x, std::optional<int64_t> dim = {}, bool keepdim = false);
/// The largest (smallest) elements along dim and their indices, as argmax finds them, in one pass.
std::pair<Tensor, Tensor> max(const Tensor& x, int64_t dim, bool keepdim = false);
std::pair<Tensor, Tensor> min(const Tensor& x, int64_t dim, bool keepdim = false);

// ---- moments: over all dimensions if none are given ---------------------------------------------

/// The sum of squared distances from the mean, divided by the number of elements less `correction`
/// (but not by less than 0). Floating point and complex only; the variance of complex numbers is
/// real. Computed in double, in two passes. As a correction true and false are 1 and 0, which is
/// what libtorch's `unbiased` means there. With `exact`, that of exact arithmetic, rounded once.
Tensor var(const Tensor& x, const Dims& dims = {}, double correction = 1, bool keepdim = false,
           bool exact = false);
Tensor std(const Tensor& x, const Dims& dims = {}, double correction = 1, bool keepdim = false,
           bool exact = false);
std::pair<Tensor, Tensor> var_mean(const Tensor& x, const Dims& dims = {}, double correction = 1,
                                   bool keepdim = false);
std::pair<Tensor, Tensor> std_mean(const Tensor& x, const Dims& dims = {}, double correction = 1,
                                   bool keepdim = false);
/// sum and mean of the elements that are not NaN. The mean of none is NaN.
Tensor nansum(const Tensor& x, const Dims& dims = {}, bool keepdim = false,
              std::optional<DType> dtype = {});
Tensor nanmean(const Tensor& x, const Dims& dims = {}, bool keepdim = false,
               std::optional<DType> dtype = {});
/// The largest (smallest) element that is not NaN, as in NumPy: NaN if there is none. Refuses to
/// reduce nothing. `nanmax(tensor({1., NAN}))` is `tensor(1.)`.
Tensor nanmax(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
Tensor nanmin(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
/// Variance and standard deviation of the elements that are not NaN, as in NumPy: the divisor is
/// their number (var and std take off 1; here that is correction = 1). Floating point only.
/// `nanvar(tensor({1., NAN, 3.}))` is `tensor(1.)`.
Tensor nanvar(const Tensor& x, const Dims& dims = {}, double correction = 0, bool keepdim = false);
Tensor nanstd(const Tensor& x, const Dims& dims = {}, double correction = 0, bool keepdim = false);

// ---- of segments --------------------------------------------------------------------------------

/// x (floating point) with the slices along axis reduced by "sum", "mean", "max", "min" or "prod"
/// in segments that follow each other: lengths (integers, [..., segments] with the sizes of x
/// before axis) or offsets (with one more entry, from 0 to the end) say where. initial is part of
/// every segment. Without it an empty one is 0, NaN, -infinity, infinity or 1. Lengths must add up
/// to x's size unless `unsafe`. The gradient of "max" and "min" is shared among equal elements.
Tensor segment_reduce(const Tensor& x, const std::string& reduce,
                      const std::optional<Tensor>& lengths = {},
                      const std::optional<Tensor>& offsets = {}, int64_t axis = 0,
                      bool unsafe = false, std::optional<Scalar> initial = {});

// ---- of samples ---------------------------------------------------------------------------------

/// The covariances of the variables that are the rows of x (1-d: one variable), [rows, rows], or
/// 0-d for one: divided by the number of columns less correction. fweights (integers) are how often
/// each column counts, aweights (floating point) how much. Not for bools.
Tensor cov(const Tensor& x, int64_t correction = 1, const std::optional<Tensor>& fweights = {},
           const std::optional<Tensor>& aweights = {});
/// The same divided by the standard deviations: 1 on the diagonal.
Tensor corrcoef(const Tensor& x);
/// How many elements are in each of equal intervals from min to max, the last of which has its end,
/// too; others do not count. If both are 0, from the smallest to the largest element. Floating
/// point only; dtype of x.
Tensor histc(const Tensor& x, int64_t bins = 100, Scalar min = 0, Scalar max = 0);
/// The same with the edges of the intervals, for all elements of x: how many, or the sum of their
/// weights; with density divided by the total and by the widths. range is {min, max}.
std::pair<Tensor, Tensor> histogram(const Tensor& x, int64_t bins,
                                    const std::optional<Tensor>& range = {},
                                    const std::optional<Tensor>& weight = {}, bool density = false);
/// With these edges, in ascending order.
std::pair<Tensor, Tensor> histogram(const Tensor& x, const Tensor& bins,
                                    const std::optional<Tensor>& weight = {}, bool density = false);
/// x less its mean, divided by its standard deviation (the root of variance + eps), over the last
/// dimensions, whose sizes are normalized_shape; times weight, plus bias, of that shape. Computed
/// in float32 at least and rounded once.
Tensor layer_norm(const Tensor& x, const Shape& normalized_shape,
                  const std::optional<Tensor>& weight = {}, const std::optional<Tensor>& bias = {},
                  double eps = 1e-5);
/// Whether the only element is not zero. Throws kind value if there are none or several.
bool is_nonzero(const Tensor& x);

// ---- norms --------------------------------------------------------------------------------------

/// (sum of |x|^p)^(1/p) as of a vector, over all dimensions or the given ones; p infinity is the
/// largest |x|, -infinity the smallest, 0 the number of nonzeros. Floating point and complex only;
/// the norm of complex numbers is real. x is converted to dtype first.
Tensor norm(const Tensor& x, double p = 2, const Dims& dims = {}, bool keepdim = false,
            std::optional<DType> dtype = {});
/// A norm of matrices by its name: "fro", the norm with p = 2 over at most two dims or over all, or
/// "nuc", the sum of the singular values over two dims or of a matrix. The nuclear norm is for
/// float32, float64 and complex matrices; its gradient has no derivative.
Tensor norm(const Tensor& x, const std::string& p, const Dims& dims = {}, bool keepdim = false);
/// x divided by the larger of eps and its norm along dim.
Tensor normalize(const Tensor& x, double p = 2, int64_t dim = 1, double eps = 1e-12);

// ---- exponentials -------------------------------------------------------------------------------

/// log(sum(exp(x))) over dims, without overflow. Integers are converted to float32.
Tensor logsumexp(const Tensor& x, const Dims& dims, bool keepdim = false);
/// log(exp(a) + exp(b)), and the same to base 2. Floating point only. Deferred.
Tensor logaddexp(const Tensor& a, const Tensor& b);
Tensor logaddexp2(const Tensor& a, const Tensor& b);
/// exp(x) / sum(exp(x)) along dim; its logarithm; and softmax(-x). Floating point only; x is
/// converted to dtype first.
Tensor softmax(const Tensor& x, int64_t dim, std::optional<DType> dtype = {});
Tensor log_softmax(const Tensor& x, int64_t dim, std::optional<DType> dtype = {});
Tensor softmin(const Tensor& x, int64_t dim, std::optional<DType> dtype = {});

// ---- scans along a dimension --------------------------------------------------------------------

/// Running sums and products: integers and bools give int64, uint64 gives uint64; x is converted to
/// dtype first. Floating point accumulates in double (halves in float32).
Tensor cumsum(const Tensor& x, int64_t dim, std::optional<DType> dtype = {});
Tensor cumprod(const Tensor& x, int64_t dim, std::optional<DType> dtype = {});
Tensor& cumsum_(Tensor& x, int64_t dim, std::optional<DType> dtype = {});
Tensor& cumprod_(Tensor& x, int64_t dim, std::optional<DType> dtype = {});
/// Running extremes and their indices, the last among equals; NaN wins.
std::pair<Tensor, Tensor> cummax(const Tensor& x, int64_t dim);
std::pair<Tensor, Tensor> cummin(const Tensor& x, int64_t dim);
/// Running log(sum(exp(x))). Floating point only.
Tensor logcumsumexp(const Tensor& x, int64_t dim);
/// Differences between neighbours along dim, n times over; of bools, where they differ. prepend and
/// append are joined to x before that.
Tensor diff(const Tensor& x, int64_t n = 1, int64_t dim = -1, std::optional<Tensor> prepend = {},
            std::optional<Tensor> append = {});

// ---- integrals and slopes -----------------------------------------------------------------------

/// The area under y along dim by the trapezoid rule, for samples that are dx apart, or at the
/// positions x: 1-d, or of a shape that broadcasts to y's. Not for bools.
Tensor trapezoid(const Tensor& y, double dx = 1, int64_t dim = -1);
Tensor trapezoid(const Tensor& y, const Tensor& x, int64_t dim = -1);
/// The running area: one element less along dim than y.
Tensor cumulative_trapezoid(const Tensor& y, double dx = 1, int64_t dim = -1);
Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, int64_t dim = -1);
/// The slopes of x along each of dims, or of all: by central differences, at the ends by those of
/// order edge_order (1 or 2). Samples are `spacing` apart, one number, or one of a 1-d tensor for
/// each dimension.
std::vector<Tensor> gradient(const Tensor& x, const Tensor& spacing = 1, const Dims& dims = {},
                             int64_t edge_order = 1);
/// The same for samples at these positions, a 1-d tensor for each dimension.
std::vector<Tensor> gradient(const Tensor& x, const std::vector<Tensor>& spacing,
                             const Dims& dims = {}, int64_t edge_order = 1);

// ---- the same as methods ------------------------------------------------------------------------

inline Tensor Tensor::sum(const Dims& dims, bool keepdim, std::optional<DType> dtype,
                          bool exact) const {
  return tamis::sum(*this, dims, keepdim, dtype, exact);
}
inline Tensor Tensor::mean(const Dims& dims, bool keepdim, std::optional<DType> dtype,
                           bool exact) const {
  return tamis::mean(*this, dims, keepdim, dtype, exact);
}
inline Tensor Tensor::prod(std::optional<int64_t> dim, bool keepdim,
                           std::optional<DType> dtype) const {
  return tamis::prod(*this, dim, keepdim, dtype);
}
inline Tensor Tensor::amax(const Dims& dims, bool keepdim) const {
  return tamis::amax(*this, dims, keepdim);
}
inline Tensor Tensor::amin(const Dims& dims, bool keepdim) const {
  return tamis::amin(*this, dims, keepdim);
}
inline Tensor Tensor::max() const { return tamis::max(*this); }
inline Tensor Tensor::min() const { return tamis::min(*this); }
inline Tensor Tensor::any(const Dims& dims, bool keepdim) const {
  return tamis::any(*this, dims, keepdim);
}
inline Tensor Tensor::all(const Dims& dims, bool keepdim) const {
  return tamis::all(*this, dims, keepdim);
}
inline Tensor Tensor::argmax(std::optional<int64_t> dim, bool keepdim) const {
  return tamis::argmax(*this, dim, keepdim);
}
inline Tensor Tensor::argmin(std::optional<int64_t> dim, bool keepdim) const {
  return tamis::argmin(*this, dim, keepdim);
}
inline std::pair<Tensor, Tensor> Tensor::max(int64_t dim, bool keepdim) const {
  return tamis::max(*this, dim, keepdim);
}
inline std::pair<Tensor, Tensor> Tensor::min(int64_t dim, bool keepdim) const {
  return tamis::min(*this, dim, keepdim);
}
inline Tensor Tensor::var(const Dims& dims, double correction, bool keepdim, bool exact) const {
  return tamis::var(*this, dims, correction, keepdim, exact);
}
inline Tensor Tensor::std(const Dims& dims, double correction, bool keepdim, bool exact) const {
  return tamis::std(*this, dims, correction, keepdim, exact);
}
inline Tensor Tensor::nansum(const Dims& dims, bool keepdim, std::optional<DType> dtype) const {
  return tamis::nansum(*this, dims, keepdim, dtype);
}
inline Tensor Tensor::nanmean(const Dims& dims, bool keepdim, std::optional<DType> dtype) const {
  return tamis::nanmean(*this, dims, keepdim, dtype);
}
inline Tensor Tensor::norm(double p, const Dims& dims, bool keepdim,
                           std::optional<DType> dtype) const {
  return tamis::norm(*this, p, dims, keepdim, dtype);
}
inline Tensor Tensor::norm(const std::string& p, const Dims& dims, bool keepdim) const {
  return tamis::norm(*this, p, dims, keepdim);
}
inline Tensor Tensor::logsumexp(const Dims& dims, bool keepdim) const {
  return tamis::logsumexp(*this, dims, keepdim);
}
inline Tensor Tensor::logaddexp(const Tensor& other) const {
  return tamis::logaddexp(*this, other);
}
inline Tensor Tensor::logaddexp2(const Tensor& other) const {
  return tamis::logaddexp2(*this, other);
}
inline Tensor Tensor::softmax(int64_t dim, std::optional<DType> dtype) const {
  return tamis::softmax(*this, dim, dtype);
}
inline Tensor Tensor::log_softmax(int64_t dim, std::optional<DType> dtype) const {
  return tamis::log_softmax(*this, dim, dtype);
}
inline Tensor Tensor::cumsum(int64_t dim, std::optional<DType> dtype) const {
  return tamis::cumsum(*this, dim, dtype);
}
inline Tensor Tensor::cumprod(int64_t dim, std::optional<DType> dtype) const {
  return tamis::cumprod(*this, dim, dtype);
}
inline Tensor& Tensor::cumsum_(int64_t dim, std::optional<DType> dtype) {
  return tamis::cumsum_(*this, dim, dtype);
}
inline Tensor& Tensor::cumprod_(int64_t dim, std::optional<DType> dtype) {
  return tamis::cumprod_(*this, dim, dtype);
}
inline std::pair<Tensor, Tensor> Tensor::cummax(int64_t dim) const {
  return tamis::cummax(*this, dim);
}
inline std::pair<Tensor, Tensor> Tensor::cummin(int64_t dim) const {
  return tamis::cummin(*this, dim);
}
inline Tensor Tensor::logcumsumexp(int64_t dim) const { return tamis::logcumsumexp(*this, dim); }
inline Tensor Tensor::diff(int64_t n, int64_t dim) const { return tamis::diff(*this, n, dim); }

}  // namespace tamis
