// Views: the same elements in another shape, cut into pieces, turned, or along diagonals; and the
// copies that repeat or join.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tamis/tensor.h"

namespace tamis {

// ---- shape --------------------------------------------------------------------------------------

/// The methods of the same names. All give views; reshape and flatten copy where they must.
Tensor reshape(const Tensor& x, const Shape& shape);
Tensor flatten(const Tensor& x, int64_t start_dim = 0, int64_t end_dim = -1);
Tensor transpose(const Tensor& x, int64_t dim0, int64_t dim1);
Tensor permute(const Tensor& x, const Shape& dims);
Tensor unsqueeze(const Tensor& x, int64_t dim);
Tensor squeeze(const Tensor& x, std::optional<int64_t> dim = {});
Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length);
Tensor select(const Tensor& x, int64_t dim, int64_t index);
Tensor broadcast_to(const Tensor& x, const Shape& shape);
/// All of them expanded to their common shape.
std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors);

/// The conjugate of the transposed matrices: a view unless x is complex. 0-d stays as it is.
Tensor adjoint(const Tensor& x);
/// The sums over what an expansion of `shape` to x's shape would repeat; x itself if that is
/// nothing.
Tensor sum_to_size(const Tensor& x, const Shape& shape);
bool is_same_size(const Tensor& a, const Tensor& b);
/// Whether the dtype has negative numbers.
bool is_signed(const Tensor& x);

// ---- pieces, as views ---------------------------------------------------------------------------

/// Views of split_size consecutive slices of a dimension each; the last may be smaller.
std::vector<Tensor> split(const Tensor& x, int64_t split_size, int64_t dim = 0);
/// Views of these sizes, which add up to that of the dimension.
std::vector<Tensor> split_with_sizes(const Tensor& x, const Shape& split_sizes, int64_t dim = 0);
/// split into at most that many views, of equal size except for the last.
std::vector<Tensor> chunk(const Tensor& x, int64_t chunks, int64_t dim = 0);
/// A view of each slice along a dimension, without that dimension.
std::vector<Tensor> unbind(const Tensor& x, int64_t dim = 0);
/// A view with the dimensions source moved to the positions destination; the others keep their
/// order.
Tensor movedim(const Tensor& x, const Shape& source, const Shape& destination);
/// A view with one dimension as several; one of sizes may be -1.
Tensor unflatten(const Tensor& x, int64_t dim, const Shape& sizes);
/// The elements as 1-d: a view if x is row-major, else a copy.
Tensor ravel(const Tensor& x);
/// Views of a dimension cut into that many pieces, the first size % sections of which have one
/// slice more than the others.
std::vector<Tensor> tensor_split(const Tensor& x, int64_t sections, int64_t dim = 0);
/// Views of a dimension cut before each of these indices, as slices are: [:i], [i:j], ..., [k:].
std::vector<Tensor> tensor_split(const Tensor& x, const Shape& indices, int64_t dim = 0);
/// Equal pieces of dimension 1 (0 of a 1-d tensor), 0 and 2, or cuts before these indices. Pieces
/// that would not be equal are refused.
std::vector<Tensor> hsplit(const Tensor& x, int64_t sections);
std::vector<Tensor> hsplit(const Tensor& x, const Shape& indices);
std::vector<Tensor> vsplit(const Tensor& x, int64_t sections);
std::vector<Tensor> vsplit(const Tensor& x, const Shape& indices);
std::vector<Tensor> dsplit(const Tensor& x, int64_t sections);
std::vector<Tensor> dsplit(const Tensor& x, const Shape& indices);
/// A view of x's memory with these sizes and strides (in elements, not negative), from
/// storage_offset on, or from x's first element. What it shows must be within the memory.
Tensor as_strided(const Tensor& x, const Shape& size, const Shape& stride,
                  std::optional<int64_t> storage_offset = {});
