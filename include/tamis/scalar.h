// Scalar: one number with its category (bool, integer, floating point), as Python numbers have it.
#pragma once

#include <concepts>
#include <cstdint>

#include "tamis/dtype.h"

namespace tamis {

/// The C++ types that stand for a number: they convert to Scalar and, as 0-d tensors, to Tensor.
template <class T>
concept Number = std::is_arithmetic_v<T> || std::same_as<T, Half> || std::same_as<T, BFloat16>;

class Scalar {
 public:
  template <Number T>
  constexpr Scalar(T v) {
    if constexpr (std::same_as<T, bool>) {
      dtype_ = DType::boolean;
      i_ = v;
    } else if constexpr (std::integral<T>) {
      dtype_ = DType::int64;
      i_ = static_cast<int64_t>(v);
    } else {
      dtype_ = DType::float64;
      f_ = static_cast<double>(v);
    }
  }

  /// boolean, int64 or float64
  constexpr DType dtype() const { return dtype_; }
  constexpr bool is_floating_point() const { return dtype_ == DType::float64; }
  constexpr double to_double() const { return is_floating_point() ? f_ : static_cast<double>(i_); }
  /// Floating point values are truncated toward zero; the caller checks the range.
  constexpr int64_t to_int64() const { return is_floating_point() ? static_cast<int64_t>(f_) : i_; }
  constexpr bool to_bool() const { return is_floating_point() ? f_ != 0 : i_ != 0; }

  /// Conversion to any element type, unchecked, as a C++ cast does it.
  template <class T>
  constexpr T to() const {
    if constexpr (std::same_as<T, bool>) {
      return to_bool();
    } else if constexpr (std::integral<T>) {
      return static_cast<T>(to_int64());
    } else if constexpr (std::same_as<T, double>) {
      return to_double();
    } else {
      return static_cast<T>(static_cast<float>(to_double()));
    }
  }

 private:
  DType dtype_;
  union {
    int64_t i_;
    double f_;
  };
};

}  // namespace tamis
