// Order: sorting, selection, quantiles, distinct values, search.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "tamis/tensor.h"

namespace tamis {

// The order is that of numbers, with NaN last (it counts as largest) and the two zeros equal.
// Among equal elements the one with the smaller index comes first, in descending order too, so
// every index is determined. A tensor without dimensions counts as one slice of one element.

// ---- sorting ------------------------------------------------------------------------------------

/// The elements along dim in order, and their indices (int64). Always stable.
/// `sort(tensor({3, 1, 2}))` is `tensor([1, 2, 3])` and `tensor([1, 2, 0])`.
std::pair<Tensor, Tensor> sort(const Tensor& x, int64_t dim = -1, bool descending = false,
                               bool stable = false);
/// The indices of sort.
Tensor argsort(const Tensor& x, int64_t dim = -1, bool descending = false, bool stable = false);
/// The values of sort along the first dimension.
Tensor msort(const Tensor& x);
/// The k largest (smallest) elements along dim and their indices, in order whether sorted is asked
/// for or not. k may be 0, but not more than the size. Refuses bool.
std::pair<Tensor, Tensor> topk(const Tensor& x, int64_t k, int64_t dim = -1, bool largest = true,
                               bool sorted = true);

// ---- selection ----------------------------------------------------------------------------------

/// The k-th smallest (1-based) along dim and its index. Refuses bool.
std::pair<Tensor, Tensor> kthvalue(const Tensor& x, int64_t k, int64_t dim = -1,
                                   bool keepdim = false);
/// The median, the lower one of two; NaN if there is a NaN. Of all elements (NaN if there are
/// none), or along dim with its index. Refuses bool.
Tensor median(const Tensor& x);
std::pair<Tensor, Tensor> median(const Tensor& x, int64_t dim, bool keepdim = false);
/// The same without the NaNs; NaN if there is nothing else.
Tensor nanmedian(const Tensor& x);
std::pair<Tensor, Tensor> nanmedian(const Tensor& x, int64_t dim, bool keepdim = false);
/// The most frequent element along dim, the smallest one if there are several, and its index. No
/// NaN equals another.
std::pair<Tensor, Tensor> mode(const Tensor& x, int64_t dim = -1, bool keepdim = false);

/// The q-quantile of all elements, or along dim: of n elements in order, the one at q * (n - 1).
/// Between two of them interpolation decides: linear, lower, higher, midpoint, or nearest (halves
/// go to the even one). q is a number, a 0-d or a 1-d tensor of x's dtype with values from 0 to 1;
/// a 1-d q becomes the first dimension of the result. NaN if there is a NaN. x is float32 or
/// float64, not empty, of any size.
Tensor quantile(const Tensor& x, const Tensor& q, std::optional<int64_t> dim = {},
                bool keepdim = false, const std::string& interpolation = "linear");
/// The same without the NaNs; NaN if there is nothing else.
Tensor nanquantile(const Tensor& x, const Tensor& q, std::optional<int64_t> dim = {},
                   bool keepdim = false, const std::string& interpolation = "linear");

/// quantile with q in percent, from 0 to 100, as in NumPy. q may be of any real dtype.
/// `percentile(tensor({1., 2., 3.}), 25)` is `tensor(1.5000)`.
Tensor percentile(const Tensor& x, const Tensor& q, std::optional<int64_t> dim = {},
                  bool keepdim = false, const std::string& interpolation = "linear");

/// The smallest and the largest element of all, or along dim. NaN wins. Refuses to reduce nothing.
std::pair<Tensor, Tensor> aminmax(const Tensor& x, std::optional<int64_t> dim = {},
                                  bool keepdim = false);

// ---- distinct values ----------------------------------------------------------------------------

/// The distinct elements in ascending order, 1-d; with dim the distinct slices, in lexicographic
/// order. No NaN equals another.
Tensor unique(const Tensor& x, std::optional<int64_t> dim = {});
/// The same with, if asked for, where each element (each slice) went and how often each occurs;
/// what is not asked for is undefined. They are in order whether sorted is asked for or not.
std::tuple<Tensor, Tensor, Tensor> unique(const Tensor& x, bool sorted, bool return_inverse,
                                          bool return_counts = false,
                                          std::optional<int64_t> dim = {});
/// The elements (slices) without those that equal their predecessor.
Tensor unique_consecutive(const Tensor& x, std::optional<int64_t> dim = {});
std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& x, bool return_inverse,
                                                      bool return_counts,
                                                      std::optional<int64_t> dim = {});
