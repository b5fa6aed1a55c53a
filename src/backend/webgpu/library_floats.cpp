// The library's arithmetic of float32, which is given and returns bits. All but sums and products
// goes by the bits, since devices may flush small numbers, divide inexactly, and take x != x for
// false.
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
fn abs_lt_f32(a: u32, b: u32) -> bool { return lt_f32(abs_f32(a), abs_f32(b)); }
fn abs_le_f32(a: u32, b: u32) -> bool { return le_f32(abs_f32(a), abs_f32(b)); }
fn sign_f32(a: u32) -> u32 {
  if (is_nan_f32(a) || (a << 1u) == 0u) { return 0u; }
  return (a & 0x80000000u) | 0x3f800000u;
}
fn relu_f32(a: u32) -> u32 { return select(a, 0u, lt_f32(a, 0u)); }
// The bits of a fraction, of a number of at least 1 in size; none from 2^23 on.
fn fraction_f32(a: u32) -> u32 {
  return 0x7fffffu >> min(((a >> 23u) & 255u) - 127u, 31u);
}
fn trunc_f32(a: u32) -> u32 {
  if ((a & 0x7fffffffu) < 0x3f800000u) { return a & 0x80000000u; }
  return a & ~fraction_f32(a);
}
// Away from zero to the next integer; from infinity it stays where it is.
fn outward_f32(a: u32) -> u32 {
  if ((a << 1u) == 0u) { return a; }
  if ((a & 0x7fffffffu) < 0x3f800000u) { return (a & 0x80000000u) | 0x3f800000u; }
  let below = fraction_f32(a);
  return (a + below) & ~below;
}
fn floor_f32(a: u32) -> u32 {
  if ((a >> 31u) != 0u && !is_nan_f32(a)) { return outward_f32(a); }
  return trunc_f32(a);
}
fn ceil_f32(a: u32) -> u32 {
  if ((a >> 31u) == 0u && !is_nan_f32(a)) { return outward_f32(a); }
  return trunc_f32(a);
}
// Halves to the even one.
fn round_f32(a: u32) -> u32 {
  let size = a & 0x7fffffffu;
  if (size < 0x3f800000u) {
    return (a & 0x80000000u) | select(0u, 0x3f800000u, size > 0x3f000000u);
  }
  let below = fraction_f32(a);
  let half = (below + 1u) >> 1u;
  let down = a & ~below;
  let rest = a & below;
  // The lowest bit of an integer part of 1 is hidden in the exponent, whose lowest bit is one.
  let up = below != 0u && (rest > half || (rest == half && (down & (below + 1u)) != 0u));
  return select(down, down + below + 1u, up);
}
fn angle_f32(a: u32) -> u32 {
  if (is_nan_f32(a)) { return a; }
  return select(0u, 0x40490fdbu, lt_f32(a, 0u));
}
// Compilers take x - x and x 0 for zero, x + 0 for x, and x y + z for one operation. Here zeros,
// infinities and NaN go by the bits, and the choice between the two ways keeps operations apart
// that round one by one on the CPU.
fn is_plain_f32(a: u32, b: u32) -> bool {
  return max((a & 0x7fffffffu) - 1u, (b & 0x7fffffffu) - 1u) < 0x7f7fffffu;
}
fn sum_of_limits(a: u32, b: u32) -> u32 {
  let x = a & 0x7fffffffu;
  let y = b & 0x7fffffffu;
  if (max(x, y) > 0x7f800000u) { return 0x7fc00000u; }
  if (x == y && a != b) { return select(0x7fc00000u, 0u, x == 0u); }
  return select(b, a, x > y);
}
fn product_of_limits(a: u32, b: u32) -> u32 {
  let x = a & 0x7fffffffu;
  let y = b & 0x7fffffffu;
  if (max(x, y) > 0x7f800000u) { return 0x7fc00000u; }
  if (min(x, y) != 0u) { return ((a ^ b) & 0x80000000u) | 0x7f800000u; }
  return select((a ^ b) & 0x80000000u, 0x7fc00000u, max(x, y) == 0x7f800000u);
}
fn add_f32(a: u32, b: u32) -> u32 {
  if (!is_plain_f32(a, b)) { return sum_of_limits(a, b); }
  return bitcast<u32>(bitcast<f32>(a) + bitcast<f32>(b));
}
fn sub_f32(a: u32, b: u32) -> u32 { return add_f32(a, b ^ 0x80000000u); }
fn mul_f32(a: u32, b: u32) -> u32 {
  if (!is_plain_f32(a, b)) { return product_of_limits(a, b); }
  return bitcast<u32>(bitcast<f32>(a) * bitcast<f32>(b));
}
fn copysign_f32(a: u32, b: u32) -> u32 { return (a & 0x7fffffffu) | (b & 0x80000000u); }
fn nextafter_f32(a: u32, b: u32) -> u32 {
  if (is_nan_f32(a) || is_nan_f32(b)) { return 0x7fc00000u; }
  if (eq_f32(a, b)) { return b; }
  if ((a << 1u) == 0u) { return (b & 0x80000000u) | 1u; }
  return select(a - 1u, a + 1u, lt_f32(a, b) == (a < 0x80000000u));
}
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

