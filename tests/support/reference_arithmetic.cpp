// Reference: functions of one, two and three elements.
#include <cmath>
#include <limits>

#include "support/reference.h"

namespace tamis::reference {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kAnalyticUlps = 4;

using Real1 = double (*)(double);
using Real2 = double (*)(double, double);
using Whole1 = int64_t (*)(int64_t);
using Whole2 = int64_t (*)(int64_t, int64_t);

DType float_type(DType dtype) { return is_real(dtype) ? dtype : DType::float32; }

/// f of one element each of operands that are converted to `operand` and broadcast.
template <class F>
Array map(const std::vector<const Array*>& inputs, DType operand, DType result, F f) {
  Shape shape;
  for (const Array* x : inputs) shape = broadcast(shape, x->shape);
  std::vector<Array> operands;
  for (const Array* x : inputs) operands.push_back(stretch(cast(*x, operand), shape));
  Array out{result, shape, {}, false};
  for (int64_t i = 0; i < count_of(shape); ++i) {
    std::vector<Cell> cells;
    for (const Array& x : operands) cells.push_back(x.cells[i]);
    out.cells.push_back(f(cells));
  }
  return out;
}

// Wrapping, as the hardware does.
int64_t plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t times(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t negative(int64_t a) { return plus(~a, 1); }

int64_t whole_pow(int64_t a, int64_t b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 != 0 ? -1 : 1) : 0;
  int64_t result = 1;
  for (int64_t i = 0; i < b; ++i) result = times(result, a);
  return result;
}

int64_t whole_floor_div(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

int64_t whole_remainder(int64_t a, int64_t b) { return a - b * whole_floor_div(a, b); }

double real_remainder(double a, double b) {
  const double m = std::fmod(a, b);
  return m != 0 && (b < 0) != (m < 0) ? m + b : m;
}

double real_floor_div(double a, double b) {
  if (b == 0) return a / b;
  const double m = std::fmod(a, b);
  double q = (a - m) / b;
  if (m != 0 && (b < 0) != (m < 0)) q -= 1;
  const double down = std::floor(q);
  return q - down > 0.5 ? down + 1 : down;
}

double real_minimum(double a, double b) { return a != a || b != b ? kNan : a < b ? a : b; }
double real_maximum(double a, double b) { return a != a || b != b ? kNan : a > b ? a : b; }

// ---- one operand --------------------------------------------------------------------------------

void add_analytic(Table& t, const char* op, Real1 f, double ulps = kAnalyticUlps) {
  const auto call = [f](const Args& args) -> Arg {
    const Array& x = array_of(args, 0);
    const DType dtype = float_type(result_type({&x}));
    return map({&x}, dtype, dtype, [&](const auto& c) { return real(f(c[0].f), dtype); });
  };
  t[op] = {call, ulps, true};
}

void add_numeric(Table& t, const char* op, Real1 f, Whole1 g, bool takes_bool = false) {
  const auto call = [=](const Args& args) -> Arg {
    const Array& x = array_of(args, 0);
    const DType dtype = result_type({&x});
    require(dtype != DType::boolean || takes_bool, ErrorKind::dtype);
    return map({&x}, dtype, dtype, [&](const auto& c) {
      return is_real(dtype) ? real(f(c[0].f), dtype) : whole(g(c[0].i), dtype);
    });
  };
  t[op] = {call, 0, true};
}

/// A test of a number; integers give `of_integers`.
void add_test(Table& t, const char* op, bool (*f)(double), bool of_integers) {
  const auto call = [=](const Args& args) -> Arg {
    const Array& x = array_of(args, 0);
    return map({&x}, x.dtype, DType::boolean, [&](const auto& c) {
      return Cell{0, is_real(x.dtype) ? f(c[0].f) : of_integers};
    });
  };
  t[op] = {call, 0, true};
}

// ---- two operands -------------------------------------------------------------------------------

enum class Bools { as_numbers, refused };

void add_binary(Table& t, const char* op, Real2 f, Whole2 g, Bools bools, double ulps = 0) {
  const auto call = [=](const Args& args) -> Arg {
    const Array &a = array_of(args, 0), &b = array_of(args, 1);
    const DType dtype = result_type({&a, &b});
    require(dtype != DType::boolean || bools != Bools::refused, ErrorKind::dtype);
    return map({&a, &b}, dtype, dtype, [&](const auto& c) {
      return is_real(dtype) ? real(f(c[0].f, c[1].f), dtype) : whole(g(c[0].i, c[1].i), dtype);
    });
  };
  t[op] = {call, ulps, true};
}

/// As add_binary, but integers must not be divided by zero.
void add_division(Table& t, const char* op, Real2 f, Whole2 g) {
  add_binary(t, op, f, g, Bools::refused);
  const auto divide = t[op].call;
  t[op].call = [=](const Args& args) {
    const Array &a = array_of(args, 0), &b = array_of(args, 1);
    const DType dtype = result_type({&a, &b});
    const Array divisor = cast(b, dtype);
    require(dtype != DType::boolean, ErrorKind::dtype);
    if (!is_real(dtype) && count_of(broadcast(a.shape, b.shape)) > 0) {
      for (const Cell& c : divisor.cells) require(c.i != 0, ErrorKind::value);
    }
    return divide(args);
  };
}

void add_comparison(Table& t, const char* op, bool (*f)(double, double),
                    bool (*g)(int64_t, int64_t)) {
  const auto call = [=](const Args& args) -> Arg {
    const Array &a = array_of(args, 0), &b = array_of(args, 1);
    const DType dtype = result_type({&a, &b});
    return map({&a, &b}, dtype, DType::boolean, [&](const auto& c) {
      return Cell{0, is_real(dtype) ? f(c[0].f, c[1].f) : g(c[0].i, c[1].i)};
    });
  };
  t[op] = {call, 0, true};
}

void add_bitwise(Table& t, const char* op, Whole2 g) {
  const auto call = [=](const Args& args) -> Arg {
    const Array &a = array_of(args, 0), &b = array_of(args, 1);
    const DType dtype = result_type({&a, &b});
    require(!is_real(dtype), ErrorKind::dtype);
    return map({&a, &b}, dtype, dtype,
               [&](const auto& c) { return whole(g(c[0].i, c[1].i), dtype); });
  };
  t[op] = {call, 0, true};
}

void add_logical(Table& t, const char* op, bool (*g)(bool, bool)) {
  const auto call = [=](const Args& args) -> Arg {
    return map({&array_of(args, 0), &array_of(args, 1)}, DType::boolean, DType::boolean,
               [&](const auto& c) {
                 return Cell{0, g(c[0].i != 0, c[1].i != 0)};
               });
  };
  t[op] = {call, 0, true};
}

Arg bitwise_not(const Args& args) {
  const Array& x = array_of(args, 0);
  require(!is_real(x.dtype), ErrorKind::dtype);
  return map({&x}, x.dtype, x.dtype, [&](const auto& c) {
    return x.dtype == DType::boolean ? Cell{0, c[0].i == 0} : whole(~c[0].i, x.dtype);
  });
}

Arg sub(const Args& args) {
  const Array &a = array_of(args, 0), &b = array_of(args, 1);
  require(a.dtype != DType::boolean && b.dtype != DType::boolean, ErrorKind::dtype);
  const DType dtype = result_type({&a, &b});
  return map({&a, &b}, dtype, dtype, [&](const auto& c) {
    return is_real(dtype) ? real(c[0].f - c[1].f, dtype)
                          : whole(plus(c[0].i, negative(c[1].i)), dtype);
  });
}

Arg div(const Args& args) {
  const Array &a = array_of(args, 0), &b = array_of(args, 1);
  const DType dtype = float_type(result_type({&a, &b}));
  return map({&a, &b}, dtype, dtype, [&](const auto& c) { return real(c[0].f / c[1].f, dtype); });
}

Arg pow(const Args& args) {
  const Array &a = array_of(args, 0), &b = array_of(args, 1);
  const DType dtype = result_type({&a, &b});
  require(dtype != DType::boolean, ErrorKind::dtype);
  // A negative exponent that is a number, not a tensor, makes no sense for integers.
  if (b.is_number && !is_real(dtype)) require(b.cells[0].i >= 0, ErrorKind::value);
  return map({&a, &b}, dtype, dtype, [&](const auto& c) {
    return is_real(dtype) ? real(std::pow(c[0].f, c[1].f), dtype)
                          : whole(whole_pow(c[0].i, c[1].i), dtype);
  });
}

// ---- the rest -----------------------------------------------------------------------------------

Arg square(const Args& args) {
  const Array& x = array_of(args, 0);
  const DType dtype = x.dtype == DType::boolean ? DType::int64 : result_type({&x});
  return map({&x}, dtype, dtype, [&](const auto& c) {
    return is_real(dtype) ? real(c[0].f * c[0].f, dtype) : whole(times(c[0].i, c[0].i), dtype);
  });
}

/// Each step is rounded to the dtype, or to float32 for float16.
Arg rounded(const Args& args) {
  const Array& x = array_of(args, 0);
  const int64_t decimals = int_of(args, 1);
  const DType dtype = result_type({&x});
  require(dtype != DType::boolean && (decimals == 0 || is_real(dtype)), ErrorKind::dtype);
  const DType wide = dtype == DType::float16 ? DType::float32 : dtype;
  const double power = std::pow(10, std::abs(static_cast<double>(decimals)));
  return map({&x}, dtype, dtype, [&](const auto& c) {
    if (!is_real(dtype)) return c[0];
    if (decimals == 0) return real(std::nearbyint(c[0].f), dtype);
    const double scale = real(power, wide).f;
    const double moved = real(decimals > 0 ? c[0].f * scale : c[0].f / scale, wide).f;
    const double near = std::nearbyint(moved);
    return real(real(decimals > 0 ? near / scale : near * scale, wide).f, dtype);
  });
}

Arg clamp(const Args& args) {
  const Array& x = array_of(args, 0);
  const Array* min = given(args, 1) ? &array_of(args, 1) : nullptr;
  const Array* max = given(args, 2) ? &array_of(args, 2) : nullptr;
  require(min || max, ErrorKind::value);
  const DType dtype = result_type({&x, min ? min : &x, max ? max : &x});
  // PyTorch takes one tensor of bools as a bound, but neither two nor a number.
  const bool by_tensor = !(min && max) && !(min ? min : max)->is_number;
  require(dtype != DType::boolean || by_tensor, ErrorKind::dtype);
  Array result = cast(x, dtype);
  for (const Array* bound : {min, max}) {
    if (!bound) continue;
    if (bound->is_number) require(holds(dtype, bound->cells[0], bound->dtype), ErrorKind::value);
    const bool lower = bound == min;
    result = map({&result, bound}, dtype, dtype, [&](const auto& c) {
      if (is_real(dtype)) {
        return real(lower ? real_maximum(c[0].f, c[1].f) : real_minimum(c[0].f, c[1].f), dtype);
      }
      return Cell{0, lower ? std::max(c[0].i, c[1].i) : std::min(c[0].i, c[1].i)};
    });
  }
  return result;
}

Array isclose(const Args& args) {
  const Array &a = array_of(args, 0), &b = array_of(args, 1);
  const double rtol = std::get<double>(args[2]), atol = std::get<double>(args[3]);
  const bool equal_nan = std::get<bool>(args[4]);
  require(a.dtype == b.dtype || a.is_number || b.is_number, ErrorKind::dtype);
  require(rtol >= 0 && atol >= 0, ErrorKind::value);
  const DType dtype = float_type(result_type({&a, &b}));
  const double r = real(rtol, dtype).f, absolute = real(atol, dtype).f;
  return map({&a, &b}, dtype, DType::boolean, [&](const auto& c) {
    const double x = c[0].f, y = c[1].f;
    if (x == y || (equal_nan && x != x && y != y)) return Cell{0, 1};
    const double error = std::abs(real(x - y, dtype).f);
    const double allowed = real(absolute + std::abs(real(r * y, dtype).f), dtype).f;
    return Cell{0, std::isfinite(error) && error <= allowed && (rtol != 0 || atol != 0)};
  });
}

bool all_true(const Array& x) {
  for (const Cell& c : x.cells) {
    if (c.i == 0) return false;
  }
  return true;
}

Arg equal(const Args& args) {
  const Array &a = array_of(args, 0), &b = array_of(args, 1);
  return a.shape == b.shape && all_true(std::get<Array>(table().at("eq").call(args)));
}

Arg between(const Args& args) {
  const auto ge = table().at("ge").call({args[0], args[1]});
  const auto le = table().at("le").call({args[0], args[2]});
  return table().at("logical_and").call({ge, le});
}

}  // namespace

void add_arithmetic(Table& t) {
  add_analytic(
      t, "sqrt", [](double x) { return std::sqrt(x); }, 0);
  add_analytic(t, "rsqrt", [](double x) { return 1 / std::sqrt(x); });
  add_analytic(t, "exp", [](double x) { return std::exp(x); });
  add_analytic(t, "log", [](double x) { return std::log(x); });
  add_analytic(t, "log2", [](double x) { return std::log2(x); });
  add_analytic(t, "log10", [](double x) { return std::log10(x); });
  add_analytic(t, "log1p", [](double x) { return std::log1p(x); });
  add_analytic(t, "expm1", [](double x) { return std::expm1(x); });
  add_analytic(t, "erf", [](double x) { return std::erf(x); });
  add_analytic(t, "sin", [](double x) { return std::sin(x); });
  add_analytic(t, "cos", [](double x) { return std::cos(x); });
  add_analytic(t, "tan", [](double x) { return std::tan(x); });
  add_analytic(t, "tanh", [](double x) { return std::tanh(x); });
  add_analytic(t, "sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); });
  add_analytic(
      t, "reciprocal", [](double x) { return 1 / x; }, 0);

  const Whole1 same = [](int64_t x) { return x; };
  add_numeric(
      t, "neg", [](double x) { return -x; }, negative);
  add_numeric(
      t, "abs", [](double x) { return std::abs(x); },
      [](int64_t x) { return x < 0 ? negative(x) : x; });
  add_numeric(
      t, "sign", [](double x) { return x > 0   ? 1.0
                                       : x < 0 ? -1.0
                                               : 0.0; },
      [](int64_t x) -> int64_t { return x > 0   ? 1
                                        : x < 0 ? -1
                                                : 0; }, true);
  add_numeric(
      t, "relu", [](double x) { return x < 0 ? 0.0 : x; },
      [](int64_t x) { return std::max<int64_t>(x, 0); });
  add_numeric(
      t, "floor", [](double x) { return std::floor(x); }, same);
  add_numeric(
      t, "ceil", [](double x) { return std::ceil(x); }, same);
  t["round"] = {rounded, 0, true};
  add_numeric(
      t, "trunc", [](double x) { return std::trunc(x); }, same);
  t["bitwise_not"] = {bitwise_not, 0, true};
  t["square"] = {square, 0, true};
  t["logical_not"] = {[](const Args& args) -> Arg {
                        return map({&array_of(args, 0)}, DType::boolean, DType::boolean,
                                   [](const auto& c) {
                                     return Cell{0, c[0].i == 0};
                                   });
                      },
                      0, true};
  add_test(
      t, "isnan", [](double x) { return std::isnan(x); }, false);
  add_test(
      t, "isinf", [](double x) { return std::isinf(x); }, false);
  add_test(
      t, "isfinite", [](double x) { return std::isfinite(x); }, true);

  // whole() makes any sum or product other than 0 a true bool.
  add_binary(
      t, "add", [](double a, double b) { return a + b; }, plus, Bools::as_numbers);
  add_binary(
      t, "mul", [](double a, double b) { return a * b; }, times, Bools::as_numbers);
  add_binary(
      t, "minimum", real_minimum, [](int64_t a, int64_t b) { return std::min(a, b); },
      Bools::as_numbers);
  add_binary(
      t, "maximum", real_maximum, [](int64_t a, int64_t b) { return std::max(a, b); },
      Bools::as_numbers);
  t["sub"] = {sub, 0, true};
  t["div"] = {div, 0, true};
  t["pow"] = {pow, kAnalyticUlps, true};
  add_division(t, "floor_divide", real_floor_div, whole_floor_div);
  add_division(t, "remainder", real_remainder, whole_remainder);
  add_division(
      t, "fmod", [](double a, double b) { return std::fmod(a, b); },
      [](int64_t a, int64_t b) { return a % b; });
  t["clamp"] = {clamp, 0, true};

#define TAMIS_COMPARISON(op, sign)                        \
  add_comparison(                                         \
      t, op, [](double a, double b) { return a sign b; }, \
      [](int64_t a, int64_t b) { return a sign b; })
  TAMIS_COMPARISON("eq", ==);
  TAMIS_COMPARISON("ne", !=);
  TAMIS_COMPARISON("lt", <);
  TAMIS_COMPARISON("le", <=);
  TAMIS_COMPARISON("gt", >);
  TAMIS_COMPARISON("ge", >=);
#undef TAMIS_COMPARISON
  t["isclose"] = {[](const Args& args) -> Arg { return isclose(args); }, 0, true};
  t["allclose"] = {[](const Args& args) -> Arg { return all_true(isclose(args)); }};
  t["equal"] = {equal};
  t["masks.between"] = {between, 0, true};

  add_bitwise(t, "bitwise_and", [](int64_t a, int64_t b) { return a & b; });
  add_bitwise(t, "bitwise_or", [](int64_t a, int64_t b) { return a | b; });
  add_bitwise(t, "bitwise_xor", [](int64_t a, int64_t b) { return a ^ b; });
  add_logical(t, "logical_and", [](bool a, bool b) { return a && b; });
  add_logical(t, "logical_or", [](bool a, bool b) { return a || b; });
  add_logical(t, "logical_xor", [](bool a, bool b) { return a != b; });
  t["result_type"] = {[](const Args& args) -> Arg {
    return result_type({&array_of(args, 0), &array_of(args, 1)});
  }};
}

}  // namespace tamis::reference
