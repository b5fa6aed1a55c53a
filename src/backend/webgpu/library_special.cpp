// The library's angles of points and rarer functions of float32. Their terms are floats, which
// devices round and fuse as they like: errors are of several ulp.
#include "backend/webgpu/library.h"

namespace tamis::webgpu {

const char* const kSpecialLibrary = R"(
// atan(t) of 0 <= t <= 1: that of one of three angles and u, |u| <= 1/4; 2^-29.
fn short_atan(t: f32) -> f32 {
  let c = select(select(1.0, 0.5, t < 0.75), 0.0, t < 0.25);
  let base = select(select(0.785398163, 0.463647609, t < 0.75), 0.0, t < 0.25);
  let u = (t - c) / (1.0 + c * t);
  let z = u * u;
  let tail = 0.333333324 + z * (-0.199994966 + z * (0.142451453 - z * 0.100508143));
  return base + (u - u * (z * tail));
}
fn atan2_f32(a: u32, b: u32) -> u32 {
  let y = a & 0x7fffffffu;
  let x = b & 0x7fffffffu;
  if (max(x, y) > 0x7f800000u) { return 0x7fc00000u; }
  var low = min(x, y);
  var high = max(x, y);
  if (high == 0x7f800000u) {
    low = select(0u, 0x3f800000u, low == high);
    high = 0x3f800000u;
  }
  let ratio = select(div_f32(low, high), 0u, low == 0u);
  let left = b >= 0x80000000u;
  if (ratio < 0x39000000u && y <= x && !left) { return (a & 0x80000000u) | ratio; }
  var angle = short_atan(bitcast<f32>(ratio));
  if (y > x) { angle = 1.57079633 - angle; }
  if (left) { angle = 3.14159265 - angle; }
  return (a & 0x80000000u) | bitcast<u32>(angle);
}

// exp(x^2) (1 - erf(x)) of 0.5 <= x < 10.6; 2^-30.
fn erfc_scaled(x: f32) -> f32 {
  let t = (x - 2.0) / (x + 2.0);
  let p = 1.27697838 + t * (-0.0927638107 + t * (-0.166030342 + t * (0.164050527 +
          t * (-0.0542211311 + t * (-0.00802388867 + t * (0.00873050961 + t * (0.00121458054 +
          t * (-0.00147791994 + t * (-0.00030976391 + t * 0.000223194949)))))))));
  return p / (1.0 + 2.0 * x);
}
fn erfc_f32(a: u32) -> u32 {
  let size = a & 0x7fffffffu;
  if (is_nan_f32(a)) { return quiet_f32(a); }
  if (size < 0x3f000000u) { return bitcast<u32>(1.0 - bitcast<f32>(erf_f32(a))); }
  if (a >= 0xc0c00000u) { return 0x40000000u; }
  if (size >= 0x41280000u) { return 0u; }
  // The square of the first 12 bits of x is exact.
  let x = bitcast<f32>(size);
  let high = bitcast<f32>(size & 0xfffff000u);
  let power = exp_f32(bitcast<u32>(-(high * high)));
  let rest = bitcast<f32>(exp_f32(bitcast<u32>(-((x - high) * (x + high)))));
  let y = mul_f32(power, bitcast<u32>(rest * erfc_scaled(x)));
  return select(y, bitcast<u32>(2.0 - bitcast<f32>(y)), a >= 0x80000000u);
}
// A guess within 0.002, then Halley's method.
fn erfinv_f32(a: u32) -> u32 {
  let size = a & 0x7fffffffu;
  let sign_bit = a & 0x80000000u;
  if (size > 0x3f800000u) { return 0x7fc00000u; }
  if (size == 0x3f800000u) { return sign_bit | 0x7f800000u; }
  if (size < 0x39000000u) { return mul_f32(a, 0x3f62dfc5u); }
  let y = bitcast<f32>(size);
  let l = bitcast<f32>(log_f32(bitcast<u32>((1.0 - y) * (1.0 + y))));
  let t = 4.33074675 + 0.5 * l;
  var x = sqrt(sqrt(t * t - l * 6.80272109) - t);
  for (var i = 0; i < 3; i++) {
    let bits = bitcast<u32>(x);
    let far = (1.0 - y) - bitcast<f32>(erfc_f32(bits));
    let error = select(far, bitcast<f32>(erf_f32(bits)) - y, size < 0x3f000000u);
    let step = error * 0.886226925 / bitcast<f32>(exp_f32(bitcast<u32>(-(x * x))));
    x = x - step / (1.0 + x * step);
  }
  return sign_bit | bitcast<u32>(x);
}

fn log_of_f32(x: f32) -> f32 { return bitcast<f32>(log_f32(bitcast<u32>(x))); }
// lgamma(2 + s) of |s| <= 1/2; 2^-27.
fn lgamma_near_two(s: f32) -> f32 {
  return s * (0.422784335 + s * (0.322467018 + s * (-0.0673522941 + s * (0.0205816254 +
         s * (-0.00738592088 + s * (0.00287886868 + s * (-0.00118748481 + s * (0.00057025125 -
         s * 0.000250562021))))))));
}
fn lgamma_of(given: f32) -> f32 {
  var x = given;
  if (x < 1.5) {
    let s = select(x - 1.0, x, x < 0.5);
    let y = lgamma_near_two(s) - bitcast<f32>(log1p_f32(bitcast<u32>(s)));
    return select(y, y - log_of_f32(x), x < 0.5);
  }
  if (x < 8.0) {
    var product = 1.0;
    while (x >= 2.5) {
      x = x - 1.0;
      product = product * x;
    }
    return lgamma_near_two(x - 2.0) + log_of_f32(product);
  }
  let z = 1.0 / x;
  let series = z * (0.0833333333 + z * z * (-0.00277777778 + z * z * 0.000793650794));
  return (x - 0.5) * (log_of_f32(x) - 1.0) + (0.418938533 + series);
}
fn lgamma_f32(a: u32) -> u32 {
  let size = a & 0x7fffffffu;
  if (is_nan_f32(a)) { return quiet_f32(a); }
  // Infinite, and whole numbers that are not positive.
  if (size == 0x7f800000u || size == 0u) { return 0x7f800000u; }
  if (a < 0x80000000u) { return bitcast<u32>(lgamma_of(bitcast<f32>(a))); }
  if (trunc_f32(a) == a) { return 0x7f800000u; }
  let x = bitcast<f32>(size);
  if (size < 0x33000000u) { return bitcast<u32>(-log_of_f32(x)); }
  let fraction = x - floor(x);
  let s = bitcast<f32>(sin_f32(bitcast<u32>(3.14159265 * min(fraction, 1.0 - fraction))));
  return bitcast<u32>(log_of_f32(3.14159265 / (s * x)) - lgamma_of(x));
}
fn digamma_of(given: f32) -> f32 {
  var x = given;
  var less = 0.0;
  while (x < 10.0) {
    less = less + 1.0 / x;
    x = x + 1.0;
  }
  let z = 1.0 / (x * x);
  let series = z * (0.0833333333 + z * (-0.00833333333 + z * 0.00396825397));
  return ((log_of_f32(x) - 0.5 / x) - series) - less;
}
fn digamma_f32(a: u32) -> u32 {
  if (is_nan_f32(a)) { return quiet_f32(a); }
  if (a == 0x7f800000u) { return a; }
  if ((a << 1u) == 0u) { return (a ^ 0x80000000u) | 0x7f800000u; }
  if (a < 0x80000000u) { return bitcast<u32>(digamma_of(bitcast<f32>(a))); }
  if (trunc_f32(a) == a) { return 0x7fc00000u; }
  let x = bitcast<f32>(a);
  let t = bitcast<f32>(tan_f32(bitcast<u32>(3.14159265 * (x - trunc(x)))));
  return bitcast<u32>(digamma_of(1.0 - x) - 3.14159265 / t);
}

// The modified Bessel function of order 0 or 1 of x >= 0: the power series, then the asymptotic one.
fn bessel_of(x: f32, order: f32) -> u32 {
  var sum = 1.0;
  var term = 1.0;
  if (x < 15.0) {
    let z = 0.25 * x * x;
    for (var k = 1.0; k < 40.0 && term > 1e-9 * sum; k = k + 1.0) {
      term = term * z / (k * (k + order));
      sum = sum + term;
    }
    return bitcast<u32>(sum * select(1.0, 0.5 * x, order == 1.0));
  }
  for (var k = 1.0; k < 9.0; k = k + 1.0) {
    let odd = 2.0 * k - 1.0;
    term = term * (odd * odd - 4.0 * order) / (8.0 * k * x);
    sum = sum + term;
  }
  let half = exp_f32(bitcast<u32>(0.5 * x));
  return mul_f32(half, mul_f32(half, bitcast<u32>(sum / sqrt(6.28318531 * x))));
}
fn i0_f32(a: u32) -> u32 {
  if (is_nan_f32(a)) { return quiet_f32(a); }
  let size = a & 0x7fffffffu;
  if (size >= 0x42c80000u) { return 0x7f800000u; }
  return bessel_of(bitcast<f32>(size), 0.0);
}
fn i1_f32(a: u32) -> u32 {
  if (is_nan_f32(a)) { return quiet_f32(a); }
  let size = a & 0x7fffffffu;
  if (size >= 0x42c80000u) { return (a & 0x80000000u) | 0x7f800000u; }
  return (a & 0x80000000u) | bessel_of(bitcast<f32>(size), 1.0);
}
)";

}  // namespace tamis::webgpu
