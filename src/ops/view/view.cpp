// Views: the same storage with dimensions moved, added, expanded or cut; and the copies that change
// the layout or dtype. Reshaping is in reshape.cpp.
#include <cstring>

#include "core/check.h"
#include "core/convert.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "ops/view/view_of.h"
#include "tamis/create.h"
#include "tamis/iterate.h"
#include "tamis/view.h"

namespace tamis {

namespace {

/// What PyTorch's messages call a tensor type: "torch.LongTensor".
std::string type_string(DType dtype) {
  const char* scalar = scalar_type_name(dtype);
  if (dtype == DType::boolean || dtype == DType::bfloat16) return fmt::format("CPU{}Type", scalar);
  return fmt::format("torch.{}Tensor", scalar);
}

/// Zeros of this shape, with g in the elements that the view shows.
template <class F>
Tensor embed(const Tensor& g, const Shape& shape, F view) {
  Tensor result = zeros_on(backend_of(g), shape, g.dtype());
  {
    NoGradGuard guard;
    view(result).copy_(g);
  }
  if (is_tracked(g)) {
    record(result, "embed", Flow::moves, {g}, {},
           [view](const Tensor& gg, std::span<const Tensor>) -> Gradients { return {view(gg)}; });
  }
  return result;
}

/// Some of the elements: those that `view` shows.
template <class F>
Tensor part(const Tensor& x, const char* op, Layout layout, F view) {
  return view_of(x, op, Flow::picks, std::move(layout),
                 [shape = x.shape(), view](const Tensor& g) { return embed(g, shape, view); });
}

}  // namespace

Tensor Tensor::transpose(int64_t dim0, int64_t dim1) const {
  const int64_t a = wrap_dim(dim0, dim()), b = wrap_dim(dim1, dim());
  Layout layout = layout_of(*this);
  if (a != b) {
    std::swap(layout.sizes[a], layout.sizes[b]);
    std::swap(layout.strides[a], layout.strides[b]);
  }
  return view_of(*this, "transpose", Flow::moves, std::move(layout),
                 [a, b](const Tensor& g) { return g.transpose(a, b); });
}

Tensor Tensor::t() const {
  check(dim() <= 2, ErrorKind::shape, "t() expects a tensor with <= 2 dimensions, but self is {}D",
        dim());
  return dim() == 2 ? transpose(0, 1) : reshaped(*this, "t", layout_of(*this));
}

Tensor Tensor::permute(const Shape& dims) const {
  check(static_cast<int64_t>(dims.size()) == dim(), ErrorKind::shape,
        "permute(sparse_coo): number of dimensions in the tensor input does not match the length "
        "of the desired ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = "
        "{}",
        dim(), dims.size());
  const Layout& x = layout_of(*this);
  Layout layout{x.sizes, x.strides, x.offset};
  Shape seen(dims.size(), 0), inverse(dims.size(), 0);
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t d = wrap_dim(dims[i], dim());
    check(seen[d] == 0, ErrorKind::value, "permute(): duplicate dims are not allowed.");
    seen[d] = 1;
    inverse[d] = static_cast<int64_t>(i);
    layout.sizes[i] = x.sizes[d];
    layout.strides[i] = x.strides[d];
  }
  return view_of(*this, "permute", Flow::moves, std::move(layout),
                 [inverse](const Tensor& g) { return g.permute(inverse); });
}

Tensor Tensor::unsqueeze(int64_t new_dim) const {
  const int64_t d = wrap_dim(new_dim, dim() + 1);
  Layout layout = layout_of(*this);
  const int64_t stride = d == dim() ? 1 : layout.sizes[d] * layout.strides[d];
  layout.sizes.insert(d, 1);
  layout.strides.insert(d, stride);
  return reshaped(*this, "unsqueeze", std::move(layout));
}

Tensor Tensor::squeeze() const {
  const Layout& x = layout_of(*this);
  Layout layout;
  layout.offset = x.offset;
  for (size_t i = 0; i < x.sizes.size(); ++i) {
    if (x.sizes[i] == 1) continue;
    layout.sizes.push_back(x.sizes[i]);
    layout.strides.push_back(x.strides[i]);
  }
  return reshaped(*this, "squeeze", std::move(layout));
}

Tensor Tensor::squeeze(int64_t which) const {
  const int64_t d = wrap_dim(which, dim());
  Layout layout = layout_of(*this);
  if (dim() > 0 && layout.sizes[d] == 1) {
    layout.sizes.erase(d);
    layout.strides.erase(d);
  }
  return reshaped(*this, "squeeze", std::move(layout));
}

