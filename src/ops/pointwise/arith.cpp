// Arithmetic: the functions of one and two numbers that give a number.
#include <algorithm>
#include <cmath>
#include <complex>

#include "core/check.h"
#include "core/convert.h"
#include "ops/pointwise/alpha.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

constexpr const char* kInvert =
    "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.";

/// A function of real analysis.
Tensor analytic(Op op, const Tensor& x) {
  const DType dtype = float_type(result_type(x));
  return defer_recorded(op, dtype, dtype, {x});
}

/// The same values in a new tensor.
Tensor copied(const Tensor& x) {
  const DType dtype = result_type(x);
  return defer_recorded(Op::cast, dtype, dtype, {x});
}

/// A function that maps numbers of every kind to their own kind.
Tensor numeric(Op op, const char* kernel, const Tensor& x) {
  const DType dtype = result_type(x);
  check_implemented(dtype != DType::boolean, kernel, dtype);
  return defer_recorded(op, dtype, dtype, {x});
}

/// Rounding, which leaves integers as they are.
Tensor rounded(Op op, const char* kernel, const Tensor& x) {
  const DType dtype = result_type(x);
  check(!is_complex(dtype) || op == Op::round, ErrorKind::dtype,
        "{} is not supported for complex inputs", name(op));
  check_implemented(dtype != DType::boolean && !is_complex(dtype), kernel, dtype);
  return is_floating_point(dtype) ? defer_recorded(op, dtype, dtype, {x}) : copied(x);
}

/// A function of two numbers; bools have one of their own.
Tensor binary(Op op, Op mask_op, const Tensor& a, const Tensor& b) {
  const DType dtype = result_type(a, b);
  return defer_recorded(dtype == DType::boolean ? mask_op : op, dtype, dtype, {a, b});
}

/// One of two numbers.
Tensor extreme(Op op, Op mask_op, const Tensor& a, const Tensor& b) {
  check(!is_complex(result_type(a, b)), ErrorKind::dtype, "{} not implemented for complex tensors.",
        name(op));
  return binary(op, mask_op, a, b);
}

/// A function that divides. Integers have no value for a division by zero, so the divisor is looked
/// at now: the call must be what throws. If nothing is divided, divisors may be zero.
Tensor divide(Op op, const char* kernel, const Tensor& a, const Tensor& b) {
  const DType dtype = result_type(a, b);
  check_implemented(dtype != DType::boolean && !is_complex(dtype), kernel, dtype);
  if (!is_floating_point(dtype) && numel(broadcast_shapes(a.shape(), b.shape())) != 0) {
    check(!any_true(defer_recorded(Op::eq, dtype, DType::boolean, {b, Tensor(0)})),
          ErrorKind::value, "ZeroDivisionError");
  }
  return defer_recorded(op, dtype, dtype, {a, b});
}

/// The gradient goes to what was taken; x keeps it where it equals a bound.
void record_clamp(const Tensor& y, std::span<const Tensor> inputs, const std::optional<Tensor>& min,
                  const std::optional<Tensor>& max) {
  record(y, "clamp", Flow::pointwise, {inputs.begin(), inputs.end()},
         {inputs[0], min.value_or(Tensor()), max.value_or(Tensor())},
         [](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
           const Tensor &x = saved[0], &lo = saved[1], &hi = saved[2],
                        none = scalar_tensor(0, g.dtype());
           Tensor inside = scalar_tensor(true, DType::boolean);
           if (lo.defined()) inside = inside & (x >= lo);
           if (hi.defined()) inside = inside & (x <= hi);
           Gradients result = {where(inside, g, none), {}, {}};
           // Where the bounds cross, the upper one is taken.
           if (lo.defined()) {
             const Tensor below = hi.defined() ? (x < lo) & (lo < hi) : x < lo;
             result[1] = where(below, g, none);
           }
           if (hi.defined()) {
             const Tensor above = lo.defined() ? (x > hi) | (hi < lo) : x > hi;
             result[2] = where(above, g, none);
           }
           return result;
         });
}

}  // namespace

Tensor neg(const Tensor& x) {
  const DType dtype = result_type(x);
  check(dtype != DType::boolean, ErrorKind::dtype,
        "Negation, the `-` operator, on a bool tensor is not supported. {}", kInvert);
  return defer_recorded(Op::neg, dtype, dtype, {x});
}

Tensor abs(const Tensor& x) {
  const DType dtype = result_type(x);
  check_implemented(dtype != DType::boolean, "abs_cpu", dtype);
  return defer_recorded(Op::abs, dtype, real_dtype(dtype), {x});
}

Tensor sign(const Tensor& x) {
  check(!is_complex(x.dtype()), ErrorKind::dtype,
        "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn "
        "instead.");
  return x.dtype() == DType::boolean ? copied(x) : numeric(Op::sign, "sign_cpu", x);
}

