// Position: views and moves by position: diagonals, flips, rolls, and copies with a part replaced.
#include "autograd/node.h"
#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/index/indexed.h"
#include "ops/mask_args.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// A copy of x with src in the part that `part` makes a view of.
template <class Part>
Tensor with_part(const Tensor& x, const Tensor& src, Part part) {
  Tensor result = x.clone();
  Tensor target = part(result);
  check(target.shape() == src.shape(), ErrorKind::shape,
        "expected src to have a size equal to the slice of self. src size = {}, slice size = {}",
        src.shape(), target.shape());
  target.copy_(src);
  return result;
}

}  // namespace

Tensor diagonal(const Tensor& x, int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t a = wrap_dim(dim1, x.dim()), b = wrap_dim(dim2, x.dim());
  check(a != b, ErrorKind::value, "diagonal dimensions cannot be identical {}, {}", dim1, dim2);
  Layout layout = layout_of(x);
  const int64_t down = layout.strides[a], right = layout.strides[b];
  const int64_t rows = layout.sizes[a] + std::min<int64_t>(offset, 0);
  const int64_t columns = layout.sizes[b] - std::max<int64_t>(offset, 0);
  const int64_t length = std::max<int64_t>(std::min(rows, columns), 0);
  if (length > 0) layout.offset += offset >= 0 ? offset * right : -offset * down;
  for (int64_t d : {std::max(a, b), std::min(a, b)}) {
    layout.sizes.erase(d);
    layout.strides.erase(d);
  }
  layout.sizes.push_back(length);
  layout.strides.push_back(down + right);
  const Tensor view = user_view(x, std::move(layout));
  if (is_tracked(x)) {
    record(view, "diagonal", Flow::picks, {x}, {},
           [=, shape = x.shape()](const Tensor& g, std::span<const Tensor>) -> Gradients {
             return {diagonal_scatter(zeros_on(backend_of(g), shape, g.dtype()), g, offset, a, b)};
           });
  }
  return view;
}

Tensor diag_embed(const Tensor& x, int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t a = wrap_dim(dim1, x.dim() + 1), b = wrap_dim(dim2, x.dim() + 1);
  check(a != b, ErrorKind::value, "diagonal dimensions cannot be identical {}, {}", dim1, dim2);
  const int64_t side = x.size(-1) + std::abs(offset);
  Shape shape = x.shape();
  shape.erase(shape.size() - 1);
  for (int64_t d : {std::min(a, b), std::max(a, b)}) shape.insert(d, side);
  const Tensor result = zeros_on(backend_of(x), shape, x.dtype());
  diagonal(result, offset, a, b).copy_(x);
  return result;
}

Tensor diagonal_scatter(const Tensor& x, const Tensor& src, int64_t offset, int64_t dim1,
                        int64_t dim2) {
  return with_part(x, src, [&](const Tensor& y) { return diagonal(y, offset, dim1, dim2); });
}

Tensor select_scatter(const Tensor& x, const Tensor& src, int64_t dim, int64_t index) {
  return with_part(x, src, [&](const Tensor& y) { return y.select(dim, index); });
}

Tensor slice_scatter(const Tensor& x, const Tensor& src, int64_t dim, std::optional<int64_t> start,
                     std::optional<int64_t> end, int64_t step) {
  return with_part(x, src, [&](const Tensor& y) { return y.slice(dim, start, end, step); });
}

Tensor flip(const Tensor& x, const Dims& dims) {
  const Shape flipped = dims.empty() ? Shape() : normalize_dims(dims, x.dim());
  if (flipped.empty()) return x.clone();
  IndexedElements indexed{x.shape(), x.strides(), {}};
  int64_t first = 0;
  for (int64_t d : flipped) {
    first += (x.shape()[d] - 1) * x.strides()[d];
    indexed.strides[d] = -x.strides()[d];
  }
  const Tensor result = take_elements(x, indexed, first);
  if (is_tracked(x)) {
    record(result, "flip", Flow::moves, {x}, {},
           [flipped](const Tensor& g, std::span<const Tensor>) -> Gradients {
             return {flip(g, flipped)};
           });
  }
  return result;
}

Tensor fliplr(const Tensor& x) {
  check(x.dim() >= 2, ErrorKind::shape, "Input must be >= 2-d.");
  return flip(x, {1});
}

Tensor flipud(const Tensor& x) {
  check(x.dim() >= 1, ErrorKind::shape, "Input must be >= 1-d.");
  return flip(x, {0});
}

Tensor roll(const Tensor& x, const Shape& shifts, const Dims& dims) {
  check(!shifts.empty(), ErrorKind::shape, "`shifts` required");
  if (dims.empty() && shifts.size() == 1) return roll(x.reshape({-1}), shifts, {0}).view(x.shape());
  check(shifts.size() == dims.size(), ErrorKind::shape,
        "shifts and dimensions must align. shifts: {}, dims:{}", shifts.size(), dims.size());
  if (x.numel() == 0) return x.clone();
  Tensor result = x;
  for (size_t k = 0; k < dims.size(); ++k) {
    check(x.dim() > 0, ErrorKind::index, "Dimension specified as {} but tensor has no dimensions",
          dims[k]);
    const int64_t d = wrap_dim(dims[k], x.dim()), n = x.shape()[d];
    const int64_t shift = (shifts[k] % n + n) % n;
    if (shift == 0) continue;
    result = cat({result.narrow(d, n - shift, shift), result.narrow(d, 0, n - shift)}, d);
  }
  return result.shares_storage(x) ? x.clone() : result;
}