Tensor Tensor::expand(const Shape& target) const {
  const Layout& x = layout_of(*this);
  const int64_t lead = static_cast<int64_t>(target.size()) - dim();
  if (lead < 0) {
    raise(
        ErrorKind::shape,
        fmt::format("expand({}{{{}}}, size={}): the number of sizes provided ({}) must be greater "
                    "or equal to the number of dimensions in the tensor ({})",
                    type_string(dtype()), x.sizes, target, target.size(), dim()));
  }
  Layout layout{target, Shape(target.size(), 0), x.offset};
  for (int64_t i = static_cast<int64_t>(target.size()) - 1; i >= 0; --i) {
    if (i < lead) {
      check(target[i] >= 0, ErrorKind::shape,
            "The expanded size of the tensor ({}) isn't allowed in a leading, non-existing "
            "dimension {}",
            target[i], i);
      // A leading 1 keeps the stride that unsqueeze would give.
      const size_t next = i + 1;
      if (target[i] == 1) {
        layout.strides[i] = next < target.size() ? layout.sizes[next] * layout.strides[next] : 1;
      }
      continue;
    }
    const int64_t size = x.sizes[i - lead];
    if (target[i] == -1) layout.sizes[i] = size;
    check(layout.sizes[i] == size || (size == 1 && target[i] >= 0), ErrorKind::shape,
          "The expanded size of the tensor ({}) must match the existing size ({}) at "
          "non-singleton dimension {}.  Target sizes: {}.  Tensor sizes: {}",
          target[i], size, i, target, x.sizes);
    if (layout.sizes[i] == size) layout.strides[i] = x.strides[i - lead];
  }
  // The walk back sums a gradient to the shape of what was expanded.
  return view_of(*this, "expand", Flow::moves, std::move(layout),
                 [](const Tensor& g) { return g; });
}

Tensor Tensor::expand_as(const Tensor& other) const { return expand(other.shape()); }
Tensor Tensor::broadcast_to(const Shape& target) const { return expand(target); }
Tensor broadcast_to(const Tensor& x, const Shape& shape) { return x.expand(shape); }

std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors) {
  Shape common;
  for (const Tensor& x : tensors) common = broadcast_shapes(common, x.shape());
  std::vector<Tensor> result;
  for (const Tensor& x : tensors) result.push_back(x.expand(common));
  return result;
}

Tensor Tensor::select(int64_t which, int64_t index) const {
  check(dim() > 0, ErrorKind::index, "select() cannot be applied to a 0-dim tensor.");
  const int64_t d = wrap_dim(which, dim());
  Layout layout = layout_of(*this);
  const int64_t size = layout.sizes[d];
  check(index >= -size && index < size, ErrorKind::index,
        "select(): index {} out of range for tensor of size {} at dimension {}", index,
        layout.sizes, d);
  layout.offset += (index < 0 ? index + size : index) * layout.strides[d];
  layout.sizes.erase(d);
  layout.strides.erase(d);
  return part(*this, "select", std::move(layout),
              [d, index](const Tensor& x) { return x.select(d, index); });
}

Tensor Tensor::narrow(int64_t which, int64_t start, int64_t length) const {
  check(dim() > 0, ErrorKind::shape, "narrow() cannot be applied to a 0-dim tensor.");
  check(length >= 0, ErrorKind::value, "narrow(): length must be non-negative.");
  const int64_t d = wrap_dim(which, dim());
  Layout layout = layout_of(*this);
  const int64_t size = layout.sizes[d];
  check(start >= -size && start <= size, ErrorKind::index,
        "start out of range (expected to be in range of [{}, {}], but got {})", -size, size, start);
  if (start < 0) start += size;
  check(start <= size - length, ErrorKind::shape,
        "start ({}) + length ({}) exceeds dimension size ({}).", start, length, size);
  layout.offset += start * layout.strides[d];
  layout.sizes[d] = length;
  return part(*this, "narrow", std::move(layout),
              [=](const Tensor& x) { return x.narrow(d, start, length); });
}