Tensor relu(const Tensor& x) {
  const DType dtype = result_type(x);
  check(dtype != DType::boolean, ErrorKind::dtype, "Boolean inputs not supported for relu");
  check(!is_complex(dtype), ErrorKind::dtype, "clamp is not supported for complex types");
  return defer_recorded(Op::relu, dtype, dtype, {x});
}

Tensor square(const Tensor& x) {
  const DType dtype = x.dtype() == DType::boolean ? DType::int64 : result_type(x);
  return defer_recorded(Op::mul, dtype, dtype, {x, x});
}

#define X(name, ...) \
  Tensor name(const Tensor& x) { return analytic(Op::name, x); }
TAMIS_ANALYTIC_OPS(X)
#undef X

Tensor floor(const Tensor& x) { return rounded(Op::floor, "floor_vml_cpu", x); }
Tensor ceil(const Tensor& x) { return rounded(Op::ceil, "ceil_vml_cpu", x); }
Tensor round(const Tensor& x) { return rounded(Op::round, "round_vml_cpu", x); }
Tensor trunc(const Tensor& x) { return rounded(Op::trunc, "trunc_vml_cpu", x); }

Tensor round(const Tensor& x, int64_t decimals) {
  if (decimals == 0) return round(x);
  const DType dtype = result_type(x);
  check_implemented(is_floating_point(dtype), "round_cpu", dtype);
  // float16 would overflow early.
  const DType wide = dtype == DType::float16 ? DType::float32 : dtype;
  // Converted, so that a power beyond the dtype's range is infinite, as in PyTorch.
  const double power = std::pow(10.0, std::abs(static_cast<double>(decimals)));
  const Tensor scale = scalar_tensor(power, DType::float64).to(wide);
  Tensor y;
  {
    const NoGradGuard guard;
    const Tensor z = x.to(wide);
    y = decimals > 0 ? div(round(mul(z, scale)), scale) : mul(round(div(z, scale)), scale);
    y = y.to(dtype);
  }
  if (is_tracked(x)) record_pointwise(Op::round, y, std::span(&x, 1));
  return y;
}

Tensor add(const Tensor& a, const Tensor& b) { return binary(Op::add, Op::mask_or, a, b); }
Tensor mul(const Tensor& a, const Tensor& b) { return binary(Op::mul, Op::mask_and, a, b); }
Tensor minimum(const Tensor& a, const Tensor& b) {
  return extreme(Op::minimum, Op::mask_and, a, b);
}
Tensor maximum(const Tensor& a, const Tensor& b) { return extreme(Op::maximum, Op::mask_or, a, b); }

Tensor sub(const Tensor& a, const Tensor& b) {
  const bool bool_a = a.dtype() == DType::boolean, bool_b = b.dtype() == DType::boolean;
  check(!bool_a || !bool_b, ErrorKind::dtype,
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
        "`logical_xor()` operator instead.");
  check(!bool_a && !bool_b, ErrorKind::dtype,
        "Subtraction, the `-` operator, with a bool tensor is not supported. {}", kInvert);
  const DType dtype = result_type(a, b);
  return defer_recorded(Op::sub, dtype, dtype, {a, b});
}

Tensor div(const Tensor& a, const Tensor& b) {
  const DType dtype = float_type(result_type(a, b));
  return defer_recorded(Op::div, dtype, dtype, {a, b});
}

Tensor floor_divide(const Tensor& a, const Tensor& b) {
  return divide(Op::floor_div, "div_floor_cpu", a, b);
}

Tensor remainder(const Tensor& a, const Tensor& b) {
  return divide(Op::remainder, "remainder_cpu", a, b);
}

Tensor fmod(const Tensor& a, const Tensor& b) { return divide(Op::fmod, "fmod_cpu", a, b); }

Tensor pow(const Tensor& a, const Tensor& b) {
  const DType dtype = result_type(a, b);
  check_implemented(dtype != DType::boolean, "pow", dtype);
  // A tensor of exponents may hold negative ones; a negative number is refused as a mistake.
  const bool number = is_number(b);
  check(!number || !is_integral(dtype) || b.item().to_double() >= 0, ErrorKind::value,
        "Integers to negative integer powers are not allowed.");
  // Exponents among float32 and float64 are doubles in PyTorch.
  if (itemsize(dtype) <= 2 || is_integral(dtype)) check_number_fits(b, dtype);
  // Most powers are squares and cubes, which PyTorch multiplies too.
  const std::complex<double> exponent = number ? b.item().to_complex() : 0;
  if (exponent == 2.0 || exponent == 3.0) {
    const Tensor factor = a.to(dtype), square = mul(factor, factor);
    return exponent == 2.0 ? square : mul(square, factor);
  }
  return defer_recorded(Op::pow, dtype, dtype, {a, b});
}

