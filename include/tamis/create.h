// Creation: tensors from lists, containers, memory and rules.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tamis/options.h"
#include "tamis/tensor.h"

namespace tamis {

namespace detail {

/// What a number becomes when no dtype is given: PyTorch's defaults.
constexpr DType default_dtype(Scalar v) {
  return v.is_complex() ? DType::complex64 : v.is_floating_point() ? DType::float32 : v.dtype();
}

/// A nested braced list, flattened: what `tensor({{1, 2}, {3, 4}})` is made from.
class NestedList {
 public:
  template <Number T>
  NestedList(T v) : dtype_(default_dtype(Scalar(v))), values_{Scalar(v)} {}
  NestedList(std::initializer_list<NestedList> rows);

  const Shape& shape() const { return shape_; }
  DType dtype() const { return dtype_; }  ///< boolean, int64 (or uint64), float32 or complex64
  const std::vector<Scalar>& values() const { return values_; }
  /// Throws kind shape if rows of one list differ in shape.
  void check_regular() const;

 private:
  /// Where two rows of one list first differ: the dimension, the size there and the other one (-1:
  /// a number).
  struct Ragged {
    int64_t dim, expected, got;
  };

  Shape shape_;
  DType dtype_;
  std::vector<Scalar> values_;
  std::optional<Ragged> ragged_;
};

/// The innermost values of nested ranges and how deep they are: float and 2 of
/// std::vector<std::array<float, 3>>. void if these are not elements.
/// (By enable_if, because g++ 12 may forget constraints of specialisations that it has
/// precompiled.)
template <class R, class = void>
struct Elements {
  using type = void;
  static constexpr size_t depth = 0;
};
template <class T>
struct Elements<T, std::enable_if_t<is_element<T>>> {
  using type = T;
  static constexpr size_t depth = 0;
};
template <class R>
using ItemOf =
    typename std::iterator_traits<decltype(std::begin(std::declval<const R&>()))>::value_type;
template <class R>
struct Elements<R, std::enable_if_t<!is_element<R> && !std::is_same_v<ItemOf<R>, R>>> {
  using Inner = Elements<ItemOf<R>>;
  using type = typename Inner::type;
  static constexpr size_t depth = Inner::depth + 1;
};

template <class R>
concept ElementRange = std::ranges::sized_range<const R> && Element<typename Elements<R>::type>;

/// Throws kind shape unless a row at dimension dim has the length of those before it.
void check_row_length(int64_t expected, int64_t got, size_t dim);

/// Appends the elements of rows, which are dimension dim of the shape that grows.
template <class R, class T>
void append_rows(const R& rows, size_t dim, Shape& shape, std::vector<T>& values) {
  const auto size = static_cast<int64_t>(std::ranges::size(rows));
  if (dim == shape.size()) shape.push_back(size);
  check_row_length(shape[dim], size, dim);
  for (const auto& row : rows) {
    if constexpr (Elements<R>::depth == 1) {
      values.push_back(row);
    } else {
      append_rows(row, dim + 1, shape, values);
    }
  }
}

/// A copy of count row-major elements at data. Throws kind shape unless shape has as many.
Tensor copy_elements(const void* data, int64_t count, const Shape& shape, DType dtype);

/// A copy of the elements of a range, in the given shape or in that of the range.
template <ElementRange R>
Tensor copy_range(const R& values, const Shape* shape) {
  using T = typename Elements<R>::type;
  if constexpr (std::ranges::contiguous_range<const R> && Elements<R>::depth == 1) {
    const auto count = static_cast<int64_t>(std::ranges::size(values));
    return copy_elements(std::ranges::data(values), count, shape ? *shape : Shape{count},
                         dtype_of<T>);
  } else {
    // std::vector<bool> has no bools in memory.
    std::vector<std::conditional_t<std::same_as<T, bool>, uint8_t, T>> flat;
    Shape own;
    append_rows(values, 0, own, flat);
    own.resize(Elements<R>::depth);
    return copy_elements(flat.data(), static_cast<int64_t>(flat.size()), shape ? *shape : own,
                         dtype_of<T>);
  }
}

/// x, which is on the CPU, with the dtype and on the device that the options name.
Tensor with_options(const Tensor& x, const Options& options);

/// Makes writes to x's memory an error. Only before anyone else has seen x.
void set_read_only(const Tensor& x);

}  // namespace detail

// ---- from values --------------------------------------------------------------------------------

/// A tensor from a nested list: `tensor({{1, 2}, {3, 4}})`. Integers make int64 (uint64 if
/// one is above the largest int64), floating point makes float32, bools make bool, unless dtype is
/// given. Throws kind shape if rows differ in length.
Tensor tensor(const detail::NestedList& values, const Options& options = {});
/// A copy of the elements of a container, any that knows its size: a std::vector, std::array or
/// std::span makes a 1-d tensor, a std::vector<std::vector<float>> a matrix, and so on. The dtype
/// is that of the elements (of doubles, float64), or dtype, to which they are converted as by to().
/// Throws kind shape if rows differ in length. An empty container has as many dimensions as one
/// that is not.
template <detail::ElementRange R>
Tensor tensor(const R& values, const Options& options = {}) {
  return detail::with_options(detail::copy_range(values, nullptr), options);
}
/// The same in another shape, in row-major order: `tensor(values, {2, 3})`.
template <detail::ElementRange R>
Tensor tensor(const R& values, const Shape& shape) {
  return detail::with_options(detail::copy_range(values, &shape), {});
}
/// A copy of `numel(shape)` row-major elements at data.
Tensor from_data(const void* data, const Shape& shape, DType dtype);
/// A tensor over memory that someone else owns. `deleter(data)` runs once, when the last tensor
/// over it is gone; it may be empty. The memory needs the alignment of its dtype, nothing more.
/// strides are in elements (negative ones are refused); none given means row-major. If the owner
/// changes the memory while tensors computed from it are still deferred, those see the new values:
/// settle() them first.
Tensor from_blob(void* data, const Shape& shape, DType dtype,
                 std::function<void(void*)> deleter = {}, std::optional<Shape> strides = {});
/// The same with the dtype of the elements, unless another is given: `from_blob(v.data(), {2, 3})`.
/// Over const memory the tensor is read-only: a write to it throws kind unsupported, and clone()
/// makes one that can be written.
template <class T>
Tensor from_blob(T* data, const Shape& shape, DType dtype = dtype_of<std::remove_const_t<T>>,
                 std::function<void(void*)> deleter = {}, std::optional<Shape> strides = {}) {
  void* const memory = const_cast<std::remove_const_t<T>*>(data);
  Tensor result = from_blob(memory, shape, dtype, std::move(deleter), std::move(strides));
  if constexpr (std::is_const_v<T>) detail::set_read_only(result);
  return result;
}

// ---- from rules ---------------------------------------------------------------------------------

// dtype is float32 unless it is given.
Tensor empty(const Shape& shape, const Options& options = {});  ///< unspecified values
Tensor zeros(const Shape& shape, const Options& options = {});
Tensor ones(const Shape& shape, const Options& options = {});
/// dtype defaults to the number's: bool, int64 (or uint64), or float32.
Tensor full(const Shape& shape, Scalar value, const Options& options = {});
Tensor empty_like(const Tensor& x, const Options& options = {});
Tensor zeros_like(const Tensor& x, const Options& options = {});
Tensor ones_like(const Tensor& x, const Options& options = {});
Tensor full_like(const Tensor& x, Scalar value, const Options& options = {});
/// start, start + step, ... below end. int64 if all three are integers, else float32.
Tensor arange(Scalar end, const Options& options = {});
Tensor arange(Scalar start, Scalar end, Scalar step = 1, const Options& options = {});
inline Tensor arange(Scalar start, Scalar end, const Options& options) {
  return arange(start, end, 1, options);
}
/// The same with end, if a step reaches it; float32 unless another dtype is given.
Tensor range(Scalar start, Scalar end, Scalar step = 1, const Options& options = {});
/// steps values from start to end, both included.
Tensor linspace(Scalar start, Scalar end, int64_t steps, const Options& options = {});
/// base to the power of linspace(start, end, steps).
Tensor logspace(Scalar start, Scalar end, int64_t steps, double base = 10.0,
                const Options& options = {});
/// Unspecified values in memory of its own with these strides, in elements.
Tensor empty_strided(const Shape& shape, const Shape& strides, const Options& options = {});
Tensor eye(int64_t n, std::optional<int64_t> m = {}, const Options& options = {});
/// The elements on and below (above) the given diagonal of the last two dimensions, zero elsewhere.
Tensor tril(const Tensor& x, int64_t diagonal = 0);
Tensor triu(const Tensor& x, int64_t diagonal = 0);

inline Tensor Tensor::tril(int64_t diagonal) const { return tamis::tril(*this, diagonal); }
inline Tensor Tensor::triu(int64_t diagonal) const { return tamis::triu(*this, diagonal); }

}  // namespace tamis