Tensor Tensor::slice(int64_t which, std::optional<int64_t> start, std::optional<int64_t> stop,
                     int64_t step) const {
  check(dim() > 0, ErrorKind::index, "slice() cannot be applied to a 0-dim tensor.");
  const int64_t d = wrap_dim(which, dim());
  check(step > 0, ErrorKind::value, "slice step must be positive");
  Layout layout = layout_of(*this);
  const int64_t size = layout.sizes[d];
  int64_t first = start.value_or(0), last = stop.value_or(size);
  if (first < 0) first += size;
  if (last < 0) last += size;
  first = std::clamp<int64_t>(first, 0, size);
  last = std::clamp(last, first, size);
  const int64_t length = last > first ? (last - first - 1) / step + 1 : 0;
  layout.offset += first * layout.strides[d];
  layout.sizes[d] = length;
  int64_t stride = 0;
  // Where this overflows there is at most one element, and its stride is never used.
  if (!__builtin_mul_overflow(layout.strides[d], step, &stride)) layout.strides[d] = stride;
  return part(*this, "slice", std::move(layout),
              [=](const Tensor& x) { return x.slice(d, first, last, step); });
}

RowIterator Tensor::begin() const {
  check(dim() > 0, ErrorKind::index, "iteration over a 0-d tensor");
  return {*this, 0};
}
RowIterator Tensor::end() const {
  check(dim() > 0, ErrorKind::index, "iteration over a 0-d tensor");
  return {*this, size(0)};
}

Tensor Tensor::detach() const { return make_view(*this, layout_of(*this)); }

Tensor Tensor::contiguous() const { return is_contiguous() ? *this : clone(); }

Tensor Tensor::clone() const {
  const Tensor copy = allocate(shape(), dtype(), backend_of(*this));
  if (numel() > 0) store(copy, *this);
  if (is_tracked(*this)) {
    record(copy, "clone", Flow::moves, {*this}, {},
           [](const Tensor& g, std::span<const Tensor>) -> Gradients { return {g}; });
  }
  return copy;
}

Device Tensor::device() const { return backend_of(*this).device(); }

Tensor Tensor::to(const Device& device) const {
  Backend& backend = backend_for(device);
  const Tensor moved = to_backend(*this, backend);
  if (&backend != &backend_of(*this) && is_tracked(*this)) {
    record(moved, "to", Flow::moves, {*this}, {},
           [from = this->device()](const Tensor& g, std::span<const Tensor>) -> Gradients {
             return {g.to(from)};
           });
  }
  return moved;
}

Tensor Tensor::to(DType dtype) const {
  if (dtype == this->dtype()) return *this;
  return defer_recorded(Op::cast, this->dtype(), dtype, {*this});
}

// ---- the same as functions ----------------------------------------------------------------------

Tensor transpose(const Tensor& x, int64_t dim0, int64_t dim1) { return x.transpose(dim0, dim1); }
Tensor permute(const Tensor& x, const Shape& dims) { return x.permute(dims); }
Tensor unsqueeze(const Tensor& x, int64_t dim) { return x.unsqueeze(dim); }
Tensor squeeze(const Tensor& x, std::optional<int64_t> dim) {
  return dim ? x.squeeze(*dim) : x.squeeze();
}
Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length) {
  return x.narrow(dim, start, length);
}
Tensor select(const Tensor& x, int64_t dim, int64_t index) { return x.select(dim, index); }

namespace {

Tensor t_op(const Tensor& x) { return x.t(); }
Tensor clone_op(const Tensor& x) { return x.clone(); }
Tensor to_op(const Tensor& x, DType dtype) { return x.to(dtype); }

}  // namespace