Tensor clamp(const Tensor& x, std::optional<Tensor> min, std::optional<Tensor> max) {
  check(min || max, ErrorKind::value,
        "torch.clamp: At least one of 'min' or 'max' must not be None");
  const DType dtype = result_type({&x, min ? &*min : &x, max ? &*max : &x});
  check(!is_complex(dtype), ErrorKind::dtype, "clamp is not supported for complex types");
  const bool by_tensor = !(min && max) && !(min ? *min : *max).impl().is_number;
  if (dtype == DType::boolean && by_tensor) return min ? maximum(x, *min) : minimum(x, *max);
  check_implemented(dtype != DType::boolean,
                    min && max ? "clamp_cpu"
                    : min      ? "clamp_min_cpu"
                               : "clamp_max_cpu",
                    dtype);
  Tensor result = x;
  for (const auto& [bound, op] : {std::pair(min, Op::maximum), std::pair(max, Op::minimum)}) {
    if (!bound) continue;
    // A bound that wrapped around would be another bound.
    check_number_fits(*bound, dtype);
    const TensorRef operands[] = {result, *bound};
    result = defer(op, dtype, dtype, operands);
  }
  const Tensor inputs[] = {x, min.value_or(Tensor(0)), max.value_or(Tensor(0))};
  if (is_floating_point(dtype) && is_tracked(inputs)) record_clamp(result, inputs, min, max);
  return result;
}

namespace {

struct Summary {
  const char* name;
  Tensor (*function)(const Tensor&);
  const char* text;
  const char* symbol = "";
  const char* alias = nullptr;
};

constexpr Summary kAnalytic[] = {
#define X(name, cost, takes, result, saves, text) {#name, name, text},
    TAMIS_ANALYTIC_OPS(X)
#undef X
};

constexpr Summary kNumeric[] = {
    {"neg", neg, "Each element with its sign changed.", "-", "negative"},
    {"abs", abs, "Each element without its sign.", "", "absolute"},
    {"sign", sign, "-1, 0 or 1, as the element is negative, zero (or NaN) or positive."},
    {"relu", relu, "Each element, or zero where it is negative."},
    {"floor", floor, "The largest whole number that is not above each element."},
    {"ceil", ceil, "The smallest whole number that is not below each element."},
    {"trunc", trunc, "Each element without its fraction.", "", "fix"},
    {"square", square, "Each element times itself."},
};

void add_unary_rows(std::vector<Row>& rows, std::span<const Summary> summaries,
                    const std::vector<Args>& samples) {
  for (const Summary& s : summaries) {
    rows.push_back(
        make_row(fmt::format("{}(Tensor input) -> Tensor", s.name), s.text, s.function, samples)
            .with_in_place()
            .is_pointwise()
            .with_symbol(s.symbol));
    rows.back().out = s.function != relu;  // as in PyTorch
    if (s.alias != nullptr) rows.back().aliases = {s.alias};
  }
}

/// A row with operands of any kind, in place and with out= as in PyTorch.
Row binary_row(const std::string& signature, const char* summary,
               Tensor (*function)(const Tensor&, const Tensor&), std::vector<Args> samples) {
  return make_row(signature, summary, function, std::move(samples))
      .with_in_place()
      .with_out()
      .is_pointwise();
}

/// The samples with the default of an option after the operands.
std::vector<Args> with_option(std::vector<Args> samples, const Value& usual) {
  for (Args& args : samples) args.push_back(usual);
  return samples;
}

Tensor div_rounded(const Tensor& x, const Tensor& other, std::optional<std::string> mode) {
  return mode ? div(x, other, *mode) : div(x, other);
}

Row round_row(const Tensor& floats, const Tensor& ints) {
  return make_row<Tensor, const Tensor&, int64_t>(
             "round(Tensor input, *, int decimals=0) -> Tensor",
             "The nearest whole number, the even one of two that are equally near; or the nearest "
             "number with that many decimals, which may be negative.",
             round,
             SAMPLES({floats, int64_t{0}}, {floats.t(), int64_t{1}}, {ints, int64_t{0}},
                     {tensor(-3), int64_t{0}}, {floats, int64_t{-1}}))
      .with_in_place()
      .with_out()
      .is_pointwise();
}

}  // namespace

