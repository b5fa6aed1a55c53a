// Cuts: views of pieces that need not be equal, of windows, and of memory by strides.
#include <algorithm>

#include "autograd/region.h"
#include "core/check.h"
#include "core/convert.h"
#include "core/tensor_impl.h"
#include "ops/row.h"
#include "ops/view/view_of.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

using Pieces = std::vector<Tensor>;

/// hsplit and its kin: which dimension of x they cut.
int64_t cut_dim(const char* op, const Tensor& x, int64_t least, int64_t dim) {
  check(x.dim() >= least, ErrorKind::shape,
        "torch.{} requires a tensor with at least {} dimension{}, but got a tensor with {} "
        "dimensions!",
        op, least, least == 1 ? "" : "s", x.dim());
  return x.dim() == 1 ? 0 : dim;
}

Pieces equal_pieces(const char* op, const Tensor& x, int64_t sections, int64_t dim) {
  check(sections != 0 && x.size(dim) % sections == 0, ErrorKind::value,
        "torch.{} attempted to split along dimension {}, but the size of the dimension {} is not "
        "divisible by the split_size {}!",
        op, dim, x.size(dim), sections);
  return tensor_split(x, sections, dim);
}

/// A view by a layout whose gradient adds up what it shows several times.
Tensor shown(const Tensor& x, const char* op, Layout layout) {
  // Elements of x that share memory share its gradient, which their own views then add up.
  int64_t repeats = 1;
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (x.strides()[d] == 0) repeats *= x.shape()[d];
  }
  const Region region{layout_of(x), layout};
  return view_of(x, op, Flow::mixes, std::move(layout), [region, repeats](const Tensor& g) {
    const Tensor whole = put(g, region);
    return repeats > 1 ? whole / repeats : whole;
  });
}

/// The number of the last element in the storage that a layout shows; -1 if it shows none.
int64_t last_of(const Layout& layout) {
  int64_t last = layout.offset;
  for (size_t d = 0; d < layout.sizes.size(); ++d) {
    if (layout.sizes[d] == 0) return -1;
    int64_t reach = 0;
    const bool fits = !__builtin_mul_overflow(layout.sizes[d] - 1, layout.strides[d], &reach) &&
                      !__builtin_add_overflow(last, reach, &last);
    check(fits, ErrorKind::shape, "as_strided: sizes {} and strides {} are more than 64 bits count",
          layout.sizes, layout.strides);
  }
  return last;
}

}  // namespace

