// Joins: copies of several tensors, or of one several times, side by side in a new tensor.
#include "autograd/node.h"
#include "core/check.h"
#include "expr/expr.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// PyTorch accepts a 1-d tensor without elements among tensors of any rank.
bool is_skipped(const Tensor& x) { return x.dim() == 1 && x.numel() == 0; }

void check_joinable(const Tensor& first, const Tensor& x, size_t position, int64_t dim) {
  check(x.dim() == first.dim(), ErrorKind::shape,
        "Tensors must have same number of dimensions: got {} and {}", first.dim(), x.dim());
  for (int64_t d = 0; d < first.dim(); ++d) {
    check(d == dim || x.shape()[d] == first.shape()[d], ErrorKind::shape,
          "Sizes of tensors must match except in dimension {}. Expected size {} but got size {} "
          "for tensor number {} in the list.",
          dim, first.shape()[d], x.shape()[d], position);
  }
}

DType common_dtype(const std::vector<Tensor>& tensors) {
  DType dtype = tensors[0].dtype();
  for (const Tensor& x : tensors) dtype = promote_types(dtype, x.dtype());
  return dtype;
}

}  // namespace

Tensor cat(const std::vector<Tensor>& tensors, int64_t dim) {
  check(!tensors.empty(), ErrorKind::value, "torch.cat(): expected a non-empty list of Tensors");
  const Tensor* first = nullptr;
  for (size_t i = 0; i < tensors.size(); ++i) {
    check(tensors[i].dim() > 0, ErrorKind::shape,
          "zero-dimensional tensor (at position {}) cannot be concatenated", i);
    if (first == nullptr && !is_skipped(tensors[i])) first = &tensors[i];
  }
  const DType dtype = common_dtype(tensors);
  if (first == nullptr) return allocate({0}, dtype, backend_of(tensors[0]));

  const int64_t d = wrap_dim(dim, first->dim());
  Shape shape = first->shape();
  shape[d] = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (is_skipped(tensors[i])) continue;
    check_joinable(*first, tensors[i], i, d);
    shape[d] += tensors[i].shape()[d];
  }
  const Tensor result = allocate(shape, dtype, backend_of(*first));
  int64_t at = 0;
  std::vector<int64_t> lengths;
  for (const Tensor& x : tensors) {
    lengths.push_back(is_skipped(x) ? 0 : x.shape()[d]);
    if (is_skipped(x)) continue;
    const int64_t length = lengths.back();
    if (x.numel() > 0) store(result.narrow(d, at, length), x);
    at += length;
  }
  if (carries_gradient(dtype) && is_tracked(tensors)) {
    record(result, "cat", Flow::moves, tensors, {},
           [d, lengths](const Tensor& g, std::span<const Tensor>) {
             Gradients parts;
             int64_t from = 0;
             for (int64_t length : lengths) {
               parts.push_back(g.narrow(d, from, length));
               from += length;
             }
             return parts;
           });
  }
  return result;
}

Tensor stack(const std::vector<Tensor>& tensors, int64_t dim) {
  check(!tensors.empty(), ErrorKind::value, "stack expects a non-empty TensorList");
  const Shape& each = tensors[0].shape();
  const int64_t d = wrap_dim(dim, tensors[0].dim() + 1);
  for (size_t i = 1; i < tensors.size(); ++i) {
    check(tensors[i].shape() == each, ErrorKind::shape,
          "stack expects each tensor to be equal size, but got {} at entry 0 and {} at entry {}",
          each, tensors[i].shape(), i);
  }
  Shape shape = each;
  shape.insert(d, static_cast<int64_t>(tensors.size()));
  const Tensor result = allocate(shape, common_dtype(tensors), backend_of(tensors[0]));
  if (result.numel() == 0) return result;
  for (size_t i = 0; i < tensors.size(); ++i) {
    store(result.select(d, static_cast<int64_t>(i)), tensors[i]);
  }
  if (carries_gradient(result.dtype()) && is_tracked(tensors)) {
    record(result, "stack", Flow::moves, tensors, {},
           [d, n = tensors.size()](const Tensor& g, std::span<const Tensor>) {
             Gradients parts;
             for (size_t i = 0; i < n; ++i) parts.push_back(g.select(d, static_cast<int64_t>(i)));
             return parts;
           });
  }
  return result;
}

Tensor Tensor::repeat(const Shape& repeats) const {
  const int64_t lead = static_cast<int64_t>(repeats.size()) - dim();
  check(lead >= 0, ErrorKind::shape,
        "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
        "tensor");
  // Each size s that is repeated r times is seen as [r, s]: a broadcast from [1, s].
  Shape sizes, once, often;
  for (size_t i = 0; i < repeats.size(); ++i) {
    const int64_t size = static_cast<int64_t>(i) < lead ? 1 : shape()[i - lead];
    int64_t total = 0;
    check(!__builtin_mul_overflow(repeats[i], size, &total), ErrorKind::shape,
          "repeat: size {} times {} is more than 64 bits can count", size, repeats[i]);
    sizes.push_back(total);
    once.push_back(1);
    once.push_back(size);
    often.push_back(repeats[i]);
    often.push_back(size);
  }
  const Tensor result = empty(sizes, {dtype(), device()});
  if (result.numel() > 0) store(result.view(often), reshape(once));
  if (is_tracked(*this)) {
    record(result, "repeat", Flow::moves, {*this}, {},
           [often, once, shape = shape()](const Tensor& g, std::span<const Tensor>) -> Gradients {
             Dims over;
             for (size_t d = 0; d < often.size(); d += 2) over.push_back(static_cast<int64_t>(d));
             if (over.empty()) return {g};
             const Tensor each = g.reshape(often);
             const bool is_mask = g.dtype() == DType::boolean;
             return {(is_mask ? each.any(over) : each.sum(over)).reshape(shape)};
           });
  }
  return result;
}

}  // namespace tamis
