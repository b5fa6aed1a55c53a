// Reduce: sums, products, extremes and truth over all or some dimensions.
#include "ops/reduce/reduce.h"

#include <cstring>

#include "autograd/node.h"
#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/exact.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/reduce/gradients.h"
#include "ops/row.h"
#include "tamis/create.h"
#include "tamis/pointwise.h"
#include "tamis/reduce.h"

namespace tamis {

Shape reduced_shape(const Tensor& x, const Shape& dims, bool keepdim) {
  Shape shape = x.shape();
  for (size_t i = dims.size(); i-- > 0;) {
    if (keepdim) {
      shape[dims[i]] = 1;
    } else {
      shape.erase(dims[i]);
    }
  }
  return shape;
}

Tensor reduce_along(Reduction reduction, const Tensor& x, const Shape& dims, bool keepdim,
                    DType result) {
  const Shape shape = reduced_shape(x, dims, keepdim);
  if (x.numel() == 0) {
    return full_on(backend_of(x), shape, reduction_of_nothing(reduction, result), result);
  }
  return make_view(reduce(reduction, x, dims, operand_dtype(reduction, result), result),
                   {shape, contiguous_strides(shape), 0});
}

namespace {

bool is_any_true(const uint8_t* mask, int64_t n) {
  uint64_t found = 0;
  for (; n >= 64 && found == 0; n -= 64, mask += 64) {
    for (int64_t i = 0; i < 64; i += 8) {
      uint64_t word;
      std::memcpy(&word, mask + i, 8);
      found |= word;
    }
  }
  for (int64_t i = 0; i < n && found == 0; ++i) found = mask[i];
  return found != 0;
}

/// any (all) of the rows of a mask in the CPU's memory. A row is read up to where it is decided.
Tensor truth_of_rows(bool all, const Tensor& mask, const Shape& shape) {
  const Tensor result = allocate_on_host(shape, DType::boolean);
  auto* const out = static_cast<uint8_t*>(storage_of(result)->data());
  const auto* const bytes = static_cast<const uint8_t*>(mask.data_ptr());
  const int64_t length = mask.shape().back();
  for (int64_t row = 0; row < result.numel(); ++row) {
    const uint8_t* const first = bytes + row * length;
    out[row] = all ? std::memchr(first, 0, static_cast<size_t>(length)) == nullptr
                   : is_any_true(first, length);
  }
  return result;
}

/// Whether any (all) elements along dims are true, as `result`, which is bool or uint8.
Tensor reduce_truth(bool all, const Tensor& mask, const Shape& dims, bool keepdim, DType result) {
  const Shape shape = reduced_shape(mask, dims, keepdim);
  if (mask.numel() == 0) return full_on(backend_of(mask), shape, all, result);
  if (static_cast<int64_t>(dims.size()) == mask.dim() && is_on_host(mask)) {
    return full_on(backend_of(mask), shape, all ? all_true(mask) : any_true(mask), result);
  }
  if (dims.size() == 1 && dims[0] == mask.dim() - 1 && storage_of(mask)->ready() &&
      is_on_host(mask) && mask.is_contiguous()) {
    return truth_of_rows(all, mask, shape).to(result);
  }
  const Reduction reduction = all ? Reduction::amin : Reduction::amax;
  return reduce_along(reduction, mask, dims, keepdim, DType::uint8).to(result);
}

DType truth_dtype(const Tensor& x) {
  return x.dtype() == DType::uint8 ? DType::uint8 : DType::boolean;
}

}  // namespace

Tensor accumulate(Reduction reduction, const Tensor& x, const Shape& dims, bool keepdim,
                  std::optional<DType> dtype) {
  const bool is_sum = reduction == Reduction::sum;
  const DType result = dtype.value_or(result_dtype(reduction, x.dtype()));
  if (result == DType::boolean) {
    return reduce_truth(!is_sum, x.to_bool(), dims, keepdim, DType::boolean);
  }
  // Elsewhere the number stays on the device.
  const bool whole = static_cast<int64_t>(dims.size()) == x.dim() && is_on_host(x);
  if (is_sum && whole && x.dtype() == DType::boolean && result == DType::int64) {
    return full_on(backend_of(x), reduced_shape(x, dims, keepdim), count_true(x), DType::int64);
  }
  // Bools are counted as they are.
  const bool counts = is_sum && x.dtype() == DType::boolean && result == DType::int64;
  const Tensor values = counts ? x : x.to(result);
  const Tensor y = reduce_along(reduction, values, dims, keepdim, result);
  if (carries_gradient(result) && is_tracked(x)) {
    is_sum ? record_sum(y, x, dims, keepdim) : record_prod(y, values, dims, keepdim);
  }
  return y;
}

namespace {

Tensor extreme(Reduction reduction, const char* op, const Tensor& x, const Dims& given,
               bool keepdim) {
  const Shape dims = normalize_dims(given, x.dim());
  if (x.numel() == 0) {
    check(!given.empty(), ErrorKind::value,
          "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
          "reduction dim with the 'dim' argument.",
          op);
    for (int64_t d : dims) {
      check(x.shape()[d] != 0, ErrorKind::index,
            "{}(): Expected reduction dim {} to have non-zero size.", op, d);
    }
  }
  if (x.dtype() == DType::boolean) {
    return reduce_truth(reduction == Reduction::amin, x, dims, keepdim, DType::boolean);
  }
  const Tensor y = reduce_along(reduction, x, dims, keepdim, x.dtype());
  if (is_tracked(x)) record_extreme(y, x, dims, keepdim);
  return y;
}

}  // namespace

Tensor sum(const Tensor& x, const Dims& dims, bool keepdim, std::optional<DType> dtype,
           bool exact) {
  const DType result = dtype.value_or(result_dtype(Reduction::sum, x.dtype()));
  const auto plain = [&] {
    return accumulate(Reduction::sum, x, normalize_dims(dims, x.dim()), keepdim, dtype);
  };
  // Integers are added exactly anyway.
  if (!exact || !is_floating_point(real_dtype(result))) return plain();
  return exact_sum(x.to(result), {}, dims, keepdim, is_tracked(x) ? plain() : Tensor());
}

Tensor prod(const Tensor& x, std::optional<int64_t> dim, bool keepdim, std::optional<DType> dtype) {
  const Dims dims = dim ? Dims{*dim} : Dims{};
  return accumulate(Reduction::prod, x, normalize_dims(dims, x.dim()), keepdim, dtype);
}

Tensor mean(const Tensor& x, const Dims& dims, bool keepdim, std::optional<DType> dtype,
            bool exact) {
  const DType result = dtype.value_or(x.dtype());
  check(is_floating_point(result) || is_complex(result), ErrorKind::dtype,
        "mean(): could not infer output dtype. {} dtype must be either a floating point or complex "
        "dtype. Got: {}",
        dtype ? "Optional" : "Input", scalar_type_name(result));
  const Shape over = normalize_dims(dims, x.dim());
  if (exact) {
    return exact_mean(x.to(result), {}, dims, keepdim, result,
                      is_tracked(x) ? mean(x, dims, keepdim, dtype) : Tensor());
  }
  const Tensor y = reduce_along(Reduction::mean, x.to(result), over, keepdim, result);
  if (is_tracked(x)) record_mean(y, x, over, keepdim);
  return y;
}

Tensor amax(const Tensor& x, const Dims& dims, bool keepdim) {
  return extreme(Reduction::amax, "amax", x, dims, keepdim);
}

Tensor amin(const Tensor& x, const Dims& dims, bool keepdim) {
  return extreme(Reduction::amin, "amin", x, dims, keepdim);
}

Tensor max(const Tensor& x) {
  check_implemented(!is_complex(x.dtype()), "max_all", x.dtype());
  return extreme(Reduction::amax, "max", x, {}, false);
}

Tensor min(const Tensor& x) {
  check_implemented(!is_complex(x.dtype()), "min_all", x.dtype());
  return extreme(Reduction::amin, "min", x, {}, false);
}

Tensor any(const Tensor& x, const Dims& dims, bool keepdim) {
  return reduce_truth(false, x.to_bool(), normalize_dims(dims, x.dim()), keepdim, truth_dtype(x));
}

Tensor all(const Tensor& x, const Dims& dims, bool keepdim) {
  return reduce_truth(true, x.to_bool(), normalize_dims(dims, x.dim()), keepdim, truth_dtype(x));
}

std::vector<Row> reduce_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, -2.f, 3.5f}, {4.f, 0.f, 6.f}}));
  const Tensor cube = SAMPLE(arange(24).view({2, 3, 4}));
  const Tensor mask = SAMPLE(tensor({{true, false, true}, {true, true, true}}));
  const Shape none;
  const Value no_dtype;
  const std::vector<Args> with_dims =
      SAMPLES({x, none, false, no_dtype, false}, {x, Shape{0}, true, no_dtype, false},
              {x, Shape{-1}, false, DType::float64, false}, {x, Shape{0, 1}, true, no_dtype, false},
              {x, Shape{1}, false, no_dtype, true});
  std::vector<Args> sums = with_dims;
  sums.push_back({cube, Shape{0, 2}, false, no_dtype, false});
  sums.push_back({mask, Shape{1}, false, no_dtype, true});
  const std::vector<Args> extremes = SAMPLES({x, none, false}, {x, Shape{1}, true},
                                             {cube, Shape{0, -1}, false}, {mask, Shape{0}, false});
  const std::vector<Args> whole = SAMPLES({x}, {cube}, {mask});
  const std::vector<Args> along = SAMPLES({x, int64_t{1}, false}, {cube, int64_t{0}, true});
  return {
      make_row(
          "sum(Tensor input, int[] dim=[], bool keepdim=False, *, dtype? dtype=None, bool "
          "exact=False) -> Tensor",
          "The sum over all dimensions or the given ones; integers and bools give int64, uint64 "
          "itself. With exact, that of exact arithmetic, rounded once.",
          sum, sums)
          .with_out(),
      make_row(
          "mean(Tensor input, int[] dim=[], bool keepdim=False, *, dtype? dtype=None, bool "
          "exact=False) -> Tensor",
          "The mean over all dimensions or the given ones. With exact, that of exact arithmetic, "
          "rounded once.",
          mean, with_dims)
          .with_out(),
      make_row(
          "prod(Tensor input, int? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
          "The product over all dimensions or the given one; integers and bools give int64, uint64 "
          "itself.",
          prod,
          SAMPLES({x, Value(), false, no_dtype}, {x, int64_t{0}, true, no_dtype},
                  {mask, int64_t{-1}, false, no_dtype}))
          .with_out(),
      make_row("amax(Tensor input, int[] dim=[], bool keepdim=False) -> Tensor",
               "The largest element over all dimensions or the given ones; NaN wins.", amax,
               extremes)
          .with_out(),
      make_row("amin(Tensor input, int[] dim=[], bool keepdim=False) -> Tensor",
               "The smallest element over all dimensions or the given ones; NaN wins.", amin,
               extremes)
          .with_out(),
      make_row("max(Tensor input) -> Tensor", "The largest element; NaN wins.",
               static_cast<Tensor (*)(const Tensor&)>(max), whole)
          .with_out(),
      make_row("max(Tensor input, Tensor other) -> Tensor",
               "The larger of two elements; NaN if either is.", maximum,
               SAMPLES({x, mask}, {cube, tensor(7)}))
          .with_out(),
      make_row("max(Tensor input, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
               "The largest elements along a dimension and their indices; NaN wins.",
               static_cast<std::pair<Tensor, Tensor> (*)(const Tensor&, int64_t, bool)>(max), along)
          .with_out(),
      make_row("min(Tensor input) -> Tensor", "The smallest element; NaN wins.",
               static_cast<Tensor (*)(const Tensor&)>(min), whole)
          .with_out(),
      make_row("min(Tensor input, Tensor other) -> Tensor",
               "The smaller of two elements; NaN if either is.", minimum,
               SAMPLES({x, mask}, {cube, tensor(7)}))
          .with_out(),
      make_row("min(Tensor input, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
               "The smallest elements along a dimension and their indices; NaN wins.",
               static_cast<std::pair<Tensor, Tensor> (*)(const Tensor&, int64_t, bool)>(min), along)
          .with_out(),
      make_row("any(Tensor input, int[] dim=[], bool keepdim=False) -> Tensor",
               "Whether any element is nonzero, over all dimensions or the given ones.", any,
               extremes)
          .with_out(),
      make_row("all(Tensor input, int[] dim=[], bool keepdim=False) -> Tensor",
               "Whether all elements are nonzero, over all dimensions or the given ones.", all,
               extremes)
          .with_out(),
  };
}

}  // namespace tamis
