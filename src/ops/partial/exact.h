// Exact: sums of floating point numbers, integers and their squares without any rounding, and
// rounding what is computed from them once.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/partial/bytes.h"
#include "tamis/dtype.h"

namespace tamis::partial {

using Wide = unsigned __int128;

/// A natural number times a power of two.
struct Magnitude {
  std::vector<uint64_t> limbs;  // the lowest first
  int64_t exponent = 0;         // of the lowest bit
  bool negative = false;

  static Magnitude of(uint64_t v) { return {{v}, 0, false}; }
  bool is_zero() const;
  /// Sum and product. Signs count.
  friend Magnitude operator+(const Magnitude& a, const Magnitude& b);
  friend Magnitude operator-(const Magnitude& a, Magnitude b) {
    b.negative = !b.negative;
    return a + b;
  }
  friend Magnitude operator*(const Magnitude& a, const Magnitude& b);
};

/// The nearest number of a floating point dtype, halves to even; beyond the largest, infinity. b is
/// positive.
double rounded(const Magnitude& a, DType dtype);
double rounded_quotient(const Magnitude& a, const Magnitude& b, DType dtype);
/// The same for the square root of a / b, of which neither is negative.
double rounded_root(const Magnitude& a, const Magnitude& b, DType dtype);

/// A sum of numbers between 2^-2176 and 2^2176 as a large integer in two's complement. Limbs that
/// are zero at the low end, or repeat the sign at the high end, need no memory.
class Exact {
 public:
  void add(double finite);
  void add_square(double finite);
  void add(__int128 v) { add_bits(v < 0, v < 0 ? -static_cast<Wide>(v) : static_cast<Wide>(v), 0); }
  void add_unsigned(Wide v, int exponent = 0) { add_bits(false, v, exponent); }
  void add(const Exact& other);

  Magnitude magnitude() const;
  bool is_whole() const { return limbs_.empty() || first_ >= kUnit; }
  /// Modulo 2^64; of integers only.
  uint64_t wrapped() const;

  /// The same number in the same limbs, however it was added up.
  void trim();
  size_t bytes() const { return sizeof(*this) + 8 * limbs_.capacity(); }
  void write(ByteWriter& out) const;  // trimmed
  static Exact read(ByteReader& in);

 private:
  static constexpr int kUnit = 34;       // the limb whose lowest bit is 1
  static constexpr int kLimit = 2 * 34;  // limbs that there can be, and some for carries

  void add_bits(bool negative, Wide bits, int exponent);
  /// Makes limbs first to last exist, below the one of the sign.
  void cover(int first, int last);

  int first_ = 0;                // the number of the lowest limb
  std::vector<uint64_t> limbs_;  // the last one is the sign: all zeros or all ones
};

}  // namespace tamis::partial
