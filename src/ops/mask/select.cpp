// Select: ops whose result holds, counts or locates the elements that a mask keeps.
#include "ops/mask/select.h"
#include "core/check.h"
#include "core/convert.h"
#include "core/overlap.h"
#include "ops/mask/isin.h"
#include "ops/mask_args.h"
#include "ops/pointwise/by_value.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// The dtype that isin looks elements of this dtype up in: it holds all their values.
DType isin_operand(DType dtype) {
  return dtype == DType::boolean ? DType::uint8 : compute_dtype(dtype);
}

}  // namespace

Tensor spread_by_mask(const Tensor& source, const Tensor& mask, const Shape& shape) {
  Tensor result = allocate(shape, source.dtype(), common_backend({source, mask}));
  expand_padded(result, scalar_tensor(0, source.dtype()), mask, source.contiguous());
  if (is_tracked(source)) {
    record(
        result, "spread_by_mask", Flow::moves, {source}, {mask},
        [shape, n = source.numel()](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
          return {select_padded(g, saved[0], shape, n, 0).first};
        });
  }
  return result;
}

std::pair<Tensor, Tensor> select_padded(const Tensor& x, const Tensor& mask, const Shape& shape,
                                        int64_t size, Scalar fill) {
  check_fits(fill, x.dtype());
  Tensor values = allocate({size}, x.dtype(), common_backend({x, mask}));
  const Tensor count = compress_padded(values, x, mask, shape, fill);
  if (is_tracked(x)) {
    record(values, "masked_select_padded", Flow::picks, {x}, {mask},
           [shape](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
             return {spread_by_mask(g, saved[0], shape)};
           });
  }
  return {std::move(values), count};
}

void record_selection(const Tensor& result, const char* op, const Tensor& x, const Tensor& mask,
                      const Shape& shape) {
  record(result, op, Flow::moves, {x}, {mask},
         [shape](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
           return {{spread_by_mask(g, saved[0], shape), saved[0]}};
         });
}

Tensor masked_select(const Tensor& x, const Tensor& mask) {
  check_mask(mask, "masked_select: expected BoolTensor for mask, but got");
  const auto select = [&](const Shape& shape) {
    Tensor result = compress(x, mask, shape);
    if (is_tracked(x)) record_selection(result, "masked_select", x, mask, shape);
    return result;
  };
  // Copying a shape costs as much as some small selections.
  if (mask.shape() == x.shape()) return select(x.shape());
  return select(broadcast_shapes(mask.shape(), x.shape()));
}

namespace {

/// masked_select into out itself, if that costs less than copying the result; if not, or if the
/// result does not fit, returns false and does nothing. Counting comes first, because nothing may
/// be written to an out that does not fit. It reads the mask once more: that pays if the mask is in
/// memory, with no more bytes than the copy would have.
bool select_straight_into(const Tensor& out, const Tensor& x, const Tensor& mask) {
  constexpr int64_t kWorthCounting = 4096;  // below, compiling a second program costs more
  if (out.dim() != 1 || out.numel() < kWorthCounting || !out.is_contiguous()) return false;
  if (mask.dtype() != DType::boolean || !storage_of(mask)->ready()) return false;
  if (&backend_of(out) != &common_backend({x, mask})) return false;
  const Shape shape = broadcast_shapes(mask.shape(), x.shape());
  const int64_t n = numel(shape);
  const bool pays = n <= out.numel() * static_cast<int64_t>(out.itemsize());
  if (!pays || n < out.numel()) return false;
  if (count_true(mask) * (n / mask.numel()) != out.numel()) return false;
  prepare_write(out);
  compress_into(out, x, mask, shape);
  return true;
}

}  // namespace

Tensor& masked_select_out(Tensor& out, const Tensor& x, const Tensor& mask) {
  check(out.dtype() == x.dtype(), ErrorKind::dtype,
        "masked_select(): self and result must have the same scalar type, but got {} and {}",
        scalar_type_name(x.dtype()), scalar_type_name(out.dtype()));
  check_no_internal_overlap(out);
  check_no_overlap(out, x);
  check_no_overlap(out, mask);
  if (select_straight_into(out, x, mask)) return out;
  Tensor result = masked_select(x, mask);
  if (out.shape() == result.shape()) {
    store(out, std::move(result));
  } else {
    rebind(out, result);
  }
  return out;
}

Tensor nonzero(const Tensor& x) { return coordinates(x.to_bool()); }

std::vector<Tensor> nonzero_tuple(const Tensor& x) {
  const Tensor rows = nonzero(x.dim() == 0 ? x.unsqueeze(0) : x);
  std::vector<Tensor> columns;
  for (int64_t d = 0; d < rows.size(1); ++d) columns.push_back(rows.select(1, d));
  return columns;
}

Tensor argwhere(const Tensor& x) { return nonzero(x); }

std::vector<Tensor> where(const Tensor& condition) { return nonzero_tuple(condition); }

int64_t count(const Tensor& mask) {
  check_mask(mask, "count: expected BoolTensor for mask, but got");
  return count_true(mask);
}

