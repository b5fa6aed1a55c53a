// Parts: signs, fractions, mantissas and exponents of numbers, and choices between numbers.
#include <cmath>

#include "core/check.h"
#include "ops/pointwise/composed.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using Choice = Tensor (*)(const Tensor&, const Tensor&);

/// maximum or minimum, but the number where the other is NaN.
Tensor number_of(const char* op, Choice choice, const Tensor& a, const Tensor& b,
                 Gradients (*slopes)(const Tensor&, const Tensor&, const Tensor&)) {
  const DType dtype = result_type(a, b);
  check(!is_complex(dtype), ErrorKind::dtype, "{} not implemented for complex tensors.", op);
  if (!is_floating_point(dtype)) return choice(a, b);
  const auto value = [choice](const Tensor& x, const Tensor& y) {
    return where(isnan(y), x, where(isnan(x), y, choice(x, y)));
  };
  return with_slopes(op, composed(dtype, value, a, b), a, b, slopes);
}

Gradients to_chosen(const Tensor& g, const Tensor& first) {
  return {where(first, g, zero_of(g)), where(first, zero_of(g), g)};
}

/// The next number of bfloat16: a step of float32 times 2^16, which has as large an exponent.
Tensor next_bfloat16(const Tensor& a, const Tensor& b) {
  const DType wide = DType::float32;
  const Tensor x = a.to(wide), y = b.to(wide), next = nextafter(x, y);
  const Tensor stepped = x + (next - x) * 65536;
  const Tensor largest = copysign(scalar_tensor(largest_finite(DType::bfloat16), wide), x);
  const Tensor moved = where(isinf(x) & ~isnan(y), largest, stepped);
  return where(x == y, y, moved).to(DType::bfloat16);
}

/// Mantissa and exponent of a positive finite number. The logarithm may be one off.
std::pair<Tensor, Tensor> split(const Tensor& a) {
  const Tensor two = scalar_tensor(2, a.dtype());
  const Tensor e = floor(log2(a)) + 1, half = floor(e * 0.5);
  // In two steps, since 2^-e alone may overflow.
  const Tensor m = a * pow(two, -half) * pow(two, half - e);
  const Tensor high = m >= 1, low = m < 0.5;
  return {where(high, m * 0.5, where(low, m * 2, m)), where(high, e + 1, where(low, e - 1, e))};
}

}  // namespace

Tensor sgn(const Tensor& x) {
  if (!is_complex(x.dtype())) return sign(x);
  const Tensor size = abs(x);
  return where(size == 0, scalar_tensor(0, x.dtype()), x / size);
}

Tensor positive(const Tensor& x) {
  check(x.dtype() != DType::boolean, ErrorKind::dtype,
        "The `+` operator, on a bool tensor is not supported.");
  return x;
}

Tensor frac(const Tensor& x) {
  const DType dtype = result_type(x);
  check_implemented(is_floating_point(dtype), "frac_cpu", dtype);
  return x - trunc(x);
}

Tensor copysign(const Tensor& a, const Tensor& b) {
  const DType dtype = float_type(result_type(a, b));
  check_implemented(!is_complex(dtype), "copysign_cpu", dtype);
  return defer_recorded(Op::copysign, dtype, dtype, {a, b});
}

Tensor signbit(const Tensor& x) {
  check(!is_complex(x.dtype()), ErrorKind::dtype,
        "signbit is not implemented for complex tensors.");
  if (!is_floating_point(x.dtype())) return x < 0;
  const Tensor one = scalar_tensor(1, x.dtype());
  const TensorRef operands[] = {one, x};
  return defer(Op::copysign, x.dtype(), x.dtype(), operands) < 0;
}

Tensor nextafter(const Tensor& a, const Tensor& b) {
  const DType dtype = result_type(a, b);
  const bool is_taken = is_floating_point(dtype) && dtype != DType::float16;
  check_implemented(is_taken, "nextafter_cpu", dtype);
  const NoGradGuard guard;
  if (dtype == DType::bfloat16) return next_bfloat16(a, b);
  return defer_recorded(Op::nextafter, dtype, dtype, {a, b});
}

std::pair<Tensor, Tensor> frexp(const Tensor& x) {
  const DType dtype = x.dtype();
  check(is_floating_point(dtype), ErrorKind::dtype,
        "torch.frexp() only supports floating-point dtypes");
  Tensor mantissa, exponent;
  {
    const NoGradGuard guard;
    const Tensor wide = x.to(compute_dtype(dtype)), is_split = isfinite(wide) & (wide != 0);
    const auto [m, e] = split(where(is_split, abs(wide), scalar_tensor(1, wide.dtype())));
    mantissa = where(is_split, copysign(m, wide), wide).to(dtype);
    exponent = where(is_split, e, zero_of(e)).to(DType::int32);
  }
  if (is_tracked(x)) {
    record(mantissa, "frexp", Flow::pointwise, {x}, {exponent},
           [](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
             return {g / exp2(saved[0].to(g.dtype()))};
           });
  }
  return {mantissa, exponent};
}

