// Scalar: one number with its category (bool, integer, floating point, complex), as Python numbers
// have it.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include "tamis/dtype.h"

namespace tamis {

/// The C++ types of numbers: they convert to Scalar and, as 0-d tensors, to Tensor.
template <class T>
concept Number = std::is_arithmetic_v<T> || std::same_as<T, Half> || std::same_as<T, BFloat16> ||
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

/// Numbers that may have fractions.
template <class T>
concept Fractional = Number<T> && !std::integral<T>;
/// bool, and what an element of std::vector<bool> is until it is read.
template <class T>
concept Truth = std::same_as<T, bool> || std::same_as<T, std::vector<bool>::reference>;
/// Numbers of a type that no dtype has: long long, char.
template <class T>
concept OtherNumber = Number<T> && !Element<T>;

class Scalar {
 public:
  template <Number T>
  constexpr Scalar(T v) {
    if constexpr (std::same_as<T, bool>) {
      dtype_ = DType::boolean;
      i_ = v;
    } else if constexpr (std::integral<T>) {
      i_ = static_cast<int64_t>(v);
      dtype_ = v > 0 && i_ < 0 ? DType::uint64 : DType::int64;
    } else if constexpr (std::same_as<T, std::complex<float>> ||
                         std::same_as<T, std::complex<double>>) {
      dtype_ = DType::complex128;
      f_ = v.real();
      imag_ = v.imag();
    } else {
      dtype_ = DType::float64;
      f_ = static_cast<double>(v);
    }
  }

  /// boolean, int64, float64 or complex128; uint64 of integers above the largest int64 only
  constexpr DType dtype() const { return dtype_; }
  constexpr bool is_floating_point() const { return dtype_ == DType::float64; }
  constexpr bool is_complex() const { return dtype_ == DType::complex128; }
  /// The real part, of complex numbers, here and in the next.
  constexpr double to_double() const {
    if (has_fraction()) return f_;
    return is_beyond_int64() ? static_cast<double>(static_cast<uint64_t>(i_))
                             : static_cast<double>(i_);
  }
  /// An integer above the largest int64.
  constexpr bool is_beyond_int64() const { return dtype_ == DType::uint64; }
  /// Floating point values are truncated toward zero, and integers beyond int64 keep their bits;
  /// the caller checks the range.
  constexpr int64_t to_int64() const { return has_fraction() ? static_cast<int64_t>(f_) : i_; }
  constexpr bool to_bool() const { return has_fraction() ? f_ != 0 || imag_ != 0 : i_ != 0; }
  constexpr std::complex<double> to_complex() const { return {to_double(), imag_}; }

  /// Conversion to any element type, unchecked, as a C++ cast does it.
  template <class T>
  constexpr T to() const {
    if constexpr (std::same_as<T, bool>) {
      return to_bool();
    } else if constexpr (std::integral<T>) {
      if constexpr (std::unsigned_integral<T>) {
        if (has_fraction() && f_ >= 0x1p63) return static_cast<T>(static_cast<uint64_t>(f_));
      }
      return static_cast<T>(to_int64());
    } else if constexpr (std::same_as<T, double>) {
      return to_double();
    } else if constexpr (std::same_as<T, std::complex<float>> ||
                         std::same_as<T, std::complex<double>>) {
      using Part = typename T::value_type;
      return {static_cast<Part>(to_double()), static_cast<Part>(imag_)};
    } else {
      return static_cast<T>(static_cast<float>(to_double()));
    }
  }

  /// The number as C++ prints it; bools as true and false.
  friend std::ostream& operator<<(std::ostream& out, const Scalar& v);

 private:
  constexpr bool has_fraction() const { return is_floating_point() || is_complex(); }

  DType dtype_;
  union {
    int64_t i_;
    double f_;
  };
  double imag_ = 0;
};

}  // namespace tamis