std::vector<Row> arith_rows() {
  const Tensor floats = SAMPLE(tensor({{0.5f, -1.5f, 2.0f}, {0.0f, 2.5f, -7.0f}}));
  const Tensor row = SAMPLE(tensor({2.0f, -0.5f, 3.0f}));
  const Tensor ints = SAMPLE(tensor({{7, -7, 3}, {0, 12, -1}}));
  const Tensor divisors = SAMPLE(tensor({{2}, {-3}}));
  const Tensor bools = SAMPLE(tensor({true, false, true}));
  const std::vector<Args> real =
      SAMPLES({abs(floats)}, {floats.t()}, {ints}, {bools}, {tensor(0.25f)});
  const std::vector<Args> one = SAMPLES({floats}, {floats.t()}, {ints}, {tensor(-3)});
  const std::vector<Args> two =
      SAMPLES({floats, row}, {ints, floats}, {ints, Tensor(3)}, {ints, divisors});
  const std::vector<Args> with_bools = SAMPLES({floats, row}, {ints, floats}, {ints, Tensor(3)},
                                               {ints, Tensor(0.5)}, {bools, bools}, {bools, ints});
  std::vector<Row> rows;
  add_unary_rows(rows, kNumeric, one);
  const auto trunc_row =
      std::find_if(rows.begin(), rows.end(), [](const Row& r) { return r.name() == "trunc"; });
  rows.insert(trunc_row, round_row(floats, ints));  // among the other roundings
  add_unary_rows(rows, kAnalytic, real);
  const std::string operands = "(Tensor input, Tensor|Scalar other) -> Tensor";
  rows.push_back(make_row("add(Tensor input, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor",
                          "The sum of input and alpha * other; for bools, or.", add_scaled,
                          SAMPLE(with_option(with_bools, Scalar(1))))
                     .with_in_place()
                     .with_out()
                     .is_pointwise()
                     .with_symbol("+"));
  rows.push_back(make_row("sub(Tensor input, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor",
                          "The difference of input and alpha * other.", sub_scaled,
                          SAMPLE(with_option(two, Scalar(1))))
                     .with_in_place()
                     .with_out()
                     .is_pointwise()
                     .with_symbol("-")
                     .also({"subtract"}));
  rows.push_back(binary_row("mul" + operands, "The product; for bools, and.", mul, with_bools)
                     .with_symbol("*")
                     .also({"multiply"}));
  rows.push_back(binary_row("div" + operands, "The quotient, in floating point.", div, with_bools)
                     .with_symbol("/")
                     .also({"divide", "true_divide"}));
  rows.push_back(
      make_row(
          "div(Tensor input, Tensor|Scalar other, *, str? rounding_mode) -> Tensor",
          "The quotient, rounded by 'floor' or 'trunc'; of integers an integer.", div_rounded,
          SAMPLES({ints, Tensor(3), std::string("floor")}, {ints, divisors, std::string("trunc")}))
          .with_in_place()
          .with_out()
          .also({"divide", "true_divide"}));
  rows.push_back(
      binary_row("floor_divide" + operands, "The quotient, rounded down.", floor_divide, two)
          .with_symbol("//"));
  rows.push_back(binary_row("remainder" + operands,
                            "What floor_divide leaves over; it has the sign of other.", remainder,
                            two)
                     .with_symbol("%"));
  rows.push_back(binary_row(
      "fmod" + operands,
      "What a division rounded toward zero leaves over; it has the sign of input.", fmod, two));
  rows.push_back(make_row("pow(Tensor|Scalar input, Tensor|Scalar exponent) -> Tensor",
                          "input to the power of exponent.", pow,
                          SAMPLES({abs(floats), row}, {ints, Tensor(2)}, {ints, Tensor(0.5)},
                                  {Tensor(2), row}))
                     .is_pointwise()
                     .with_symbol("**")
                     .with_in_place()
                     .with_out());
  const std::string tensors = "(Tensor input, Tensor other) -> Tensor";
  rows.push_back(make_row("minimum" + tensors, "The smaller of two elements; NaN if either is.",
                          minimum, with_bools)
                     .with_out()
                     .is_pointwise());
  rows.push_back(make_row("maximum" + tensors, "The larger of two elements; NaN if either is.",
                          maximum, with_bools)
                     .with_out()
                     .is_pointwise());
  rows.push_back(
      make_row("clamp(Tensor input, Tensor|Scalar? min=None, Tensor|Scalar? max=None) -> Tensor",
               "Each element limited to the range from min to max.", clamp,
               SAMPLES({floats, Tensor(-1), Tensor(1)}, {floats, row, {}}, {ints, {}, Tensor(2)},
                       {ints, Tensor(0.5), {}}))
          .is_pointwise()
          .also({"clip"})
          .with_in_place()
          .with_out());
  rows.push_back(make_row<DType, const Tensor&, const Tensor&>(
      "result_type(Tensor|Scalar tensor1, Tensor|Scalar tensor2) -> dtype",
      "The dtype of an operation on both: 0-d tensors and numbers do not widen others of their "
      "kind.",
      result_type, SAMPLES({ints, row}, {ints, Tensor(2.5)}, {bools, Tensor(1)})));
  return rows;
}

}  // namespace tamis
