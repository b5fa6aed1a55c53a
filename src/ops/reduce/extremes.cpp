// Extremes: the largest and smallest elements and their indices.
#include "core/check.h"
#include "core/convert.h"
#include "ops/index/gradients.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/reduce/gradients.h"
#include "ops/reduce/reduce.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// The dtype that values of this dtype are compared in.
DType compared_in(DType dtype) {
  return dtype == DType::boolean ? DType::uint8 : compute_dtype(dtype);
}

void check_not_empty(const char* op, const Tensor& x, std::optional<int64_t> dim) {
  if (x.numel() != 0) return;
  check(dim.has_value(), ErrorKind::index,
        "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
        "reduction dim with the 'dim' argument.",
        op);
  const int64_t d = wrap_dim(*dim, x.dim());
  check(x.shape()[d] != 0, ErrorKind::index,
        "{}(): Expected reduction dim {} to have non-zero size.", op, d);
}

/// The gradient goes to the elements that were found; indices has size 1 along dims, which is one
/// or all.
void record_found(const Tensor& y, const Tensor& x, const Tensor& indices, const Shape& dims,
                  bool keepdim) {
  Shape shape(x.shape().size(), 1);
  int64_t n = 1;
  for (int64_t d : dims) n *= shape[d] = x.shape()[d];
  const Tensor hit = to_backend(arange(n), backend_of(indices)).view(shape) == indices;
  record(y, "max", Flow::mixes, {x}, {hit},
         [dims, keepdim](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
           const Tensor whole = with_dims(g, dims, keepdim);
           return {{where(saved[0], whole, scalar_tensor(0, g.dtype())), saved[0]}};
         });
}

}  // namespace

std::pair<Tensor, Tensor> find_extreme(bool largest, const char* op, const Tensor& x,
                                       const Tensor& mask, std::optional<int64_t> dim, bool keepdim,
                                       bool takes_bools) {
  const Shape dims = normalize_dims(dim ? Dims{*dim} : Dims{}, x.dim());
  check_not_empty(op, x, dim);
  const bool is_ordered = !is_complex(x.dtype()) && (takes_bools || x.dtype() != DType::boolean);
  check(is_ordered, ErrorKind::dtype, "\"{}_cpu\" not implemented for '{}'", op,
        scalar_type_name(x.dtype()));
  const Shape shape = reduced_shape(x, dims, keepdim);
  const auto [values, indices] = arg_extreme(largest, x, mask, dims, compared_in(x.dtype()));
  const Tensor result = values.view(shape).to(x.dtype());
  if (is_floating_point(x.dtype()) && is_tracked(x))
    record_found(result, x, indices, dims, keepdim);
  return {result, indices.view(shape)};
}

Tensor argmax(const Tensor& x, std::optional<int64_t> dim, bool keepdim) {
  return find_extreme(true, "argmax", x, Tensor(), dim, keepdim, false).second;
}

Tensor argmin(const Tensor& x, std::optional<int64_t> dim, bool keepdim) {
  return find_extreme(false, "argmin", x, Tensor(), dim, keepdim, false).second;
}

std::pair<Tensor, Tensor> max(const Tensor& x, int64_t dim, bool keepdim) {
  return find_extreme(true, "max", x, Tensor(), dim, keepdim, true);
}

std::pair<Tensor, Tensor> min(const Tensor& x, int64_t dim, bool keepdim) {
  return find_extreme(false, "min", x, Tensor(), dim, keepdim, true);
}

std::vector<Row> extreme_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, -2.f, 3.5f}, {4.f, 0.f, 6.f}}));
  const Tensor ints = SAMPLE(tensor({{5, 0, 5}, {0, 7, 7}}));
  const Value absent;
  const std::vector<Args> samples = SAMPLES({x, absent, false}, {x, int64_t{0}, true},
                                            {ints, int64_t{-1}, false}, {ints, absent, true});
  const std::string options = "int? dim=None, bool keepdim=False) -> ";
  return {
      make_row("argmax(Tensor input, " + options + "Tensor",
               "The index of the largest element along a dimension or of the whole tensor; the "
               "smallest index among equals; NaN wins.",
               argmax, samples)
          .with_out(),
      make_row("argmin(Tensor input, " + options + "Tensor",
               "The index of the smallest element along a dimension or of the whole tensor; the "
               "smallest index among equals; NaN wins.",
               argmin, samples)
          .with_out(),
  };
}

}  // namespace tamis