std::vector<Row> view_rows() {
  const auto cube = [] { return arange(24, DType::float32).reshape({2, 3, 4}); };
  const auto grid = [] { return arange(6).reshape({2, 3}); };
  const auto bits = [] { return tensor({{true, false, true}, {false, false, true}}); };
  const auto number = [] { return tensor(2.5); };
  const auto none = [] { return zeros({0, 3}); };
  const auto n = [](int64_t v) { return Value(v); };
  const auto sizes = [](std::initializer_list<int64_t> v) { return Value(Shape(v)); };
  return {
      make_row("reshape(Tensor input, int[] shape) -> Tensor",
               "The same elements in another shape; a view if the layout allows it, else a copy.",
               reshape,
               SAMPLES({cube(), sizes({4, -1})}, {cube().transpose(0, 2), sizes({6, 4})},
                       {bits(), sizes({-1})}, {number(), sizes({1, 1})}, {none(), sizes({3, 0})}))
          .is_view(View::if_contiguous),
      make_row("flatten(Tensor input, int start_dim=0, int end_dim=-1) -> Tensor",
               "Merges a range of dimensions into one.", flatten,
               SAMPLES({cube(), n(0), n(-1)}, {grid().t(), n(0), n(1)}, {number(), n(0), n(-1)}))
          .is_view(View::if_contiguous),
      make_row("transpose(Tensor input, int dim0, int dim1) -> Tensor",
               "A view with two dimensions swapped.", transpose,
               SAMPLES({cube(), n(0), n(-1)}, {bits(), n(0), n(1)}, {number(), n(0), n(0)}))
          .is_view()
          .also({"swapaxes", "swapdims"}),
      make_row("t(Tensor input) -> Tensor",
               "A view of a matrix with rows and columns swapped; up to 1-d the tensor itself.",
               t_op, SAMPLES({grid()}, {arange(3)}, {number()}))
          .is_view(),
      make_row("permute(Tensor input, int[] dims) -> Tensor",
               "A view with the dimensions in the given order.", permute,
               SAMPLES({cube(), sizes({2, 0, 1})}, {bits(), sizes({-1, 0})}, {number(), sizes({})}))
          .is_view(),
      make_row("unsqueeze(Tensor input, int dim) -> Tensor",
               "A view with a new dimension of size 1.", unsqueeze,
               SAMPLES({grid(), n(1)}, {bits(), n(-1)}, {number(), n(0)}))
          .is_view(),
      make_row(
          "squeeze(Tensor input, int? dim=None) -> Tensor",
          "A view without the dimensions of size 1, or without the given one if its size is 1.",
          squeeze,
          SAMPLES({grid().reshape({1, 2, 1, 3}), Value()}, {grid().reshape({1, 2, 3}), n(0)},
                  {grid(), n(0)}))
          .is_view(),
      make_row("narrow(Tensor input, int dim, int start, int length) -> Tensor",
               "A view of `length` slices along a dimension, from `start` on.", narrow,
               SAMPLES({cube(), n(-1), n(1), n(2)}, {bits(), n(1), n(-2), n(2)},
                       {grid(), n(0), n(2), n(0)}))
          .is_view(),
      make_row("select(Tensor input, int dim, int index) -> Tensor",
               "A view of one slice along a dimension, without that dimension.", select,
               SAMPLES({cube(), n(1), n(-1)}, {bits(), n(0), n(1)}))
          .is_view(),
      make_row("clone(Tensor input) -> Tensor", "A copy with memory of its own.", clone_op,
               SAMPLES({cube().transpose(1, 2)}, {bits()}, {number()}, {none()})),
      make_row("to(Tensor input, dtype dtype) -> Tensor",
               "The tensor converted to another dtype; itself if it has that dtype already.", to_op,
               SAMPLES({cube(), DType::int64}, {grid(), DType::boolean}, {bits(), DType::float32}))
          .function_only(),
      make_row(
          "broadcast_to(Tensor input, int[] size) -> Tensor",
          "A view that repeats dimensions of size 1, and adds leading ones.",
          static_cast<Tensor (*)(const Tensor&, const Shape&)>(broadcast_to),
          SAMPLES({arange(3), sizes({2, 3})}, {number(), sizes({2, 2})}, {grid(), sizes({2, -1})}))
          .is_view(),
      make_row("broadcast_tensors(Tensor[] tensors) -> Tensor[]",
               "All tensors expanded to their common shape.", broadcast_tensors,
               SAMPLES({std::vector<Tensor>{grid(), arange(3)}}))
          .is_variadic(),
      make_row("cat(Tensor[] tensors, int dim=0) -> Tensor",
               "Joins tensors along an existing dimension.", cat,
               SAMPLES({std::vector<Tensor>{grid(), grid()}, n(0)},
                       {std::vector<Tensor>{cube(), cube().narrow(2, 0, 1)}, n(-1)},
                       {std::vector<Tensor>{bits(), grid(), zeros({0})}, n(1)}))
          .also({"concat", "concatenate"})
          .with_out(),
      make_row("stack(Tensor[] tensors, int dim=0) -> Tensor",
               "Joins tensors of one shape along a new dimension.", stack,
               SAMPLES({std::vector<Tensor>{grid(), grid()}, n(0)},
                       {std::vector<Tensor>{bits(), bits()}, n(-1)},
                       {std::vector<Tensor>{number(), number()}, n(0)}))
          .with_out(),
  };
}

}  // namespace tamis