std::vector<Tensor> tensor_split(const Tensor& x, int64_t sections, int64_t dim) {
  check(x.dim() > 0, ErrorKind::shape,
        "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  const int64_t d = wrap_dim(dim, x.dim());
  check(sections > 0, ErrorKind::value, "number of sections must be larger than 0, got {}",
        sections);
  const int64_t least = x.shape()[d] / sections, longer = x.shape()[d] % sections;
  Pieces pieces;
  for (int64_t i = 0, start = 0; i < sections; ++i) {
    const int64_t size = least + (i < longer ? 1 : 0);
    pieces.push_back(x.narrow(d, start, size));
    start += size;
  }
  return pieces;
}

std::vector<Tensor> tensor_split(const Tensor& x, const Shape& indices, int64_t dim) {
  check(x.dim() > 0, ErrorKind::shape,
        "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  const int64_t d = wrap_dim(dim, x.dim());
  Pieces pieces;
  int64_t start = 0;
  for (int64_t end : indices) {
    pieces.push_back(x.slice(d, start, end));
    start = end;
  }
  pieces.push_back(x.slice(d, start));
  return pieces;
}

std::vector<Tensor> hsplit(const Tensor& x, int64_t sections) {
  return equal_pieces("hsplit", x, sections, cut_dim("hsplit", x, 1, 1));
}
std::vector<Tensor> hsplit(const Tensor& x, const Shape& indices) {
  return tensor_split(x, indices, cut_dim("hsplit", x, 1, 1));
}
std::vector<Tensor> vsplit(const Tensor& x, int64_t sections) {
  return equal_pieces("vsplit", x, sections, cut_dim("vsplit", x, 2, 0));
}
std::vector<Tensor> vsplit(const Tensor& x, const Shape& indices) {
  return tensor_split(x, indices, cut_dim("vsplit", x, 2, 0));
}
std::vector<Tensor> dsplit(const Tensor& x, int64_t sections) {
  return equal_pieces("dsplit", x, sections, cut_dim("dsplit", x, 3, 2));
}
std::vector<Tensor> dsplit(const Tensor& x, const Shape& indices) {
  return tensor_split(x, indices, cut_dim("dsplit", x, 3, 2));
}

Tensor as_strided(const Tensor& x, const Shape& size, const Shape& stride,
                  std::optional<int64_t> storage_offset) {
  check(size.size() == stride.size(), ErrorKind::shape, "mismatch in length of strides and shape");
  Layout layout{size, stride, storage_offset.value_or(x.storage_offset())};
  for (int64_t s : size) {
    check(s >= 0, ErrorKind::shape, "Trying to create tensor with negative dimension {}: {}", s,
          size);
  }
  for (int64_t s : stride) {
    check(s >= 0, ErrorKind::shape,
          "as_strided: Negative strides are not supported at the moment, got strides: {}", stride);
  }
  check(layout.offset >= 0, ErrorKind::value, "Tensor: invalid storage offset {}", layout.offset);
  const int64_t there = storage_of(x)->bytes() / static_cast<int64_t>(x.itemsize());
  check(last_of(layout) < there, ErrorKind::value,
        "setStorage: sizes {}, strides {} and storage offset {} are out of bounds for a storage of "
        "{} elements",
        size, stride, layout.offset, there);
  return shown(x, "as_strided", std::move(layout));
}

Tensor unfold(const Tensor& x, int64_t dimension, int64_t size, int64_t step) {
  const int64_t d = wrap_dim(dimension, x.dim());
  const int64_t length = x.dim() == 0 ? 1 : x.shape()[d];
  check(size >= 0, ErrorKind::value, "size is {} but must be >= 0", size);
  check(size <= length, ErrorKind::value,
        "maximum size for tensor at dimension {} is {} but size is {}", d, length, size);
  check(step > 0, ErrorKind::value, "step is {} but must be > 0", step);
  Layout layout = layout_of(x);
  const int64_t stride = x.dim() == 0 ? 1 : layout.strides[d];
  if (x.dim() > 0) {
    layout.sizes[d] = (length - size) / step + 1;
    // Where this overflows there is one window, and its stride is never used.
    int64_t apart = 0;
    if (!__builtin_mul_overflow(stride, step, &apart)) layout.strides[d] = apart;
  }
  layout.sizes.push_back(size);
  layout.strides.push_back(stride);
  return shown(x, "unfold", std::move(layout));
}

namespace {

/// tensor_split with the number of sections, or the indices, in a tensor.
Pieces tensor_split_by(const Tensor& x, const Tensor& by, int64_t dim) {
  check(by.dtype() == DType::int64, ErrorKind::dtype,
        "tensor_split expected tensor_indices_or_sections to have dtype of long, but got {}",
        scalar_type_name(by.dtype()));
  check(by.dim() <= 1, ErrorKind::shape,
        "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
        "one-dimensional tensor, but got a tensor with {} dims",
        by.dim());
  if (by.dim() == 0) return tensor_split(x, by.item<int64_t>(), dim);
  return tensor_split(x, Shape(by.to_vector<int64_t>()), dim);
}

template <Pieces (*kCut)(const Tensor&, int64_t)>
Row by_sections(const std::string& name, const char* what, std::vector<Args> samples) {
  return make_row(name + "(Tensor input, int sections) -> Tensor[]",
                  std::string("Views of equal pieces of ") + what + ".", kCut, std::move(samples));
}
template <Pieces (*kCut)(const Tensor&, const Shape&)>
Row by_indices(const std::string& name, const char* what, std::vector<Args> samples) {
  return make_row(name + "(Tensor input, int[] indices) -> Tensor[]",
                  std::string("Views of ") + what + " cut before these indices.", kCut,
                  std::move(samples));
}

}  // namespace

std::vector<Row> cut_rows() {
  const auto cube = [] { return arange(24, DType::float32).reshape({2, 3, 4}); };
  const auto grid = [] { return arange(12).reshape({4, 3}); };
  const auto n = [](int64_t v) { return Value(v); };
  const auto sizes = [](std::initializer_list<int64_t> v) { return Value(Shape(v)); };
  const Tensor line = SAMPLE(arange(6, DType::float32));
  constexpr const char* kFirst = "dimension 0";
  constexpr const char* kSecond = "dimension 1, or 0 of a 1-d tensor";
  constexpr const char* kThird = "dimension 2";
  return {
      make_row("tensor_split(Tensor input, Tensor tensor_indices_or_sections, int dim=0) -> "
               "Tensor[]",
               "That many views if the tensor is 0-d, else views cut before these indices.",
               tensor_split_by, SAMPLES({cube(), tensor(3), n(-1)}, {line, tensor({4, 2}), n(0)})),
      make_row("tensor_split(Tensor input, int indices_or_sections, int dim=0) -> Tensor[]",
               "That many views, the first ones of which may have one slice more.",
               static_cast<Pieces (*)(const Tensor&, int64_t, int64_t)>(tensor_split),
               SAMPLES({cube(), n(3), n(-1)}, {grid(), n(3), n(0)}, {line, n(4), n(0)})),
      make_row("tensor_split(Tensor input, int[] indices_or_sections, int dim=0) -> Tensor[]",
               "Views cut before these indices.",
               static_cast<Pieces (*)(const Tensor&, const Shape&, int64_t)>(tensor_split),
               SAMPLES({cube(), sizes({1, 3}), n(2)}, {line, sizes({4, 2, -1}), n(0)})),
      by_sections<hsplit>("hsplit", kSecond, SAMPLES({cube(), n(3)}, {line, n(2)})),
      by_indices<hsplit>("hsplit", kSecond, SAMPLES({grid(), sizes({1, 2})}, {line, sizes({4})})),
      by_sections<vsplit>("vsplit", kFirst, SAMPLES({cube(), n(2)}, {grid(), n(2)})),
      by_indices<vsplit>("vsplit", kFirst, SAMPLES({grid(), sizes({1, 3})})),
      by_sections<dsplit>("dsplit", kThird, SAMPLES({cube(), n(2)})),
      by_indices<dsplit>("dsplit", kThird, SAMPLES({cube(), sizes({1, 3})})),
      make_row("unfold(Tensor input, int dimension, int size, int step) -> Tensor",
               "A view of all windows of that size along a dimension, step apart, as a new last "
               "dimension.",
               unfold,
               SAMPLES({line, n(0), n(3), n(1)}, {cube(), n(1), n(2), n(1)},
                       {grid(), n(-2), n(2), n(2)}))
          .method_only(),
  };
}

}  // namespace tamis
