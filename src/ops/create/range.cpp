// Ranges: numbers at equal distances.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "core/convert.h"
#include "ops/pointwise/pointwise.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// As Scalar converts it, but so that loops over floats are vectorised.
template <class T>
T rounded_to(double value) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value);
  // The largest integers of 64 bits are rounded up to what is none.
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    if (value >= std::ldexp(1.0, std::numeric_limits<T>::digits)) {
      return std::numeric_limits<T>::max();
    }
  }
  return Scalar(value).to<T>();
}

/// out[k] = make(k). Short runs of 32-bit numbers, because those are what vectors can convert.
template <class T, class F>
void fill_by_number(T* out, int64_t n, F make) {
  constexpr int64_t kRun = 1024;
  for (int64_t from = 0; from < n; from += kRun) {
    const auto base = static_cast<double>(from);
    const auto here = static_cast<int32_t>(std::min(kRun, n - from));
    for (int32_t i = 0; i < here; ++i) out[from + i] = rounded_to<T>(make(base + i));
  }
}

using Wide = __int128;

/// An integer, or a number without its fraction. It fits in 64 bits, with or without a sign.
Wide whole(Scalar v) {
  if (v.is_floating_point()) return static_cast<Wide>(v.to_double());
  return v.is_beyond_int64() ? static_cast<Wide>(v.to<uint64_t>()) : Wide{v.to_int64()};
}

/// T is Wide for integer dtypes, which cuts fractions off all three numbers, else double.
template <class T>
void check_range(T start, T end, T step) {
  check(step > 0 || step < 0, ErrorKind::value, "step must be nonzero");
  const auto from = static_cast<double>(start), to = static_cast<double>(end);
  check(std::isfinite(from) && std::isfinite(to), ErrorKind::value, "unsupported range: {} -> {}",
        from, to);
  check(step > 0 ? end >= start : end <= start, ErrorKind::value,
        "upper bound and larger bound inconsistent with step sign");
}

int64_t range_size(Scalar start, Scalar end, Scalar step, DType dtype) {
  if (dtype == DType::int64 || dtype == DType::uint64) {
    const Wide by = whole(step), span = whole(end) - whole(start);
    const Wide size = (span + by - (by > 0 ? 1 : -1)) / by;
    check(size <= INT64_MAX, ErrorKind::value, "invalid size, possible overflow?");
    return static_cast<int64_t>(size);
  }
  const double size = std::ceil((end.to_double() - start.to_double()) / step.to_double());
  check(size >= 0 && size < 0x1p63, ErrorKind::value, "invalid size, possible overflow?");
  return static_cast<int64_t>(size);
}

/// start + k * step for k in [0, size): what the loop of `up_to` computes for integers.
Tensor deferred_range(int64_t start, int64_t step, int64_t size, DType dtype) {
  const Tensor numbers = counter(size);
  const Tensor multiples = step == 1 ? numbers : numbers * scalar_tensor(step, DType::int64);
  const Tensor moved = start == 0 ? multiples : multiples + scalar_tensor(start, DType::int64);
  return moved.to(dtype);
}

Tensor up_to(Scalar start, Scalar end, Scalar step, DType dtype) {
  check_implemented(dtype != DType::boolean && !is_complex(dtype), "arange_cpu", dtype);
  for (Scalar v : {start, end, step}) check_fits(v, DType::float64);
  if (is_floating_point(dtype)) {
    check_range(start.to_double(), end.to_double(), step.to_double());
  } else {
    for (Scalar v : {start, end, step}) {
      if (dtype != DType::uint64 || !fits(v, DType::uint64)) check_fits(v, DType::int64);
    }
    check_range(whole(start), whole(end), whole(step));
  }
  const int64_t size = range_size(start, end, step, dtype);
  // Values wrap around in narrow dtypes, so the lower bits of these are all that counts.
  const auto first = is_floating_point(dtype) ? 0 : static_cast<uint64_t>(whole(start));
  const auto each = is_floating_point(dtype) ? 0 : static_cast<uint64_t>(whole(step));
  if (size > Backend::kFew && !is_floating_point(dtype)) {
    return deferred_range(static_cast<int64_t>(first), static_cast<int64_t>(each), size, dtype);
  }
  Tensor result = empty({size}, {dtype, Device()});
  visit_real(dtype, [&](auto type) {
    using T = decltype(type);
    T* out = static_cast<T*>(storage_of(result)->data());
    if constexpr (std::is_integral_v<T>) {
      for (int64_t i = 0; i < size; ++i) out[i] = static_cast<T>(first + i * each);
      storage_of(result)->set_counts_up(std::is_same_v<T, int64_t> && first == 0 && each == 1);
    } else {
      const double from = start.to_double(), by = step.to_double();
      fill_by_number(out, size, [&](double k) { return from + k * by; });
    }
  });
  return result;
}

