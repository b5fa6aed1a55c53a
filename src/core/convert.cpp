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
    default:
      return std::numeric_limits<double>::max();
  }
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
  const int64_t v = value.to_int64();
  if constexpr (std::is_unsigned_v<T>) {
    return v <= Limits::max() && v >= -static_cast<int64_t>(Limits::max());
  } else {
    return v >= Limits::min() && v <= Limits::max();
  }
}

const char* c_type_name(DType dtype) {
  static constexpr const char* kNames[] = {"bool",
                                           "uint8_t",
                                           "int8_t",
                                           "int16_t",
                                           "int",
                                           "int64_t",
                                           "at::Half",
                                           "at::BFloat16",
                                           "float",
                                           "double",
                                           "c10::complex<float>",
                                           "c10::complex<double>"};
  static_assert(std::size(kNames) == kDTypeCount);
  return kNames[static_cast<int>(dtype)];
}

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
  switch (dtype) {
    case DType::uint8:
      return fits_integer<uint8_t>(value);
    case DType::int8:
      return fits_integer<int8_t>(value);
    case DType::int16:
      return fits_integer<int16_t>(value);
    case DType::int32:
      return fits_integer<int32_t>(value);
    default:
      return fits_integer<int64_t>(value);
  }
}

void check_fits(Scalar value, DType dtype) {
  check(fits(value, dtype), ErrorKind::value,
        "value cannot be converted to type {} without overflow", c_type_name(dtype));
}

const char* scalar_type_name(DType dtype) {
  static constexpr const char* kNames[] = {"Bool",  "Byte",   "Char",         "Short",
                                           "Int",   "Long",   "Half",         "BFloat16",
                                           "Float", "Double", "ComplexFloat", "ComplexDouble"};
  static_assert(std::size(kNames) == kDTypeCount);
  return kNames[static_cast<int>(dtype)];
}

}  // namespace tamis
