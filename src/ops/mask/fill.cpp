// Fill: ops that put given values where a mask is true, or everywhere.
#include "core/check.h"
#include "core/overlap.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/create.h"
#include "tamis/mask.h"
#include "tamis/pointwise.h"

namespace tamis {

namespace {

void check_fill_mask(const Tensor& mask) {
  check_mask(mask, "masked_fill_ only supports boolean masks, but got mask with dtype");
}

Tensor masked_fill_number(const Tensor& value, DType dtype) {
  return fill_number(value, dtype,
                     "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with",
                     "dimension(s).");
}

/// One element of each group that shares a memory location: filling it fills them all.
Tensor without_repeats(const Tensor& x) {
  Layout layout = layout_of(x);
  for (size_t d = 0; d < layout.sizes.size(); ++d) {
    if (layout.strides[d] == 0) layout.sizes[d] = std::min<int64_t>(layout.sizes[d], 1);
  }
  return make_view(x, std::move(layout));
}

bool is_same(const Tensor& a, const Tensor& b) {
  return a.shares_storage(b) && a.dtype() == b.dtype() && a.shape() == b.shape() &&
         a.strides() == b.strides() && a.storage_offset() == b.storage_offset();
}

/// x has been overwritten by value, of any number of elements, where mask is true.
void record_fill(const Tensor& x, const Tensor& mask, const Tensor& value) {
  record_write(x, "masked_fill_", Flow::pointwise, {x, value}, {mask},
               [](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
                 return {{g, ~saved[0]}, {g, saved[0]}};
               });
}

}  // namespace

Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value) {
  check_fill_mask(mask);
  Tensor number = masked_fill_number(value, x.dtype());
  if (is_tracked(value)) number = value.to(x.dtype());
  return defer_recorded(Op::where, x.dtype(), x.dtype(), {mask, number, x});
}

Tensor& masked_fill_(Tensor& x, Tensor mask, const Tensor& value) {
  check_fill_mask(mask);
  Tensor number = masked_fill_number(value, x.dtype());
  check_broadcasts_to(x, mask.shape());
  check_no_internal_overlap(x);
  check_no_partial_overlap(x, mask);
  check_writable(x);
  const bool tracked = is_tracked(x) || is_tracked(value);
  const Tensor kept = tracked ? mask.settle() : Tensor();
  store_where(x, std::move(mask), std::move(number));
  if (tracked) record_fill(x, kept, value);
  return x;
}

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  check_mask(condition,
             "where expected condition to be a boolean tensor, but got a tensor with dtype",
             "condition");
  const DType dtype = result_type(a, b);
  for (const Tensor* x : {&a, &b}) check_number_fits(*x, dtype);
  return defer_recorded(Op::where, dtype, dtype, {condition, a, b});
}

Tensor& Tensor::fill_(const Tensor& value) {
  Tensor number = fill_number(value, dtype(),
                              "fill_ only supports 0-dimension value tensor but got tensor with",
                              "dimensions.");
  check_writable(*this);
  store(without_repeats(*this), number);
  record_write(*this, is_tracked(value) ? value : number);
  return *this;
}

Tensor& Tensor::zero_() { return fill_(0); }

Tensor& Tensor::copy_(const Tensor& source) {
  check_broadcasts_to(*this, source.shape());
  check_no_internal_overlap(*this);
  check_no_partial_overlap(*this, source);
  check_writable(*this);
  if (is_same(*this, source)) return *this;
  const bool is_there = &backend_of(source) == &backend_of(*this);
  const Tensor from = is_there ? source : source.to(device());
  store(*this, from);
  record_write(*this, from);
  return *this;
}

std::vector<Row> fill_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}));
  const Tensor ints = SAMPLE(tensor({1, 2, 3}));
  const Tensor mask = SAMPLE(tensor({{true, false, true}, {false, true, false}}));
  const Tensor row = SAMPLE(tensor({true, false, true}));
  return {
      make_row("masked_fill(Tensor input, Tensor|bool[] mask, Tensor|Scalar value) -> Tensor",
               "input with value, a number or a 0-d tensor, where mask is true; both broadcast.",
               masked_fill,
               SAMPLES({x, mask, Tensor(0)}, {x, row, Tensor(-1.5)}, {ints, mask, Tensor(7.9)},
                       {row, row, Tensor(false)}, {x, mask, tensor(9.f)}))
          .is_pointwise()
          .with_in_place(masked_fill_),
      make_row(
          "where(Tensor condition, Tensor|Scalar input, Tensor|Scalar other) -> Tensor",
          "input where condition is true, other elsewhere; all three broadcast.",
          +[](const Tensor& condition, const Tensor& a, const Tensor& b) {
            return where(condition, a, b);
          },
          SAMPLES({mask, x, Tensor(0)}, {mask, x, ints}, {row, Tensor(1), Tensor(2.5)},
                  {mask, row, mask}))
          .is_pointwise()
          .with_out(),
      make_row("where(Tensor condition) -> Tensor[]",
               "The coordinates of the nonzero elements, one tensor per dimension.", nonzero_tuple,
               SAMPLES({mask}, {x})),
      make_row(
          "where(Tensor input, Tensor condition, Tensor|Scalar other) -> Tensor",
          "The elements where condition is true, those of other elsewhere.",
          +[](const Tensor& a, const Tensor& condition, const Tensor& b) {
            return where(condition, a, b);
          },
          SAMPLES({x, mask, Tensor(0)}, {x, row, ints}))
          .method_only(),
  };
}

}  // namespace tamis