/// How often 0, 1, 2, ... occur in a 1-d tensor of integers, none negative; with weights, the sum
/// of theirs (float32 if they are, else float64). At least minlength results.
Tensor bincount(const Tensor& x, std::optional<Tensor> weights = {}, int64_t minlength = 0);

// ---- search -------------------------------------------------------------------------------------

/// Where each value belongs in its sorted sequence: before the elements equal to it, with right
/// (or side "right") after them. A 1-d sequence serves all values; otherwise all dimensions but the
/// last agree. Dtypes promote. sorter (int64, of the sequence's shape) gives the order of a
/// sequence that is not sorted. int64, or int32 with out_int32.
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values, bool out_int32 = false,
                    bool right = false, std::optional<std::string> side = {},
                    std::optional<Tensor> sorter = {});
/// searchsorted with a 1-d sequence, and the arguments the other way round.
Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool out_int32 = false,
                 bool right = false);

// ---- methods ------------------------------------------------------------------------------------

inline std::pair<Tensor, Tensor> Tensor::sort(int64_t dim, bool descending, bool stable) const {
  return tamis::sort(*this, dim, descending, stable);
}
inline Tensor Tensor::argsort(int64_t dim, bool descending, bool stable) const {
  return tamis::argsort(*this, dim, descending, stable);
}
inline Tensor Tensor::msort() const { return tamis::msort(*this); }
inline std::pair<Tensor, Tensor> Tensor::topk(int64_t k, int64_t dim, bool largest,
                                              bool sorted) const {
  return tamis::topk(*this, k, dim, largest, sorted);
}
inline std::pair<Tensor, Tensor> Tensor::kthvalue(int64_t k, int64_t dim, bool keepdim) const {
  return tamis::kthvalue(*this, k, dim, keepdim);
}
inline Tensor Tensor::median() const { return tamis::median(*this); }
inline std::pair<Tensor, Tensor> Tensor::median(int64_t dim, bool keepdim) const {
  return tamis::median(*this, dim, keepdim);
}
inline Tensor Tensor::nanmedian() const { return tamis::nanmedian(*this); }
inline std::pair<Tensor, Tensor> Tensor::nanmedian(int64_t dim, bool keepdim) const {
  return tamis::nanmedian(*this, dim, keepdim);
}
inline std::pair<Tensor, Tensor> Tensor::mode(int64_t dim, bool keepdim) const {
  return tamis::mode(*this, dim, keepdim);
}
inline Tensor Tensor::quantile(const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                               const std::string& interpolation) const {
  return tamis::quantile(*this, q, dim, keepdim, interpolation);
}
inline Tensor Tensor::nanquantile(const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                                  const std::string& interpolation) const {
  return tamis::nanquantile(*this, q, dim, keepdim, interpolation);
}
inline Tensor Tensor::unique(std::optional<int64_t> dim) const { return tamis::unique(*this, dim); }
inline Tensor Tensor::unique_consecutive(std::optional<int64_t> dim) const {
  return tamis::unique_consecutive(*this, dim);
}
inline std::pair<Tensor, Tensor> Tensor::aminmax(std::optional<int64_t> dim, bool keepdim) const {
  return tamis::aminmax(*this, dim, keepdim);
}
inline Tensor Tensor::bincount(std::optional<Tensor> weights, int64_t minlength) const {
  return tamis::bincount(*this, std::move(weights), minlength);
}

}  // namespace tamis
