// Indexing: x[...] with integers, slices, masks and integer tensors; gather, scatter and related
// ops.
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tamis/create.h"
#include "tamis/masked_index.h"
#include "tamis/tensor.h"

namespace tamis {

// ---- x[...] -------------------------------------------------------------------------------------

/// A new dimension of size 1; in a Slice and where a dimension may be missing, nothing.
struct NoneType {
  constexpr operator std::optional<int64_t>() const { return {}; }
};
struct EllipsisType {};
inline constexpr NoneType None{};
inline constexpr EllipsisType Ellipsis{};  ///< as many whole dimensions as are not spoken for

/// Python's start:stop:step. `Slice()` is `:`, `Slice(1)` is `1:`, `Slice(None, -1)` is `:-1`. The
/// step is positive.
struct Slice {
  Slice(std::optional<int64_t> first = {}, std::optional<int64_t> last = {}, int64_t by = 1)
      : start(first), stop(last), step(by) {}
  std::optional<int64_t> start, stop;
  int64_t step;
};

/// One entry of an index, by PyTorch's rules:
/// - an integer (or a 0-d integer tensor) picks one index of a dimension, which is removed;
/// - a Slice picks a range of indices, None adds a dimension, Ellipsis skips dimensions;
/// - a bool tensor of rank r indexes r dimensions, whose sizes it has, and picks the elements where
///   it is true;
/// - true and false (and 0-d bool tensors) add a dimension of size 1 and 0;
/// - an int64 or int32 tensor or a braced list (`{0, 2}`, `{true, false}`) picks those indices,
///   in its order and shape; negative integers count from the end.
class Index {
 public:
  template <std::integral T>
  Index(T v) {
    if constexpr (std::same_as<T, bool>) {
      value_ = v;
    } else {
      value_ = static_cast<int64_t>(v);
    }
  }
  Index(std::vector<bool>::reference v) : value_(static_cast<bool>(v)) {}
  Index(Slice v) : value_(v) {}
  Index(NoneType v) : value_(v) {}
  Index(EllipsisType v) : value_(v) {}
  Index(Tensor v) : value_(std::move(v)) {}
  Index(const Masked& v) : value_(v.get()) {}
  Index(const std::vector<int64_t>& v) : value_(tensor(v)) {}
  Index(std::initializer_list<detail::NestedList> v)
      : value_(v.size() == 0 ? empty({0}, DType::int64) : tensor(detail::NestedList(v))) {}

  using Value = std::variant<int64_t, bool, Slice, NoneType, EllipsisType, Tensor>;
  const Value& value() const { return value_; }

 private:
  Value value_;
};

/// x[indices]: `index(x, {Slice(), mask, -1})` is Python's `x[:, mask, -1]`. A view if there are
/// only integers, slices, None and Ellipsis, else a copy. Masks and integer tensors broadcast with
/// each other; the dimensions that they pick come where the first of them is if they are adjacent,
/// else first. Dimensions that are not mentioned are whole.
Tensor index(const Tensor& x, const std::vector<Index>& indices);
/// x[indices] = value, which must broadcast to the shape of x[indices] and is cast as by copy_; a
/// number that the dtype cannot hold is refused. With accumulate, value is added, and elements that
/// are picked several times are added to several times, in row-major order. Without, the last one
/// in that order wins. Integers out of range are refused before anything is written.
Tensor& index_put_(Tensor& x, const std::vector<Index>& indices, const Tensor& value,
                   bool accumulate = false);
/// The same on a copy.
Tensor index_put(const Tensor& x, const std::vector<Index>& indices, const Tensor& value,
                 bool accumulate = false);

// ---- along one dimension ------------------------------------------------------------------------
// In all of these dim may be negative, a 0-d tensor counts as 1-d, and integers out of range are
// refused before anything is written. If several sources go to one element, they go in row-major
// order: the last one wins, sums are added in that order, for any number of threads.

/// The slices along dim that index (int64 or int32, 1-d or 0-d, not negative) names, in its order.
Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index);
/// value, a number or a 0-d tensor, in the slices along dim that index (int64, 1-d or 0-d) names.
Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& value);
Tensor& index_fill_(Tensor& x, int64_t dim, const Tensor& index, const Tensor& value);
/// source, times alpha, added to the slices along dim that index (int64 or int32) names: slice k of
/// source goes to index[k]. source has x's dtype and, except along dim, its sizes.
Tensor index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                 Scalar alpha = 1);
Tensor& index_add_(Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                   Scalar alpha = 1);
/// The same without the sum; index is int64.
Tensor index_copy(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source);
Tensor& index_copy_(Tensor& x, int64_t dim, const Tensor& index, const Tensor& source);
/// The same by "prod", "mean", "amax" or "amin"; x's own elements take part if include_self.
Tensor index_reduce(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                    const std::string& reduce, bool include_self = true);
Tensor& index_reduce_(Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                      const std::string& reduce, bool include_self = true);

/// result[i][j][k] = x[i][index[i][j][k]][k] for dim 1. index (int64 or int32, not negative) has
/// x's rank and is no larger than x except along dim; the result has its shape.
Tensor gather(const Tensor& x, int64_t dim, const Tensor& index);
/// x[i][index[i][j][k]][k] = src[i][j][k] for dim 1; index as in gather. src has x's dtype and is
/// at least as large as index; or it is a number. reduce may be "add" or "multiply".
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src,
               std::optional<std::string> reduce = {});