Tensor rot90(const Tensor& x, int64_t k, const Dims& dims) {
  check(dims.size() == 2, ErrorKind::shape, "expected total rotation dims == 2, but got dims = {}",
        dims.size());
  check(x.dim() >= 2, ErrorKind::shape, "expected total dims >= 2, but got total dims = {}",
        x.dim());
  check(dims[0] != dims[1] && std::abs(dims[0] - dims[1]) != x.dim(), ErrorKind::shape,
        "expected rotation dims to be different, but got dim0 = {} and dim1 = {}", dims[0],
        dims[1]);
  for (size_t i = 0; i < 2; ++i) {
    check(dims[i] < x.dim() && dims[i] >= -x.dim(), ErrorKind::shape,
          "Rotation dim{} out of range, dim{} = {}", i, i, dims[i]);
  }
  switch ((k % 4 + 4) % 4) {
    case 1:
      return flip(x, {dims[1]}).transpose(dims[0], dims[1]);
    case 2:
      return flip(x, dims);
    case 3:
      return flip(x, {dims[0]}).transpose(dims[0], dims[1]);
    default:
      return x.clone();
  }
}

namespace {

Tensor rot90_op(const Tensor& x, int64_t k, const Shape& dims) {
  return rot90(x, k, dims.empty() ? Shape{0, 1} : dims);
}

}  // namespace

std::vector<Row> position_rows() {
  const auto cube = [] { return arange(24, DType::float32).reshape({2, 3, 4}); };
  const auto grid = [] { return arange(6).reshape({2, 3}); };
  const auto bits = [] { return tensor({{true, false, true}, {false, false, true}}); };
  const auto n = [](int64_t v) { return Value(v); };
  const auto sizes = [](std::initializer_list<int64_t> v) { return Value(Shape(v)); };
  return {
      make_row("diagonal(Tensor input, int offset=0, int dim1=0, int dim2=1) -> Tensor",
               "A view of the diagonal of two dimensions, as the last dimension.", diagonal,
               SAMPLES({cube(), n(0), n(0), n(1)}, {cube(), n(1), n(2), n(-2)},
                       {grid(), n(-1), n(0), n(1)}, {bits(), n(5), n(0), n(1)}))
          .is_view(),
      make_row("diag_embed(Tensor input, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
               "Zeros with the last dimension of input on the diagonal of two new dimensions.",
               diag_embed, SAMPLES({grid(), n(0), n(-2), n(-1)}, {bits(), n(-1), n(0), n(2)})),
      make_row("diagonal_scatter(Tensor input, Tensor|Scalar src, int offset=0, int dim1=0, int "
               "dim2=1) -> Tensor",
               "A copy of input with src on a diagonal.", diagonal_scatter,
               SAMPLES({grid(), tensor({8, 9}), n(1), n(0), n(1)})),
      make_row("select_scatter(Tensor input, Tensor|Scalar src, int dim, int index) -> Tensor",
               "A copy of input with src as one slice along a dimension.", select_scatter,
               SAMPLES({grid(), tensor({8, 9}), n(1), n(-1)})),
      make_row("slice_scatter(Tensor input, Tensor|Scalar src, int dim=0, int? start=None, int? "
               "end=None, int step=1) -> Tensor",
               "A copy of input with src as every step-th slice of a range along a dimension.",
               slice_scatter,
               SAMPLES({grid(), tensor({{8, 9}, {7, 6}}), n(1), Value(), Value(), n(2)},
                       {grid(), tensor({{8, 9, 7}}), n(0), n(-1), Value(), n(1)})),
      make_row("flip(Tensor input, int[] dims) -> Tensor",
               "The elements in reverse order along each of dims.", flip,
               SAMPLES({cube(), sizes({1})}, {cube(), sizes({-1, 0})}, {bits(), sizes({})})),
      make_row("fliplr(Tensor input) -> Tensor", "The columns in reverse order.", fliplr,
               SAMPLES({cube()}, {bits()})),
      make_row("flipud(Tensor input) -> Tensor", "The rows in reverse order.", flipud,
               SAMPLES({cube()}, {bits()}, {arange(3)})),
      make_row("roll(Tensor input, int[] shifts, int[] dims=[]) -> Tensor",
               "The elements moved along dims; what leaves at the end comes in at the start.", roll,
               SAMPLES({cube(), sizes({1}), sizes({})}, {cube(), sizes({-1, 5}), sizes({0, -1})},
                       {bits(), sizes({2}), sizes({1})})),
      make_row("rot90(Tensor input, int k=1, int[] dims=[]) -> Tensor",
               "The elements turned by k quarters in the plane of two dimensions.", rot90_op,
               SAMPLES({cube(), n(1), sizes({0, 1})}, {cube(), n(2), sizes({1, -1})},
                       {grid(), n(-1), sizes({1, 0})}, {bits(), n(0), sizes({})})),
  };
}

}  // namespace tamis
