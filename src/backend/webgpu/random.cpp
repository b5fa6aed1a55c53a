// Random numbers by counter, the same integers and uniform numbers as the CPU's. Normal numbers are
// computed from the same pairs of numbers, but by the device's functions, so they are not the same
// to the last bit.
#include <fmt/format.h>

#include <cmath>

#include "backend/webgpu/library.h"
#include "backend/webgpu/sinks.h"

namespace tamis::webgpu {

namespace {

/// core/philox.h. A counter is of 64 bits, and holds 4 words.
constexpr const char* kPhilox = R"(
fn philox(counter: vec2u, seed: vec2u) -> vec4u {
  var c = vec4u(counter, 0u, 0u);
  var key = seed;
  for (var round = 0u; round < 10u; round++) {
    let a = mul_wide(0xd2511f53u, c.x);
    let b = mul_wide(0xcd9e8d57u, c.z);
    c = vec4u(b.y ^ c.y ^ key.x, b.x, a.y ^ c.w ^ key.y, a.x);
    key = key + vec2u(0x9e3779b9u, 0xbb67ae85u);
  }
  return c;
}
)";

/// A number below range (0 stands for 2^64) from 64 random bits: the upper half of the product.
constexpr const char* kBelow = R"(
fn below(bits: vec2u, range: vec2u) -> vec2u {
  if (is_zero_i64(range)) { return bits; }
  let p01 = mul_wide(bits.x, range.y);
  let p10 = mul_wide(bits.y, range.x);
  let lower = vec2u(mul_wide(bits.x, range.x).y, 0u);
  let middle = add_i64(add_i64(lower, vec2u(p01.x, 0u)), vec2u(p10.x, 0u));
  let upper = add_i64(mul_wide(bits.y, range.y), vec2u(p01.y, 0u));
  return add_i64(add_i64(upper, vec2u(p10.y, 0u)), vec2u(middle.y, 0u));
}
)";

/// 53 bits as a float64 in [0, 1).
constexpr const char* kUniform64 = R"(
fn uniform_f64(bits: vec2u) -> vec2u {
  let whole = f64_from_i64(shr_u64(bits, 11u));
  return select(whole - vec2u(0u, 0x03500000u), whole, is_zero_i64(whole));
}
)";

/// Box-Muller: two words to two normal numbers. All 32 bits count, so that the tails reach further
/// than 24 bits would let them.
constexpr const char* kNormal = R"(
fn fraction_of(n: vec2u) -> f32 { return bitcast<f32>(f32_from_u64(n)) * 2.3283064365386963e-10; }
fn normal_pair(a: u32, b: u32) -> vec2u {
  let u = fraction_of(add_i64(vec2u(a, 0u), vec2u(1u, 0u)));
  let v = fraction_of(vec2u(b, 0u));
  let logarithm = bitcast<f32>(log_f32(bitcast<u32>(u)));
  let radius = bitcast<f32>(sqrt_f32(bitcast<u32>(max(-2.0 * logarithm, 0.0))));
  let angle = bitcast<u32>(v * 6.2831855);
  return vec2u(bitcast<u32>(radius * bitcast<f32>(cos_f32(angle))),
               bitcast<u32>(radius * bitcast<f32>(sin_f32(angle))));
}
)";

/// Each invocation makes this many numbers, which are whole words of any dtype.
constexpr int64_t kEach = 4;

/// Statements that define `words`, the random words of counter number `at` of the run.
std::string draw(const std::string& words, const std::string& first, const std::string& seed,
                 const std::string& at) {
  return fmt::format("let {} = philox(add_i64({}, vec2u({}, 0u)), {});\n", words, first, at, seed);
}

/// Statements that define v0, ..., v3, as numbers of the dtype.
std::string make_integers(Shader& shader, const Random& random, DType dtype,
                          const std::string& first, const std::string& seed) {
  shader.declare(kBelow);
  std::string text = draw("w0", first, seed, "2u * i") + draw("w1", first, seed, "2u * i + 1u");
  const std::string low = shader.param_pair(static_cast<uint64_t>(random.low));
  text += fmt::format("let low = {};\nlet range = {};\n", low, shader.param_pair(random.range));
  for (int64_t k = 0; k < kEach; ++k) {
    const std::string number =
        fmt::format("add_i64(low, below(w{}.{}, range))", k / 2, k % 2 == 0 ? "xy" : "zw");
    text += fmt::format("let v{} = {};\n", k, convert(number, DType::int64, dtype));
  }
  return text;
}

