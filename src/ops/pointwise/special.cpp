// Special: rarer functions of analysis, of one number and of two.
#include <cmath>
#include <numbers>

#include "core/check.h"
#include "ops/pointwise/composed.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using std::numbers::pi;

void check_real(const char* kernel, DType dtype) {
  check_implemented(!is_complex(dtype), kernel, dtype);
}

/// A number in the gradient's dtype: alone with other numbers it would count as float32.
Tensor precise(const Tensor& x, const Tensor& g) {
  return is_number(x) ? scalar_tensor(x.item(), g.dtype()) : x;
}

Tensor angle_scaled(const char* op, const Tensor& x, double factor) {
  check(!is_complex(x.dtype()), ErrorKind::dtype, "{} is not supported for complex tensors.", op);
  return mul(x, Tensor(factor));
}

}  // namespace

#define X(name, cost, takes, result, saves, text)       \
  Tensor name(const Tensor& x) {                        \
    const DType dtype = float_type(result_type(x));     \
    check_real(#name, dtype);                           \
    return defer_recorded(Op::name, dtype, dtype, {x}); \
  }
TAMIS_SPECIAL_OPS(X)
#undef X

Tensor trigamma(const Tensor& x) {
  // Made of ops that have gradients, so that it has all derivatives itself.
  const Tensor reflects = x < 0.5;
  Tensor z = where(reflects, 1 - x, x), sum = scalar_tensor(0, x.dtype());
  for (int i = 0; i < 10; ++i, z = z + 1) sum = sum + reciprocal(z * z);
  const Tensor w = reciprocal(z * z);
  const Tensor series =
      w * (1.0 / 6 + w * (-1.0 / 30 +
                          w * (1.0 / 42 + w * (-1.0 / 30 + w * (5.0 / 66 + w * (-691.0 / 2730))))));
  const Tensor y = sum + (1 + (reciprocal(z) * 0.5 + series)) / z, s = pi / sin(x * pi);
  return where(reflects, s * s - y, y);
}

Tensor exp2(const Tensor& x) {
  const DType dtype = float_type(result_type(x));
  check_real("exp2", dtype);
  return defer_recorded(Op::pow, dtype, dtype, {scalar_tensor(2, dtype), x});
}

Tensor sinc(const Tensor& x) {
  const DType dtype = float_type(result_type(x));
  const auto value = [](const Tensor& z) {
    const Tensor angle = z * pi;
    return where(z == 0, scalar_tensor(1, z.dtype()), sin(angle) / angle);
  };
  const auto slope = [](const Tensor& g, const Tensor& z) {
    const Tensor angle = z * pi, y = (angle * cos(angle) - sin(angle)) / (angle * z);
    return where(z == 0, zero_of(g), g * y);
  };
  return with_slope("sinc", composed(dtype, value, x), x, x, slope);
}

Tensor deg2rad(const Tensor& x) { return angle_scaled("deg2rad", x, pi / 180); }
Tensor rad2deg(const Tensor& x) { return angle_scaled("rad2deg", x, 180 / pi); }

Tensor logit(const Tensor& x, std::optional<double> eps) {
  const DType dtype = float_type(result_type(x));
  check_real("logit_cpu", dtype);
  // The bounds are numbers of the dtype.
  const DType wide = compute_dtype(dtype);
  const Tensor low = eps ? scalar_tensor(*eps, DType::float64).to(wide) : scalar_tensor(0, wide);
  const Tensor high = 1 - low;
  const auto value = [&](const Tensor& z) {
    const Tensor p = eps ? where(z < low, low, where(z > high, high, z)) : z;
    return log(p / (1 - p));
  };
  const Tensor y = composed(dtype, value, x);
  if (is_tracked(x)) {
    record(y, "logit", Flow::pointwise, {x}, {x, low, high},
           [limits = eps.has_value()](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
             const Tensor& z = saved[0];
             const Tensor inside = (z >= saved[1]) & (z <= saved[2]);
             const Tensor outside = limits ? zero_of(g) : scalar_tensor(NAN, g.dtype());
             return {where(inside, g / (z * (1 - z)), outside)};
           });
  }
  return y;
}

Tensor hypot(const Tensor& a, const Tensor& b) {
  const DType dtype = result_type(a, b);
  check_implemented(is_floating_point(dtype), "hypot_cpu", dtype);
  const auto value = [](const Tensor& given_x, const Tensor& given_y) {
    const Tensor x = abs(given_x), y = abs(given_y);
    const Tensor large = maximum(x, y), ratio = minimum(x, y) / large;
    const Tensor finite = where(large == 0, large, large * sqrt(ratio * ratio + 1));
    // Beside NaN, too.
    const Tensor infinity = scalar_tensor(INFINITY, large.dtype());
    return where((x == infinity) | (y == infinity), infinity, finite);
  };
  const Tensor y = composed(dtype, value, a, b), inputs[] = {a, b};
  if (is_tracked(inputs)) {
    record(y, "hypot", Flow::pointwise, {a, b}, {a, b, y},
           [](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
             return {g * (saved[0] / saved[2]), g * (saved[1] / saved[2])};
           });
  }
  return y;
}

Tensor xlogy(const Tensor& a, const Tensor& b) {
  const DType dtype = float_type(result_type(a, b));
  check_real("xlogy_cpu", dtype);
  const auto value = [](const Tensor& x, const Tensor& y) {
    return where(isnan(y), y, where(x == 0, zero_of(x), x * log(y)));
  };
  return with_slopes("xlogy", composed(dtype, value, a, b), a, b,
                     [](const Tensor& g, const Tensor& x, const Tensor& y) -> Gradients {
                       const Tensor none = (x == 0) & (y <= 0);
                       return {where(none, zero_of(g), g * log(precise(y, g))), g * (x / y)};
                     });
}

namespace {

DType power_dtype(const Tensor& a, const Tensor& b) {
  const bool complex = is_complex(a.dtype()) || is_complex(b.dtype());
  return complex ? DType::complex128 : DType::float64;
}

Tensor& float_power_in_place(Tensor& x, const Tensor& exponent) {
  const DType dtype = power_dtype(x, exponent);
  check(x.dtype() == dtype, ErrorKind::dtype,
        "the base given to float_power_ has dtype {} but the operation's result requires dtype {}",
        scalar_type_name(x.dtype()), scalar_type_name(dtype));
  return write_back(x, float_power(x, exponent), {&exponent});
}

}  // namespace

Tensor float_power(const Tensor& a, const Tensor& b) {
  const DType dtype = power_dtype(a, b);
  return pow(a.to(dtype), b.to(dtype));
}

std::vector<Row> special_rows() {
  const Tensor floats = SAMPLE(tensor({{0.5f, 0.75f, 0.9f}, {0.1f, 0.25f, 0.125f}}));
  const Tensor signs = SAMPLE(tensor({{1.5f, -0.75f, 3.0f}, {-4.5f, 0.25f, -0.125f}}));
  const Tensor ints = SAMPLE(tensor({{1, 3, 2}, {5, 4, 12}})),
               row = SAMPLE(tensor({2.0f, 0.5f, 3.0f}));
  const std::vector<Args> one = SAMPLES({floats}, {floats.t()}, {ints}, {tensor(0.25f)});
  const std::vector<Args> signed_one = SAMPLES({signs}, {signs.t()}, {ints}, {tensor(0.25f)});
  const Value none;
  std::vector<Row> rows;
  const auto add = [&](Row r) {
    rows.push_back(std::move(r).with_in_place().with_out().is_pointwise());
  };
  const auto add_one = [&](const char* name, Tensor (*f)(const Tensor&), const char* text,
                           const std::vector<Args>& samples) {
    add(make_row(fmt::format("{}(Tensor input) -> Tensor", name), text, f, samples));
  };
  add_one("exp2", exp2, "2 to the power of each element.", signed_one);
#define X(name, cost, takes, result, saves, text) add_one(#name, name, text, one);
  TAMIS_SPECIAL_OPS(X)
#undef X
  // Not of integers, where it is nothing but rounding errors.
  add_one("sinc", sinc, "sin(pi x) / (pi x), and 1 at 0.",
          SAMPLES({floats}, {floats.t()}, {tensor(0.25f)}, {tensor({0.0f, -2.5f})}));
  add_one("deg2rad", deg2rad, "Degrees as radians.", signed_one);
  add_one("rad2deg", rad2deg, "Radians as degrees.", signed_one);
  add(make_row("logit(Tensor input, float? eps=None) -> Tensor",
               "log(x / (1 - x)), the inverse of sigmoid; with eps, x is limited to eps and 1 - "
               "eps first.",
               logit, SAMPLES({floats, none}, {floats.t(), 0.2}, {ints, 0.25})));
  add(make_row("hypot(Tensor input, Tensor other) -> Tensor",
               "The root of the sum of squares, without overflow in between.", hypot,
               SAMPLES({signs, row}, {signs.t(), signs.t()}, {ints, row})));
  add(make_row("xlogy(Tensor|Scalar input, Tensor|Scalar other) -> Tensor",
               "input * log(other), and 0 where input is 0.", xlogy,
               SAMPLES({signs, row}, {ints, row}, {ints, Tensor(2.5)}, {Tensor(2), row})));
  rows.push_back(
      make_row("float_power(Tensor|Scalar input, Tensor|Scalar exponent) -> Tensor",
               "input to the power of exponent, in float64.", float_power,
               SAMPLES({floats, row}, {ints, Tensor(2)}, {ints, Tensor(-0.5)}, {Tensor(2), row}))
          .with_in_place(float_power_in_place)
          .with_out()
          .is_pointwise());
  return rows;
}

}  // namespace tamis
