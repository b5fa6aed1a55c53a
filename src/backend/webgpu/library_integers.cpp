// The library's functions of integers: those of up to 32 bits as u32, those of 64 as vec2u(low,
// high). uint32 and uint64 have functions of their own, _u32 and _u64, where the sign matters.
#include "backend/webgpu/library.h"

namespace tamis::webgpu {

const char* const kIntegerLibrary = R"(
fn wrap_uint8(a: u32) -> u32 { return a & 255u; }
fn wrap_uint16(a: u32) -> u32 { return a & 65535u; }
fn wrap_int8(a: u32) -> u32 { return bitcast<u32>(extractBits(bitcast<i32>(a), 0u, 8u)); }
fn wrap_int16(a: u32) -> u32 { return bitcast<u32>(extractBits(bitcast<i32>(a), 0u, 16u)); }

fn eq_i32(a: u32, b: u32) -> bool { return a == b; }
fn lt_i32(a: u32, b: u32) -> bool { return bitcast<i32>(a) < bitcast<i32>(b); }
fn le_i32(a: u32, b: u32) -> bool { return bitcast<i32>(a) <= bitcast<i32>(b); }

fn neg_i32(a: u32) -> u32 { return 0u - a; }
fn abs_i32(a: u32) -> u32 { return select(a, 0u - a, lt_i32(a, 0u)); }
fn sign_i32(a: u32) -> u32 { return bitcast<u32>(sign(bitcast<i32>(a))); }
fn relu_i32(a: u32) -> u32 { return select(a, 0u, lt_i32(a, 0u)); }
fn floor_i32(a: u32) -> u32 { return a; }
fn ceil_i32(a: u32) -> u32 { return a; }
fn round_i32(a: u32) -> u32 { return a; }
fn trunc_i32(a: u32) -> u32 { return a; }
fn bit_not_i32(a: u32) -> u32 { return ~a; }
fn add_i32(a: u32, b: u32) -> u32 { return a + b; }
fn sub_i32(a: u32, b: u32) -> u32 { return a - b; }
fn mul_i32(a: u32, b: u32) -> u32 { return a * b; }
fn minimum_i32(a: u32, b: u32) -> u32 { return select(b, a, lt_i32(a, b)); }
fn maximum_i32(a: u32, b: u32) -> u32 { return select(b, a, lt_i32(b, a)); }
fn bit_and_i32(a: u32, b: u32) -> u32 { return a & b; }
fn bit_or_i32(a: u32, b: u32) -> u32 { return a | b; }
fn bit_xor_i32(a: u32, b: u32) -> u32 { return a ^ b; }
fn shift_left_i32(a: u32, b: u32) -> u32 { return select(0u, a << (b & 31u), b < 32u); }
fn shift_right_i32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(bitcast<i32>(a) >> min(b, 31u));
}
fn gcd_i32(a: u32, b: u32) -> u32 { return gcd_u32(abs_i32(a), abs_i32(b)); }
// Division by zero is refused before; elements that a mask leaves out may have it all the same.
fn fmod_i32(a: u32, b: u32) -> u32 {
  if (b == 0u || b == 0xffffffffu) { return 0u; }
  return bitcast<u32>(bitcast<i32>(a) % bitcast<i32>(b));
}
fn remainder_i32(a: u32, b: u32) -> u32 {
  let m = fmod_i32(a, b);
  return select(m, m + b, m != 0u && lt_i32(b, 0u) != lt_i32(m, 0u));
}
fn floor_div_i32(a: u32, b: u32) -> u32 {
  if (b == 0u) { return 0u; }
  if (b == 0xffffffffu) { return 0u - a; }
  let q = bitcast<u32>(bitcast<i32>(a) / bitcast<i32>(b));
  return select(q, q - 1u, fmod_i32(a, b) != 0u && lt_i32(a, 0u) != lt_i32(b, 0u));
}
fn pow_i32(a: u32, b: u32) -> u32 {
  if (lt_i32(b, 0u)) {
    if (a == 1u) { return 1u; }
    if (a == 0xffffffffu) { return select(0xffffffffu, 1u, (b & 1u) == 0u); }
    return 0u;
  }
  return pow_u32(a, b);
}

