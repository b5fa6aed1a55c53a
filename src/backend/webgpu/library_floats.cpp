// The library's functions of float32, which are given and return bits. Comparisons and what follows
// from them go by the bits, since devices may flush small numbers and take x != x for false.
#include "backend/webgpu/library.h"

namespace tamis::webgpu {

const char* const kFloatLibrary = R"(
fn is_nan_f32(a: u32) -> bool { return (a & 0x7fffffffu) > 0x7f800000u; }
// Numbers in the order of their values, the two zeros equal.
fn order_f32(a: u32) -> i32 { return bitcast<i32>(select(a, 0x80000000u - a, (a >> 31u) != 0u)); }
fn eq_f32(a: u32, b: u32) -> bool {
  return !is_nan_f32(a) && !is_nan_f32(b) && order_f32(a) == order_f32(b);
}
fn lt_f32(a: u32, b: u32) -> bool {
  return !is_nan_f32(a) && !is_nan_f32(b) && order_f32(a) < order_f32(b);
}
fn le_f32(a: u32, b: u32) -> bool {
  return !is_nan_f32(a) && !is_nan_f32(b) && order_f32(a) <= order_f32(b);
}

fn neg_f32(a: u32) -> u32 { return a ^ 0x80000000u; }
fn abs_f32(a: u32) -> u32 { return a & 0x7fffffffu; }
fn sign_f32(a: u32) -> u32 {
  if (is_nan_f32(a) || (a << 1u) == 0u) { return 0u; }
  return (a & 0x80000000u) | 0x3f800000u;
}
fn relu_f32(a: u32) -> u32 { return select(a, 0u, lt_f32(a, 0u)); }
// From 2^23 on all numbers are integers.
fn is_whole_f32(a: u32) -> bool { return (a & 0x7f800000u) >= 0x4b000000u; }
fn floor_f32(a: u32) -> u32 { return select(bitcast<u32>(floor(bitcast<f32>(a))), a, is_whole_f32(a)); }
fn ceil_f32(a: u32) -> u32 {
  return select(bitcast<u32>(ceil(bitcast<f32>(a))) | (a & 0x80000000u), a, is_whole_f32(a));
}
fn round_f32(a: u32) -> u32 {
  return select(bitcast<u32>(round(bitcast<f32>(a))) | (a & 0x80000000u), a, is_whole_f32(a));
}
fn trunc_f32(a: u32) -> u32 {
  return select(bitcast<u32>(trunc(bitcast<f32>(a))) | (a & 0x80000000u), a, is_whole_f32(a));
}
fn angle_f32(a: u32) -> u32 {
  if (is_nan_f32(a)) { return a; }
  return select(0u, 0x40490fdbu, lt_f32(a, 0u));
}
fn add_f32(a: u32, b: u32) -> u32 { return bitcast<u32>(bitcast<f32>(a) + bitcast<f32>(b)); }
fn sub_f32(a: u32, b: u32) -> u32 { return bitcast<u32>(bitcast<f32>(a) - bitcast<f32>(b)); }
fn mul_f32(a: u32, b: u32) -> u32 { return bitcast<u32>(bitcast<f32>(a) * bitcast<f32>(b)); }
fn div_f32(a: u32, b: u32) -> u32 { return bitcast<u32>(bitcast<f32>(a) / bitcast<f32>(b)); }
fn minimum_f32(a: u32, b: u32) -> u32 { return select(b, a, lt_f32(a, b) || is_nan_f32(a)); }
fn maximum_f32(a: u32, b: u32) -> u32 { return select(b, a, lt_f32(b, a) || is_nan_f32(a)); }

// Exact: the division by hand, one bit of the quotient after the other.
fn fmod_f32(a: u32, b: u32) -> u32 {
  let sign = a & 0x80000000u;
  var x = a & 0x7fffffffu;
  var y = b & 0x7fffffffu;
  if (y == 0u || y > 0x7f800000u || x >= 0x7f800000u) { return 0x7fc00000u; }
  if (x < y) { return a; }
  if (x == y) { return sign; }
  var ex = i32(x >> 23u);
  var ey = i32(y >> 23u);
  if (ex == 0) {
    let n = countLeadingZeros(x) - 8u;
    x = x << n;
    ex = 1 - i32(n);
  } else {
    x = (x & 0x7fffffu) | 0x800000u;
  }
  if (ey == 0) {
    let n = countLeadingZeros(y) - 8u;
    y = y << n;
    ey = 1 - i32(n);
  } else {
    y = (y & 0x7fffffu) | 0x800000u;
  }
  for (; ex > ey; ex = ex - 1) {
    if (x >= y) { x = x - y; }
    x = x << 1u;
  }
  if (x >= y) { x = x - y; }
  if (x == 0u) { return sign; }
  let n = countLeadingZeros(x) - 8u;
  x = x << n;
  ex = ex - i32(n);
  if (ex > 0) { return sign | (x & 0x7fffffu) | (u32(ex) << 23u); }
  return sign | (x >> u32(1 - ex));
}
fn remainder_f32(a: u32, b: u32) -> u32 {
  let m = fmod_f32(a, b);
  if ((m << 1u) == 0u || lt_f32(b, 0u) == lt_f32(m, 0u)) { return m; }
  return add_f32(m, b);
}
// PyTorch's (and CPython's) way: exact where a / b rounds up to an integer.
fn floor_div_f32(a: u32, b: u32) -> u32 {
  if ((b << 1u) == 0u) { return div_f32(a, b); }
  let m = fmod_f32(a, b);
  var q = div_f32(sub_f32(a, m), b);
  if ((m << 1u) != 0u && lt_f32(b, 0u) != lt_f32(m, 0u)) { q = sub_f32(q, 0x3f800000u); }
  if ((q << 1u) == 0u) { return (a ^ b) & 0x80000000u; }
  let f = floor_f32(q);
  return select(f, add_f32(f, 0x3f800000u), lt_f32(0x3f000000u, sub_f32(q, f)));
}

fn sqrt_f32(a: u32) -> u32 { return bitcast<u32>(sqrt(bitcast<f32>(a))); }
fn rsqrt_f32(a: u32) -> u32 { return bitcast<u32>(1.0 / sqrt(bitcast<f32>(a))); }
fn reciprocal_f32(a: u32) -> u32 { return bitcast<u32>(1.0 / bitcast<f32>(a)); }
fn exp_f32(a: u32) -> u32 { return bitcast<u32>(exp(bitcast<f32>(a))); }
fn log_f32(a: u32) -> u32 { return bitcast<u32>(log(bitcast<f32>(a))); }
fn log2_f32(a: u32) -> u32 { return bitcast<u32>(log2(bitcast<f32>(a))); }
fn log10_f32(a: u32) -> u32 { return bitcast<u32>(log(bitcast<f32>(a)) * 0.43429448); }
fn log1p_f32(a: u32) -> u32 { return bitcast<u32>(log(1.0 + bitcast<f32>(a))); }
fn expm1_f32(a: u32) -> u32 { return bitcast<u32>(exp(bitcast<f32>(a)) - 1.0); }
fn sin_f32(a: u32) -> u32 { return bitcast<u32>(sin(bitcast<f32>(a))); }
fn cos_f32(a: u32) -> u32 { return bitcast<u32>(cos(bitcast<f32>(a))); }
fn tan_f32(a: u32) -> u32 { return bitcast<u32>(tan(bitcast<f32>(a))); }
fn tanh_f32(a: u32) -> u32 { return bitcast<u32>(tanh(bitcast<f32>(a))); }
fn sigmoid_f32(a: u32) -> u32 { return bitcast<u32>(1.0 / (1.0 + exp(-bitcast<f32>(a)))); }
fn erf_f32(a: u32) -> u32 { return bitcast<u32>(tanh(bitcast<f32>(a) * 1.1283792)); }
fn pow_f32(a: u32, b: u32) -> u32 { return bitcast<u32>(pow(bitcast<f32>(a), bitcast<f32>(b))); }
)";

}  // namespace tamis::webgpu
