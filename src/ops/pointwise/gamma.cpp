// Gamma: rare functions around the gamma function. Their values are computed by the host.
#include <cmath>
#include <limits>
#include <numbers>

#include "autograd/node.h"
#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/pointwise/composed.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kEps = 0x1p-53;

/// f of every two elements, in double, rounded to dtype.
template <class F>
Tensor by_host(DType dtype, const Tensor& a, const Tensor& b, F f) {
  const NoGradGuard guard;
  const Shape shape = broadcast_shapes(a.shape(), b.shape());
  const Backend& backend = common_backend({a, b});
  const auto wide = [&](const Tensor& x) {
    // By dtype first: other devices have no float64, and the operands are rounded to the common
    // dtype.
    return to_host(as_operand(x, dtype)).to(DType::float64).expand(shape).contiguous().settle();
  };
  const Tensor left = wide(a), right = wide(b), result = empty(shape, {DType::float64, Device()});
  const auto* const x = static_cast<const double*>(left.data_ptr());
  const auto* const y = static_cast<const double*>(right.data_ptr());
  auto* const out = static_cast<double*>(result.mutable_data_ptr());
  for (int64_t i = 0; i < result.numel(); ++i) out[i] = f(x[i], y[i]);
  return to_backend(result.to(dtype), const_cast<Backend&>(backend));
}

// ---- polygamma ----------------------------------------------------------------------------------

/// The sum of 1 / (x + k)^s over k >= 0, s > 1: some terms, then Euler and Maclaurin's series.
double zeta(double s, double x) {
  // (2k)! / B(2k)
  static constexpr double kTerms[] = {12.0,
                                      -720.0,
                                      30240.0,
                                      -1209600.0,
                                      47900160.0,
                                      -1.8924375803183791606e9,
                                      7.47242496e10,
                                      -2.950130727918164224e12,
                                      1.1646782814350067249e14,
                                      -4.5979787224074726105e15,
                                      1.8152105401943546773e17,
                                      -7.1661652561756670113e18};
  if (x <= 0 && x == std::floor(x)) return kInf;
  double sum = std::pow(x, -s), at = x, term = 0;
  for (int i = 0; i < 9 || at <= 9; ++i) {
    at += 1;
    term = std::pow(at, -s);
    sum += term;
    if (std::abs(term) < kEps * std::abs(sum)) return sum;
  }
  sum += term * at / (s - 1) - 0.5 * term;
  double factor = 1, k = 0;
  for (const double divisor : kTerms) {
    factor *= s + k;
    term /= at;
    const double more = factor * term / divisor;
    sum += more;
    if (std::abs(more) < kEps * std::abs(sum)) break;
    factor *= s + k + 1;
    term /= at;
    k += 2;
  }
  return sum;
}

// ---- the incomplete gamma function --------------------------------------------------------------

/// x^a exp(-x) / gamma(a + 1), where a and x may be large and close to each other.
double front(double a, double x) {
  if (a < 10) return std::exp(a * std::log(x) - x - std::lgamma(a + 1));
  const double d = (x - a) / a, z = 1 / (a * a);
  const double stirling =
      (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188)))) / a;
  // log1p is exact near 0, the logarithm of the quotient elsewhere.
  const double log_ratio = std::abs(d) < 0.5 ? std::log1p(d) : std::log(x / a);
  return std::exp(a * (log_ratio - d) - stirling) / std::sqrt(2 * std::numbers::pi * a);
}

constexpr int kMost = 100000;  // terms; as many as are needed grows with the root of a

/// The lower share, for x below a + 1.
double lower_series(double a, double x) {
  double term = 1, sum = 1;
  for (int i = 1; i < kMost && term > kEps * sum; ++i) {
    term *= x / (a + i);
    sum += term;
  }
  return sum * front(a, x);
}

/// The upper share for small x and a, without a difference from 1.
double upper_series(double a, double x) {
  double term = 1, sum = 0;
  for (int i = 1; i < kMost; ++i) {
    term *= -x / i;
    const double more = term / (a + i);
    sum += more;
    if (std::abs(more) <= kEps * std::abs(sum)) break;
  }
  const double log_x = std::log(x);
  return -std::expm1(a * log_x - std::lgamma(1 + a)) -
         a * std::exp(a * log_x - std::lgamma(1 + a)) * sum;
}

/// The upper share, for x above a + 1: Lentz's way through the continued fraction.
double upper_fraction(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (int i = 1; i < kMost; ++i) {
    const double n = -i * (i - a);
    b += 2;
    d = n * d + b;
    if (std::abs(d) < kTiny) d = kTiny;
    c = b + n / c;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1 / d;
    const double step = d * c;
    h *= step;
    if (std::abs(step - 1) < kEps) break;
  }
  return h * front(a, x) * a;
}

/// Both shares at the ends of the ranges; NaN is none of these.
bool at_the_ends(double a, double x, double& lower) {
  if (std::isnan(a) || std::isnan(x) || a < 0 || x < 0) {
    lower = kNan;
  } else if (a == 0) {
    lower = x > 0 ? 1 : kNan;
  } else if (x == 0) {
    lower = 0;
  } else if (std::isinf(a)) {
    lower = std::isinf(x) ? kNan : 0;
  } else if (std::isinf(x)) {
    lower = 1;
  } else {
    return false;
  }
  return true;
}

