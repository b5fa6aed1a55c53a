// The library's exponentials, logarithms and powers of float32. The large terms of each sum are
// integers and exact, only small ones are floats: so it does not matter whether a device fuses
// products with sums or orders sums as it likes. Errors are below 1.3 ulp, most below 1. The
// polynomials are minimax; beside each stands its largest error.
#include "backend/webgpu/library.h"

namespace tamis::webgpu {

const char* const kElementaryLibrary = R"(
fn quiet_f32(a: u32) -> u32 { return a | 0x400000u; }

// exp(x) = 2^n exp(r), where n is one of the integers next to x / ln 2; of |x| <= 128.
fn exp_power(a: u32) -> i32 { return i32(round(bitcast<f32>(a) * 1.44269504)); }
// r = x - n ln 2 in units of 2^-31. What is lost above 32 bits cancels out.
fn exp_rest(a: u32, n: i32) -> i32 {
  let e = (a >> 23u) & 255u;
  let m = (a & 0x7fffffu) | 0x800000u;
  let size = select(m >> min(119u - e, 31u), m << min(e - 119u, 31u), e >= 119u);
  let x = select(bitcast<i32>(size), -bitcast<i32>(size), (a >> 31u) != 0u);
  // ln 2 is 1488522236 units less 0.0902, or 23 / 256.
  return x - n * 1488522236 + ((n * 23) >> 8u);
}
// (exp(x) - 1 - x) / x^2 of |x| <= 0.35; 2^-30.9 of exp(x) - 1.
fn exp_tail(x: f32) -> f32 {
  return 0.5 + x * (0.166666672 + x * (0.0416664705 + x * (0.00833319314 + x * (0.00139345694 +
         x * 0.000199573769))));
}
// exp(r) in units of 2^-30.
fn exp_fixed(r: i32) -> u32 {
  let x = f32(r) * 4.656612873e-10;
  return u32(1073741824 + (r >> 1u) + i32(round(x * x * exp_tail(x) * 1073741824.0)));
}
fn exp_f32(a: u32) -> u32 {
  if (is_nan_f32(a)) { return quiet_f32(a); }
  // From 89 on infinite, from -104 on zero.
  if (a < 0x80000000u && a >= 0x42b20000u) { return 0x7f800000u; }
  if (a >= 0xc2d00000u) { return 0u; }
  let n = exp_power(a);
  return nearest_f32(0u, n - 30, exp_fixed(exp_rest(a, n)));
}
fn expm1_f32(a: u32) -> u32 {
  let size = a & 0x7fffffffu;
  if (is_nan_f32(a)) { return quiet_f32(a); }
  if (size < 0x33000000u) { return a; }
  if (size < 0x3eb17218u) {
    let x = bitcast<f32>(a);
    return bitcast<u32>(x + x * x * exp_tail(x));
  }
  if (a < 0x80000000u && a >= 0x42b20000u) { return 0x7f800000u; }
  if (a >= 0xc1a00000u) { return 0xbf800000u; }
  let n = exp_power(a);
  let power = exp_fixed(exp_rest(a, n));
  if (n > 0) { return nearest_f32(0u, n - 30, power - (0x40000000u >> u32(min(n, 31)))); }
  let less = power >> u32(-n);
  if (less >= 0x40000000u) { return nearest_f32(0u, -30, less - 0x40000000u); }
  return nearest_f32(0x80000000u, -30, 0x40000000u - less);
}

// 32 bits, the highest of which is set, rounded to the 27 that ratio_f32 takes.
fn short_mantissa(m: u32) -> u32 { return (m >> 5u) + ((m >> 4u) & 1u); }
// 1 / (1 + exp(-x)); 0 where exp(-x) is infinite, as in PyTorch.
fn sigmoid_f32(a: u32) -> u32 {
  if (is_nan_f32(a)) { return quiet_f32(a); }
  if (a > 0xc2b17218u) { return 0u; }
  if (a < 0x80000000u && a >= 0x41c80000u) { return 0x3f800000u; }
  let minus = a | 0x80000000u;
  let n = exp_power(minus);
  let power = exp_fixed(exp_rest(minus, n));
  let sum = 0x40000000u + (power >> min(u32(-n), 31u));
  let below = (sum + 8u) >> 4u;
  if (a < 0x80000000u) { return ratio_f32(0u, 0, 0x4000000u, below); }
  let zeros = countLeadingZeros(power);
  return ratio_f32(0u, n + 1 - i32(zeros), short_mantissa(power << zeros), below);
}
// Up to 0.35 by (tanh(x) - x) / x^3 (2^-29.2), then (1 - exp(-2x)) / (1 + exp(-2x)).
fn tanh_f32(a: u32) -> u32 {
  let size = a & 0x7fffffffu;
  if (is_nan_f32(a)) { return quiet_f32(a); }
  if (size < 0x39000000u) { return a; }
  if (size < 0x3eb33333u) {
    let x = bitcast<f32>(a);
    let z = x * x;
    return bitcast<u32>(x + x * (z * (-0.333333224 + z * (0.13332364 + z * (-0.0537240915 +
                                                                     z * 0.0194246378)))));
  }
  if (size >= 0x41200000u) { return (a & 0x80000000u) | 0x3f800000u; }
  let twice = (size + 0x800000u) | 0x80000000u;
  let n = exp_power(twice);
  let less = exp_fixed(exp_rest(twice, n)) >> u32(-n);
  return ratio_f32(a & 0x80000000u, -1, (0x40000000u - less + 4u) >> 3u,
                   (0x40000000u + less + 8u) >> 4u);
}
// Up to 1 by erf(x) / x - 1 (2^-29.5), then by 1 - erf(x) up to 2 (2^-28.7) and to 4 (2^-26.6).
fn erf_f32(a: u32) -> u32 {
  let size = a & 0x7fffffffu;
  if (is_nan_f32(a)) { return quiet_f32(a); }
  if (size < 0x3f800000u) {
    let z = bitcast<f32>(a) * bitcast<f32>(a);
    let slope = 0.128379166 + z * (-0.376126289 + z * (0.112836182 + z * (-0.0268551242 +
                z * (0.0051907259 + z * (-0.000803065428 + z * 7.91990169e-05)))));
    let m = i32(mantissa_f32(a) << 6u);
    return nearest_f32(a & 0x80000000u, exponent_f32(a) - 6, u32(m + i32(round(f32(m) * slope))));
  }
  if (size >= 0x40800000u) { return (a & 0x80000000u) | 0x3f800000u; }
  var less = 0.0;
  if (size < 0x40000000u) {
    let t = bitcast<f32>(size) - 1.5;
    less = 0.0338948518 + t * (-0.118930288 + t * (0.17839542 + t * (-0.138752237 +
           t * (0.0445993692 + t * (0.0148713943 + t * (-0.0193328634 + t * (0.00469795242 +
           t * (0.00240070745 + t * -0.00153428374))))))));
  } else {
    let t = bitcast<f32>(size) - 3.0;
    less = 2.20919628e-05 + t * (-0.000139151351 + t * (0.000417668198 + t * (-0.000791160855 +
           t * (0.00104535196 + t * (-0.00100484921 + t * (0.000734232017 + t * (-0.000417792005 +
           t * (0.000141996527 + t * (1.40842931e-05 + t * -2.2465445e-05)))))))));
  }
  return bitcast<u32>(1.0 - less) | (a & 0x80000000u);
}

// log(1 + f) - f of sqrt(1/2) <= 1 + f <= sqrt(2); 2^-30 of log(1 + f).
fn log_tail(f: f32) -> f32 {
  return f * f * (-0.5 + f * (0.333333105 + f * (-0.249999866 + f * (0.200022265 +
         f * (-0.166692719 + f * (0.142186627 + f * (-0.1238399 + f * (0.11872717 +
         f * (-0.117919117 + f * 0.0691834837)))))))));
}
// Of a number m 2^e, m from 2^30 to 2^31: vec2i(k, g) so that it is 2^k (1 + g 2^-30), where
// sqrt(1/2) <= 1 + g 2^-30 <= sqrt(2).
fn log_parts(e: i32, m: u32) -> vec2i {
  let large = m >= 1518500250u;
  return vec2i(select(e + 30, e + 31, large), i32(select(m, m >> 1u, large)) - 1073741824);
}
fn log_parts_f32(a: u32) -> vec2i { return log_parts(exponent_f32(a) - 7, mantissa_f32(a) << 7u); }
fn is_log_limit(a: u32) -> bool { return (a << 1u) == 0u || a >= 0x7f800000u; }
// Logarithms of what is no positive number.
fn log_limit(a: u32) -> u32 {
  if ((a << 1u) == 0u) { return 0xff800000u; }
  if (a == 0x7f800000u) { return a; }
  return select(0x7fc00000u, quiet_f32(a), is_nan_f32(a));
}
// k (high 2^-28 + low) + g 2^-30 + rest.
fn log_sum(k: i32, g: i32, rest: f32, high: i32, low: f32) -> u32 {
  if (k == 0) {
    let shift = countLeadingZeros(u32(abs(g))) - 2u;
    let sum = (g << shift) + i32(round(rest * bitcast<f32>((157u + shift) << 23u)));
    return nearest_f32(bitcast<u32>(sum) & 0x80000000u, -30 - i32(shift), u32(abs(sum)));
  }
  // In units of 2^-28, or of 2^-23 where that would be too much for 32 bits.
  let wide = abs(k) > 7;
  let lost = f32(4 * k * (high & 31) + (g & 127)) * 9.313225746e-10;
  let small = rest + f32(k) * low + select(0.0, lost, wide);
  var sum = i32(round(small * select(268435456.0, 8388608.0, wide)));
  if (wide) { sum = sum + k * (high >> 5u) + (g >> 7u); }
  else { sum = sum + k * high + (g >> 2u); }
  return nearest_f32(bitcast<u32>(sum) & 0x80000000u, select(-28, -23, wide), u32(abs(sum)));
}
fn log_of(parts: vec2i) -> u32 {
  let f = f32(parts.y) * 9.313225746e-10;
  return log_sum(parts.x, parts.y, log_tail(f), 186065279, 1.820636e-9);
}
fn log_f32(a: u32) -> u32 {
  if (is_log_limit(a)) { return log_limit(a); }
  return log_of(log_parts_f32(a));
}
fn log2_f32(a: u32) -> u32 {
  if (is_log_limit(a)) { return log_limit(a); }
  let parts = log_parts_f32(a);
  let f = f32(parts.y) * 9.313225746e-10;
  // log2(e) is 1.5 less 0.0573, and log10(e) 7/16 less 0.0032.
  return log_sum(parts.x, parts.y + (parts.y >> 1u), log_tail(f) * 1.44269504 - f * 0.0573049591,
                 268435456, 0.0);
}
fn log10_f32(a: u32) -> u32 {
  if (is_log_limit(a)) { return log_limit(a); }
  let parts = log_parts_f32(a);
  let f = f32(parts.y) * 9.313225746e-10;
  return log_sum(parts.x, (parts.y >> 1u) - (parts.y >> 4u),
                 log_tail(f) * 0.434294482 - f * 0.00320551810, 80807124, 5.80172296e-10);
}
fn log1p_f32(a: u32) -> u32 {
  let size = a & 0x7fffffffu;
  if (size < 0x33000000u || a == 0x7f800000u) { return a; }
  if (is_nan_f32(a)) { return quiet_f32(a); }
  if (a >= 0xbf800000u) { return select(0x7fc00000u, 0xff800000u, a == 0xbf800000u); }
  // Between sqrt(1/2) - 1 and sqrt(2) - 1.
  if (size < select(0x3ed413cdu, 0x3e95f619u, a >= 0x80000000u)) {
    let f = bitcast<f32>(a);
    return bitcast<u32>(f + log_tail(f));
  }
  // 1 + x as an integer, exact but for x so large that it does not matter.
  let e = i32(size >> 23u) - 127;
  let m = ((a & 0x7fffffu) | 0x800000u) << 7u;
  if (e >= 0) {
    let sum = m + (0x40000000u >> min(u32(e), 31u));
    let carry = sum >> 31u;
    return log_of(log_parts(e - 30 + i32(carry), sum >> carry));
  }
  let x = m >> u32(-e);
  let sum = select(0x40000000u + x, 0x40000000u - x, a >= 0x80000000u);
  let zeros = i32(countLeadingZeros(sum)) - 1;
  return log_of(log_parts(-30 - zeros, sum << u32(zeros)));
}

// The upper half of a product of 64 by 64 bits, but for a few units.
fn mul_high_u64(a: vec2u, b: vec2u) -> vec2u {
  let p = add_i64(vec2u(mul_wide(a.y, b.x).y, 0u), vec2u(mul_wide(a.x, b.y).y, 0u));
  return add_i64(mul_wide(a.y, b.y), p);
}
// log2(m / 2^24) of 0.7 < m / 2^24 < 1.42, m other than 2^24: its size is the result times
// 2^(-59 - zeros), where zeros are those before the difference of m to 2^24, less 6; the relative
// error is below 2^-35. Twice the inverse hyperbolic tangent of s = (m - 2^24) / (m + 2^24).
fn long_log2(n: u32, b: u32, zeros: u32) -> vec2u {
  // s 2^zeros in units of 2^-62: the first 23 bits as in ratio_f32, then 22 of the rest.
  var q = u32(f32(n) / f32(b) * 4194304.0);
  var r = bitcast<i32>((n << 22u) - q * b);
  let more = i32(floor(f32(r) / f32(b)));
  q = q + bitcast<u32>(more);
  r = r - more * i32(b);
  let next = i64_from_i32(bitcast<u32>(i32(f32(r) / f32(b) * 4194304.0)));
  let s = shl_i64(add_i64(shl_i64(vec2u(q, 0u), 22u), next), 18u);
  // s^2 in units of 2^-37.
  let square = shr_u64(mul_wide(s.y, s.y), 23u + 2u * zeros).x;
  let z = f32(square) * 7.275957614e-12;
  // 2 / ln 2 (1 + s^2 / 3 + s^4 / 5 ...), of which the terms from s^4 on are small; 2^-36.
  let small = z * z * (0.577077985 + z * (0.412203848 + z * (0.320115894 + z * 0.28005138)));
  let rest = mul_wide(square, 0xf6384ee2u).y + u32(round(small * 137438953472.0));
  return mul_high_u64(s, add_i64(vec2u(0xae0bf85eu, 0x5c551d94u), shl_i64(vec2u(rest, 0u), 24u)));
}
// x^y of finite x > 0 and y: log2(x) in units of 2^-54 or less, times y, whose integer and fraction
// make the exponent and the mantissa.
fn pow_of(sign_bit: u32, a: u32, b: u32) -> u32 {
  let mantissa = mantissa_f32(a);
  let large = mantissa >= 11863283u;
  let k = exponent_f32(a) + select(23, 24, large);
  let m = select(mantissa << 1u, mantissa, large);
  let above = m >= 0x1000000u;
  var minus = !above;
  var log = vec2u();
  var e = -54;
  if (m != 0x1000000u) {
    let difference = select(0x1000000u - m, m - 0x1000000u, above);
    let zeros = countLeadingZeros(difference) - 6u;
    log = long_log2(difference << zeros, m + 0x1000000u, zeros);
    e = -59 - i32(zeros);
  }
  if (k != 0) {
    if (m != 0x1000000u) { log = shr_u64(log, u32(-54 - e)); }
    e = -54;
    // log |k| has one sign, its rest may have the other.
    let whole = vec2u(0u, u32(abs(k)) << 22u);
    log = select(sub_i64(whole, log), add_i64(whole, log), minus == (k < 0));
    minus = k < 0;
  }
  if (is_zero_i64(log)) { return sign_bit | 0x3f800000u; }
  let shift = leading_zeros_u64(log);
  log = shl_i64(log, shift);
  // y log2(x) in units of 2^-32 is the product times 2^(e + 32).
  let by = mantissa_f32(b);
  let product = add_i64(mul_wide(by, log.y), vec2u(mul_wide(by, log.x).y, 0u));
  e = e - i32(shift) + 64 + exponent_f32(b);
  minus = minus != ((b >> 31u) != 0u);
  if (e > -14) { return sign_bit | select(0x7f800000u, 0u, minus); }
  if (e < -62) { return sign_bit | 0x3f800000u; }
  var t = shr_u64(product, u32(-e));
  if (minus) { t = neg_i64(t); }
  let n = bitcast<i32>(t.y + (t.x >> 31u));
  let fraction = bitcast<i32>(t.x);
  let size = select(bitcast<u32>(fraction), bitcast<u32>(-fraction), fraction < 0);
  let r = i32(mul_wide(size, 0xb17217f8u).y >> 1u);
  return nearest_f32(sign_bit, n - 30, exp_fixed(select(r, -r, fraction < 0)));
}
// 0: a fraction, 1: an odd integer, 2: an even one.
fn parity_f32(b: u32) -> u32 {
  let e = (b >> 23u) & 255u;
  if ((b << 1u) == 0u || e > 150u) { return 2u; }
  if (e < 127u) { return 0u; }
  let one = 0x800000u >> (e - 127u);
  let m = (b & 0x7fffffu) | 0x800000u;
  if ((m & (one - 1u)) != 0u) { return 0u; }
  return select(2u, 1u, (m & one) != 0u);
}
// As powf of C; the square is a product, as on the CPU.
fn pow_f32(a: u32, b: u32) -> u32 {
  let x = a & 0x7fffffffu;
  let y = b & 0x7fffffffu;
  if (y == 0u || a == 0x3f800000u) { return 0x3f800000u; }
  if (x > 0x7f800000u || y > 0x7f800000u) { return 0x7fc00000u; }
  if (b == 0x40000000u) { return mul_f32(a, a); }
  let minus = b >= 0x80000000u;
  if (y == 0x7f800000u) {
    if (x == 0x3f800000u) { return x; }
    return select(0u, y, (x > 0x3f800000u) != minus);
  }
  let parity = parity_f32(b);
  let sign_bit = select(0u, a & 0x80000000u, parity == 1u);
  if (x == 0u || x == 0x7f800000u) {
    return sign_bit | select(0u, 0x7f800000u, (x == 0u) == minus);
  }
  if (a >= 0x80000000u && parity == 0u) { return 0x7fc00000u; }
  return pow_of(sign_bit, x, b);
}
)";

}  // namespace tamis::webgpu