// A number other than zero, infinity and NaN as m 2^e, where m has 24 bits.
fn mantissa_f32(a: u32) -> u32 {
  let m = a & 0x7fffffu;
  return select(m << (countLeadingZeros(m) - 8u), m | 0x800000u, (a & 0x7f800000u) != 0u);
}
fn exponent_f32(a: u32) -> i32 {
  let e = (a >> 23u) & 255u;
  return select(i32(e) - 150, -141 - i32(countLeadingZeros(a & 0x7fffffu)), e == 0u);
}
// The nearest number to m 2^e, with a sign. The lowest bit of an m of more than 25 may stand for
// all that is below it.
fn nearest_f32(sign_bit: u32, e: i32, m: u32) -> u32 {
  if (m == 0u) { return sign_bit; }
  let zeros = countLeadingZeros(m);
  let top = m << zeros;
  let exponent = e + 158 - i32(zeros);
  if (exponent >= 255) { return sign_bit | 0x7f800000u; }
  if (exponent > 0) {
    // The highest bit of the mantissa adds one to the exponent.
    let result = (u32(exponent - 1) << 23u) + (top >> 8u);
    return sign_bit | select(result, result + 1u, rounds_up(result, top & 255u, 128u));
  }
  if (exponent < -23) { return sign_bit; }
  let halved = (top >> 1u) | (top & 1u);
  let shift = u32(8 - exponent);
  let result = halved >> shift;
  let rest = halved & ((1u << shift) - 1u);
  return sign_bit | select(result, result + 1u, rounds_up(result, rest, 1u << (shift - 1u)));
}
// The nearest number to n / d 2^e, n and d from 2^26 to 2^27. Division of devices may be off by
// several units, so it is only a guess, which the exact rest puts right.
fn ratio_f32(sign_bit: u32, e: i32, n: u32, d: u32) -> u32 {
  var q = u32(f32(n) / f32(d) * 8388608.0);
  // What is lost above 32 bits would be zero.
  var r = bitcast<i32>((n << 23u) - q * d);
  let more = i32(floor(f32(r) / f32(d)));
  q = q + bitcast<u32>(more);
  r = r - more * i32(d);
  if (r < 0) {
    q = q - 1u;
    r = r + i32(d);
  } else if (r >= i32(d)) {
    q = q + 1u;
    r = r - i32(d);
  }
  var rest = u32(r);
  for (var k = 0; k < 2; k++) {
    rest = rest << 1u;
    q = q << 1u;
    if (rest >= d) {
      rest = rest - d;
      q = q | 1u;
    }
  }
  return nearest_f32(sign_bit, e - 26, (q << 1u) | select(0u, 1u, rest != 0u));
}
fn div_f32(a: u32, b: u32) -> u32 {
  let sign_bit = (a ^ b) & 0x80000000u;
  let x = a & 0x7fffffffu;
  let y = b & 0x7fffffffu;
  if (x == 0u || y == 0u || x >= 0x7f800000u || y >= 0x7f800000u) {
    if (x > 0x7f800000u || y > 0x7f800000u || x == y) { return 0x7fc00000u; }
    return sign_bit | select(0u, 0x7f800000u, x > y);
  }
  return ratio_f32(sign_bit, exponent_f32(x) - exponent_f32(y), mantissa_f32(x) << 3u,
                   mantissa_f32(y) << 3u);
}
fn reciprocal_f32(a: u32) -> u32 { return div_f32(0x3f800000u, a); }
fn sqrt_f32(a: u32) -> u32 {
  if ((a << 1u) == 0u || a == 0x7f800000u) { return a; }
  if (a > 0x7f800000u) { return 0x7fc00000u; }
  // The root of m 2^shift, by a guess as in ratio_f32; e - shift is even.
  let e = exponent_f32(a);
  let shift = 24u - (bitcast<u32>(e) & 1u);
  let m = mantissa_f32(a) << (shift - 23u);
  var s = u32(sqrt(f32(m) * 8388608.0));
  let square = m << 23u;
  s = s + bitcast<u32>(i32(floor(f32(bitcast<i32>(square - s * s)) / f32(2u * s))));
  var r = bitcast<i32>(square - s * s);
  if (r < 0) {
    s = s - 1u;
    r = bitcast<i32>(square - s * s);
  } else if (r > i32(2u * s)) {
    s = s + 1u;
    r = bitcast<i32>(square - s * s);
  }
  return nearest_f32(0u, (e - i32(shift)) >> 1u, select(s, s + 1u, r > i32(s)));
}
fn rsqrt_f32(a: u32) -> u32 { return reciprocal_f32(sqrt_f32(a)); }
)";

}  // namespace tamis::webgpu