Tensor& scatter_(Tensor& x, int64_t dim, const Tensor& index, const Tensor& src,
                 std::optional<std::string> reduce = {});
Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src);
Tensor& scatter_add_(Tensor& x, int64_t dim, const Tensor& index, const Tensor& src);
/// By "sum", "prod", "mean", "amax" or "amin"; x's own elements take part if include_self. The mean
/// of integers is rounded down.
Tensor scatter_reduce(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src,
                      const std::string& reduce, bool include_self = true);
Tensor& scatter_reduce_(Tensor& x, int64_t dim, const Tensor& index, const Tensor& src,
                        const std::string& reduce, bool include_self = true);

/// The elements of x, seen as 1-d in row-major order, that index (int64; negative integers count
/// from the end) names; the result has index's shape.
Tensor take(const Tensor& x, const Tensor& index);
/// source's elements written (or added) there; source has x's dtype and as many elements as index.
Tensor put(const Tensor& x, const Tensor& index, const Tensor& source, bool accumulate = false);
Tensor& put_(Tensor& x, const Tensor& index, const Tensor& source, bool accumulate = false);
/// gather with x and indices (int64, not negative) broadcast to each other except along dim.
/// Without dim, both are seen as 1-d. `take_along_dim(x, argsort(x, 1), 1)` sorts.
Tensor take_along_dim(const Tensor& x, const Tensor& indices, std::optional<int64_t> dim = {});

// ---- methods ------------------------------------------------------------------------------------

inline Tensor Tensor::index(const std::vector<Index>& indices) const {
  return tamis::index(*this, indices);
}
inline Tensor Tensor::index_put(const std::vector<Index>& indices, const Tensor& value,
                                bool accumulate) const {
  return tamis::index_put(*this, indices, value, accumulate);
}
inline Tensor& Tensor::index_put_(const std::vector<Index>& indices, const Tensor& value,
                                  bool accumulate) {
  return tamis::index_put_(*this, indices, value, accumulate);
}
inline Tensor Tensor::index_select(int64_t dim, const Tensor& index) const {
  return tamis::index_select(*this, dim, index);
}
inline Tensor Tensor::index_fill(int64_t dim, const Tensor& index, const Tensor& value) const {
  return tamis::index_fill(*this, dim, index, value);
}
inline Tensor& Tensor::index_fill_(int64_t dim, const Tensor& index, const Tensor& value) {
  return tamis::index_fill_(*this, dim, index, value);
}
inline Tensor Tensor::index_add(int64_t dim, const Tensor& index, const Tensor& source,
                                Scalar alpha) const {
  return tamis::index_add(*this, dim, index, source, alpha);
}
inline Tensor& Tensor::index_add_(int64_t dim, const Tensor& index, const Tensor& source,
                                  Scalar alpha) {
  return tamis::index_add_(*this, dim, index, source, alpha);
}
inline Tensor Tensor::index_copy(int64_t dim, const Tensor& index, const Tensor& source) const {
  return tamis::index_copy(*this, dim, index, source);
}
inline Tensor& Tensor::index_copy_(int64_t dim, const Tensor& index, const Tensor& source) {
  return tamis::index_copy_(*this, dim, index, source);
}
inline Tensor Tensor::index_reduce(int64_t dim, const Tensor& index, const Tensor& source,
                                   const std::string& reduce, bool include_self) const {
  return tamis::index_reduce(*this, dim, index, source, reduce, include_self);
}
inline Tensor& Tensor::index_reduce_(int64_t dim, const Tensor& index, const Tensor& source,
                                     const std::string& reduce, bool include_self) {
  return tamis::index_reduce_(*this, dim, index, source, reduce, include_self);
}
inline Tensor Tensor::gather(int64_t dim, const Tensor& index) const {
  return tamis::gather(*this, dim, index);
}
inline Tensor Tensor::scatter(int64_t dim, const Tensor& index, const Tensor& src,
                              std::optional<std::string> reduce) const {
  return tamis::scatter(*this, dim, index, src, std::move(reduce));
}
inline Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, const Tensor& src,
                                std::optional<std::string> reduce) {
  return tamis::scatter_(*this, dim, index, src, std::move(reduce));
}
inline Tensor Tensor::scatter_add(int64_t dim, const Tensor& index, const Tensor& src) const {
  return tamis::scatter_add(*this, dim, index, src);
}
inline Tensor& Tensor::scatter_add_(int64_t dim, const Tensor& index, const Tensor& src) {
  return tamis::scatter_add_(*this, dim, index, src);
}
inline Tensor Tensor::scatter_reduce(int64_t dim, const Tensor& index, const Tensor& src,
                                     const std::string& reduce, bool include_self) const {
  return tamis::scatter_reduce(*this, dim, index, src, reduce, include_self);
}
inline Tensor& Tensor::scatter_reduce_(int64_t dim, const Tensor& index, const Tensor& src,
                                       const std::string& reduce, bool include_self) {
  return tamis::scatter_reduce_(*this, dim, index, src, reduce, include_self);
}
inline Tensor Tensor::take(const Tensor& index) const { return tamis::take(*this, index); }
inline Tensor Tensor::put(const Tensor& index, const Tensor& source, bool accumulate) const {
  return tamis::put(*this, index, source, accumulate);
}
inline Tensor& Tensor::put_(const Tensor& index, const Tensor& source, bool accumulate) {
  return tamis::put_(*this, index, source, accumulate);
}
inline Tensor Tensor::take_along_dim(const Tensor& indices, std::optional<int64_t> dim) const {
  return tamis::take_along_dim(*this, indices, dim);
}

}  // namespace tamis
