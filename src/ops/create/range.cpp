// Ranges: numbers at equal distances.
#include <algorithm>
#include <cmath>

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

/// T is int64_t for integer dtypes, which cuts fractions off all three numbers, else double.
template <class T>
void check_range(T start, T end, T step) {
  check(step > 0 || step < 0, ErrorKind::value, "step must be nonzero");
  check(std::isfinite(static_cast<double>(start)) && std::isfinite(static_cast<double>(end)),
        ErrorKind::value, "unsupported range: {} -> {}", start, end);
  check(step > 0 ? end >= start : end <= start, ErrorKind::value,
        "upper bound and larger bound inconsistent with step sign");
}

int64_t range_size(Scalar start, Scalar end, Scalar step, DType dtype) {
  if (dtype == DType::int64) {
    using Wide = __int128;
    const Wide by = step.to_int64();
    const Wide span = static_cast<Wide>(end.to_int64()) - start.to_int64();
    const Wide size = (span + by - (by > 0 ? 1 : -1)) / by;
    check(size <= INT64_MAX, ErrorKind::value, "invalid size, possible overflow?");
    return static_cast<int64_t>(size);
  }
  const double size = std::ceil((end.to_double() - start.to_double()) / step.to_double());
  check(size >= 0 && size < 0x1p63, ErrorKind::value, "invalid size, possible overflow?");
  return static_cast<int64_t>(size);
}

/// start + k * step for k in [0, size): what the loop of `range` computes for integers.
Tensor deferred_range(int64_t start, int64_t step, int64_t size, DType dtype) {
  const Tensor numbers = counter(size);
  const Tensor multiples = step == 1 ? numbers : numbers * scalar_tensor(step, DType::int64);
  const Tensor moved = start == 0 ? multiples : multiples + scalar_tensor(start, DType::int64);
  return moved.to(dtype);
}

Tensor range(Scalar start, Scalar end, Scalar step, DType dtype) {
  check_implemented(dtype != DType::boolean && !is_complex(dtype), "arange_cpu", dtype);
  for (Scalar v : {start, end, step}) check_fits(v, DType::float64);
  if (is_floating_point(dtype)) {
    check_range(start.to_double(), end.to_double(), step.to_double());
  } else {
    for (Scalar v : {start, end, step}) check_fits(v, DType::int64);
    check_range(start.to_int64(), end.to_int64(), step.to_int64());
  }
  const int64_t size = range_size(start, end, step, dtype);
  if (size > Backend::kFew && !is_floating_point(dtype)) {
    return deferred_range(start.to_int64(), step.to_int64(), size, dtype);
  }
  Tensor result = empty({size}, {dtype, Device()});
  visit_real(dtype, [&](auto type) {
    using T = decltype(type);
    T* out = static_cast<T*>(storage_of(result)->data());
    if constexpr (std::is_integral_v<T>) {
      // Unsigned, because the values of a narrow dtype wrap around.
      const auto from = static_cast<uint64_t>(start.to_int64());
      const auto by = static_cast<uint64_t>(step.to_int64());
      for (int64_t i = 0; i < size; ++i) out[i] = static_cast<T>(from + i * by);
      storage_of(result)->set_counts_up(std::is_same_v<T, int64_t> && from == 0 && by == 1);
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
  const DType inferred = all_integers({start, end, step}) ? DType::int64 : DType::float32;
  const Tensor numbers = range(start, end, step, options.dtype.value_or(inferred));
  return detail::with_options(numbers, options);
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