/// A view of all windows of `size` slices along a dimension, `step` apart: the dimension counts the
/// windows, and a new last dimension has their slices. Windows may overlap.
Tensor unfold(const Tensor& x, int64_t dimension, int64_t size, int64_t step);
/// A view with at least so many dimensions: new ones of size 1 come first, but the third one last.
Tensor atleast_1d(const Tensor& x);
Tensor atleast_2d(const Tensor& x);
Tensor atleast_3d(const Tensor& x);
std::vector<Tensor> atleast_1d(const std::vector<Tensor>& tensors);
std::vector<Tensor> atleast_2d(const std::vector<Tensor>& tensors);
std::vector<Tensor> atleast_3d(const std::vector<Tensor>& tensors);
/// 1-d tensors expanded to the grid that they span: the i-th result has the elements of the i-th
/// tensor along dimension i. With indexing "xy" the first two dimensions are swapped. 0-d counts as
/// 1-d.
std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors,
                             const std::string& indexing = "ij");

// ---- repeated and joined ------------------------------------------------------------------------

/// Joins along an existing dimension; dtypes are promoted; 1-d empty tensors are skipped as in
/// PyTorch.
Tensor cat(const std::vector<Tensor>& tensors, int64_t dim = 0);
/// Joins equal shapes along a new dimension.
Tensor stack(const std::vector<Tensor>& tensors, int64_t dim = 0);
/// repeat, where fewer counts than dimensions are for the last ones.
Tensor tile(const Tensor& x, const Shape& dims);
/// Each slice along a dimension repeated several times. repeats are integers, not negative: one for
/// all slices, or a 1-d tensor with one for each. Without dim, x is seen as 1-d.
Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, std::optional<int64_t> dim = {});
/// cat along dimension 1, or 0 if they are 1-d; 0-d counts as 1-d.
Tensor hstack(const std::vector<Tensor>& tensors);
/// cat along dimension 0; a 1-d tensor is a row.
Tensor vstack(const std::vector<Tensor>& tensors);
/// cat along dimension 1, where 0-d and 1-d tensors are columns.
Tensor column_stack(const std::vector<Tensor>& tensors);
/// cat along dimension 2 of atleast_3d.
Tensor dstack(const std::vector<Tensor>& tensors);
/// The matrices one below the other to the right, and zeros elsewhere; 0-d and 1-d tensors are
/// rows. dtypes promote.
Tensor block_diag(const std::vector<Tensor>& tensors);
/// All ways to take one element of each 1-d tensor, [n, number of tensors] in row-major order; of
/// one tensor, the tensor itself.
Tensor cartesian_prod(const std::vector<Tensor>& tensors);
/// All ways to take r elements of a 1-d x in their order, [n, r]; with replacement also several
/// times the same.
Tensor combinations(const Tensor& x, int64_t r = 2, bool with_replacement = false);
/// A matrix with x (1-d) on a diagonal and zeros elsewhere; of a matrix, a copy of its diagonal.
Tensor diag(const Tensor& x, int64_t diagonal = 0);
/// A matrix with all elements of x, in row-major order, on a diagonal.
Tensor diagflat(const Tensor& x, int64_t offset = 0);
/// value, a number or a 0-d tensor, in the shape and dtype of x.
Tensor fill(const Tensor& x, const Tensor& value);

// ---- classes and coordinates --------------------------------------------------------------------

/// int64 [..., num_classes] of an int64 x [...]: 1 at the index that x names, 0 elsewhere.
/// num_classes is one more than the largest element if it is -1; an element that is negative or too
/// large is refused.
Tensor one_hot(const Tensor& x, int64_t num_classes = -1);
/// The coordinates of the elements of a row by col matrix on and below (above) a diagonal, [2, n]
/// in row-major order.
Tensor tril_indices(int64_t row, int64_t col, int64_t offset = 0, DType dtype = DType::int64);
Tensor triu_indices(int64_t row, int64_t col, int64_t offset = 0, DType dtype = DType::int64);

// ---- by position --------------------------------------------------------------------------------

