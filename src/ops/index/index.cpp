// Indexing: x[...] with integers, slices, masks and integer tensors, as in PyTorch and NumPy.
#include "tamis/index.h"

#include <algorithm>

#include "autograd/node.h"
#include "core/check.h"
#include "core/overlap.h"
#include "expr/expr.h"
#include "ops/index/gradients.h"
#include "ops/index/index_walk.h"
#include "ops/index/indexed.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/pointwise.h"

namespace tamis {

namespace {

bool is_mask(const IndexTensor& index) { return index.tensor.dtype() == DType::boolean; }

const IndexTensor* only_mask(const IndexWalk& w) {
  return w.indices.size() == 1 && is_mask(w.indices[0]) ? &w.indices[0] : nullptr;
}

/// The dimensions of a view that index tensors apply to, masks converted to integers, and the shape
/// of what they pick together.
class Picked {
 public:
  explicit Picked(const IndexWalk& w) : view_(w.view) {
    for (const IndexTensor& index : w.indices) {
      if (is_mask(index)) {
        const Tensor at = coordinates(index.tensor);
        for (int64_t d = 0; d < index.tensor.dim(); ++d) add(index.dim + d, at.select(1, d));
      } else {
        add(index.dim, index.tensor);
        indices_.back().check_within(view_.shape()[index.dim], index.dim);
      }
    }
    broadcast();
    const bool neighbours = dims_.back() - dims_.front() + 1 == static_cast<int64_t>(dims_.size());
    lay_out(neighbours ? dims_.front() : 0);
  }

  const IndexedElements& elements() const { return elements_; }
  const Shape& shape() const { return elements_.shape; }

 private:
  void add(int64_t dim, const Tensor& index) {
    dims_.push_back(dim);
    shapes_.push_back(index.shape());
    indices_.emplace_back(index, view_);
  }

  void broadcast() {
    try {
      for (const Shape& shape : shapes_) picked_ = broadcast_shapes(picked_, shape);
    } catch (const Error&) {
      std::string all;
      for (const Shape& shape : shapes_) all += (all.empty() ? "" : ", ") + to_string(shape);
      raise(ErrorKind::index,
            "shape mismatch: indexing tensors could not be broadcast together with shapes " + all);
    }
  }

  /// The iteration space is the shape of the result: the picked dimensions come after the first
  /// `at` others.
  void lay_out(int64_t at) {
    const auto own = [&](int64_t d) {
      return std::find(dims_.begin(), dims_.end(), d) == dims_.end();
    };
    std::vector<int64_t> order;  // dimensions of the view, and -1 for the picked ones
    for (int64_t d = 0; d < view_.dim(); ++d) {
      if (own(d)) order.push_back(d);
    }
    order.insert(order.begin() + at, picked_.size(), -1);
    for (size_t k = 0, p = 0; k < order.size(); ++k) {
      const bool picked = order[k] < 0;
      elements_.shape.push_back(picked ? picked_[p] : view_.shape()[order[k]]);
      elements_.strides.push_back(picked ? 0 : view_.strides()[order[k]]);
      if (picked) ++p;
    }
    const size_t behind = order.size() - static_cast<size_t>(at) - picked_.size();
    for (size_t k = 0; k < dims_.size(); ++k) {
      IndexColumn column =
          indices_[k].column(picked_, view_.shape()[dims_[k]], view_.strides()[dims_[k]]);
      Shape strides(static_cast<size_t>(at), 0);
      for (int64_t s : column.strides) strides.push_back(s);
      for (size_t d = 0; d < behind; ++d) strides.push_back(0);
      column.strides = strides;
      elements_.columns.push_back(std::move(column));
    }
  }