double lower_share(double a, double x) {
  double share = 0;
  if (at_the_ends(a, x, share)) return share;
  return x > 1 && x > a ? 1 - upper_fraction(a, x) : lower_series(a, x);
}

double upper_share(double a, double x) {
  double share = 0;
  if (at_the_ends(a, x, share)) return 1 - share;
  if (x > 1.1) return x < a ? 1 - lower_series(a, x) : upper_fraction(a, x);
  const bool is_large = x <= 0.5 ? -0.4 / std::log(x) < a : x * 1.1 < a;
  return is_large ? 1 - lower_series(a, x) : upper_series(a, x);
}

Tensor share_of(const char* op, const Tensor& a, const Tensor& x, double (*share)(double, double),
                double sign) {
  const DType dtype = result_type(a, x);
  check_implemented(is_floating_point(dtype), fmt::format("{}_cpu", op).c_str(), dtype);
  const Tensor y = by_host(dtype, a, x, share);
  const Tensor inputs[] = {a, x};
  if (!is_tracked(inputs)) return y;
  const bool of_a = is_tracked(a);
  record(y, op, Flow::pointwise, {a, x}, {a, x},
         [op, sign, of_a](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
           check(!of_a, ErrorKind::unsupported,
                 "the derivative for '{}: input' is not implemented.", op);
           const Tensor shape = as_operand(saved[0], g.dtype()),
                        z = as_operand(saved[1], g.dtype());
           const Tensor density = exp((shape - 1) * log(z) - z - lgamma(shape));
           return {Tensor(), g * density * sign};
         });
  return y;
}

}  // namespace

Tensor polygamma(int64_t n, const Tensor& x) {
  check(n >= 0, ErrorKind::value, "polygamma(n, x) does not support negative n.");
  const DType dtype = float_type(result_type(x));
  check_implemented(!is_complex(dtype), "polygamma", dtype);
  if (n == 0) return digamma(x);
  if (n == 1) return in_wide(dtype, trigamma, x);
  const double order = static_cast<double>(n) + 1;
  const double factor = (n % 2 == 0 ? -1 : 1) * std::exp(std::lgamma(order));
  const Tensor y = by_host(dtype, x, x, [=](double z, double) { return factor * zeta(order, z); });
  if (is_tracked(x)) {
    record(y, "polygamma", Flow::pointwise, {x}, {x},
           [n](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
             return {g * polygamma(n + 1, saved[0])};
           });
  }
  return y;
}

Tensor mvlgamma(const Tensor& x, int64_t p) {
  check(x.dtype() != DType::boolean, ErrorKind::dtype,
        "The input tensor may not be a boolean tensor.");
  check(p >= 1, ErrorKind::value, "p has to be greater than or equal to 1");
  const DType dtype = float_type(result_type(x));
  check_implemented(!is_complex(dtype), "mvlgamma", dtype);
  const auto value = [p](const Tensor& z) {
    const auto dims = static_cast<double>(p);
    Tensor sum = lgamma(z);
    for (int64_t i = 1; i < p; ++i) sum = sum + lgamma(z - 0.5 * static_cast<double>(i));
    return sum + dims * (dims - 1) / 4 * std::log(std::numbers::pi);
  };
  return in_wide(dtype, value, x);
}

Tensor igamma(const Tensor& a, const Tensor& x) { return share_of("igamma", a, x, lower_share, 1); }
Tensor igammac(const Tensor& a, const Tensor& x) {
  return share_of("igammac", a, x, upper_share, -1);
}

namespace {

Tensor polygamma_of(const Tensor& x, int64_t n) { return polygamma(n, x); }

}  // namespace

std::vector<Row> gamma_rows() {
  const Tensor x = SAMPLE(tensor({{0.5f, 1.75f, 3.f}, {4.5f, 0.25f, 12.f}}));
  const Tensor ints = SAMPLE(tensor({{1, 3, 2}, {5, 4, 12}})), shapes = SAMPLE(tensor({1, 2, 5}));
  const auto n = [](int64_t v) { return Value(v); };
  std::vector<Row> rows;
  const auto add = [&](Row row) {
    rows.push_back(std::move(row).with_in_place().with_out().is_pointwise());
  };
  const std::string both = "(Tensor input, Tensor other) -> Tensor";
  rows.push_back(make_row("polygamma(int n, Tensor input) -> Tensor",
                          "The n-th derivative of digamma.", polygamma,
                          SAMPLES({n(0), x}, {n(1), x}, {n(2), x.t()}, {n(3), ints}))
                     .with_out());
  rows.push_back(make_row("polygamma(Tensor input, int n) -> Tensor",
                          "The n-th derivative of digamma.", polygamma_of, SAMPLES({x, n(2)}))
                     .method_only()
                     .with_in_place());
  add(make_row("mvlgamma(Tensor input, int p) -> Tensor",
               "The logarithm of the multivariate gamma function of dimension p.", mvlgamma,
               SAMPLES({x + 2, n(3)}, {x.t(), n(1)}, {ints + 1, n(2)})));
  add(make_row("igamma" + both,
               "The share of the gamma distribution with shape input that is below other.", igamma,
               SAMPLES({shapes, x}, {ints, x}, {ints.t(), x.t()})));
  add(make_row("igammac" + both,
               "The share of the gamma distribution with shape input that is above other.", igammac,
               SAMPLES({shapes, x}, {ints, x}, {ints.t(), x.t()})));
  return rows;
}

}  // namespace tamis
