// Half and BFloat16: 16-bit floating point values. They are stored and converted; arithmetic
// happens in float.
#pragma once

#include <bit>
#include <cstdint>

namespace tamis {

namespace detail {

/// Round-to-nearest-even conversion of a float to IEEE binary16 bits; NaN stays NaN.
constexpr uint16_t float_to_half_bits(float f) {
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t abs = bits & 0x7fffffffu;
  if (abs > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | ((abs >> 13) & 0x3ffu));
  if (abs >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // rounds to infinity
  if (abs < 0x33000001u) return static_cast<uint16_t>(sign);             // rounds to zero
  if (abs < 0x38800000u) {                                               // subnormal result
    const uint32_t shift = 126 - (abs >> 23);
    const uint32_t mant = (abs & 0x7fffffu) | 0x800000u;
    const uint32_t kept = mant >> shift;
    const uint32_t rest = mant & ((1u << shift) - 1);
    const uint32_t halfway = 1u << (shift - 1);
    return static_cast<uint16_t>(sign |
                                 (kept + (rest > halfway || (rest == halfway && (kept & 1)))));
  }
  const uint32_t rebased = abs - 0x38000000u;
  return static_cast<uint16_t>(sign | ((rebased + 0xfffu + ((rebased >> 13) & 1)) >> 13));
}

constexpr float half_bits_to_float(uint16_t h) {
  const uint32_t sign = (h & 0x8000u) << 16;
  const uint32_t exp = (h >> 10) & 0x1fu;
  const uint32_t mant = h & 0x3ffu;
  if (exp == 31) return std::bit_cast<float>(sign | 0x7f800000u | (mant << 13));
  if (exp != 0) return std::bit_cast<float>(sign | ((exp + 112) << 23) | (mant << 13));
  const float tiny = static_cast<float>(mant) * 0x1p-24f;
  return sign ? -tiny : tiny;
}

/// Round-to-nearest-even conversion of a float to bfloat16 bits; NaN stays NaN.
constexpr uint16_t float_to_bfloat16_bits(float f) {
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

}  // namespace detail

/// IEEE binary16. Named Half because `tamis::float16` is the dtype.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  constexpr Half(float f) : bits(detail::float_to_half_bits(f)) {}
  constexpr operator float() const { return detail::half_bits_to_float(bits); }
};

/// bfloat16: the upper half of a float.
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  constexpr BFloat16(float f) : bits(detail::float_to_bfloat16_bits(f)) {}
  constexpr operator float() const {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

}  // namespace tamis