std::string make_uniform(Shader& shader, DType dtype, const std::string& first,
                         const std::string& seed) {
  std::string text;
  if (dtype == DType::float64) {
    shader.declare(kUniform64);
    text = draw("w0", first, seed, "2u * i") + draw("w1", first, seed, "2u * i + 1u");
    for (int64_t k = 0; k < kEach; ++k) {
      text += fmt::format("let v{} = uniform_f64(w{}.{});\n", k, k / 2, k % 2 == 0 ? "xy" : "zw");
    }
    return text;
  }
  // As many bits as the significand holds, so that no value rounds up to 1.
  const int bits = dtype == DType::float16 ? 11 : dtype == DType::bfloat16 ? 8 : 24;
  text = draw("w0", first, seed, "i");
  for (int64_t k = 0; k < kEach; ++k) {
    const std::string number = fmt::format("bitcast<u32>(f32(w0.{} >> {}u) * {})", "xyzw"[k],
                                           32 - bits, std::ldexp(1.0, -bits));
    text += fmt::format("let v{} = {};\n", k, convert(number, DType::float32, dtype));
  }
  return text;
}

std::string make_normal(Shader& shader, DType dtype, const std::string& first,
                        const std::string& seed) {
  shader.declare(kNormal);
  std::string text = draw("w0", first, seed, "i");
  text += "let n0 = normal_pair(w0.x, w0.y);\nlet n1 = normal_pair(w0.z, w0.w);\n";
  for (int64_t k = 0; k < kEach; ++k) {
    const std::string number = fmt::format("n{}.{}", k / 2, k % 2 == 0 ? "x" : "y");
    text += fmt::format("let v{} = {};\n", k, convert(number, DType::float32, dtype));
  }
  return text;
}

std::string make_numbers(Shader& shader, const Random& random, DType dtype) {
  shader.declare(kPhilox);
  const std::string first = shader.param_pair(random.first), seed = shader.param_pair(random.seed);
  switch (random.kind) {
    case Random::Kind::integers:
      return make_integers(shader, random, dtype, first, seed);
    case Random::Kind::uniform:
      return make_uniform(shader, dtype, first, seed);
    case Random::Kind::normal:
      return make_normal(shader, dtype, first, seed);
  }
  __builtin_unreachable();
}

/// Statements that write the numbers one by one.
std::string store_each(Shader& shader, DType dtype, const std::string& array, const std::string& n,
                       int64_t offset) {
  std::string text;
  const std::string begin = shader.param(offset);
  for (int64_t k = 0; k < kEach; ++k) {
    const std::string at = fmt::format("{} + 4u * i + {}u", begin, k);
    text += fmt::format("if (4u * i + {}u < {}) {{ {}}}\n", k, n,
                        shader.store(dtype, array, at, fmt::format("v{}", k)));
  }
  return text;
}

/// Statements that write small numbers as whole words.
std::string store_words(Shader& shader, DType dtype, const std::string& array, int64_t n,
                        int64_t offset) {
  const auto size = static_cast<int64_t>(itemsize(dtype)), per_word = 4 / size;
  const std::string begin = shader.param(offset / per_word);
  const std::string words = shader.param((n + per_word - 1) / per_word);
  std::string text;
  for (int64_t w = 0; w < size; ++w) {
    std::string bits = "0u";
    for (int64_t k = 0; k < per_word; ++k) {
      const std::string number = fmt::format("v{}", w * per_word + k);
      const std::string part = dtype == DType::boolean
                                   ? fmt::format("select(0u, 1u, {})", number)
                                   : fmt::format("({} & {}u)", number, size == 1 ? 255 : 65535);
      bits += fmt::format(" | ({} << {}u)", part, k * size * 8);
    }
    text += fmt::format("if ({0}u * i + {1}u < {2}) {{ {3}[{4} + {0}u * i + {1}u] = {5}; }}\n",
                        size, w, words, array, begin, bits);
  }
  return text;
}

}  // namespace

void run_random(Queue& queue, const Random& random, DType dtype, int64_t n, const Buffer& out) {
  if (n == 0) return;
  const auto size = static_cast<int64_t>(itemsize(dtype));
  const int64_t begin = out.offset * size, end = begin + n * size;
  // Nobody else may have elements in the words that are written.
  const bool by_words =
      size < 4 && begin % 4 == 0 && (end % 4 == 0 || end == block_of(out)->counted);
  Shader shader;
  const std::string array = shader.bind(block_of(out), Access::write, size < 4 && !by_words);
  const std::string count = shader.param(n);
  shader.add(fmt::format("if (i >= {}) {{ return; }}\n", shader.param((n + kEach - 1) / kEach)));
  shader.add(make_numbers(shader, random, dtype));
  shader.add(by_words ? store_words(shader, dtype, array, n, out.offset)
                      : store_each(shader, dtype, array, count, out.offset));
  queue.run(shader, (n + kEach - 1) / kEach);
}

}  // namespace tamis::webgpu
