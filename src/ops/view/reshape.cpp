// Reshaping: the same elements in the same order in another shape, as a view where the strides
// allow it.
#include <algorithm>
#include <optional>

#include "core/check.h"
#include "ops/view/view_of.h"
#include "tamis/view.h"

namespace tamis {

namespace {

/// The strides that make `shape` a view of x (with as many elements), or nothing if the layout does
/// not allow it. Dimensions of x that are contiguous with each other form a chunk; every size of
/// `shape` has to stay within one.
std::optional<Shape> view_strides(const Layout& x, const Shape& shape) {
  if (x.sizes.empty()) return Shape(shape.size(), 1);
  if (std::find(x.sizes.begin(), x.sizes.end(), 0) != x.sizes.end()) {
    return x.sizes == shape ? x.strides : contiguous_strides(shape);
  }
  Shape strides(shape.size(), 0);
  int64_t to = static_cast<int64_t>(shape.size()) - 1;
  int64_t base = x.strides.back(), chunk = 1, covered = 1;
  for (int64_t from = static_cast<int64_t>(x.sizes.size()) - 1; from >= 0; --from) {
    chunk *= x.sizes[from];
    if (from > 0 && (x.sizes[from - 1] == 1 || x.strides[from - 1] == chunk * base)) continue;
    for (; to >= 0 && (covered < chunk || shape[to] == 1); --to) {
      strides[to] = covered * base;
      covered *= shape[to];
    }
    if (covered != chunk) return std::nullopt;
    if (from > 0) {
      base = x.strides[from - 1];
      chunk = covered = 1;
    }
  }
  return to == -1 ? std::optional(strides) : std::nullopt;
}

/// `shape` with its -1 replaced by what n elements need.
Shape infer_shape(const Shape& shape, int64_t n) {
  Shape result = shape;
  std::optional<size_t> unknown;
  int64_t known = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1) {
      check(!unknown, ErrorKind::shape, "only one dimension can be inferred");
      unknown = i;
      continue;
    }
    check(shape[i] >= 0, ErrorKind::shape, "invalid shape dimension {}", shape[i]);
    check(!__builtin_mul_overflow(known, shape[i], &known), ErrorKind::shape,
          "shape '{}' is invalid for input of size {}", shape, n);
  }
  check(!unknown || known != 0 || n != 0, ErrorKind::shape,
        "cannot reshape tensor of 0 elements into shape {} because the unspecified dimension size "
        "-1 can be any value and is ambiguous",
        shape);
  const bool fits = unknown && known != 0 ? n % known == 0 : n == known;
  check(fits, ErrorKind::shape, "shape '{}' is invalid for input of size {}", shape, n);
  if (unknown) result[*unknown] = n / known;
  return result;
}

}  // namespace

Tensor Tensor::view(const Shape& new_shape) const {
  const Shape sizes = infer_shape(new_shape, numel());
  const std::optional<Shape> new_strides = view_strides(layout_of(*this), sizes);
  check(new_strides.has_value(), ErrorKind::shape,
        "view size is not compatible with input tensor's size and stride (at least one dimension "
        "spans across two contiguous subspaces). Use .reshape(...) instead.");
  return reshaped(*this, "view", {sizes, *new_strides, storage_offset()});
}

Tensor Tensor::reshape(const Shape& new_shape) const {
  const Shape sizes = infer_shape(new_shape, numel());
  const std::optional<Shape> new_strides = view_strides(layout_of(*this), sizes);
  if (new_strides) return reshaped(*this, "reshape", {sizes, *new_strides, storage_offset()});
  return clone().view(sizes);
}

Tensor Tensor::flatten(int64_t start_dim, int64_t end_dim) const {
  const int64_t first = wrap_dim(start_dim, dim()), last = wrap_dim(end_dim, dim());
  check(first <= last, ErrorKind::value,
        "flatten() has invalid args: start_dim cannot come after end_dim");
  if (dim() == 0) return reshape({1});
  if (first == last) return *this;
  Shape sizes;
  for (int64_t i = 0; i < dim(); ++i) {
    if (i > first && i <= last) {
      sizes.back() *= shape()[i];
    } else {
      sizes.push_back(shape()[i]);
    }
  }
  return reshape(sizes);
}

Tensor reshape(const Tensor& x, const Shape& shape) { return x.reshape(shape); }
Tensor flatten(const Tensor& x, int64_t start_dim, int64_t end_dim) {
  return x.flatten(start_dim, end_dim);
}

}  // namespace tamis
