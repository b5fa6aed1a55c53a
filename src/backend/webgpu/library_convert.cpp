// The library's conversions between dtypes, and comparisons of dtypes that are only moved.
#include "backend/webgpu/library.h"

namespace tamis::webgpu {

const char* const kConvertLibrary = R"(
fn is_true_i32(a: u32) -> bool { return a != 0u; }
fn is_true_i64(a: vec2u) -> bool { return (a.x | a.y) != 0u; }
fn is_true_f16(a: u32) -> bool { return (a & 0x7fffu) != 0u; }
fn is_true_f32(a: u32) -> bool { return (a << 1u) != 0u; }
fn is_true_f64(a: vec2u) -> bool { return (a.x | (a.y << 1u)) != 0u; }
fn is_true_c64(a: vec2u) -> bool { return is_true_f32(a.x) || is_true_f32(a.y); }
fn is_true_c128(a: vec4u) -> bool { return is_true_f64(a.xy) || is_true_f64(a.zw); }

fn i64_from_u32(a: u32) -> vec2u { return vec2u(a, 0u); }
fn i64_from_i32(a: u32) -> vec2u { return vec2u(a, bitcast<u32>(bitcast<i32>(a) >> 31u)); }

fn f32_from_bfloat16(a: u32) -> u32 { return a << 16u; }
fn bfloat16_from_f32(a: u32) -> u32 {
  if (is_nan_f32(a)) { return (a >> 16u) | 0x40u; }
  return (a + 0x7fffu + ((a >> 16u) & 1u)) >> 16u;
}
fn f32_from_float16(a: u32) -> u32 {
  let sign = (a & 0x8000u) << 16u;
  let exponent = (a >> 10u) & 31u;
  let fraction = a & 0x3ffu;
  if (exponent == 31u) { return sign | 0x7f800000u | (fraction << 13u); }
  if (exponent == 0u) {
    if (fraction == 0u) { return sign; }
    let shift = countLeadingZeros(fraction) - 21u;
    return sign | ((113u - shift) << 23u) | (((fraction << shift) & 0x3ffu) << 13u);
  }
  return sign | ((exponent + 112u) << 23u) | (fraction << 13u);
}
// The rest, of which `half` is the middle, decides the rounding to nearest, ties to even.
fn rounds_up(result: u32, rest: u32, half: u32) -> bool {
  return rest > half || (rest == half && (result & 1u) != 0u);
}
fn float16_from_f32(a: u32) -> u32 {
  let sign = (a >> 16u) & 0x8000u;
  let size = a & 0x7fffffffu;
  if (size > 0x7f800000u) { return sign | 0x7e00u | ((size >> 13u) & 0x1ffu); }
  if (size >= 0x477ff000u) { return sign | 0x7c00u; }
  if (size >= 0x38800000u) {
    let result = (size - 0x38000000u) >> 13u;
    return sign | select(result, result + 1u, rounds_up(result, size & 0x1fffu, 0x1000u));
  }
  if (size < 0x33000000u) { return sign; }
  let shift = 126u - (size >> 23u);
  let fraction = (size & 0x7fffffu) | 0x800000u;
  let result = fraction >> shift;
  let rest = fraction & ((1u << shift) - 1u);
  return sign | select(result, result + 1u, rounds_up(result, rest, 1u << (shift - 1u)));
}

// Rounded to nearest, ties to even.
fn f32_from_u64(a: vec2u) -> u32 {
  if (is_zero_i64(a)) { return 0u; }
  let zeros = leading_zeros_u64(a);
  let top = shl_i64(a, zeros);
  let result = ((190u - zeros) << 23u) + ((top.y >> 8u) & 0x7fffffu);
  let rest = ((top.y & 255u) << 1u) | select(0u, 1u, top.x != 0u);
  return select(result, result + 1u, rounds_up(result, rest, 256u));
}
fn f32_from_i64(a: vec2u) -> u32 {
  return f32_from_u64(abs_i64(a)) | (a.y & 0x80000000u);
}
fn f32_from_u32(a: u32) -> u32 { return f32_from_u64(vec2u(a, 0u)); }
fn f32_from_i32(a: u32) -> u32 {
  return f32_from_u64(vec2u(abs_i32(a), 0u)) | (a & 0x80000000u);
}
// Truncated; the smallest integer where the number is outside of the range, or NaN.
fn i64_from_f32(a: u32) -> vec2u {
  let exponent = (a >> 23u) & 255u;
  if (exponent < 127u) { return vec2u(); }
  if (exponent >= 190u) { return vec2u(0u, 0x80000000u); }
  let fraction = vec2u((a & 0x7fffffu) | 0x800000u, 0u);
  var size = vec2u();
  if (exponent >= 150u) { size = shl_i64(fraction, exponent - 150u); }
  else { size = shr_u64(fraction, 150u - exponent); }
  return select(size, neg_i64(size), (a >> 31u) != 0u);
}
// Numbers from 2^63 to 2^64 are uint64's alone; the others become what they are as int64.
fn u64_from_f32(a: u32) -> vec2u {
  if ((a >> 23u) == 190u) { return shl_i64(vec2u((a & 0x7fffffu) | 0x800000u, 0u), 40u); }
  return i64_from_f32(a);
}
fn u64_from_f64(a: vec2u) -> vec2u {
  if ((a.y >> 20u) == 1086u) { return shl_i64(vec2u(a.x, (a.y & 0xfffffu) | 0x100000u), 11u); }
  return i64_from_f64(a);
}
fn i32_from_i64_range(a: vec2u) -> u32 {
  return select(0x80000000u, a.x, eq_i64(a, i64_from_i32(a.x)));
}
fn i32_from_f32(a: u32) -> u32 { return i32_from_i64_range(i64_from_f32(a)); }

fn f64_from_f32(a: u32) -> vec2u {
  let sign = a & 0x80000000u;
  let exponent = (a >> 23u) & 255u;
  var fraction = a & 0x7fffffu;
  var high = 0u;
  if (exponent == 255u) {
    high = 0x7ff00000u;
    if (fraction != 0u) { high = 0x7ff80000u; }
  } else if (exponent == 0u) {
    if (fraction == 0u) { return vec2u(0u, sign); }
    let shift = countLeadingZeros(fraction) - 8u;
    fraction = (fraction << shift) & 0x7fffffu;
    high = (897u - shift) << 20u;
  } else {
    high = (exponent + 896u) << 20u;
  }
  return vec2u(fraction << 29u, sign | high | (fraction >> 3u));
}
fn f32_from_f64(a: vec2u) -> u32 {
  let sign = a.y & 0x80000000u;
  let exponent = (a.y >> 20u) & 2047u;
  let fraction = ((a.y & 0xfffffu) << 3u) | (a.x >> 29u);
  let rest = a.x & 0x1fffffffu;
  if (exponent == 2047u) {
    if ((a.x | (a.y & 0xfffffu)) != 0u) { return sign | 0x7fc00000u | fraction; }
    return sign | 0x7f800000u;
  }
  if (exponent >= 1151u) { return sign | 0x7f800000u; }
  if (exponent >= 897u) {
    let result = ((exponent - 896u) << 23u) | fraction;
    return sign | select(result, result + 1u, rounds_up(result, rest, 0x10000000u));
  }
  if (exponent < 872u) { return sign; }
  let shift = 897u - exponent;
  let whole = fraction | 0x800000u;
  let result = whole >> shift;
  let low = whole & ((1u << shift) - 1u);
  let half = 1u << (shift - 1u);
  let up = low > half || (low == half && (rest != 0u || (result & 1u) != 0u));
  return sign | select(result, result + 1u, up);
}
fn f64_from_i64(a: vec2u) -> vec2u {
  let size = f64_from_u64(abs_i64(a));
  return vec2u(size.x, size.y | (a.y & 0x80000000u));
}
fn f64_from_u32(a: u32) -> vec2u { return f64_from_u64(vec2u(a, 0u)); }
fn f64_from_u64(size: vec2u) -> vec2u {
  if (is_zero_i64(size)) { return size; }
  let zeros = leading_zeros_u64(size);
  let top = shl_i64(size, zeros);
  let result = add_i64(shr_u64(top, 11u), vec2u(0u, (1085u - zeros) << 20u));
  let up = rounds_up(result.x, top.x & 2047u, 1024u);
  return add_i64(result, vec2u(select(0u, 1u, up), 0u));
}
fn f64_from_i32(a: u32) -> vec2u { return f64_from_i64(i64_from_i32(a)); }
fn i64_from_f64(a: vec2u) -> vec2u {
  let exponent = (a.y >> 20u) & 2047u;
  if (exponent < 1023u) { return vec2u(); }
  if (exponent >= 1086u) { return vec2u(0u, 0x80000000u); }
  let fraction = vec2u(a.x, (a.y & 0xfffffu) | 0x100000u);
  var size = vec2u();
  if (exponent >= 1075u) { size = shl_i64(fraction, exponent - 1075u); }
  else { size = shr_u64(fraction, 1075u - exponent); }
  return select(size, neg_i64(size), (a.y >> 31u) != 0u);
}
fn i32_from_f64(a: vec2u) -> u32 { return i32_from_i64_range(i64_from_f64(a)); }

fn c64_from_f32(a: u32) -> vec2u { return vec2u(a, 0u); }
fn f32_from_c64(a: vec2u) -> u32 { return a.x; }
fn c128_from_f64(a: vec2u) -> vec4u { return vec4u(a, 0u, 0u); }
fn f64_from_c128(a: vec4u) -> vec2u { return a.xy; }
fn c128_from_c64(a: vec2u) -> vec4u { return vec4u(f64_from_f32(a.x), f64_from_f32(a.y)); }
fn c64_from_c128(a: vec4u) -> vec2u { return vec2u(f32_from_f64(a.xy), f32_from_f64(a.zw)); }

fn is_nan_f64(a: vec2u) -> bool {
  return lt_u64(vec2u(0u, 0x7ff00000u), vec2u(a.x, a.y & 0x7fffffffu));
}
// Numbers in the order of their values, the two zeros equal.
fn order_f64(a: vec2u) -> vec2u {
  return select(a, sub_i64(vec2u(0u, 0x80000000u), a), is_negative_i64(a));
}
fn eq_f64(a: vec2u, b: vec2u) -> bool {
  return !is_nan_f64(a) && !is_nan_f64(b) && eq_i64(order_f64(a), order_f64(b));
}
fn lt_f64(a: vec2u, b: vec2u) -> bool {
  return !is_nan_f64(a) && !is_nan_f64(b) && lt_i64(order_f64(a), order_f64(b));
}
fn le_f64(a: vec2u, b: vec2u) -> bool {
  return !is_nan_f64(a) && !is_nan_f64(b) && le_i64(order_f64(a), order_f64(b));
}
fn abs_lt_f64(a: vec2u, b: vec2u) -> bool {
  return lt_f64(vec2u(a.x, a.y & 0x7fffffffu), vec2u(b.x, b.y & 0x7fffffffu));
}
fn abs_le_f64(a: vec2u, b: vec2u) -> bool {
  return le_f64(vec2u(a.x, a.y & 0x7fffffffu), vec2u(b.x, b.y & 0x7fffffffu));
}
fn eq_c64(a: vec2u, b: vec2u) -> bool { return eq_f32(a.x, b.x) && eq_f32(a.y, b.y); }
fn eq_c128(a: vec4u, b: vec4u) -> bool { return eq_f64(a.xy, b.xy) && eq_f64(a.zw, b.zw); }
)";

}  // namespace tamis::webgpu