Tensor ldexp(const Tensor& x, const Tensor& exponent) { return mul(x, pow(Tensor(2.0), exponent)); }

Tensor fmax(const Tensor& a, const Tensor& b) {
  return number_of("fmax", maximum, a, b, [](const Tensor& g, const Tensor& x, const Tensor& y) {
    return to_chosen(g, (x >= y) | isnan(y));
  });
}

Tensor fmin(const Tensor& a, const Tensor& b) {
  return number_of("fmin", minimum, a, b, [](const Tensor& g, const Tensor& x, const Tensor& y) {
    return to_chosen(g, (x <= y) | isnan(y));
  });
}

Tensor heaviside(const Tensor& x, const Tensor& values) {
  check(!is_complex(x.dtype()) && !is_complex(values.dtype()), ErrorKind::dtype,
        "heaviside is not yet implemented for complex tensors.");
  check(x.dtype() == values.dtype(), ErrorKind::dtype,
        "heaviside is not yet implemented for tensors with different dtypes.");
  return where(x == 0, values, (x > 0).to(x.dtype()));
}

std::vector<Row> part_rows() {
  const Tensor floats = SAMPLE(tensor({{0.5f, -1.5f, 2.0f}, {0.0f, 2.5f, -7.25f}}));
  const Tensor row = SAMPLE(tensor({2.0f, -0.5f, 0.0f})),
               ints = SAMPLE(tensor({{7, -7, 3}, {0, 12, -1}}));
  const Tensor odd =
      SAMPLE(tensor({{float(NAN), 1.5f, 0.0f}, {float(-INFINITY), 3.0f, float(NAN)}}));
  const std::vector<Args> one = SAMPLES({floats}, {floats.t()}, {ints}, {tensor(-3)});
  const std::vector<Args> two = SAMPLES({floats, row}, {odd, floats}, {ints, row}, {ints, ints});
  const std::string tensors = "(Tensor input, Tensor other) -> Tensor";
  return {
      make_row("sgn(Tensor input) -> Tensor",
               "Each element divided by its absolute value, and 0 of 0; as sign for real numbers.",
               sgn, one)
          .with_in_place()
          .with_out()
          .is_pointwise(),
      make_row("positive(Tensor input) -> Tensor", "The tensor itself; bools are refused.",
               positive, one)
          .is_pointwise(),
      make_row("frac(Tensor input) -> Tensor", "What trunc leaves over, with the sign of input.",
               frac, SAMPLES({floats}, {floats.t()}, {tensor(-3.25f)}))
          .with_in_place()
          .with_out()
          .is_pointwise(),
      make_row("copysign(Tensor input, Tensor|Scalar other) -> Tensor",
               "The size of input with the sign of other.", copysign,
               SAMPLES({floats, row}, {ints, row}, {ints, Tensor(-2)}, {floats.t(), Tensor(-0.0)}))
          .with_in_place()
          .with_out()
          .is_pointwise(),
      make_row("signbit(Tensor input) -> Tensor",
               "True where the sign is minus, of -0 and NaN too.", signbit,
               SAMPLES({floats}, {-row}, {ints}, {tensor({true, false})}))
          .with_out()
          .is_pointwise(),
      make_row("nextafter" + tensors, "The next number of the dtype after input toward other.",
               nextafter,
               SAMPLES({floats, row}, {floats.t(), floats.t() + 1}, {row, tensor(0.25f)}))
          .with_in_place()
          .with_out()
          .is_pointwise(),
      make_row(
          "frexp(Tensor input) -> (Tensor mantissa, Tensor exponent)",
          "Mantissas from 1/2 to 1 and exponents of 2, whose product is input.",
          +[](const Tensor& x) { return frexp(x); },
          SAMPLES({floats}, {floats.t()}, {odd}, {tensor(1e-40f)}))
          .with_out(),
      make_row("ldexp" + tensors, "input times 2 to the power of other.", ldexp,
               SAMPLES({floats, row}, {floats, ints}, {ints, ints}))
          .with_in_place()
          .with_out()
          .is_pointwise(),
      make_row("fmax" + tensors, "The larger of two elements, or the one that is not NaN.", fmax,
               two)
          .with_out()
          .is_pointwise(),
      make_row("fmin" + tensors, "The smaller of two elements, or the one that is not NaN.", fmin,
               two)
          .with_out()
          .is_pointwise(),
      make_row("heaviside(Tensor input, Tensor values) -> Tensor",
               "0 where input is negative, 1 where it is positive, values where it is 0.",
               heaviside, SAMPLES({floats, row}, {ints, tensor({5, 6, 7})}, {row, floats}))
          .with_in_place()
          .with_out()
          .is_pointwise(),
  };
}

}  // namespace tamis
