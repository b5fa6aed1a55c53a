// Scatter: ops that put the elements of a source, in order, where a mask is true.
#include "autograd/node.h"
#include "core/check.h"
#include "core/convert.h"
#include "core/overlap.h"
#include "expr/expr.h"
#include "ops/mask/select.h"
#include "ops/mask_args.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

void check_scatter(const Tensor& x, const Tensor& mask, const Tensor& source) {
  check(x.dtype() == source.dtype(), ErrorKind::dtype,
        "masked_scatter: expected self and source to have same dtypes but got{} and {}",
        scalar_type_name(x.dtype()), scalar_type_name(source.dtype()));
  check_mask(mask, "masked_scatter_ only supports boolean masks, but got mask with dtype");
}

void check_enough(const Tensor& source, int64_t needed) {
  check(needed <= source.numel(), ErrorKind::value,
        "Number of elements of source < number of ones in mask ({} < {})", source.numel(), needed);
}

/// The gradients of a scatter: x's where the mask is false, and those of the elements that were
/// taken from source; the rest of it got none.
Vjp scatter_vjp(const Shape& source_shape) {
  return [source_shape](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
    const Tensor& mask = saved[0];
    const int64_t size = numel(source_shape);
    return {{masked_fill(g, mask, scalar_tensor(0, g.dtype())), ~mask},
            select_padded(g, mask, g.shape(), size, 0).first.reshape(source_shape)};
  };
}

}  // namespace

Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source) {
  check_scatter(x, mask, source);
  const Shape shape = broadcast_shapes(mask.shape(), x.shape());
  Tensor result = allocate(shape, x.dtype(), common_backend({x, mask, source}));
  check_enough(source, expand_over(result, x, mask, source.contiguous()));
  const Tensor inputs[] = {x, source};
  if (carries_gradient(x.dtype()) && is_tracked(inputs)) {
    record(result, "masked_scatter", Flow::moves, {x, source}, {mask}, scatter_vjp(source.shape()));
  }
  return result;
}

Tensor& masked_scatter_(Tensor& x, Tensor mask, const Tensor& source) {
  check_scatter(x, mask, source);
  check_broadcasts_to(x, mask.shape());
  check_no_internal_overlap(x);
  check_writable(x);
  const bool tracked = is_tracked(x) || is_tracked(source);
  const Tensor kept = tracked ? mask.settle() : Tensor();
  if (mask.shares_storage(x)) mask = mask.clone();
  const Tensor from = source.shares_storage(x) ? source.clone() : source.contiguous();
  check_enough(source, expand_into(x, std::move(mask), from));
  if (tracked) {
    record_write(x, "masked_scatter_", Flow::moves, {x, source}, {kept},
                 scatter_vjp(source.shape()));
  }
  return x;
}

std::vector<Row> scatter_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}));
  const Tensor mask = SAMPLE(tensor({{true, false, true}, {false, true, false}}));
  const Tensor source = SAMPLE(tensor({10.f, 20.f, 30.f, 40.f}));
  return {
      make_row("masked_scatter(Tensor input, Tensor|bool[] mask, Tensor source) -> Tensor",
               "input with the elements of source, in order, where mask is true.", masked_scatter,
               SAMPLES({x, mask, source}, {x, tensor({false, true, false}), source},
                       {tensor({1, 2, 3}), mask, tensor({{7, 8}, {9, 10}})}))
          .with_in_place(masked_scatter_),
  };
}

}  // namespace tamis
