// Tensor as a handle: counting references, answering what it is, and the arithmetic of layouts.
#include "core/tensor_impl.h"

#include "core/check.h"

namespace tamis {

Tensor::Tensor(TensorImpl* impl) noexcept : impl_(impl) {
  if (impl_) impl_->retain();
}
Tensor::Tensor(const Tensor& o) noexcept : Tensor(o.impl_) {}
Tensor& Tensor::operator=(const Tensor& o) & noexcept {
  Tensor copy(o);
  std::swap(impl_, copy.impl_);
  return *this;
}
void Tensor::drop() const noexcept {
  if (impl_->release()) delete impl_;
}

void Tensor::refuse_undefined() {
  raise(ErrorKind::value, "expected a tensor, but got an undefined one");
}

DType Tensor::dtype() const { return impl().dtype; }
const Shape& Tensor::shape() const { return impl().layout.sizes; }
const Shape& Tensor::strides() const { return impl().layout.strides; }
int64_t Tensor::storage_offset() const { return impl().layout.offset; }
int64_t Tensor::dim() const { return static_cast<int64_t>(shape().size()); }
int64_t Tensor::numel() const { return impl().numel; }
int64_t Tensor::size(int64_t d) const {
  check(dim() > 0, ErrorKind::index, "Dimension specified as {} but tensor has no dimensions", d);
  return shape()[wrap_dim(d, dim())];
}
int64_t Tensor::stride(int64_t d) const {
  check(dim() > 0, ErrorKind::index, "Dimension specified as {} but tensor has no dimensions", d);
  return strides()[wrap_dim(d, dim())];
}
size_t Tensor::itemsize() const { return tamis::itemsize(dtype()); }
bool Tensor::is_contiguous() const { return tamis::is_contiguous(impl().layout); }
bool Tensor::shares_storage(const Tensor& other) const {
  return impl().storage == other.impl().storage;
}

void Tensor::check_dtype(DType expected) const {
  check(dtype() == expected, ErrorKind::dtype, "expected a tensor of dtype {}, but got {}",
        name(expected), name(dtype()));
}

Shape contiguous_strides(const Shape& sizes) {
  Shape strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * std::max<int64_t>(sizes[i], 1);
  }
  return strides;
}

bool is_contiguous(const Layout& layout) {
  const int64_t *const sizes = layout.sizes.data(), *const strides = layout.strides.data();
  int64_t expected = 1;
  bool packed = true;
  for (size_t i = layout.sizes.size(); i-- > 0;) {
    if (sizes[i] == 0) return true;
    if (sizes[i] == 1) continue;
    packed = packed && strides[i] == expected;
    expected *= sizes[i];
  }
  return packed;
}

Shape broadcast_strides(const Layout& x, const Shape& shape) {
  Shape strides(shape.size(), 0);
  const size_t lead = shape.size() - x.sizes.size();
  for (size_t i = 0; i < x.sizes.size(); ++i) {
    if (x.sizes[i] != 1) strides[lead + i] = x.strides[i];
  }
  return strides;
}

bool has_internal_overlap(const Layout& layout) {
  bool shared = false;
  for (size_t i = 0; i < layout.sizes.size(); ++i) {
    if (layout.sizes[i] == 0) return false;
    if (layout.sizes[i] > 1 && layout.strides[i] == 0) shared = true;
  }
  return shared;
}

Tensor make_tensor(Ref<Storage> storage, DType dtype, Layout layout) {
  return Tensor(new TensorImpl(std::move(storage), dtype, std::move(layout)));
}

Tensor make_tensor(Ref<Storage> storage, DType dtype, const Shape& shape) {
  return Tensor(new TensorImpl(std::move(storage), dtype, shape));
}

Tensor make_view(const Tensor& x, Layout layout) {
  return make_tensor(x.impl().storage, x.dtype(), std::move(layout));
}

}  // namespace tamis