  Tensor view_;
  std::vector<int64_t> dims_;  // rising
  std::vector<Shape> shapes_;
  std::vector<Indices> indices_;
  Shape picked_;
  IndexedElements elements_;
};

/// The mask as one of the view's rank, that broadcasts over the dimensions it does not index.
Tensor over_view(const IndexWalk& w, const IndexTensor& index) {
  Tensor mask = index.tensor;
  while (index.dim + mask.dim() < w.view.dim()) mask = mask.unsqueeze(-1);
  return mask;
}

void put_picked(const IndexWalk& w, const Tensor& value, const Tensor& given, Combine combine) {
  check_no_internal_overlap(w.view);
  for (const IndexTensor& index : w.indices) check_no_overlap(w.view, index.tensor);
  const Tensor source = value.numel() == 1 ? Tensor(value.item()) : value;
  check_no_overlap(w.view, source);
  const Picked picked(w);
  check(broadcasts_to(source.shape(), picked.shape()), ErrorKind::shape,
        "shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape "
        "{}",
        given.shape(), picked.shape());
  put_elements(w.view, picked.elements(), source, combine);
}

/// The mask of an index that consists of it alone, or null; a 0-d one counts as true or false.
const Tensor* single_mask(const std::vector<Index>& indices) {
  const Tensor* t = indices.size() == 1 ? std::get_if<Tensor>(&indices[0].value()) : nullptr;
  return t != nullptr && t->dim() > 0 && t->dtype() == DType::boolean ? t : nullptr;
}

bool is_bool(const std::vector<Index>& indices, bool truth) {
  if (indices.size() != 1) return false;
  const bool* b = std::get_if<bool>(&indices[0].value());
  return b != nullptr && *b == truth;
}

}  // namespace

Tensor index(const Tensor& x, const std::vector<Index>& indices) {
  if (const Tensor* mask = single_mask(indices)) {
    check_single_index(x, *mask);
    return take_masked(x, *mask);
  }
  if (const Tensor* at = indices.size() == 1 ? std::get_if<Tensor>(&indices[0].value()) : nullptr;
      at != nullptr && at->dim() > 0 && !is_tracked(x)) {
    if (Tensor few = take_few(x, *at, true); few.defined()) return few;
  }
  const IndexWalk w = walk(x, indices);
  // x[...] is a new view too. All keep x as their base, so that a write to them updates x's
  // gradient.
  if (w.indices.empty()) return &w.view.impl() == &x.impl() ? x.expand(x.shape()) : w.view;
  const IndexTensor* mask = only_mask(w);
  if (mask != nullptr && mask->dim == 0) return take_masked(w.view, mask->tensor);
  const Tensor result = take_elements(w.view, Picked(w).elements());
  if (is_tracked(w.view)) record_index(result, w);
  return result;
}

Tensor& index_put_(Tensor& x, const std::vector<Index>& indices, const Tensor& value,
                   bool accumulate) {
  if (is_bool(indices, false)) return x;
  if (const Tensor* mask = accumulate ? nullptr : single_mask(indices)) {
    check_single_index(x, *mask);
    put_masked(x, *mask, value);
    return x;
  }
  check_number_fits(value, x.dtype());
  const IndexWalk w = walk(x, indices);
  const Tensor stripped = without_leading_ones(value);
  const IndexTensor* mask = only_mask(w);
  check_writable(x);
  if (w.indices.empty()) {
    Tensor target = w.view;
    accumulate ? target.copy_(target + stripped) : target.copy_(stripped);
  } else if (mask != nullptr && !accumulate && mask->dim == 0) {
    put_masked(w.view, mask->tensor, value);
  } else if (mask != nullptr && !accumulate && value.numel() == 1) {
    check_no_internal_overlap(w.view);
    check_no_partial_overlap(w.view, mask->tensor);
    store_where(w.view, over_view(w, *mask), Tensor(value.item()));
    record_index_put(w, value, false);
  } else {
    put_picked(w, stripped, value, accumulate ? Combine::add : Combine::assign);
    record_index_put(w, value, accumulate);
  }
  return x;
}

Tensor index_put(const Tensor& x, const std::vector<Index>& indices, const Tensor& value,
                 bool accumulate) {
  Tensor result = x.clone();
  return index_put_(result, indices, value, accumulate);
}

namespace {

/// PyTorch's row: one tensor per leading dimension; an undefined one means a whole dimension.
std::vector<Index> as_indices(const std::vector<Tensor>& tensors) {
  std::vector<Index> indices;
  for (const Tensor& t : tensors) indices.push_back(t.defined() ? Index(t) : Index(Slice()));
  return indices;
}

Tensor index_op(const Tensor& x, const std::vector<Tensor>& indices) {
  return index(x, as_indices(indices));
}
Tensor index_put_op(const Tensor& x, const std::vector<Tensor>& indices, const Tensor& values,
                    bool accumulate) {
  return index_put(x, as_indices(indices), values, accumulate);
}

Tensor& index_put_in_place_op(Tensor& x, const std::vector<Tensor>& indices, const Tensor& values,
                              bool accumulate) {
  return index_put_(x, as_indices(indices), values, accumulate);
}

}  // namespace

std::vector<Row> indexing_rows() {
  using List = std::vector<Tensor>;
  const auto cube = [] { return arange(24, DType::float32).reshape({2, 3, 4}); };
  const auto bits = [] { return tensor({{true, false, true}, {false, false, true}}); };
  const auto few = [] { return tensor({2, 0, -1}); };
  return {
      make_row("index(Tensor input, Tensor[] indices) -> Tensor",
               "The elements that masks and integer tensors pick, one per dimension.", index_op,
               SAMPLES({cube(), List{bits()}}, {cube(), List{tensor({1, 0}), tensor({2, -1})}},
                       {cube(), List{tensor({{0, 1}, {1, 1}})}},
                       {cube(), List{tensor({{1}, {0}}), few(), tensor(3)}},
                       {bits(), List{tensor({false, true}), tensor({0, 1, 1})}},
                       {arange(5), List{empty({0}, DType::int64)}})),
      make_row("index_put(Tensor input, Tensor[] indices, Tensor values, bool accumulate=False) -> "
               "Tensor",
               "input with values, broadcast, written or added to the elements that indices pick.",
               index_put_op,
               SAMPLES({cube(), List{bits()}, Tensor(-1), false},
                       {cube(), List{tensor({1, 0}), tensor({2, -1})},
                        tensor({7.f, 8.f, 9.f, 10.f}), false},
                       {arange(5), List{tensor({0, 2, 0})}, tensor({1, 10, 100}), true},
                       {bits(), List{tensor({1})}, tensor(true), false}))
          .with_in_place(index_put_in_place_op),
  };
}

}  // namespace tamis
