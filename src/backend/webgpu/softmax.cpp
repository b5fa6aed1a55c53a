// softmax: a team of invocations per row, which sweeps over it three times: for the largest
// element, for the sum of the exponentials, and to write. The order of additions depends on the
// length alone. Infinities and NaN are told by their bits, because shaders may take arithmetic on
// them for impossible.
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

}  // namespace

void run_softmax(Queue& queue, const Program& program, bool logarithm, int64_t rows, int64_t length,
                 const Buffer& out, DType result) {
  const int64_t lanes = lanes_for(length);
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
