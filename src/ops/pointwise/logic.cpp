// Logic: operations on bits and on truth values.
#include <algorithm>

#include "core/interval.h"
#include "core/tensor_impl.h"
#include "ops/pointwise/interval_rows.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/create.h"
#include "tamis/pointwise.h"

namespace tamis {
namespace {

/// The intersection of two structured masks, which is one itself; undefined if either is not.
Tensor intersection(const Tensor& a, const Tensor& b) {
  Ref<const Intervals> of_a = structure_of(a), of_b = of_a ? structure_of(b) : nullptr;
  if (!of_b) return Tensor();
  const Shape shape = broadcast_shapes(a.shape(), b.shape());
  const int64_t bytes = numel(shape);
  if (shape.empty() || shape.back() < 16) return Tensor();  // the ends take 16 bytes per row
  const IntervalRows x(std::move(of_a), layout_of(a), shape);
  const IntervalRows y(std::move(of_b), layout_of(b), shape);
  if (!x.intervals || !y.intervals) return Tensor();
  std::vector<int64_t> lo, hi;
  Shape index(shape.size() - 1, 0);
  for (int64_t r = 0; r < bytes / shape.back(); ++r) {
    const auto [x_lo, x_hi] = x.row(index);
    const auto [y_lo, y_hi] = y.row(index);
    lo.push_back(std::max(x_lo, y_lo));
    hi.push_back(std::max(lo.back(), std::min(x_hi, y_hi)));
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  Ref<const Recipe> both(new Intervals(shape.back(), std::move(lo), std::move(hi)));
  return make_tensor(Ref<Storage>(new Storage(common_backend({a, b}), bytes, std::move(both))),
                     DType::boolean, shape);
}

/// `and` of two tensors as truth values.
Tensor mask_and(const Tensor& a, const Tensor& b) {
  const Tensor structured = intersection(a, b);
  return structured.defined()
             ? structured
             : defer_recorded(Op::mask_and, DType::boolean, DType::boolean, {a, b});
}

/// op on truth values for bools, bits on integers.
Tensor bitwise(Op mask_op, Op bit_op, const char* kernel, const Tensor& a, const Tensor& b) {
  const DType dtype = result_type(a, b);
  check_implemented(!is_floating_point(dtype) && !is_complex(dtype), kernel, dtype);
  return defer_recorded(dtype == DType::boolean ? mask_op : bit_op, dtype, dtype, {a, b});
}

Tensor logical(Op mask_op, const Tensor& a, const Tensor& b) {
  return defer_recorded(mask_op, DType::boolean, DType::boolean, {a, b});
}

}  // namespace

Tensor bitwise_not(const Tensor& x) {
  const DType dtype = result_type(x);
  check_implemented(!is_floating_point(dtype) && !is_complex(dtype), "bitwise_not_cpu", dtype);
  return defer_recorded(dtype == DType::boolean ? Op::mask_not : Op::bit_not, dtype, dtype, {x});
}

Tensor bitwise_and(const Tensor& a, const Tensor& b) {
  if (result_type(a, b) == DType::boolean) return mask_and(a, b);
  return bitwise(Op::mask_and, Op::bit_and, "bitwise_and_cpu", a, b);
}

Tensor bitwise_or(const Tensor& a, const Tensor& b) {
  return bitwise(Op::mask_or, Op::bit_or, "bitwise_or_cpu", a, b);
}

Tensor bitwise_xor(const Tensor& a, const Tensor& b) {
  return bitwise(Op::mask_xor, Op::bit_xor, "bitwise_xor_cpu", a, b);
}

Tensor logical_not(const Tensor& x) {
  return defer_recorded(Op::mask_not, DType::boolean, DType::boolean, {x});
}

Tensor logical_and(const Tensor& a, const Tensor& b) { return mask_and(a, b); }

Tensor logical_or(const Tensor& a, const Tensor& b) { return logical(Op::mask_or, a, b); }

Tensor logical_xor(const Tensor& a, const Tensor& b) { return logical(Op::mask_xor, a, b); }

std::vector<Row> logic_rows() {
  const Tensor bools = SAMPLE(tensor({{true, false, true}, {false, false, true}}));
  const Tensor row = SAMPLE(tensor({true, true, false}));
  const Tensor ints = SAMPLE(tensor({{6, -1, 0}, {12, 3, 255}}));
  const Tensor floats = SAMPLE(tensor({0.0f, -0.5f, 3.0f}));
  const std::vector<Args> one_bits = SAMPLES({bools}, {ints}, {tensor(true)});
  const std::vector<Args> two_bits =
      SAMPLES({bools, row}, {ints, bools}, {ints, tensor({5, 3, 1})}, {ints, Tensor(3)});
  const std::vector<Args> one = SAMPLES({bools}, {ints}, {floats});
  const std::vector<Args> two = SAMPLES({bools, row}, {ints, floats}, {bools, Tensor(true)});
  return {
      make_row("bitwise_not(Tensor input) -> Tensor",
               "Flips every bit of integers, and bools as logical_not does.", bitwise_not, one_bits)
          .is_pointwise()
          .with_symbol("~")
          .with_in_place()
          .with_out(),
      make_row("bitwise_and(Tensor input, Tensor|Scalar other) -> Tensor",
               "The bits that are set in both; for bools, and.", bitwise_and, two_bits)
          .is_pointwise()
          .with_symbol("&")
          .with_in_place()
          .with_out(),
      make_row("bitwise_or(Tensor input, Tensor|Scalar other) -> Tensor",
               "The bits that are set in either; for bools, or.", bitwise_or, two_bits)
          .is_pointwise()
          .with_symbol("|")
          .with_in_place()
          .with_out(),
      make_row("bitwise_xor(Tensor input, Tensor|Scalar other) -> Tensor",
               "The bits that are set in exactly one; for bools, exclusive or.", bitwise_xor,
               two_bits)
          .is_pointwise()
          .with_symbol("^")
          .with_in_place()
          .with_out(),
      make_row("logical_not(Tensor input) -> Tensor", "True where an element is zero.", logical_not,
               one)
          .is_pointwise()
          .with_symbol("not")
          .with_in_place()
          .with_out(),
      make_row("logical_and(Tensor input, Tensor other) -> Tensor",
               "True where both elements are nonzero.", logical_and, two)
          .is_pointwise()
          .with_symbol("and")
          .with_in_place()
          .with_out(),
      make_row("logical_or(Tensor input, Tensor other) -> Tensor",
               "True where an element is nonzero.", logical_or, two)
          .is_pointwise()
          .with_symbol("or")
          .with_in_place()
          .with_out(),
      make_row("logical_xor(Tensor input, Tensor other) -> Tensor",
               "True where exactly one element is nonzero.", logical_xor, two)
          .is_pointwise()
          .with_in_place()
          .with_out(),
  };
}

}  // namespace tamis