Tensor count_nonzero(const Tensor& x, const Dims& dims) { return sum(x.to_bool(), dims); }

IsinLookup::IsinLookup(const Tensor& test_elements, DType dtype, bool invert, Backend& backend)
    : operand_(isin_operand(dtype)), invert_(invert) {
  for (DType used : {dtype, test_elements.dtype()}) {
    check(!is_complex(used), ErrorKind::dtype, "Unsupported input type encountered for isin(): {}",
          scalar_type_name(used));
  }
  const Tensor meant = is_number(test_elements)
                           ? Tensor(rounded_for(test_elements.item(), dtype))
                           : test_elements.to(isin_operand(test_elements.dtype()));
  const Tensor test = to_host(meant.contiguous());
  set_ = backend.make_isin_set(test.data_ptr(), test.dtype(), test.numel(), operand_);
}

IsinLookup::IsinLookup(const Tensor& test_elements, DType dtype, bool invert)
    : IsinLookup(test_elements, dtype, invert, backend_of(test_elements)) {}

Tensor IsinLookup::operator()(const Tensor& x) const {
  const TensorRef input[] = {x};
  const Tensor found = defer(Op::isin, operand_, DType::boolean, input, set_);
  return invert_ ? logical_not(found) : found;
}

Tensor isin(const Tensor& x, const Tensor& test_elements, bool invert) {
  if (is_number(x) && !is_number(test_elements)) {
    const Tensor meant(rounded_for(x.item(), test_elements.dtype()));
    return IsinLookup(to_host(test_elements), meant.dtype(), invert)(meant);
  }
  return IsinLookup(test_elements, x.dtype(), invert, common_backend({x, test_elements}))(x);
}

std::vector<Row> select_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}));
  const Tensor ints = SAMPLE(tensor({{5, 0, -1}, {0, 7, 7}}));
  const Tensor mask = SAMPLE(tensor({{true, false, true}, {false, true, false}}));
  const Tensor row = SAMPLE(tensor({true, false, true}));
  const Tensor column = SAMPLE(tensor({{false}, {true}}));
  const Shape none;
  return {
      make_row(
          "masked_select(Tensor input, Tensor|bool[] mask) -> Tensor",
          "The elements of input where mask is true, 1-d, in row-major order; both broadcast.",
          masked_select,
          SAMPLES({x, mask}, {x, row}, {x, column}, {tensor({1, 2, 3}), mask}, {x, Tensor(true)}))
          .with_out(masked_select_out),
      make_row(
          "nonzero(Tensor input, *, False as_tuple=False) -> Tensor",
          "The coordinates of the nonzero elements, one row each.",
          +[](const Tensor& input, bool) { return nonzero(input); },
          SAMPLES({x, false}, {ints, false}, {mask, false}, {tensor(0), false}))
          .with_out(),
      make_row(
          "nonzero(Tensor input, *, True as_tuple) -> Tensor[]",
          "The coordinates of the nonzero elements, one tensor per dimension.",
          +[](const Tensor& input, bool) { return nonzero_tuple(input); },
          SAMPLES({x, true}, {ints, true}, {tensor(3), true})),
      make_row("nonzero_tuple(Tensor input) -> Tensor[]",
               "The coordinates of the nonzero elements, one tensor per dimension.", nonzero_tuple,
               SAMPLES({x}, {ints}, {mask}, {tensor(3)}))
          .function_only(),
      make_row("argwhere(Tensor input) -> Tensor",
               "The coordinates of the nonzero elements, one row each.", argwhere, SAMPLES({ints})),
      make_row("count_nonzero(Tensor input, int[] dim=[]) -> Tensor",
               "The number of nonzero elements, over all dimensions or the given ones.",
               count_nonzero,
               SAMPLES({ints, none}, {ints, Shape{0}}, {mask, Shape{-1}}, {x, Shape{0, 1}})),
      make_row("count(Tensor mask) -> int", "The number of true elements of a mask.", count,
               SAMPLES({mask}, {row})),
      make_row("isin(Tensor input, Tensor|Scalar|Scalar[] test_elements, *, bool invert=False) -> "
               "Tensor",
               "True where an element of input equals some test element, compared exactly.", isin,
               SAMPLES({ints, tensor({7, 0}), false}, {ints, tensor({7, 0}), true},
                       {x, tensor({2.f, 9.f}), false}, {mask, tensor({true}), false}))
          .method_only()
          .is_pointwise()
          .with_prepared([](std::span<const Value> args, DType dtype) {
            return IsinLookup(std::get<Tensor>(args[1]), dtype, std::get<bool>(args[2]));
          }),
      make_row(
          "isin(Tensor|Scalar elements, Tensor|Scalar|Scalar[] test_elements, *, bool "
          "assume_unique=False, bool invert=False) -> Tensor",
          "True where an element equals some test element, compared exactly.",
          +[](const Tensor& elements, const Tensor& test_elements, bool /*assume_unique*/,
              bool invert) { return isin(elements, test_elements, invert); },
          SAMPLES({ints, tensor({7, 0}), false, false}, {x, Tensor(2), true, true}))
          .with_out(),
  };
}

}  // namespace tamis
