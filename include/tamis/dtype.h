// DType: the element types, from one list, and PyTorch's promotion between them.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <type_traits>

#include "tamis/half.h"

namespace tamis {

/// The lists of element types, one line per dtype: X(constant, C++ type, name, name of the tensor
/// class in PyTorch's messages, name of the C type in those of its conversions). Everything that
/// differs by kind (integers, floating point, complex) goes by these lists; the order within a list
/// is that of tables and documentation and means nothing else.
#define TAMIS_INTEGER_DTYPES(X)                       \
  X(uint8, uint8_t, "uint8", "Byte", "uint8_t")       \
  X(uint16, uint16_t, "uint16", "UInt16", "uint16_t") \
  X(uint32, uint32_t, "uint32", "UInt32", "uint32_t") \
  X(uint64, uint64_t, "uint64", "UInt64", "uint64_t") \
  X(int8, int8_t, "int8", "Char", "int8_t")           \
  X(int16, int16_t, "int16", "Short", "int16_t")      \
  X(int32, int32_t, "int32", "Int", "int")            \
  X(int64, int64_t, "int64", "Long", "int64_t")
#define TAMIS_FLOAT_DTYPES(X)                                   \
  X(float16, Half, "float16", "Half", "at::Half")               \
  X(bfloat16, BFloat16, "bfloat16", "BFloat16", "at::BFloat16") \
  X(float32, float, "float32", "Float", "float")                \
  X(float64, double, "float64", "Double", "double")
#define TAMIS_COMPLEX_DTYPES(X)                                                         \
  X(complex64, std::complex<float>, "complex64", "ComplexFloat", "c10::complex<float>") \
  X(complex128, std::complex<double>, "complex128", "ComplexDouble", "c10::complex<double>")
/// Those that have an order and can be rounded.
#define TAMIS_REAL_DTYPES(X)               \
  X(boolean, bool, "bool", "Bool", "bool") \
  TAMIS_INTEGER_DTYPES(X)                  \
  TAMIS_FLOAT_DTYPES(X)
#define TAMIS_DTYPES(X) \
  TAMIS_REAL_DTYPES(X)  \
  TAMIS_COMPLEX_DTYPES(X)

enum class DType : uint8_t {
#define X(constant, ...) constant,
  TAMIS_DTYPES(X)
#undef X
};

#define X(constant, ...) inline constexpr DType constant = DType::constant;
TAMIS_DTYPES(X)
#undef X

inline constexpr int kDTypeCount = 0
#define X(...) +1
    TAMIS_DTYPES(X)
#undef X
    ;

/// "float32"
constexpr const char* name(DType dtype) {
  constexpr const char* kNames[] = {
#define X(constant, type, text, ...) text,
      TAMIS_DTYPES(X)
#undef X
  };
  return kNames[static_cast<int>(dtype)];
}

/// Its name: `std::cout << x.dtype()` prints float32.
std::ostream& operator<<(std::ostream& out, DType dtype);

/// Bytes per element.
constexpr size_t itemsize(DType dtype) {
  constexpr uint8_t kSizes[] = {
#define X(constant, type, ...) sizeof(type),
      TAMIS_DTYPES(X)
#undef X
  };
  return kSizes[static_cast<int>(dtype)];
}

#define X(constant, ...) case DType::constant:
/// Integers, without bool.
constexpr bool is_integral(DType dtype) {
  switch (dtype) {
    TAMIS_INTEGER_DTYPES(X)
    return true;
    default:
      return false;
  }
}
/// Real numbers with fractions; complex dtypes are none.
constexpr bool is_floating_point(DType dtype) {
  switch (dtype) {
    TAMIS_FLOAT_DTYPES(X)
    return true;
    default:
      return false;
  }
}
constexpr bool is_complex(DType dtype) {
  switch (dtype) {
    TAMIS_COMPLEX_DTYPES(X)
    return true;
    default:
      return false;
  }
}
#undef X

/// Whether it holds negative numbers: all but bool and unsigned integers do.
constexpr bool is_signed(DType dtype) {
  constexpr bool kSigned[] = {
#define X(constant, type, ...) !std::is_unsigned_v<type>,
      TAMIS_DTYPES(X)
#undef X
  };
  return kSigned[static_cast<int>(dtype)];
}

/// The dtype of the real and imaginary parts; others are their own.
constexpr DType real_dtype(DType dtype) {
  return dtype == DType::complex64    ? DType::float32
         : dtype == DType::complex128 ? DType::float64
                                      : dtype;
}

namespace detail {
template <class T>
inline constexpr bool is_element = false;
#define X(constant, type, ...) \
  template <>                  \
  inline constexpr bool is_element<type> = true;
TAMIS_DTYPES(X)
#undef X
}  // namespace detail

/// The C++ types of the list. Others that look alike are none: long long, char.
template <class T>
concept Element = detail::is_element<T>;

/// dtype_of<float> is DType::float32; defined for the types of the list.
template <class T>
inline constexpr DType dtype_of = [] {
  static_assert(!std::is_same_v<T, T>, "not an element type of tamis");
  return DType::boolean;
}();
#define X(constant, type, ...) \
  template <>                  \
  inline constexpr DType dtype_of<type> = DType::constant;
TAMIS_DTYPES(X)
#undef X

/// Calls f(T{}) with the C++ type of dtype and returns its result.
template <class F>
decltype(auto) visit_dtype(DType dtype, F&& f) {
  switch (dtype) {
#define X(constant, type, ...) \
  case DType::constant:        \
    return f(type{});
    TAMIS_DTYPES(X)
#undef X
  }
  __builtin_unreachable();
}

/// The same for code that needs an order or rounding: f sees no complex type. The caller has
/// refused complex dtypes.
template <class F>
decltype(auto) visit_real(DType dtype, F&& f) {
  switch (dtype) {
#define X(constant, type, ...) \
  case DType::constant:        \
    return f(type{});
    TAMIS_REAL_DTYPES(X)
#undef X
    default:
      __builtin_unreachable();
  }
}

/// The smallest dtype that PyTorch promotes a and b to (both with dimensions).
DType promote_types(DType a, DType b);

/// Whether PyTorch lets a result of dtype `from` be written into a tensor of dtype `to` (in-place,
/// out=): never from complex to real, from floating point to integer, nor from a number to bool.
bool can_cast(DType from, DType to);

}  // namespace tamis
