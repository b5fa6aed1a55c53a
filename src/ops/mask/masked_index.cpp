// Index: x[mask] and x[indices] as a value and as a target.
#include "core/check.h"
#include "core/convert.h"
#include "core/overlap.h"
#include "expr/expr.h"
#include "ops/index/indexed.h"
#include "ops/mask/select.h"
#include "ops/pointwise/pointwise.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// The sizes of x that the mask does not consume.
Shape rest_of(const Tensor& x, const Tensor& mask) {
  Shape rest;
  for (int64_t d = mask.dim(); d < x.dim(); ++d) rest.push_back(x.shape()[d]);
  return rest;
}

Shape with_front(int64_t first, const Shape& rest) {
  Shape shape = rest;
  shape.insert(0, first);
  return shape;
}

/// mask with dimensions of size 1 at the end, so that it broadcasts over whole rows of x.
Tensor over_rows(const Tensor& x, Tensor mask) {
  while (mask.dim() < x.dim()) mask = mask.unsqueeze(-1);
  return mask;
}

void check_can_cast(const Tensor& value, const Tensor& x) {
  check(can_cast(value.dtype(), x.dtype()), ErrorKind::dtype,
        "result type {} can't be cast to the desired output type {}",
        scalar_type_name(value.dtype()), scalar_type_name(x.dtype()));
}

/// value where the mask is true, one value (of the shape of rows, or broadcast to it) for all.
void put_same(const Tensor& x, Tensor mask, Tensor value) {
  if (mask.dim() > 0) {
    store_where(x, over_rows(x, std::move(mask)), std::move(value));
  } else if (mask.item().to_bool()) {
    store(x, std::move(value));
  }
}

/// x[mask] = v. A mask that no one else holds is moved in, and runs fused into the write.
void write_masked(const Tensor& x, Tensor mask, const Tensor& v) {
  check_number_fits(v, x.dtype());
  check_no_internal_overlap(x);
  if (v.numel() == 1) {
    check_no_partial_overlap(x, mask);
    // A copy, since v may be an element of x. On a device it stays there: nobody waits for it.
    const bool is_far = !is_on_host(v) && mask.dim() > 0;
    return put_same(x, std::move(mask),
                    v.impl().is_number ? v
                    : is_far           ? v.reshape({}).clone()
                                       : Tensor(v.item()));
  }
  const Tensor value = without_leading_ones(v);
  const Shape rest = rest_of(x, mask);
  check_no_overlap(x, mask);
  check_no_overlap(x, value);
  if (broadcasts_to(value.shape(), rest)) return put_same(x, std::move(mask), value);

  const Shape selection = with_front(count_true(mask), rest);
  check(broadcasts_to(value.shape(), selection), ErrorKind::shape,
        "shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape "
        "{}",
        v.shape(), selection);
  if (numel(selection) == 0) return;
  expand_into(x, over_rows(x, std::move(mask)), value.to(x.dtype()).expand(selection).contiguous());
}

}  // namespace

void put_masked(const Tensor& x, Tensor mask, const Tensor& v) {
  check_writable(x);
  if (!is_tracked(x) && !is_tracked(v)) return write_masked(x, std::move(mask), v);
  write_masked(x, mask, v);
  record_write(x, "x[mask] = v", Flow::moves, {x, v}, {over_rows(x, mask), mask},
               [shape = v.shape()](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
                 Tensor taken = Masked(g, saved[1]).get();
                 while (taken.dim() < static_cast<int64_t>(shape.size()))
                   taken = taken.unsqueeze(0);
                 return {{masked_fill(g, saved[0], scalar_tensor(0, g.dtype())), ~saved[0]}, taken};
               });
}

namespace {

bool is_mask(const Tensor& index) { return index.dtype() == DType::boolean; }

void put_values(const Tensor& x, Tensor mask, const Tensor& value) {
  if (is_mask(mask)) return put_masked(x, std::move(mask), value);
  Tensor target = x;
  index_put_(target, {mask}, value);
}

/// x[mask] for a mask of lower rank: whole rows.
Tensor take_rows(const Tensor& x, const Tensor& row_mask) {
  const Shape rest = rest_of(x, row_mask);
  const int64_t row = numel(rest);
  if (row == 0) {
    return allocate(with_front(count_true(row_mask), rest), x.dtype(), backend_of(x));
  }
  const Tensor mask = over_rows(x, row_mask);
  const Tensor elements = compress(x, mask, x.shape());
  const Tensor result = elements.view(with_front(elements.numel() / row, rest));
  if (is_tracked(x)) record_selection(result, "x[mask]", x, mask, x.shape());
  return result;
}

/// x[mask] = op(x[mask], v), in one pass if v is the same for every row.
void update(const Tensor& x, Tensor mask, const Tensor& v,
            Tensor (*op)(const Tensor&, const Tensor&)) {
  check_no_internal_overlap(x);
  check_no_partial_overlap(x, mask);
  check_writable(x);
  const bool tracked = is_tracked(x) || is_tracked(v);
  if (!tracked && is_mask(mask) && mask.dim() > 0 && broadcasts_to(v.shape(), rest_of(x, mask))) {
    Tensor value = op(x, v.shares_storage(x) ? v.clone() : v);
    check_can_cast(value, x);
    store_where(x, over_rows(x, std::move(mask)), std::move(value));
    return;
  }
  const Tensor selected = Masked(x, mask).get();
  const Tensor value = op(selected, v);
  check(value.shape() == selected.shape(), ErrorKind::shape,
        "output with shape {} doesn't match the broadcast shape {}", selected.shape(),
        value.shape());
  check_can_cast(value, x);
  put_values(x, std::move(mask), value);
}

}  // namespace

void check_single_index(const Tensor& x, const Tensor& index) {
  check_index_dtype(index);
  check((is_mask(index) ? index.dim() : 1) <= x.dim(), ErrorKind::index,
        "too many indices for tensor of dimension {}", x.dim());
  if (is_mask(index)) check_mask_sizes(x, index, 0);
}

Tensor take_masked(const Tensor& x, const Tensor& mask) {
  if (mask.dim() < x.dim()) return take_rows(x, mask);
  Tensor result = compress(x, mask, x.shape());
  if (is_tracked(x)) record_selection(result, "x[mask]", x, mask, x.shape());
  return result;
}

Masked::Masked(Tensor x, Tensor mask) : x_(std::move(x)), mask_(std::move(mask)) {
  check_single_index(x_, mask_);
}

Tensor Masked::get() const { return is_mask(mask_) ? take_masked(x_, mask_) : index(x_, {mask_}); }

void Masked::put(const Tensor& value) const { put_values(x_, mask_, value); }

void Masked::operator=(const Tensor& value) && { put_values(x_, std::move(mask_), value); }
void Masked::operator+=(const Tensor& value) && { update(x_, std::move(mask_), value, add); }
void Masked::operator-=(const Tensor& value) && { update(x_, std::move(mask_), value, sub); }
void Masked::operator*=(const Tensor& value) && { update(x_, std::move(mask_), value, mul); }
void Masked::operator/=(const Tensor& value) && { update(x_, std::move(mask_), value, div); }

}  // namespace tamis
