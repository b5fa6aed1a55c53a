// Parts: where their elements are, and those that are reduced together.
#include "ops/partial/part.h"

#include "expr/expr.h"
#include "ops/mask_args.h"
#include "tamis/complex.h"
#include "tamis/mask.h"
#include "tamis/view.h"

namespace tamis::partial {

void check_host(const char* state, const Tensor& x) {
  check(is_on_host(x), ErrorKind::device,
        "{}: states are made from tensors on the CPU; not supported on device {}", state,
        x.device().str());
}

void check_real(const char* state, const Tensor& x) {
  check(!is_complex(x.dtype()), ErrorKind::dtype, "{}: complex numbers have no order, but got {}",
        state, name(x.dtype()));
}

Tensor mask_for(const char* state, const Tensor& x, const Tensor& mask) {
  if (!mask.defined()) return mask;
  check_host(state, mask);
  check_mask(mask, "partial: expected BoolTensor for mask, but got");
  return mask.shape() == x.shape() ? mask : mask.broadcast_to(x.shape());
}

Rows rows_of(const char* state, const Tensor& given, const Tensor& given_mask, const Part& part) {
  check_host(state, given);
  Tensor x = given.detach(), mask = mask_for(state, x, given_mask);
  const Shape dims = normalize_dims(part.dims, x.dim());
  Rows rows;
  Shape order;
  rows.rows = rows.columns = 1;
  size_t next = 0;
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (next < dims.size() && dims[next] == d) {
      ++next;
      rows.columns *= x.shape()[d];
      if (part.keepdim) rows.result.push_back(1);
    } else {
      rows.rows *= x.shape()[d];
      rows.result.push_back(x.shape()[d]);
      order.push_back(d);
    }
  }
  if (is_complex(x)) {
    rows.parts = 2;
    rows.rows *= 2;
    order.push_back(x.dim());
    x = view_as_real(x);
    if (mask.defined()) mask = mask.unsqueeze(-1).expand(x.shape());
  }
  for (int64_t d : dims) order.push_back(d);
  const auto as_rows = [&](const Tensor& t) {
    return t.permute(order).reshape({rows.rows, rows.columns}).contiguous().settle();
  };
  if (rows.rows == 1 && mask.defined()) {
    // The kernels that select are faster than looking at each byte of a mask.
    const Tensor kept = masked_select(x, mask).settle();
    rows.columns = kept.numel();
    rows.elements = kept.view({1, rows.columns});
    return rows;
  }
  rows.elements = as_rows(x);
  if (mask.defined()) rows.mask = as_rows(mask);
  return rows;
}

Place::Place(const char* state, const Shape& own, const Part& part) : own_(own) {
  const bool given = !part.shape.empty();
  check(given || part.offset.empty(), ErrorKind::value,
        "{}: an offset needs the shape of the whole", state);
  whole_ = given ? part.shape : own;
  offset_ = part.offset.empty() ? Shape(own.size(), 0) : part.offset;
  check(whole_.size() == own.size() && offset_.size() == own.size(), ErrorKind::shape,
        "{}: shape and offset must have as many dimensions as the part, {}, but got {} and {}",
        state, own.size(), whole_.size(), offset_.size());
  int64_t count = 1;
  for (size_t d = 0; d < own.size(); ++d) {
    check(offset_[d] >= 0 && own[d] <= whole_[d] && offset_[d] <= whole_[d] - own[d],
          ErrorKind::shape, "{}: a part of shape {} at {} is not within {}", state, own, offset_,
          whole_);
    check(!__builtin_mul_overflow(count, std::max<int64_t>(whole_[d], 1), &count), ErrorKind::shape,
          "{}: an array of shape {} has more elements than 64 bits can count", state, whole_);
  }
  is_whole_ = own_ == whole_;
}

int64_t Place::position_in(int64_t element) const {
  int64_t position = 0, scale = 1;
  for (size_t d = own_.size(); d-- > 0;) {
    position += (element % own_[d] + offset_[d]) * scale;
    element /= own_[d];
    scale *= whole_[d];
  }
  return position;
}

Place Place::along(const Shape& dims) const {
  Place part;
  for (int64_t d : dims) {
    part.own_.push_back(own_[d]);
    part.whole_.push_back(whole_[d]);
    part.offset_.push_back(offset_[d]);
  }
  part.is_whole_ = part.own_ == part.whole_;
  return part;
}

Tensor integers(const std::vector<int64_t>& values, const Shape& shape) {
  const Tensor t = allocate_on_host(shape, DType::int64);
  std::copy(values.begin(), values.end(), static_cast<int64_t*>(t.mutable_data_ptr()));
  return t;
}

}  // namespace tamis::partial
