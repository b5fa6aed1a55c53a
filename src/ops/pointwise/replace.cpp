// Replacing: pointwise functions that are made of others: bounds, numbers instead of NaN and
// infinities, rounded quotients.
#include <cmath>

#include "core/check.h"
#include "core/convert.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// Whether elements are this infinity.
Tensor equals_infinity(const char* op, const Tensor& x, double infinity) {
  check(!is_complex(x.dtype()), ErrorKind::dtype, "{} does not support complex inputs.", op);
  return is_floating_point(x.dtype()) ? x == infinity : zeros_like(x, DType::boolean);
}

/// The quotient rounded toward zero.
Tensor truncated(const Tensor& a, const Tensor& b) {
  const DType dtype = result_type(a, b);
  check_implemented(dtype != DType::boolean && !is_complex(dtype), "div_trunc_cpu", dtype);
  if (is_floating_point(dtype)) return trunc(div(a, b));
  // What fmod leaves over has the sign of a: without it a is a multiple of b.
  return floor_divide(a.to(dtype) - fmod(a, b), b);
}

}  // namespace

Tensor clamp_min(const Tensor& x, const Tensor& min) { return clamp(x, min, {}); }
Tensor clamp_max(const Tensor& x, const Tensor& max) { return clamp(x, {}, max); }

Tensor div(const Tensor& a, const Tensor& b, const std::string& rounding_mode) {
  check(rounding_mode == "floor" || rounding_mode == "trunc", ErrorKind::value,
        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'",
        rounding_mode);
  Tensor y;
  {
    const NoGradGuard guard;
    y = rounding_mode == "floor" ? floor_divide(a, b) : truncated(a, b);
  }
  // Flat in both, also where b is 0 and the slope of the quotient would not be a number.
  const Tensor inputs[] = {a, b};
  if (is_floating_point(y.dtype()) && is_tracked(inputs)) {
    record(y, "div", Flow::pointwise, {a, b}, {},
           [](const Tensor& g, std::span<const Tensor>) -> Gradients {
             const Tensor flat = zeros_on(backend_of(g), {}, g.dtype()).expand(g.shape());
             return {flat, flat};
           });
  }
  return y;
}

Tensor nan_to_num(const Tensor& x, double nan, std::optional<double> posinf,
                  std::optional<double> neginf) {
  const DType dtype = x.dtype();
  check_implemented(!is_complex(dtype), "nan_to_num", dtype);
  if (!is_floating_point(dtype)) return x.clone();
  const double most = largest_finite(dtype);
  // Cast, so that what the dtype cannot hold becomes infinite, as in PyTorch.
  const auto number = [dtype](double v) { return scalar_tensor(v, DType::float64).to(dtype); };
  const Tensor finite = where(x == -INFINITY, number(neginf.value_or(-most)),
                              where(x == INFINITY, number(posinf.value_or(most)), x));
  return where(isnan(x), number(nan), finite);
}

Tensor& Tensor::nan_to_num_(double nan, std::optional<double> posinf,
                            std::optional<double> neginf) {
  return write_back(*this, tamis::nan_to_num(*this, nan, posinf, neginf));
}

Tensor isposinf(const Tensor& x) { return equals_infinity("isposinf", x, INFINITY); }
Tensor isneginf(const Tensor& x) { return equals_infinity("isneginf", x, -INFINITY); }

namespace {

Tensor nan_to_num_op(const Tensor& x, std::optional<double> nan, std::optional<double> posinf,
                     std::optional<double> neginf) {
  return nan_to_num(x, nan.value_or(0), posinf, neginf);
}

}  // namespace

std::vector<Row> replace_rows() {
  const Tensor floats = SAMPLE(tensor({{0.5f, -1.5f, 2.0f}, {0.0f, 2.5f, -7.0f}}));
  const Tensor odd = SAMPLE(tensor({{float(NAN), 1.5f}, {float(-INFINITY), float(INFINITY)}}));
  const Tensor row = SAMPLE(tensor({2.0f, -0.5f, 3.0f})),
               ints = SAMPLE(tensor({{7, -7, 3}, {0, 12, -1}}));
  const Value none;
  return {
      make_row("clamp_min(Tensor input, Tensor|Scalar min) -> Tensor",
               "The larger of each element and min.", clamp_min,
               SAMPLES({floats, Tensor(-1)}, {floats, row}, {ints, Tensor(2)}))
          .is_pointwise()
          .with_in_place()
          .with_out(),
      make_row("clamp_max(Tensor input, Tensor|Scalar max) -> Tensor",
               "The smaller of each element and max.", clamp_max,
               SAMPLES({floats, Tensor(1)}, {floats, row}, {ints, Tensor(2)}))
          .is_pointwise()
          .with_in_place()
          .with_out(),
      make_row("nan_to_num(Tensor input, float? nan=None, float? posinf=None, float? neginf=None) "
               "-> Tensor",
               "NaN and infinities replaced by numbers: 0, the largest and the smallest of the "
               "dtype, unless others are given.",
               nan_to_num_op,
               SAMPLES({odd, none, none, none}, {odd, 2.0, 1.0, -1.0}, {ints, none, none, none}))
          .is_pointwise()
          .with_in_place()
          .with_out(),
      make_row("isposinf(Tensor input) -> Tensor", "True where an element is infinity.", isposinf,
               SAMPLES({odd}, {ints}))
          .is_pointwise()
          .with_out(),
      make_row("isneginf(Tensor input) -> Tensor", "True where an element is -infinity.", isneginf,
               SAMPLES({odd}, {ints}))
          .is_pointwise()
          .with_out(),
  };
}

}  // namespace tamis
