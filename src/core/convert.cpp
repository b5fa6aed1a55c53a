// Range checks of numbers against element types, by the rules of PyTorch's checked conversion.
#include "core/convert.h"

#include <cmath>
#include <limits>

#include "core/check.h"

namespace tamis {

double largest_finite(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return 65504.0;
    case DType::bfloat16:
      return 0x1.fep127;
    case DType::float32:
      return std::numeric_limits<float>::max();
    case DType::float64:
      return std::numeric_limits<double>::max();
#define X(constant, ...) case DType::constant:
      TAMIS_INTEGER_DTYPES(X)
      TAMIS_COMPLEX_DTYPES(X)
#undef X
    case DType::boolean:
      break;
  }
  __builtin_unreachable();
}

namespace {

template <class T>
bool fits_integer(Scalar value) {
  using Limits = std::numeric_limits<T>;
  if (value.is_floating_point() || value.is_complex()) {
    const double v = value.to_double();
    // The upper bound is one more than the maximum, which a double may not be able to hold. A
    // fraction above the maximum is refused, as PyTorch does, hence the second comparison.
    return v >= static_cast<double>(Limits::min()) && v < std::ldexp(1.0, Limits::digits) &&
           (Limits::digits > 53 || v <= static_cast<double>(Limits::max()));
  }
  if (value.is_beyond_int64()) return std::is_same_v<T, uint64_t>;
  const int64_t v = value.to_int64();
  if constexpr (std::is_same_v<T, uint64_t>) {
    return true;
  } else if constexpr (std::is_unsigned_v<T>) {
    return v <= static_cast<int64_t>(Limits::max()) && v >= -static_cast<int64_t>(Limits::max());
  } else {
    return v >= Limits::min() && v <= Limits::max();
  }
}

constexpr const char* kConversionNames[] = {
#define X(constant, type, text, scalar, c_type) c_type,
    TAMIS_DTYPES(X)
#undef X
};
constexpr const char* kScalarNames[] = {
#define X(constant, type, text, scalar, c_type) scalar,
    TAMIS_DTYPES(X)
#undef X
};

}  // namespace

bool fits(Scalar value, DType dtype) {
  if (dtype == DType::boolean) return true;
  const std::complex<double> v = value.to_complex();
  const auto holds = [dtype](double part) {
    return !std::isfinite(part) || std::abs(part) <= largest_finite(real_dtype(dtype));
  };
  if (is_complex(dtype)) return holds(v.real()) && holds(v.imag());
  if (v.imag() != 0) return false;
  if (is_floating_point(dtype)) return holds(v.real());
  return visit_real(dtype, [&]<class T>(T) {
    if constexpr (is_integral(dtype_of<T>)) return fits_integer<T>(value);
    return true;
  });
}

void check_fits(Scalar value, DType dtype) {
  check(fits(value, dtype), ErrorKind::value,
        "value cannot be converted to type {} without overflow",
        kConversionNames[static_cast<int>(dtype)]);
}

DType promote_numbers(DType a, DType b) {
  const bool are_long = is_integral(a) && is_integral(b) && itemsize(a) + itemsize(b) == 16;
  return are_long && a != b ? DType::uint64 : promote_types(a, b);
}

void check_in_list(Scalar value, DType found) {
  if (found != DType::uint64 || value.is_beyond_int64()) return;
  const int64_t number = value.to_int64();
  check(number >= 0, ErrorKind::value,
        "no integer dtype has {} and numbers above the largest int64; choose one with dtype=",
        number);
}

const char* scalar_type_name(DType dtype) { return kScalarNames[static_cast<int>(dtype)]; }

}  // namespace tamis
