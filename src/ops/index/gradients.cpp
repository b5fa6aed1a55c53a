// Gradients of what reads and writes the elements that integers name: a read gives its gradient
// back to the indexed elements by adding, a write takes it from them.
#include "ops/index/gradients.h"

#include "autograd/node.h"
#include "core/check.h"
#include "expr/expr.h"
#include "tamis/sequence.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

using Span = std::span<const Tensor>;

bool is_mask(const Tensor& g) { return g.dtype() == DType::boolean; }

/// Masks of structural zeros take the same path as gradients. Several of them may meet in one
/// element, where they are counted.
Tensor addable(const Tensor& g) { return is_mask(g) ? g.to_long() : g; }

Tensor nothing(const Tensor& g) { return scalar_tensor(0, g.dtype()); }
/// The same for each element of index. Only a 0-d tensor may be on another device than g.
Tensor nothing_at(const Tensor& index, const Tensor& g) {
  return zeros_on(backend_of(g), {}, g.dtype()).expand(index.shape());
}

Tensor at_least_1d(const Tensor& x) { return x.dim() == 0 ? x.unsqueeze(0) : x; }

/// The index of a walk as one of its view: tensors[k] indexes dims[k] and, if it is a mask, the
/// dimensions after it.
struct ViewIndex {
  int64_t rank;
  std::vector<int64_t> dims;

  explicit ViewIndex(const IndexWalk& w) : rank(w.view.dim()) {
    for (const IndexTensor& index : w.indices) dims.push_back(index.dim);
  }

  std::vector<Index> with(Span tensors) const {
    std::vector<Index> indices;
    size_t k = 0;
    for (int64_t d = 0; d < rank;) {
      if (k < dims.size() && dims[k] == d) {
        d += is_mask(tensors[k]) ? tensors[k].dim() : 1;
        indices.emplace_back(tensors[k++]);
      } else {
        indices.emplace_back(Slice());
        ++d;
      }
    }
    return indices;
  }
};

std::vector<Tensor> tensors_of(const IndexWalk& w) {
  std::vector<Tensor> tensors;
  for (const IndexTensor& index : w.indices) tensors.push_back(index.tensor);
  return tensors;
}

/// g in a tensor of src's shape, zero beyond it.
Tensor filled_up(const Tensor& g, const Shape& shape) {
  if (g.shape() == shape) return g;
  Shape sides;
  for (int64_t d = g.dim(); d-- > 0;) {
    sides.push_back(0);
    sides.push_back(shape[d] - g.shape()[d]);
  }
  return pad(g, sides);
}

}  // namespace

void record_index(const Tensor& y, const IndexWalk& w) {
  const ViewIndex index(w);
  record(y, "index", Flow::picks, {w.view}, tensors_of(w),
         [index, shape = w.view.shape()](const Tensor& g, Span saved) -> Gradients {
           const Tensor sum = addable(g);
           return {index_put(zeros_on(backend_of(sum), shape, sum.dtype()), index.with(saved), sum,
                             true)};
         });
}

void record_index_put(const IndexWalk& w, const Tensor& value, bool accumulate) {
  const ViewIndex at(w);
  record_write(w.view, "index_put_", Flow::picks, {w.view, value}, tensors_of(w),
               [at, accumulate](const Tensor& g, Span saved) -> Gradients {
                 const std::vector<Index> indices = at.with(saved);
                 return {accumulate ? g : index_put(g, indices, nothing(g)), index(g, indices)};
               });
}

void record_index_select(const Tensor& y, const Tensor& x, int64_t dim, const Tensor& index) {
  record(y, "index_select", Flow::picks, {x}, {index},
         [dim, shape = x.shape()](const Tensor& g, Span saved) -> Gradients {
           const Tensor sum = addable(g);
           return {index_add(zeros_on(backend_of(sum), shape, sum.dtype()), dim, saved[0], sum)};
         });
}

void record_gather(const Tensor& y, const Tensor& x, int64_t dim, const Tensor& index) {
  record(y, "gather", Flow::picks, {x}, {index},
         [dim, shape = x.shape()](const Tensor& g, Span saved) -> Gradients {
           const Tensor sum = addable(g);
           return {scatter_add(zeros_on(backend_of(sum), shape, sum.dtype()), dim, saved[0], sum)};
         });
}

void record_take(const Tensor& y, const Tensor& x, const Tensor& index) {
  record(y, "take", Flow::picks, {x}, {index},
         [shape = x.shape()](const Tensor& g, Span saved) -> Gradients {
           const Tensor sum = addable(g);
           return {put(zeros_on(backend_of(sum), shape, sum.dtype()), saved[0], sum, true)};
         });
}

void record_index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& value) {
  record_write(
      x, "index_fill_", Flow::picks, {x, value}, {index},
      [dim](const Tensor& g, Span saved) -> Gradients {
        const Tensor taken = index_select(g, dim, saved[0]);
        return {index_fill(g, dim, saved[0], nothing(g)), is_mask(g) ? taken.any() : taken.sum()};
      });
}

void record_index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source) {
  record_write(x, "index_add_", Flow::picks, {x, source}, {index},
               [dim, shape = source.shape()](const Tensor& g, Span saved) -> Gradients {
                 return {g, index_select(g, dim, saved[0]).reshape(shape)};
               });
}

