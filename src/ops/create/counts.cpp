// Counts: random numbers of events and of successes. How many uniform numbers one of them takes
// depends on chance, so each element has a stream of its own, whose start comes from the
// generator's.
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/pointwise/pointwise.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

using Source = std::optional<Generator>;

/// SplitMix64.
class Stream {
 public:
  explicit Stream(int64_t start) : state_(static_cast<uint64_t>(start)) {}

  /// Uniform in [0, 1), with 53 random bits.
  double next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  uint64_t state_;
};

/// log(k!)
double log_factorial(double k) { return std::lgamma(k + 1); }

// ---- Poisson ------------------------------------------------------------------------------------

/// The first k at which the probabilities add up to more than a uniform number.
double few_events(double rate, Stream& uniform) {
  double left = uniform.next(), p = std::exp(-rate), k = 0;
  while (left >= p && p > 0) {
    left -= p;
    p *= rate / ++k;
  }
  return k;
}

/// Hoermann's transformed rejection with squeeze (PTRS, 1993), for rates of 10 and more.
double many_events(double rate, Stream& uniform) {
  const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double squeeze = 0.9277 - 3.6224 / (b - 2), log_rate = std::log(rate);
  const double log_scale = std::log(1.1239 + 1.1328 / (b - 3.4));
  while (true) {
    const double u = uniform.next() - 0.5, v = uniform.next(), from_edge = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / from_edge + b) * u + rate + 0.43);
    if (from_edge >= 0.07 && v <= squeeze) return k;
    if (k < 0 || (from_edge < 0.013 && v > from_edge)) continue;
    const double log_v = std::log(v) + log_scale - std::log(a / (from_edge * from_edge) + b);
    if (log_v <= k * log_rate - rate - log_factorial(k)) return k;
  }
}

double events(double rate, Stream& uniform) {
  if (rate == 0 || std::isinf(rate)) return rate;
  return rate < 10 ? few_events(rate, uniform) : many_events(rate, uniform);
}

// ---- binomial -----------------------------------------------------------------------------------

/// Counts the trials from one success to the next, whose number is distributed geometrically.
double few_successes(double count, double p, Stream& uniform) {
  const double scale = std::log1p(-p);
  double found = 0, trials = 0;
  while (true) {
    trials += std::ceil(std::log1p(-uniform.next()) / scale);
    if (!(trials <= count)) return found;
    found += 1;
  }
}

/// Hoermann's transformed rejection with squeeze (BTRS, 1993), for p <= 1/2 and an expected number
/// of 10 and more.
double many_successes(double count, double p, Stream& uniform) {
  const double spread = std::sqrt(count * p * (1 - p)), b = 1.15 + 2.53 * spread;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p, squeeze = 0.92 - 4.2 / b;
  const double scale = (2.83 + 5.1 / b) * spread, log_odds = std::log(p / (1 - p));
  const double mode = std::floor((count + 1) * p);
  const double log_mode = log_factorial(mode) + log_factorial(count - mode);
  while (true) {
    const double u = uniform.next() - 0.5, v = uniform.next(), from_edge = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / from_edge + b) * u + count * p + 0.5);
    if (k < 0 || k > count) continue;
    if (from_edge >= 0.07 && v <= squeeze) return k;
    const double log_v = std::log(v * scale / (a / (from_edge * from_edge) + b));
    const double log_share =
        log_mode - log_factorial(k) - log_factorial(count - k) + (k - mode) * log_odds;
    if (log_v <= log_share) return k;
  }
}

double successes(double count, double p, Stream& uniform) {
  if (std::isnan(count) || std::isnan(p)) return NAN;
  if (count <= 0 || p <= 0) return 0;
  if (p >= 1 || std::isinf(count)) return count;
  const double trials = std::floor(count), rare = std::min(p, 1 - p);
  const double found = trials * rare >= 10 ? many_successes(trials, rare, uniform)
                                           : few_successes(trials, rare, uniform);
  return p <= 0.5 ? found : trials - found;
}

/// draw(a, b, stream) for every two elements, of a's dtype and on its device.
template <class F>
Tensor drawn(const Tensor& a, const Tensor& b, const Source& source, F draw) {
  const NoGradGuard guard;
  const Shape shape = broadcast_shapes(a.shape(), b.shape());
  const auto wide = [&](const Tensor& x) {
    return to_host(x).to(DType::float64).expand(shape).contiguous().settle();
  };
  const Tensor left = wide(a.detach()), right = wide(b.detach());
  const Tensor starts =
      randint(INT64_MIN, INT64_MAX, shape, {DType::int64, Device()}, source).settle();
  const Tensor result = empty(shape, {DType::float64, Device()});
  const auto* const x = static_cast<const double*>(left.data_ptr());
  const auto* const y = static_cast<const double*>(right.data_ptr());
  const auto* const start = static_cast<const int64_t*>(starts.data_ptr());
  auto* const out = static_cast<double*>(result.mutable_data_ptr());
  for (int64_t i = 0; i < result.numel(); ++i) {
    Stream uniform(start[i]);
    out[i] = draw(x[i], y[i], uniform);
  }
  return to_backend(result.to(a.dtype()), common_backend({a, b}));
}

}  // namespace

Tensor poisson(const Tensor& x, Source generator) {
  check_implemented(is_floating_point(x.dtype()), "poisson_cpu", x.dtype());
  check(x.numel() == 0 || all(x.detach() >= 0).item<bool>(), ErrorKind::value,
        "invalid Poisson rate, expected rate to be non-negative");
  return drawn(x, x, generator,
               [](double rate, double, Stream& uniform) { return events(rate, uniform); });
}

Tensor binomial(const Tensor& count, const Tensor& prob, Source generator) {
  check(count.dtype() == prob.dtype(), ErrorKind::dtype, "Found dtype {} but expected {}",
        scalar_type_name(prob.dtype()), scalar_type_name(count.dtype()));
  check_implemented(is_floating_point(count.dtype()), "binomial_cpu", count.dtype());
  return drawn(count, prob, generator, successes);
}

}  // namespace tamis
