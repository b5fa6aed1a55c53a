// Pieces: tensors cut into views, repeated, and set side by side; what is numbered by classes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tamis/ops.h"

namespace tamis {

// ---- views --------------------------------------------------------------------------------------

/// Views of split_size places of a dimension each, one behind the other; the last may be smaller.
std::vector<Tensor> split(const Tensor& x, int64_t split_size, int64_t dim = 0);
/// Views of these sizes, which add up to that of the dimension.
std::vector<Tensor> split_with_sizes(const Tensor& x, const Shape& split_sizes, int64_t dim = 0);
/// split into at most that many views of one size, but for the last.
std::vector<Tensor> chunk(const Tensor& x, int64_t chunks, int64_t dim = 0);
/// A view of each place of a dimension, which disappears.
std::vector<Tensor> unbind(const Tensor& x, int64_t dim = 0);
/// A view with the dimensions source moved to the positions destination; the others keep their
/// order.
Tensor movedim(const Tensor& x, const Shape& source, const Shape& destination);
/// A view with one dimension as several; one of sizes may be -1.
Tensor unflatten(const Tensor& x, int64_t dim, const Shape& sizes);
/// The elements as 1-d: a view if x is row-major, else a copy.
Tensor ravel(const Tensor& x);
/// 1-d tensors expanded to the grid that they span: the i-th result has the elements of the i-th
/// tensor along dimension i. With indexing "xy" the first two dimensions change places. 0-d counts
/// as 1-d.
std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors,
                             const std::string& indexing = "ij");

// ---- copies -------------------------------------------------------------------------------------

/// repeat, where fewer counts than dimensions are for the last ones.
Tensor tile(const Tensor& x, const Shape& dims);
/// Each place of a dimension several times in a row. repeats are integers, not negative: one for
/// all places, or a 1-d tensor with one for each. Without dim, x is seen as 1-d.
Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, std::optional<int64_t> dim = {});
/// cat along dimension 1, or 0 if they are 1-d; 0-d counts as 1-d.
Tensor hstack(const std::vector<Tensor>& tensors);
/// cat along dimension 0; a 1-d tensor is a row.
Tensor vstack(const std::vector<Tensor>& tensors);
/// A matrix with x (1-d) on a diagonal and zeros elsewhere; of a matrix, a copy of its diagonal.
Tensor diag(const Tensor& x, int64_t diagonal = 0);

// ---- numbers of places --------------------------------------------------------------------------

/// int64 [..., num_classes] of an int64 x [...]: 1 at the place that x names, 0 elsewhere.
/// num_classes is one more than the largest element if it is -1; an element that is negative or too
/// large is refused.
Tensor one_hot(const Tensor& x, int64_t num_classes = -1);
/// The coordinates of the elements of a row by col matrix on and below (above) a diagonal, [2, n]
/// in row-major order.
Tensor tril_indices(int64_t row, int64_t col, int64_t offset = 0, DType dtype = DType::int64);
Tensor triu_indices(int64_t row, int64_t col, int64_t offset = 0, DType dtype = DType::int64);

// ---- methods ------------------------------------------------------------------------------------

inline std::vector<Tensor> Tensor::split(int64_t split_size, int64_t dim) const {
  return tamis::split(*this, split_size, dim);
}
inline std::vector<Tensor> Tensor::split_with_sizes(const Shape& split_sizes, int64_t dim) const {
  return tamis::split_with_sizes(*this, split_sizes, dim);
}
inline std::vector<Tensor> Tensor::chunk(int64_t chunks, int64_t dim) const {
  return tamis::chunk(*this, chunks, dim);
}
inline std::vector<Tensor> Tensor::unbind(int64_t dim) const { return tamis::unbind(*this, dim); }
inline Tensor Tensor::movedim(const Shape& source, const Shape& destination) const {
  return tamis::movedim(*this, source, destination);
}
inline Tensor Tensor::unflatten(int64_t dim, const Shape& sizes) const {
  return tamis::unflatten(*this, dim, sizes);
}
inline Tensor Tensor::ravel() const { return tamis::ravel(*this); }
inline Tensor Tensor::tile(const Shape& dims) const { return tamis::tile(*this, dims); }
inline Tensor Tensor::repeat_interleave(const Tensor& repeats, std::optional<int64_t> dim) const {
  return tamis::repeat_interleave(*this, repeats, dim);
}
inline Tensor Tensor::diag(int64_t diagonal) const { return tamis::diag(*this, diagonal); }

}  // namespace tamis
