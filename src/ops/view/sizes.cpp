// Sizes: transposed matrices, sums down to a size, and what two tensors have in common.
#include "core/check.h"
#include "core/convert.h"
#include "core/tensor_impl.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// A copy with x's strides, if x fills its memory without gaps; else row-major.
Tensor clone_in_place_of(const Tensor& x) {
  int64_t reach = 1;
  for (size_t d = 0; d < x.shape().size(); ++d) reach += (x.shape()[d] - 1) * x.strides()[d];
  if (x.is_contiguous() || has_internal_overlap(layout_of(x)) || reach != x.numel()) {
    return x.clone();
  }
  Tensor copy = empty_strided(x.shape(), x.strides(), {x.dtype(), x.device()});
  return copy.copy_(x);
}

}  // namespace

Tensor adjoint(const Tensor& x) {
  check(x.dim() != 1, ErrorKind::shape,
        "tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.");
  const Tensor turned = x.dim() == 0 ? x : x.transpose(-2, -1);
  return is_complex(x.dtype()) ? conj(turned) : turned;
}

Tensor sum_to_size(const Tensor& x, const Shape& shape) {
  const auto missing = x.dim() - static_cast<int64_t>(shape.size());
  Dims dims;
  bool fits = missing >= 0;
  for (int64_t d = 0; fits && d < x.dim(); ++d) {
    const int64_t size = d < missing ? 1 : shape[d - missing];
    fits = size == 1 || size == x.shape()[d];
    if (d < missing || (size == 1 && x.shape()[d] != 1)) dims.push_back(d);
  }
  check(fits, ErrorKind::shape, "size {{{}}} is not expandable to size {{{}}}.", shape, x.shape());
  return dims.empty() ? x : x.sum(dims, true).reshape(shape);
}

bool is_same_size(const Tensor& a, const Tensor& b) { return a.shape() == b.shape(); }

bool is_signed(const Tensor& x) {
  return is_complex(x.dtype()) || is_floating_point(x.dtype()) || is_signed(x.dtype());
}

Tensor as_strided_scatter(const Tensor& x, const Tensor& src, const Shape& size,
                          const Shape& stride, std::optional<int64_t> storage_offset) {
  const Tensor result = clone_in_place_of(x);
  Tensor part = as_strided(result, size, stride, storage_offset);
  check(part.shape() == src.shape(), ErrorKind::shape,
        "expected src to have a size equal to the slice of self. src size = {}, slice size = {}",
        src.shape(), part.shape());
  part.copy_(src);
  return result;
}

namespace {

Tensor constant_pad(const Tensor& x, const Shape& padding, Scalar value) {
  return pad(x, padding, "constant", value);
}

}  // namespace

std::vector<Row> size_rows() {
  const Tensor x = SAMPLE(arange(6, DType::float32).view({2, 3})),
               ints = SAMPLE(arange(12).view({2, 2, 3}));
  return {
      make_row("adjoint(Tensor input) -> Tensor", "The conjugate of the transposed matrices.",
               adjoint, SAMPLES({x}, {ints}, {tensor(2.f)})),
      make_row("sum_to_size(Tensor input, int[] size) -> Tensor",
               "The sums over what an expansion of size to the shape of input would repeat.",
               sum_to_size,
               SAMPLES({x, Shape{3}}, {x, Shape{2, 1}}, {ints, Shape{1, 1, 3}}, {x, Shape{2, 3}}))
          .method_only(),
      make_row("is_same_size(Tensor input, Tensor other) -> bool",
               "Whether both have the same shape.", is_same_size, SAMPLES({x, x}, {x, ints})),
      make_row("is_signed(Tensor input) -> bool", "Whether the dtype has negative numbers.",
               static_cast<bool (*)(const Tensor&)>(is_signed), SAMPLES({x}, {ints})),
      make_row("constant_pad_nd(Tensor input, int[] pad, Scalar value=0) -> Tensor",
               "input with value added (or elements cut off) before and after its last dimensions.",
               constant_pad,
               SAMPLES({x, Shape{1, 2}, Scalar(0)}, {ints, Shape{-1, 1, 0, 1}, Scalar(9)})),
  };
}

}  // namespace tamis
