// Masking: selecting, filling and finding elements by a mask. A mask is a bool tensor; true keeps
// (or fills, for fill). Other dtypes are refused, with the name of the dtype.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tamis/masked_index.h"
#include "tamis/tensor.h"

namespace tamis {

/// The elements of x where mask is true, 1-d, in row-major order of the shape that x and mask
/// broadcast to. `masked_select(tensor({1, 2, 3}), tensor({true, false, true}))` is `tensor([1,
/// 3])`. Always a copy.
Tensor masked_select(const Tensor& x, const Tensor& mask);
/// The same into out, which must have x's dtype and share no memory with x or mask. A wrong shape
/// is resized; a strided out of the right size is written through its strides. Returns out.
Tensor& masked_select_out(Tensor& out, const Tensor& x, const Tensor& mask);

/// x with value where mask is true; x and mask broadcast. value is a number or a 0-d tensor; it is
/// converted to x's dtype, and refused if that dtype cannot hold it ("value cannot be converted to
/// type ... without overflow"). Deferred.
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value);
/// In place: mask must broadcast to x.
Tensor& masked_fill_(Tensor& x, Tensor mask, const Tensor& value);

/// x with its elements where mask is true replaced by source's, in order from the first. x and mask
/// broadcast; source has x's dtype, any shape, and at least as many elements as mask has trues
/// (checked before anything is written).
Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source);
Tensor& masked_scatter_(Tensor& x, Tensor mask, const Tensor& source);

/// a where condition (bool) is true, b elsewhere; all three broadcast, a and b promote. Deferred.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
/// nonzero_tuple(condition)
std::vector<Tensor> where(const Tensor& condition);

/// The coordinates of the nonzero elements, int64 [count, x.dim()], in row-major order. NaN is
/// nonzero.
Tensor nonzero(const Tensor& x);
/// One 1-d tensor per dimension; a 0-d x counts as 1-d.
std::vector<Tensor> nonzero_tuple(const Tensor& x);
Tensor argwhere(const Tensor& x);
/// int64; over all dimensions if none are given.
Tensor count_nonzero(const Tensor& x, const Dims& dims = {});
/// The number of true elements, as a host number.
int64_t count(const Tensor& mask);

/// For each element of x whether it equals some element of test_elements. Numbers are compared
/// exactly, whatever the two dtypes, but a C++ number such as 0.1 is rounded to the floating point
/// dtype of the other; NaN is in nothing. Deferred; test_elements is read at once.
Tensor isin(const Tensor& x, const Tensor& test_elements, bool invert = false);

// ---- methods ------------------------------------------------------------------------------------

inline Tensor Tensor::masked_select(const Tensor& mask) const {
  return tamis::masked_select(*this, mask);
}
inline Tensor Tensor::masked_fill(const Tensor& mask, const Tensor& value) const {
  return tamis::masked_fill(*this, mask, value);
}
inline Tensor& Tensor::masked_fill_(Tensor mask, const Tensor& value) {
  return tamis::masked_fill_(*this, std::move(mask), value);
}
inline Tensor Tensor::masked_scatter(const Tensor& mask, const Tensor& source) const {
  return tamis::masked_scatter(*this, mask, source);
}
inline Tensor& Tensor::masked_scatter_(Tensor mask, const Tensor& source) {
  return tamis::masked_scatter_(*this, std::move(mask), source);
}
inline Tensor Tensor::where(const Tensor& condition, const Tensor& other) const {
  return tamis::where(condition, *this, other);
}
inline Tensor Tensor::nonzero() const { return tamis::nonzero(*this); }
inline Tensor Tensor::argwhere() const { return tamis::argwhere(*this); }
inline Tensor Tensor::count_nonzero(const Dims& dims) const {
  return tamis::count_nonzero(*this, dims);
}
inline Tensor Tensor::isin(const Tensor& test_elements, bool invert) const {
  return tamis::isin(*this, test_elements, invert);
}

}  // namespace tamis
