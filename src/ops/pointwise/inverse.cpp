// Inverse: inverse circular functions, hyperbolic functions and their inverses. Those of real
// numbers are made of atan2, exponentials and logarithms; complex ones have kernels.
#include <cmath>
#include <numbers>

#include "core/check.h"
#include "ops/pointwise/composed.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using std::numbers::ln2;

using Function = Tensor (*)(const Tensor&);
using Slope = Tensor (*)(const Tensor& g, const Tensor& x);

/// A function that has a kernel for complex numbers and is composed for real ones.
Tensor function_of(Op op, const Tensor& x, Function real, Slope slope) {
  const DType dtype = float_type(result_type(x));
  const TensorRef operand[] = {x};
  const Tensor y = is_complex(dtype) ? defer(op, dtype, dtype, operand) : composed(dtype, real, x);
  return with_slope(name(op), y, x, x, slope);
}

/// The other side of a right triangle with hypotenuse 1, without cancellation.
Tensor cathetus(const Tensor& x) { return sqrt((1 - x) * (x + 1)); }

/// Whether log(x) + log(2) is asinh and acosh; squares do not overflow below.
Tensor is_large(const Tensor& x) { return x > 0x1p28; }

/// exp(x) / 2 of large x, which is finite for a while after exp(x) is not.
Tensor half_exp(const Tensor& x) {
  const Tensor root = exp(x * 0.5);
  return root * 0.5 * root;
}
Tensor is_below_overflow(const Tensor& x) { return x < (x.dtype() == DType::float64 ? 700 : 80); }

}  // namespace

Tensor atan2(const Tensor& y, const Tensor& x) {
  const DType dtype = float_type(result_type(y, x));
  check_implemented(!is_complex(dtype), "atan2_cpu", dtype);
  return defer_recorded(Op::atan2, dtype, dtype, {y, x});
}

Tensor asin(const Tensor& x) {
  return function_of(
      Op::asin, x, [](const Tensor& z) { return atan2(z, cathetus(z)); },
      [](const Tensor& g, const Tensor& z) { return g * rsqrt(1 - z * z); });
}

Tensor acos(const Tensor& x) {
  return function_of(
      Op::acos, x, [](const Tensor& z) { return atan2(cathetus(z), z); },
      [](const Tensor& g, const Tensor& z) { return -(g * rsqrt(1 - z * z)); });
}

Tensor atan(const Tensor& x) {
  return function_of(
      Op::atan, x, [](const Tensor& z) { return atan2(z, scalar_tensor(1, z.dtype())); },
      [](const Tensor& g, const Tensor& z) { return g / (z * z + 1); });
}

Tensor sinh(const Tensor& x) {
  return function_of(
      Op::sinh, x,
      [](const Tensor& z) {
        const Tensor a = abs(z), t = expm1(a);
        const Tensor y = where(is_below_overflow(a), (t + t / (t + 1)) * 0.5, half_exp(a));
        return copysign(y, z);
      },
      [](const Tensor& g, const Tensor& z) { return g * cosh(z); });
}

Tensor cosh(const Tensor& x) {
  return function_of(
      Op::cosh, x,
      [](const Tensor& z) {
        const Tensor a = abs(z), e = exp(a);
        return where(is_below_overflow(a), e * 0.5 + 0.5 / e, half_exp(a));
      },
      [](const Tensor& g, const Tensor& z) { return g * sinh(z); });
}

Tensor asinh(const Tensor& x) {
  return function_of(
      Op::asinh, x,
      [](const Tensor& z) {
        const Tensor a = abs(z), square = a * a;
        const Tensor y = log1p(a + square / (sqrt(square + 1) + 1));
        return copysign(where(is_large(a), log(a) + ln2, y), z);
      },
      [](const Tensor& g, const Tensor& z) { return g * rsqrt(z * z + 1); });
}

Tensor acosh(const Tensor& x) {
  return function_of(
      Op::acosh, x,
      [](const Tensor& z) {
        const Tensor t = z - 1, y = log1p(t + sqrt(t * (t + 2)));
        // Below 1 the formula would round to numbers.
        return where(z < 1, scalar_tensor(NAN, z.dtype()), where(is_large(z), log(z) + ln2, y));
      },
      [](const Tensor& g, const Tensor& z) {
        // The root of a product is another one where the real part is negative.
        return is_complex(z) ? g * rsqrt(z + 1) * rsqrt(z - 1) : g * rsqrt(z * z - 1);
      });
}

Tensor atanh(const Tensor& x) {
  return function_of(
      Op::atanh, x,
      [](const Tensor& z) {
        const Tensor a = abs(z);
        return copysign(log1p(a * 2 / (1 - a)) * 0.5, z);
      },
      [](const Tensor& g, const Tensor& z) { return g / (1 - z * z); });
}

std::vector<Row> inverse_rows() {
  const Tensor floats = SAMPLE(tensor({{0.5f, -0.75f, 1.0f}, {0.0f, 0.25f, -0.125f}}));
  const Tensor large = SAMPLE(tensor({{1.5f, 1.0f, 40.0f}, {2.0f, 3.5f, 7.0f}}));
  const Tensor ints = SAMPLE(tensor({{1, 0, -1}, {3, 0, 12}})),
               row = SAMPLE(tensor({2.0f, -0.5f, 3.0f}));
  const std::vector<Args> near = SAMPLES({floats}, {floats.t()}, {ints}, {tensor(0.25f)});
  const std::vector<Args> far = SAMPLES({large}, {large.t()}, {ints}, {tensor(1.25f)});
  std::vector<Row> rows;
  const auto add = [&](const char* name, Function f, const char* text, const char* alias,
                       const std::vector<Args>& samples) {
    rows.push_back(make_row(fmt::format("{}(Tensor input) -> Tensor", name), text, f, samples)
                       .with_in_place()
                       .with_out()
                       .is_pointwise());
    if (alias != nullptr) rows.back().aliases = {alias};
  };
  add("asin", asin, "The inverse of the sine, from -pi/2 to pi/2; NaN beyond 1.", "arcsin", near);
  add("acos", acos, "The inverse of the cosine, from 0 to pi; NaN beyond 1.", "arccos", near);
  add("atan", atan, "The inverse of the tangent, from -pi/2 to pi/2.", "arctan", near);
  add("sinh", sinh, "The hyperbolic sine.", nullptr, far);
  add("cosh", cosh, "The hyperbolic cosine.", nullptr, far);
  add("asinh", asinh, "The inverse of the hyperbolic sine.", "arcsinh", far);
  add("acosh", acosh, "The inverse of the hyperbolic cosine; NaN below 1.", "arccosh", far);
  add("atanh", atanh, "The inverse of the hyperbolic tangent; NaN beyond 1.", "arctanh", near);
  rows.push_back(make_row("atan2(Tensor input, Tensor other) -> Tensor",
                          "The angle of the point (other, input), from -pi to pi.", atan2,
                          SAMPLES({floats, row}, {ints, floats}, {ints, tensor({{2}, {-3}})}))
                     .also({"arctan2"})
                     .with_in_place()
                     .with_out()
                     .is_pointwise());
  return rows;
}

}  // namespace tamis
