// Logic: operations on bits and on truth values.
#include "ops/pointwise.h"
#include "ops/row.h"

namespace tamis {
namespace {

/// op on truth values for bools, bits on integers.
Tensor bitwise(Op mask_op, Op bit_op, const char* kernel, const Tensor& a, const Tensor& b) {
  const DType dtype = result_type(a, b);
  check_implemented(!is_floating_point(dtype) && !is_complex(dtype), kernel, dtype);
  return defer(dtype == DType::boolean ? mask_op : bit_op, dtype, dtype, {a, b});
}

Tensor logical(Op mask_op, const Tensor& a, const Tensor& b) {
  return defer(mask_op, DType::boolean, DType::boolean, {a.to_bool(), b.to_bool()});
}

}  // namespace

Tensor bitwise_not(const Tensor& x) {
  const DType dtype = result_type(x);
  check_implemented(!is_floating_point(dtype) && !is_complex(dtype), "bitwise_not_cpu", dtype);
  return defer(dtype == DType::boolean ? Op::mask_not : Op::bit_not, dtype, dtype, {x});
}

Tensor bitwise_and(const Tensor& a, const Tensor& b) {
  return bitwise(Op::mask_and, Op::bit_and, "bitwise_and_cpu", a, b);
}

Tensor bitwise_or(const Tensor& a, const Tensor& b) {
  return bitwise(Op::mask_or, Op::bit_or, "bitwise_or_cpu", a, b);
}

Tensor bitwise_xor(const Tensor& a, const Tensor& b) {
  return bitwise(Op::mask_xor, Op::bit_xor, "bitwise_xor_cpu", a, b);
}

Tensor logical_not(const Tensor& x) {
  return defer(Op::mask_not, DType::boolean, DType::boolean, {x.to_bool()});
}

Tensor logical_and(const Tensor& a, const Tensor& b) { return logical(Op::mask_and, a, b); }

Tensor logical_or(const Tensor& a, const Tensor& b) { return logical(Op::mask_or, a, b); }

Tensor logical_xor(const Tensor& a, const Tensor& b) { return logical(Op::mask_xor, a, b); }

std::vector<Row> logic_rows() {
  const Tensor bools = tensor({{true, false, true}, {false, false, true}});
  const Tensor row = tensor({true, true, false});
  const Tensor ints = tensor({{6, -1, 0}, {12, 3, 255}});
  const Tensor floats = tensor({0.0f, -0.5f, 3.0f});
  const std::vector<Args> one_bits = {{bools}, {ints}, {tensor(true)}};
  const std::vector<Args> two_bits = {
      {bools, row}, {ints, bools}, {ints, tensor({5, 3, 1})}, {ints, Tensor(3)}};
  const std::vector<Args> one = {{bools}, {ints}, {floats}};
  const std::vector<Args> two = {{bools, row}, {ints, floats}, {bools, Tensor(true)}};
  return {
      make_row("bitwise_not(Tensor input) -> Tensor",
               "Flips every bit of integers, and bools as logical_not does.", bitwise_not, one_bits)
          .with_in_place()
          .with_out(),
      make_row("bitwise_and(Tensor input, Tensor other) -> Tensor",
               "The bits that are set in both; for bools, and.", bitwise_and, two_bits)
          .with_in_place()
          .with_out(),
      make_row("bitwise_or(Tensor input, Tensor other) -> Tensor",
               "The bits that are set in either; for bools, or.", bitwise_or, two_bits)
          .with_in_place()
          .with_out(),
      make_row("bitwise_xor(Tensor input, Tensor other) -> Tensor",
               "The bits that are set in exactly one; for bools, exclusive or.", bitwise_xor,
               two_bits)
          .with_in_place()
          .with_out(),
      make_row("logical_not(Tensor input) -> Tensor", "True where an element is zero.", logical_not,
               one)
          .with_in_place()
          .with_out(),
      make_row("logical_and(Tensor input, Tensor other) -> Tensor",
               "True where both elements are nonzero.", logical_and, two)
          .with_in_place()
          .with_out(),
      make_row("logical_or(Tensor input, Tensor other) -> Tensor",
               "True where an element is nonzero.", logical_or, two)
          .with_in_place()
          .with_out(),
      make_row("logical_xor(Tensor input, Tensor other) -> Tensor",
               "True where exactly one element is nonzero.", logical_xor, two)
          .with_in_place()
          .with_out(),
  };
}

}  // namespace tamis
