// softmax: a team of invocations per row, or one where a CPU runs them, which sweeps over it three
// times: for the largest element, for the sum of the exponentials, and to write. The order of
// additions depends on the length alone. Infinities and NaN are told by their bits, because shaders
// may take arithmetic on them for impossible.
#include <fmt/format.h>

#include "backend/webgpu/library.h"
#include "backend/webgpu/sinks.h"
#include "backend/webgpu/team.h"

namespace tamis::webgpu {

namespace {

/// Elements in the order of their values as integers, NaN above all. kLeast is below all.
constexpr const char* kDeclarations = R"(
fn key_of(a: u32) -> i32 { return select(order_f32(a), 0x7fffffff, is_nan_f32(a)); }
fn bits_of(key: i32) -> u32 {
  let bits = bitcast<u32>(key);
  return select(bits, 0x80000000u - bits, key < 0);
}
fn larger(a: i32, b: i32) -> i32 { return max(a, b); }
fn added(a: f32, b: f32) -> f32 { return a + b; }
fn power(a: u32, shift: u32) -> f32 {
  if (a == 0xff800000u) { return 0.0; }
  let d = max(bitcast<f32>(a) - bitcast<f32>(shift), -200.0);
  return bitcast<f32>(exp_f32(bitcast<u32>(d)));
}
)";
constexpr const char* kLeast = "-2147483648";

/// In software, as many rows as this keep every core busy.
constexpr int64_t kManyRows = 8;

/// exp(a - shift) of a <= shift: the library's, but rounded by the device. What is below 2^-126 is
/// zero.
constexpr const char* kQuickPower = R"(
fn quick_power(a: u32, shift: u32) -> f32 {
  if (a == 0xff800000u) { return 0.0; }
  let d = max(bitcast<f32>(a) - bitcast<f32>(shift), -100.0);
  let n = exp_power(bitcast<u32>(d));
  let r = f32(exp_rest(bitcast<u32>(d), n)) * 4.656612873e-10;
  let y = 1.0 + (r + r * r * exp_tail(r));
  return select(y * bitcast<f32>(bitcast<u32>(n + 127) << 23u), 0.0, d < -87.0);
}
)";

/// The statements of a sweep, which run for each element that is kept, and for those that are not.
std::string sweep(const Code& code, int64_t lanes, const std::string& length,
                  const std::string& kept, const std::string& other = "") {
  std::string choice = fmt::format("{}{}", code.value_part, kept);
  if (!code.mask.empty()) {
    choice = fmt::format("if ({}) {{\n{}}}", code.mask, choice);
    choice += other.empty() ? "\n" : fmt::format(" else {{\n{}}}\n", other);
  }
  return fmt::format("for (var j = lane; j < end; j += {}u) {{\nlet e = unit * {} + j;\n{}{}}}\n",
                     lanes, length, code.mask_part, choice);
}

/// Rows of whole fours, none of them masked, by one invocation each. The exponentials wait in the
/// result until their sum is known.
void softmax_by_fours(Queue& queue, const Program& program, int64_t rows, int64_t length,
                      const Buffer& out) {
  Shader shader;
  const std::string array = shader.bind_fours(block_of(out), Access::write);
  const Code code = emit(queue, shader, program, Wanted::value, 0, Step::four);
  shader.declare(kDeclarations);
  shader.declare(kQuickPower);
  const auto sweep_fours = [&](const std::string& statements) {
    return fmt::format("for (var q = first; q < end; q++) {{\n{}}}\n", statements);
  };
  const std::string element = code.mask_part + code.value_part;
  shader.add(
      fmt::format("if (i >= {}) {{ return; }}\nlet first = i * {};\nlet end = first + {};\n"
                  "let to = {};\nvar key = i32({});\n",
                  shader.param(rows), shader.param(length / 4), shader.param(length / 4),
                  shader.param(out.offset / 4), kLeast));
  shader.add(sweep_fours(for_four(code, [&](size_t) {
    return fmt::format("{}key = max(key, key_of({}));\n", element, code.value);
  })));
  shader.add("let shift = bits_of(key);\nvar sum = 0.0;\n");
  shader.add(
      sweep_fours(fmt::format("var y = vec4f();\n{}sum += (y.x + y.y) + (y.z + y.w);\n"
                              "{}[to + q] = bitcast<vec4u>(y);\n",
                              for_four(code,
                                       [&](size_t j) {
                                         return fmt::format("{}y.{} = quick_power({}, shift);\n",
                                                            element, "xyzw"[j], code.value);
                                       }),
                              array)));
  // NaN, or the difference of two infinities.
  shader.add("let spoilt = key >= 0x7f800000 || shift == 0xff800000u;\n");
  shader.add(sweep_fours(
      fmt::format("var y = vec4u(0x7fc00000u);\n"
                  "if (!spoilt) {{ y = bitcast<vec4u>(bitcast<vec4f>({0}[to + q]) / sum); }}\n"
                  "{0}[to + q] = y;\n",
                  array)));
  queue.run(shader, rows);
}

}  // namespace

void run_softmax(Queue& queue, const Program& program, bool logarithm, int64_t rows, int64_t length,
                 const Buffer& out, DType result) {
  const bool alone = queue.in_software() && rows >= kManyRows;
  if (alone && !logarithm && program.mask < 0 && result == DType::float32 && length % 4 == 0 &&
      out.offset % 4 == 0 && reads_by_fours(program, block_of(out))) {
    return softmax_by_fours(queue, program, rows, length, out);
  }
  const int64_t lanes = alone ? 1 : lanes_for(length);
  Shader shader;
  const std::string array = shader.bind_elements(block_of(out), result);
  const Code code = emit(queue, shader, program, Wanted::both);
  const std::string n = shader.param(length), at = shader.param(out.offset) + " + e";
  shader.declare(kDeclarations);
  shader.declare(team_fold("largest", "i32", "larger", lanes));
  shader.declare(team_fold("sum_of", "f32", "added", lanes));
  const auto write = [&](const std::string& bits) {
    return shader.store(result, array, at, convert(bits, DType::float32, result));
  };
  const std::string& x = code.value;
  shader.add(team_header(lanes));
  shader.add(fmt::format("let end = select(0u, {}, unit < {});\nvar key = i32({});\n", n,
                         shader.param(rows), kLeast));
  shader.add(sweep(code, lanes, n, fmt::format("key = max(key, key_of({}));\n", x)));
  shader.add("key = largest(t, key);\nlet shift = bits_of(key);\nvar sum = 0.0;\n");
  shader.add(sweep(code, lanes, n, fmt::format("sum += power({}, shift);\n", x)));
  // NaN, or the difference of two infinities.
  shader.add(
      "sum = sum_of(t, sum);\nlet spoilt = key >= 0x7f800000 || shift == 0xff800000u;\n"
      "let log_total = log_f32(bitcast<u32>(sum));\n");
  const std::string value = logarithm ? fmt::format(
                                            "select(sub_f32(sub_f32({0}, shift), log_total), {0}, "
                                            "{0} == 0xff800000u)",
                                            x)
                                      : fmt::format("bitcast<u32>(power({}, shift) / sum)", x);
  shader.add(
      sweep(code, lanes, n,
            fmt::format("var y = 0x7fc00000u;\nif (!spoilt) {{ y = {}; }}\n{}", value, write("y")),
            write(logarithm ? "0xff800000u" : "0u")));
  queue.run_groups(shader, groups_of_teams(rows, lanes));
}

}  // namespace tamis::webgpu
