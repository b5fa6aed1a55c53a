// Search: where values belong in sorted sequences.
#include <limits>

#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/order/order_args.h"
#include "ops/pointwise/pointwise.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

void check_shapes(const Tensor& sequence, const Tensor& values) {
  check(sequence.dim() > 0, ErrorKind::shape,
        "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 "
        "dimension");
  check(values.dim() > 0 || sequence.dim() == 1, ErrorKind::shape,
        "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension "
        "is 1, but we got boundaries tensor dim({}) and input value's dim({}) numel({})",
        sequence.dim(), values.dim(), values.numel());
  bool fits = sequence.dim() == values.dim();
  for (int64_t d = 0; fits && d + 1 < sequence.dim(); ++d) {
    fits = sequence.shape()[d] == values.shape()[d];
  }
  check(fits || sequence.dim() == 1, ErrorKind::shape,
        "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions "
        "of boundaries tensor and input value tensor must match, but we got boundaries tensor {} "
        "and input value tensor {}",
        sequence.shape(), values.shape());
}

void check_sorter(const Tensor& sequence, const Tensor& sorter) {
  check(sorter.shape() == sequence.shape(), ErrorKind::shape,
        "torch.searchsorted(): boundary and sorter must have the same size, but got boundary "
        "tensor {} and got sorter tensor {}",
        sequence.shape(), sorter.shape());
  check(sorter.dtype() == DType::int64, ErrorKind::dtype,
        "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype {}",
        scalar_type_name(sorter.dtype()));
  check(sorter.numel() == 0 || (sorter.min().item<int64_t>() >= 0 &&
                                sorter.max().item<int64_t>() < sorter.shape().back()),
        ErrorKind::index, "torch.searchsorted(): sorter index out of range");
}

bool is_right(bool right, const std::optional<std::string>& side) {
  if (!side) return right;
  check(*side == "left" || *side == "right", ErrorKind::value,
        "torch.searchsorted(): side can only be 'left' or 'right' but got {}", *side);
  check(!right || *side == "right", ErrorKind::value,
        "torch.searchsorted(): side and right can't be set to opposites, got side of {} while "
        "right was True",
        *side);
  return *side == "right";
}

}  // namespace

Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values, bool out_int32, bool right,
                    std::optional<std::string> side, std::optional<Tensor> sorter) {
  check_shapes(sorted_sequence, values);
  const bool behind = is_right(right, side);
  if (sorter) check_sorter(sorted_sequence, *sorter);
  check(!out_int32 || sorted_sequence.shape().back() < std::numeric_limits<int32_t>::max(),
        ErrorKind::value,
        "torch.searchsorted(): the size of boundaries' last dimension should be less than {}, but "
        "we got {}",
        std::numeric_limits<int32_t>::max(), sorted_sequence.shape().back());
  const DType dtype = result_type(sorted_sequence, values);
  check_ordered("searchsorted_out_cpu", dtype, false);

  Backend& backend = common_backend({sorted_sequence, values, sorter ? *sorter : values});
  require(backend, Feature::order, dtype);
  const Tensor out = allocate(values.shape(), DType::int64, backend);
  if (out.numel() > 0) {
    const Sliced sequence(sorted_sequence.to(dtype), sorted_sequence.dim() - 1);
    const Tensor wanted = to_backend(values.to(dtype).contiguous(), backend);
    const Tensor order = sorter ? sorter->contiguous() : Tensor();
    const int64_t per_slice = sorted_sequence.dim() == 1 ? values.numel() : values.shape().back();
    backend.order().search(sequence.slices(), sorter ? buffer_of(order) : Buffer(),
                           buffer_of(wanted), values.numel() / per_slice, per_slice, behind,
                           buffer_of(out));
  }
  return out_int32 ? out.to(DType::int32) : out;
}

Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool out_int32, bool right) {
  check(boundaries.dim() == 1, ErrorKind::shape,
        "boundaries tensor must be 1 dimension, but got dim({})", boundaries.dim());
  return searchsorted(boundaries, x, out_int32, right);
}

std::vector<Row> search_rows() {
  const Tensor sequence = SAMPLE(tensor({{1, 3, 5, 7}, {2, 4, 6, 8}}));
  const Tensor values = SAMPLE(tensor({{3, 6}, {9, 2}}));
  const Tensor boundaries = SAMPLE(tensor({1.f, 2.f, 4.f}));
  return {
      make_row("searchsorted(Tensor sorted_sequence, Tensor|Scalar input, *, bool out_int32=False, "
               "bool right=False, str? side=None, Tensor? sorter=None) -> Tensor",
               "Where each value belongs in its sorted sequence, before or after its equals.",
               searchsorted,
               SAMPLES({sequence, values, false, false, {}, {}},
                       {boundaries, values, true, false, std::string("right"), tensor({0, 1, 2})}))
          .with_out(),
      make_row("bucketize(Tensor|Scalar input, Tensor|Scalar[] boundaries, *, bool "
               "out_int32=False, bool right=False) -> Tensor",
               "The bucket between sorted boundaries that each element falls into.", bucketize,
               SAMPLES({values, boundaries, false, false}, {values, boundaries, true, true}))
          .function_only()
          .with_out(),
  };
}

}  // namespace tamis