/// A view of the diagonal of two dimensions, which are replaced by it as the last dimension. A
/// positive offset is above the main diagonal.
Tensor diagonal(const Tensor& x, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1);
/// Zeros with the last dimension of x on the diagonal of two new dimensions.
Tensor diag_embed(const Tensor& x, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1);
/// A copy of x with src in place of the view that diagonal, select and slice give.
Tensor diagonal_scatter(const Tensor& x, const Tensor& src, int64_t offset = 0, int64_t dim1 = 0,
                        int64_t dim2 = 1);
Tensor select_scatter(const Tensor& x, const Tensor& src, int64_t dim, int64_t index);
Tensor slice_scatter(const Tensor& x, const Tensor& src, int64_t dim = 0,
                     std::optional<int64_t> start = {}, std::optional<int64_t> end = {},
                     int64_t step = 1);
/// The same for as_strided, of memory that is laid out as x is.
Tensor as_strided_scatter(const Tensor& x, const Tensor& src, const Shape& size,
                          const Shape& stride, std::optional<int64_t> storage_offset = {});
/// The elements in reverse order along each of dims.
Tensor flip(const Tensor& x, const Dims& dims);
Tensor fliplr(const Tensor& x);  ///< along dimension 1
Tensor flipud(const Tensor& x);  ///< along dimension 0
/// Moves elements along dims by shifts; what leaves at the end comes in at the start. Without dims,
/// x is rolled as if it were 1-d.
Tensor roll(const Tensor& x, const Shape& shifts, const Dims& dims = {});
/// Turned by k quarters in the plane of two dimensions, from the first toward the second.
Tensor rot90(const Tensor& x, int64_t k = 1, const Dims& dims = {0, 1});

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
inline Tensor Tensor::as_strided(const Shape& size, const Shape& stride,
                                 std::optional<int64_t> storage_offset) const {
  return tamis::as_strided(*this, size, stride, storage_offset);
}
inline Tensor Tensor::unfold(int64_t dimension, int64_t size, int64_t step) const {
  return tamis::unfold(*this, dimension, size, step);
}
inline Tensor Tensor::diagflat(int64_t offset) const { return tamis::diagflat(*this, offset); }
inline Tensor Tensor::tile(const Shape& dims) const { return tamis::tile(*this, dims); }
inline Tensor Tensor::repeat_interleave(const Tensor& repeats, std::optional<int64_t> dim) const {
  return tamis::repeat_interleave(*this, repeats, dim);
}
inline Tensor Tensor::diag(int64_t diagonal) const { return tamis::diag(*this, diagonal); }
inline Tensor Tensor::diagonal(int64_t offset, int64_t dim1, int64_t dim2) const {
  return tamis::diagonal(*this, offset, dim1, dim2);
}
inline Tensor Tensor::diag_embed(int64_t offset, int64_t dim1, int64_t dim2) const {
  return tamis::diag_embed(*this, offset, dim1, dim2);
}
inline Tensor Tensor::diagonal_scatter(const Tensor& src, int64_t offset, int64_t dim1,
                                       int64_t dim2) const {
  return tamis::diagonal_scatter(*this, src, offset, dim1, dim2);
}
inline Tensor Tensor::select_scatter(const Tensor& src, int64_t dim, int64_t index) const {
  return tamis::select_scatter(*this, src, dim, index);
}
inline Tensor Tensor::slice_scatter(const Tensor& src, int64_t dim, std::optional<int64_t> start,
                                    std::optional<int64_t> end, int64_t step) const {
  return tamis::slice_scatter(*this, src, dim, start, end, step);
}
inline Tensor Tensor::flip(const Dims& dims) const { return tamis::flip(*this, dims); }
inline Tensor Tensor::fliplr() const { return tamis::fliplr(*this); }
inline Tensor Tensor::flipud() const { return tamis::flipud(*this); }
inline Tensor Tensor::roll(const Shape& shifts, const Dims& dims) const {
  return tamis::roll(*this, shifts, dims);
}
inline Tensor Tensor::rot90(int64_t k, const Dims& dims) const {
  return tamis::rot90(*this, k, dims);
}

}  // namespace tamis