bool all_integers(std::initializer_list<Scalar> values) {
  return std::none_of(values.begin(), values.end(), [](Scalar v) { return v.is_floating_point(); });
}

}  // namespace

Tensor arange(Scalar end, const Options& options) { return arange(0, end, 1, options); }

Tensor arange(Scalar start, Scalar end, Scalar step, const Options& options) {
  const bool is_large = start.is_beyond_int64() || end.is_beyond_int64();
  const DType inferred = !all_integers({start, end, step}) ? DType::float32
                         : is_large                        ? DType::uint64
                                                           : DType::int64;
  const Tensor numbers = up_to(start, end, step, options.dtype.value_or(inferred));
  return detail::with_options(numbers, options);
}

Tensor range(Scalar start, Scalar end, Scalar step, const Options& options) {
  const DType dtype = options.dtype.value_or(DType::float32);
  check_implemented(dtype != DType::boolean && !is_complex(dtype), "range_cpu", dtype);
  if (is_floating_point(dtype)) {
    const double from = start.to_double(), to = end.to_double(), by = step.to_double();
    check_range(from, to, by);
    const double last = std::floor((to - from) / by);
    check(last < 0x1p62, ErrorKind::value, "invalid size, possible overflow?");
    const Tensor counted = arange(static_cast<int64_t>(last) + 1, {DType::float64, Device()});
    return detail::with_options((counted * by + from).to(dtype), options);
  }
  for (Scalar v : {start, end, step}) check_fits(v, DType::int64);
  const int64_t from = start.to_int64(), to = end.to_int64(), by = step.to_int64();
  check_range(from, to, by);
  const Tensor first = up_to(from, to, by, dtype);  // without end
  const auto span = static_cast<__int128>(to) - from;
  if (span % by != 0) return detail::with_options(first, options);
  return detail::with_options(cat({first, full({1}, to, {dtype, Device()})}), options);
}

Tensor linspace(Scalar start, Scalar end, int64_t steps, const Options& options) {
  const DType dtype = options.dtype.value_or(DType::float32);
  check(steps >= 0, ErrorKind::value, "number of steps must be non-negative");
  check_implemented(dtype != DType::boolean || steps <= 1, "linspace_cpu", dtype);
  check_fits(start, dtype);
  check_fits(end, dtype);
  if (is_complex(dtype)) {
    const std::complex<double> from = start.to_complex(), to = end.to_complex();
    const DType part = real_dtype(dtype);
    const Tensor numbers = complex(linspace(from.real(), to.real(), steps, part),
                                   linspace(from.imag(), to.imag(), steps, part));
    return detail::with_options(numbers, options);
  }
  Tensor result = empty({steps}, {dtype, Device()});
  visit_real(dtype, [&](auto type) {
    using T = decltype(type);
    T* out = static_cast<T*>(storage_of(result)->data());
    const auto first = static_cast<double>(start.to<T>()), last = static_cast<double>(end.to<T>());
    const double step = (last - first) / static_cast<double>(steps - 1);
    if (steps == 1) {
      out[0] = start.to<T>();
      return;
    }
    // From both ends, so that both are exact and the values are symmetric.
    const int64_t half = steps / 2;
    const auto rest = static_cast<double>(steps - 1 - half);
    fill_by_number(out, half, [&](double k) { return first + step * k; });
    fill_by_number(out + half, steps - half, [&](double k) { return last - step * (rest - k); });
  });
  return detail::with_options(result, options);
}

}  // namespace tamis