void record_index_copy(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source) {
  record_write(x, "index_copy_", Flow::picks, {x, source}, {index},
               [dim, shape = source.shape()](const Tensor& g, Span saved) -> Gradients {
                 return {index_fill(g, dim, saved[0], nothing(g)),
                         index_select(g, dim, saved[0]).reshape(shape)};
               });
}

void record_put(const Tensor& x, const Tensor& index, const Tensor& source, bool accumulate) {
  record_write(x, "put_", Flow::picks, {x, source}, {index},
               [accumulate, shape = source.shape()](const Tensor& g, Span saved) -> Gradients {
                 const Tensor none = nothing_at(saved[0], g);
                 return {accumulate ? g : put(g, saved[0], none), take(g, saved[0]).reshape(shape)};
               });
}

void record_scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src,
                    bool adds) {
  record_write(x, "scatter_", Flow::picks, {x, src}, {index},
               [dim, adds, shape = src.shape(), number = src.impl().is_number](
                   const Tensor& g, Span saved) -> Gradients {
                 Gradients result(2);
                 const Tensor none = nothing_at(saved[0], g);
                 result[0] = adds ? g : scatter(g, dim, saved[0], none);
                 if (!number) result[1] = filled_up(gather(g, dim, saved[0]), shape);
                 return result;
               });
}

namespace {

/// What scatter_reduce leaves in the gradient of x: nothing where x's own elements do not count.
Tensor own_part(const Tensor& g, int64_t dim, const Tensor& index, bool include_self) {
  return include_self ? g : scatter(g, dim, index, nothing_at(index, g));
}

Gradients mean_gradients(const Tensor& g, const Tensor& x, int64_t dim, const Tensor& index,
                         bool include_self) {
  const DType dtype = real_dtype(g.dtype());
  const Tensor start = include_self ? ones_like(x, dtype) : zeros_like(x, dtype);
  const Tensor n =
      scatter_add(start, dim, index, full_on(backend_of(g), {}, 1, dtype).expand(index.shape()))
          .clamp(Tensor(1));
  return {own_part(g / n, dim, index, include_self), gather(g / n, dim, index)};
}

Gradients prod_gradients(const Tensor& g, const Tensor& x, int64_t dim, const Tensor& index,
                         const Tensor& src, bool include_self) {
  const Tensor one = scalar_tensor(1, g.dtype());
  const auto product = [&](const Tensor& a, const Tensor& b) {
    return scatter_reduce(a, dim, index, b, "prod", include_self);
  };
  const Tensor safe_x = where(x == 0, one, x);
  const Tensor of_x = g * product(safe_x, src) / safe_x;
  // A single zero among the factors of an element gets the product of the others.
  const Tensor is_zero = src == 0;
  const Tensor zeros_there =
      gather(scatter_add(zeros_like(x), dim, index, is_zero.to(g.dtype())), dim, index);
  const Tensor single = is_zero & (zeros_there == 1);
  const Tensor others = gather(g * product(x, where(single, one, src)), dim, index);
  const Tensor all = gather(g * product(x, src), dim, index) / where(is_zero, one, src);
  return {own_part(of_x, dim, index, include_self), where(single, others, all)};
}

Gradients extreme_gradients(const Tensor& g, const Tensor& x, int64_t dim, const Tensor& index,
                            const Tensor& src, const std::string& reduce, bool include_self) {
  const Tensor result = scatter_reduce(x, dim, index, src, reduce, include_self).detach();
  const Tensor own = x == result, given = src == gather(result, dim, index);
  Tensor n = own.to(g.dtype());
  if (!include_self) n = scatter(n, dim, index, nothing_at(index, g));
  n = scatter_add(n, dim, index, given.to(g.dtype()));
  const Tensor shared = g / n.clamp(Tensor(1)), none = nothing(g);
  return {own_part(where(own, shared, none), dim, index, include_self),
          where(given, gather(shared, dim, index), none)};
}

}  // namespace

void record_scatter_reduce(const Tensor& x, const Tensor& before, int64_t dim, const Tensor& index,
                           const Tensor& src, const std::string& reduce, bool include_self) {
  record_write(x, "scatter_reduce_", Flow::mixes, {x, src}, {before, index, src},
               [=, shape = src.shape()](const Tensor& g, Span saved) -> Gradients {
                 const Tensor &old = saved[0], &at = saved[1];
                 Tensor part = saved[2];
                 for (int64_t d = 0; d < at.dim(); ++d) part = part.narrow(d, 0, at.shape()[d]);
                 Gradients result;
                 if (reduce == "sum") {
                   result = {own_part(g, dim, at, include_self), gather(g, dim, at)};
                 } else if (reduce == "mean") {
                   result = mean_gradients(g, old, dim, at, include_self);
                 } else if (reduce == "prod") {
                   result = prod_gradients(g, conj(old), dim, at, conj(part), include_self);
                 } else {
                   result = extreme_gradients(g, old, dim, at, part, reduce, include_self);
                 }
                 result[1] = filled_up(result[1].value, shape);
                 return result;
               });
}

void record_picked(const Tensor& values, const Tensor& x, int64_t dim, const Tensor& indices) {
  record(values, "pick", Flow::picks, {x}, {indices},
         [dim, shape = x.shape()](const Tensor& g, Span saved) -> Gradients {
           const Tensor none = at_least_1d(zeros_on(backend_of(g), shape, g.dtype()));
           const Tensor put_back = scatter(none, dim, at_least_1d(saved[0]), at_least_1d(g));
           return {put_back.reshape(shape)};
         });
}

}  // namespace tamis
