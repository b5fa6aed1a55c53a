// What the indexing ops share: integer index tensors, checked, and the elements they name.
#include "ops/index/indexed.h"

#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"

namespace tamis {

Indices::Indices(const Tensor& index, const Tensor& x) {
  (void)common_backend({x, index});
  Layout layout = layout_of(index);
  for (size_t d = 0; d < layout.sizes.size(); ++d) {
    if (layout.strides[d] == 0) layout.sizes[d] = std::min<int64_t>(layout.sizes[d], 1);
  }
  numbers_ = make_view(index, std::move(layout)).to(DType::int64).contiguous();
  numbers_.settle();
}

void Indices::check_within(int64_t low, int64_t high,
                           const std::function<void(int64_t)>& refuse) const {
  const int64_t n = numbers_.numel();
  if (n == 0 || backend_of(numbers_).within(buffer_of(numbers_), n, low, high)) return;
  const Tensor host = to_host(numbers_);
  const int64_t* const data = host.data<int64_t>();
  refuse(*std::find_if(data, data + n, [&](int64_t i) { return i < low || i >= high; }));
}

void Indices::check_within(int64_t size, int64_t dim) const {
  check_within(-size, size, [&](int64_t i) {
    check(false, ErrorKind::index, "index {} is out of bounds for dimension {} with size {}", i,
          dim, size);
  });
}

IndexColumn Indices::column(const Shape& shape, int64_t size, int64_t step) const {
  return {buffer_of(numbers_), broadcast_strides(layout_of(numbers_), shape), size, step};
}

namespace {

template <class T>
bool gather_few(const Tensor& x, const int64_t* index, int64_t n, bool counts_from_end, T* out) {
  const auto size = static_cast<uint64_t>(x.numel());
  const int64_t stride = layout_of(x).strides[0];
  const T* const data = static_cast<const T*>(x.data_ptr());
  for (int64_t i = 0; i < n; ++i) {
    auto at = static_cast<uint64_t>(index[i]);
    if (counts_from_end && index[i] < 0) at += size;
    if (at >= size) return false;
    out[i] = data[static_cast<int64_t>(at) * stride];
  }
  return true;
}

bool is_here(const Tensor& x) { return storage_of(x)->ready() && is_on_host(x); }

}  // namespace

Tensor take_few(const Tensor& x, const Tensor& index, bool counts_from_end) {
  const int64_t n = index.numel();
  if (x.dim() != 1 || n > Backend::kFew || index.dtype() != DType::int64 || !is_here(x) ||
      !is_here(index) || !index.is_contiguous()) {
    return Tensor();
  }
  const Tensor result = allocate(index.shape(), x.dtype(), backend_of(x));
  const auto run = [&](auto* out) {
    return gather_few(x, index.data<int64_t>(), n, counts_from_end, out);
  };
  void* const out = storage_of(result)->data();
  const bool is_done = x.itemsize() == 4   ? run(static_cast<uint32_t*>(out))
                       : x.itemsize() == 8 ? run(static_cast<uint64_t*>(out))
                       : x.itemsize() == 1 ? run(static_cast<uint8_t*>(out))
                       : x.itemsize() == 2 ? run(static_cast<uint16_t*>(out))
                                           : false;
  return is_done ? result : Tensor();
}

Tensor take_elements(const Tensor& x, const IndexedElements& indexed, int64_t first) {
  Backend& backend = backend_of(x);
  require(backend, Feature::index, x.dtype());
  const Tensor result = allocate(indexed.shape, x.dtype(), backend);
  if (result.numel() == 0) return result;
  Buffer from = buffer_of(x);
  from.offset += first;
  backend.take(indexed, from, x.itemsize(), buffer_of(result));
  return result;
}

void put_elements(const Tensor& target, const IndexedElements& indexed, const Tensor& value,
                  Combine combine) {
  if (numel(indexed.shape) == 0) return;
  Backend& backend = common_backend({target, value});
  require(backend, combine == Combine::assign ? Feature::index : Feature::accumulate,
          target.dtype());
  const Tensor source = to_backend(value.to(target.dtype()), backend);
  const Buffer from = buffer_of(source);
  backend.put(indexed, writable_buffer(target), from,
              broadcast_strides(layout_of(source), indexed.shape), target.dtype(), combine);
}

Tensor without_leading_ones(Tensor value) {
  while (value.dim() > 0 && value.size(0) == 1) value = value.select(0, 0);
  return value;
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  const size_t lead = to.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] != 1 && from[d] != to[lead + d]) return false;
  }
  return true;
}

void check_index_dtype(const Tensor& index) {
  const DType dtype = index.dtype();
  check(dtype != DType::uint8, ErrorKind::dtype,
        "x[mask]: expected BoolTensor for mask, but got Byte; write mask.to_bool() or mask != 0");
  const bool integer =
      dtype == DType::int64 || dtype == DType::int32 || (index.dim() == 0 && is_integral(dtype));
  check(dtype == DType::boolean || integer, ErrorKind::index,
        "tensors used as indices must be long, int, byte or bool tensors, but got {}; if it is a "
        "mask, write mask.to_bool() or mask != 0",
        scalar_type_name(dtype));
}

void check_mask_sizes(const Tensor& x, const Tensor& mask, int64_t first) {
  for (int64_t d = 0; d < mask.dim(); ++d) {
    check(mask.shape()[d] == x.shape()[first + d], ErrorKind::index,
          "The shape of the mask {} at index {} does not match the shape of the indexed tensor {} "
          "at index {}",
          mask.shape(), d, x.shape(), first + d);
  }
}

}  // namespace tamis
