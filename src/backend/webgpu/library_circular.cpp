// The library's circular functions of float32, for all finite arguments. As in the exponentials,
// the large terms are integers; errors are below 0.9 ulp, those of tangents below 1.3.
#include "backend/webgpu/library.h"

namespace tamis::webgpu {

const char* const kCircularLibrary = R"(
// Four words of 2 / pi in binary, from bit 32 (i - 1) behind the point on.
fn two_over_pi(i: u32) -> vec4u {
  switch (i) {
    case 0u: { return vec4u(0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u); }
    case 1u: { return vec4u(0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u); }
    case 2u: { return vec4u(0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u); }
    case 3u: { return vec4u(0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u); }
    default: { return vec4u(0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu); }
  }
}
// |x| = n pi/2 +- a 2^e, at most pi/4, as vec4u(a, e, n, 1 if minus); a has 32 bits, the highest of
// which is set. Of finite x from 2^-13 on.
fn angle_parts(size: u32) -> vec4u {
  let m = mantissa_f32(size);
  let e = exponent_f32(size);
  if (size <= 0x3f490fdau) { return vec4u(m << 8u, bitcast<u32>(e - 8), 0u, 0u); }
  // 96 bits of 2 / pi, from where products with x are below 4: what is before them is whole turns.
  let first = u32(e + 30);
  let words = two_over_pi(first >> 5u);
  let shift = first & 31u;
  let w = (words.xyz << vec3u(shift)) | ((words.yzw >> vec3u(1u)) >> vec3u(31u - shift));
  let turns = add_i64(add_i64(vec2u(0u, m * w.x), mul_wide(m, w.y)),
                      vec2u(mul_wide(m, w.z).y, 0u));
  // Two bits are quarters of a turn, the others the fraction of one.
  let n = (turns.y + 0x20000000u) >> 30u;
  let fraction = shl_i64(turns, 2u);
  let minus = is_negative_i64(fraction);
  let part = select(fraction, neg_i64(fraction), minus);
  let zeros = leading_zeros_u64(part);
  let a = mul_wide(shl_i64(part, zeros).y, 0xc90fdaa2u).y;
  let more = countLeadingZeros(a);
  return vec4u(a << more, bitcast<u32>(-31 - i32(zeros + more)), n, select(0u, 1u, minus));
}
// a 2^e as a float.
fn short_angle(a: u32, e: i32) -> f32 { return f32(a) * bitcast<f32>(u32(e + 127) << 23u); }
// sin(a 2^e) in units of 2^e; by (sin(x) - x) / x^3, 2^-32.2.
fn sin_fixed(a: u32, e: i32) -> u32 {
  let x = short_angle(a, e);
  let z = x * x;
  let less = z * (0.166666672 + z * (-0.00833337288 + z * (0.000198503025 - z * 2.8045024e-06)));
  return a - u32(round(f32(a) * less));
}
// cos(a 2^e) in units of 2^-31; by (cos(x) - 1 + x^2 / 2) / x^4, 2^-30.8.
fn cos_fixed(a: u32, e: i32) -> u32 {
  let x = short_angle(a, e);
  let z = x * x;
  let more = z * z * (0.0416666456 + z * (-0.00138873677 + z * 2.44384591e-05));
  let half = mul_wide(a, a).y >> min(u32(-62 - 2 * e), 31u);
  return 0x80000000u - half + u32(round(more * 2147483648.0));
}
// The sine of x and some quarters of a turn more.
fn sin_after(a: u32, quarters: u32) -> u32 {
  let size = a & 0x7fffffffu;
  if (size >= 0x7f800000u) { return 0x7fc00000u; }
  if (size < 0x39000000u) { return select(a, 0x3f800000u, quarters == 1u); }
  let parts = angle_parts(size);
  let e = bitcast<i32>(parts.y);
  let turns = parts.z + quarters;
  let sign_bit = ((turns & 2u) << 30u) ^ select(a & 0x80000000u, 0u, quarters == 1u);
  if ((turns & 1u) != 0u) { return nearest_f32(sign_bit, -31, cos_fixed(parts.x, e)); }
  return nearest_f32(sign_bit ^ (parts.w << 31u), e, sin_fixed(parts.x, e));
}
fn sin_f32(a: u32) -> u32 { return sin_after(a, 0u); }
fn cos_f32(a: u32) -> u32 { return sin_after(a, 1u); }
fn tan_f32(a: u32) -> u32 {
  let size = a & 0x7fffffffu;
  if (size >= 0x7f800000u) { return 0x7fc00000u; }
  if (size < 0x39000000u) { return a; }
  let parts = angle_parts(size);
  let e = bitcast<i32>(parts.y);
  let s = sin_fixed(parts.x, e);
  let c = cos_fixed(parts.x, e);
  let s_zeros = countLeadingZeros(s);
  let c_zeros = countLeadingZeros(c);
  let s_short = short_mantissa(s << s_zeros);
  let c_short = short_mantissa(c << c_zeros);
  let sign_bit = (a & 0x80000000u) ^ (parts.w << 31u);
  let exponent = e + 31 + i32(c_zeros) - i32(s_zeros);
  if ((parts.z & 1u) == 0u) { return ratio_f32(sign_bit, exponent, s_short, c_short); }
  return ratio_f32(sign_bit ^ 0x80000000u, -exponent, c_short, s_short);
}
)";

}  // namespace tamis::webgpu