fn lt_u32(a: u32, b: u32) -> bool { return a < b; }
fn le_u32(a: u32, b: u32) -> bool { return a <= b; }
fn abs_u32(a: u32) -> u32 { return a; }
fn sign_u32(a: u32) -> u32 { return min(a, 1u); }
fn relu_u32(a: u32) -> u32 { return a; }
fn minimum_u32(a: u32, b: u32) -> u32 { return min(a, b); }
fn maximum_u32(a: u32, b: u32) -> u32 { return max(a, b); }
fn shift_right_u32(a: u32, b: u32) -> u32 { return select(0u, a >> (b & 31u), b < 32u); }
fn gcd_u32(a: u32, b: u32) -> u32 {
  var x = a;
  var y = b;
  while (y != 0u) {
    let rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}
fn fmod_u32(a: u32, b: u32) -> u32 {
  if (b == 0u) { return 0u; }
  return a % b;
}
fn remainder_u32(a: u32, b: u32) -> u32 { return fmod_u32(a, b); }
fn floor_div_u32(a: u32, b: u32) -> u32 {
  if (b == 0u) { return 0u; }
  return a / b;
}
fn pow_u32(a: u32, b: u32) -> u32 {
  var power = 1u;
  var base = a;
  for (var n = b; n != 0u; n = n >> 1u) {
    if ((n & 1u) != 0u) { power = power * base; }
    base = base * base;
  }
  return power;
}

// Whether element `at` of a matrix is on a diagonal from lower to upper.
fn in_band(at: u32, cols: u32, lower: u32, upper: u32) -> bool {
  let row = at / cols;
  let d = bitcast<i32>(at - row * cols) - bitcast<i32>(row);
  return d >= bitcast<i32>(lower) && d <= bitcast<i32>(upper);
}

fn is_negative_i64(a: vec2u) -> bool { return (a.y >> 31u) != 0u; }
fn is_zero_i64(a: vec2u) -> bool { return (a.x | a.y) == 0u; }
fn eq_i64(a: vec2u, b: vec2u) -> bool { return a.x == b.x && a.y == b.y; }
fn lt_u64(a: vec2u, b: vec2u) -> bool { return a.y < b.y || (a.y == b.y && a.x < b.x); }
fn lt_i64(a: vec2u, b: vec2u) -> bool {
  return lt_i32(a.y, b.y) || (a.y == b.y && a.x < b.x);
}
fn le_i64(a: vec2u, b: vec2u) -> bool { return !lt_i64(b, a); }
fn le_u64(a: vec2u, b: vec2u) -> bool { return !lt_u64(b, a); }
fn abs_u64(a: vec2u) -> vec2u { return a; }
fn sign_u64(a: vec2u) -> vec2u { return vec2u(min(a.x | a.y, 1u), 0u); }
fn relu_u64(a: vec2u) -> vec2u { return a; }
fn minimum_u64(a: vec2u, b: vec2u) -> vec2u { return select(b, a, lt_u64(a, b)); }
fn maximum_u64(a: vec2u, b: vec2u) -> vec2u { return select(b, a, lt_u64(b, a)); }
fn shift_right_u64(a: vec2u, b: vec2u) -> vec2u {
  return shr_u64(a, select(64u, b.x, b.y == 0u && b.x < 64u));
}
fn fmod_u64(a: vec2u, b: vec2u) -> vec2u {
  if (is_zero_i64(b)) { return vec2u(); }
  return divide_u64(a, b).zw;
}
fn remainder_u64(a: vec2u, b: vec2u) -> vec2u { return fmod_u64(a, b); }
fn floor_div_u64(a: vec2u, b: vec2u) -> vec2u {
  if (is_zero_i64(b)) { return vec2u(); }
  return divide_u64(a, b).xy;
}

fn add_i64(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}
fn sub_i64(a: vec2u, b: vec2u) -> vec2u {
  return vec2u(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}
fn neg_i64(a: vec2u) -> vec2u { return sub_i64(vec2u(), a); }
// The product of 32 bits by 32 in full.
fn mul_wide(a: u32, b: u32) -> vec2u {
  let a0 = a & 0xffffu; let a1 = a >> 16u;
  let b0 = b & 0xffffu; let b1 = b >> 16u;
  let p00 = a0 * b0; let p01 = a0 * b1; let p10 = a1 * b0; let p11 = a1 * b1;
  let middle = (p00 >> 16u) + (p01 & 0xffffu) + (p10 & 0xffffu);
  return vec2u((p00 & 0xffffu) | (middle << 16u),
               p11 + (p01 >> 16u) + (p10 >> 16u) + (middle >> 16u));
}
fn mul_i64(a: vec2u, b: vec2u) -> vec2u {
  let low = mul_wide(a.x, b.x);
  return vec2u(low.x, low.y + a.x * b.y + a.y * b.x);
}
fn shl_i64(a: vec2u, n: u32) -> vec2u {
  if (n == 0u) { return a; }
  if (n >= 32u) { return vec2u(0u, a.x << (n - 32u)); }
  return vec2u(a.x << n, (a.y << n) | (a.x >> (32u - n)));
}
fn shr_u64(a: vec2u, n: u32) -> vec2u {
  if (n == 0u) { return a; }
  if (n >= 64u) { return vec2u(); }
  if (n >= 32u) { return vec2u(a.y >> (n - 32u), 0u); }
  return vec2u((a.x >> n) | (a.y << (32u - n)), a.y >> n);
}
fn shift_left_i64(a: vec2u, b: vec2u) -> vec2u {
  if (b.y != 0u || b.x >= 64u) { return vec2u(); }
  return shl_i64(a, b.x);
}
fn shift_right_i64(a: vec2u, b: vec2u) -> vec2u {
  let n = select(63u, b.x, b.y == 0u && b.x < 64u);
  // Of a negative number the bits that are not set are moved.
  let flip = select(vec2u(), vec2u(0xffffffffu), is_negative_i64(a));
  return shr_u64(a ^ flip, n) ^ flip;
}
fn gcd_i64(a: vec2u, b: vec2u) -> vec2u { return gcd_u64(abs_i64(a), abs_i64(b)); }
fn gcd_u64(a: vec2u, b: vec2u) -> vec2u {
  var x = a;
  var y = b;
  while (!is_zero_i64(y)) {
    let rest = divide_u64(x, y).zw;
    x = y;
    y = rest;
  }
  return x;
}
fn leading_zeros_u64(a: vec2u) -> u32 {
  return select(countLeadingZeros(a.y), 32u + countLeadingZeros(a.x), a.y == 0u);
}
// Quotient (xy) and remainder (zw) of unsigned numbers; b is not zero.
fn divide_u64(a: vec2u, b: vec2u) -> vec4u {
  if (a.y == 0u && b.y == 0u) { return vec4u(a.x / b.x, 0u, a.x % b.x, 0u); }
  if (b.y == 0u && b.x < 0x10000u) {
    // By hand, with digits of 16 bits.
    let first = ((a.y % b.x) << 16u) | (a.x >> 16u);
    let second = ((first % b.x) << 16u) | (a.x & 0xffffu);
    return vec4u(((first / b.x) << 16u) | (second / b.x), a.y / b.x, second % b.x, 0u);
  }
  if (lt_u64(a, b)) { return vec4u(0u, 0u, a.x, a.y); }
  var n = leading_zeros_u64(b) - leading_zeros_u64(a);
  var divisor = shl_i64(b, n);
  var rest = a;
  var quotient = vec2u();
  loop {
    quotient = shl_i64(quotient, 1u);
    if (!lt_u64(rest, divisor)) {
      rest = sub_i64(rest, divisor);
      quotient.x = quotient.x | 1u;
    }
    if (n == 0u) { break; }
    divisor = shr_u64(divisor, 1u);
    n = n - 1u;
  }
  return vec4u(quotient, rest);
}
fn abs_i64(a: vec2u) -> vec2u { return select(a, neg_i64(a), is_negative_i64(a)); }
fn sign_i64(a: vec2u) -> vec2u {
  return select(select(vec2u(1u, 0u), vec2u(), is_zero_i64(a)), vec2u(0xffffffffu),
                is_negative_i64(a));
}
fn relu_i64(a: vec2u) -> vec2u { return select(a, vec2u(), is_negative_i64(a)); }
fn floor_i64(a: vec2u) -> vec2u { return a; }
fn ceil_i64(a: vec2u) -> vec2u { return a; }
fn round_i64(a: vec2u) -> vec2u { return a; }
fn trunc_i64(a: vec2u) -> vec2u { return a; }
fn bit_not_i64(a: vec2u) -> vec2u { return ~a; }
fn minimum_i64(a: vec2u, b: vec2u) -> vec2u { return select(b, a, lt_i64(a, b)); }
fn maximum_i64(a: vec2u, b: vec2u) -> vec2u { return select(b, a, lt_i64(b, a)); }
fn bit_and_i64(a: vec2u, b: vec2u) -> vec2u { return a & b; }
fn bit_or_i64(a: vec2u, b: vec2u) -> vec2u { return a | b; }
fn bit_xor_i64(a: vec2u, b: vec2u) -> vec2u { return a ^ b; }
fn fmod_i64(a: vec2u, b: vec2u) -> vec2u {
  if (is_zero_i64(b)) { return vec2u(); }
  let rest = divide_u64(abs_i64(a), abs_i64(b)).zw;
  return select(rest, neg_i64(rest), is_negative_i64(a));
}
fn remainder_i64(a: vec2u, b: vec2u) -> vec2u {
  let m = fmod_i64(a, b);
  return select(m, add_i64(m, b), !is_zero_i64(m) && is_negative_i64(b) != is_negative_i64(m));
}
fn floor_div_i64(a: vec2u, b: vec2u) -> vec2u {
  if (is_zero_i64(b)) { return vec2u(); }
  let parts = divide_u64(abs_i64(a), abs_i64(b));
  if (is_negative_i64(a) == is_negative_i64(b)) { return parts.xy; }
  let q = neg_i64(parts.xy);
  return select(sub_i64(q, vec2u(1u, 0u)), q, is_zero_i64(parts.zw));
}
fn pow_i64(a: vec2u, b: vec2u) -> vec2u {
  let one = vec2u(1u, 0u);
  if (is_negative_i64(b)) {
    if (eq_i64(a, one)) { return one; }
    if (eq_i64(a, vec2u(0xffffffffu))) { return select(a, one, (b.x & 1u) == 0u); }
    return vec2u();
  }
  return pow_u64(a, b);
}
fn pow_u64(a: vec2u, b: vec2u) -> vec2u {
  var power = vec2u(1u, 0u);
  var base = a;
  for (var n = b; !is_zero_i64(n); n = shr_u64(n, 1u)) {
    if ((n.x & 1u) != 0u) { power = mul_i64(power, base); }
    base = mul_i64(base, base);
  }
  return power;
}
)";

}  // namespace tamis::webgpu
