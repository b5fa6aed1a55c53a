// Integer: shifts of bits and common divisors.
#include "core/check.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/create.h"
#include "tamis/mask.h"
#include "tamis/pointwise.h"

namespace tamis {
namespace {

Tensor integers(Op op, const char* kernel, const Tensor& a, const Tensor& b) {
  const DType dtype = result_type(a, b);
  check_implemented(is_integral(dtype), kernel, dtype);
  return defer_recorded(op, dtype, dtype, {a, b});
}

}  // namespace

Tensor bitwise_left_shift(const Tensor& a, const Tensor& b) {
  return integers(Op::shift_left, "lshift_cpu", a, b);
}

Tensor bitwise_right_shift(const Tensor& a, const Tensor& b) {
  return integers(Op::shift_right, "rshift_cpu", a, b);
}

Tensor gcd(const Tensor& a, const Tensor& b) { return integers(Op::gcd, "gcd_cpu", a, b); }

Tensor lcm(const Tensor& a, const Tensor& b) {
  const DType dtype = result_type(a, b);
  check_implemented(is_integral(dtype), "lcm_cpu", dtype);
  const Tensor divisor = gcd(a, b), is_zero = divisor == 0;
  const Tensor one = where(is_zero, scalar_tensor(1, dtype), divisor);
  // Not floor_divide, which would look for zeros.
  const Tensor factor = defer_recorded(Op::floor_div, dtype, dtype, {a, one});
  return where(is_zero, scalar_tensor(0, dtype), abs(factor) * abs(b.to(dtype)));
}

std::vector<Row> integer_rows() {
  const Tensor ints = SAMPLE(tensor({{6, -1, 0}, {12, 3, 255}})), row = SAMPLE(tensor({5, 3, 1}));
  const Tensor bools = SAMPLE(tensor({true, false, true}));
  const std::vector<Args> shifts =
      SAMPLES({ints, row}, {ints, Tensor(3)}, {ints, bools}, {row, -row});
  const std::vector<Args> two = SAMPLES({ints, row}, {ints, tensor({{4}, {-9}})}, {ints, bools});
  const std::string operands = "(Tensor|Scalar input, Tensor|Scalar other) -> Tensor";
  const std::string tensors = "(Tensor input, Tensor other) -> Tensor";
  std::vector<Row> rows = {
      make_row("bitwise_left_shift" + operands,
               "The bits of input moved up by other; none is left if other is negative or too "
               "large.",
               bitwise_left_shift, shifts),
      make_row("bitwise_right_shift" + operands,
               "The bits of input moved down by other; the sign is kept, and alone is left if "
               "other is negative or too large.",
               bitwise_right_shift, shifts),
      make_row("gcd" + tensors, "The greatest common divisor; 0 of zeros.", gcd, two),
      make_row("lcm" + tensors, "The least common multiple; 0 if either is 0.", lcm, two),
  };
  for (Row& r : rows) {
    r.in_place = r.out = r.pointwise = true;
  }
  return rows;
}

}  // namespace tamis
