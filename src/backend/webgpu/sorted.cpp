// Sorted orders of small slices, in the memory of a workgroup, and the keys of elements.
#include "backend/webgpu/sorted.h"

#include <fmt/format.h>

#include <bit>

namespace tamis::webgpu {

namespace {

/// What a workgroup sorts at a time: one slice, or several small ones.
constexpr int64_t kRoom = 1024;

/// Sorts blocks of `padded` elements, a power of two, by a bitonic network.
constexpr const char* kNetwork = R"(
fn sort_room(t: u32, padded: u32) {
  workgroupBarrier();
  for (var k = 2u; k <= padded; k = k * 2u) {
    for (var j = k / 2u; j > 0u; j = j / 2u) {
      for (var q = t; q < 512u; q += 256u) {
        let a = ((q & ~(j - 1u)) << 1u) | (q & (j - 1u));
        let ascends = (a & (padded - 1u) & k) == 0u;
        if (is_before(a + j, a) == ascends) { swap(a, a + j); }
      }
      workgroupBarrier();
    }
  }
}
)";

/// Elements are compared by their keys and then by their positions, `ids`, so that no two are equal
/// and the order is stable.
std::string network(bool wide) {
  std::string text, swap = "fn swap(a: u32, b: u32) {\n";
  std::string is_before = "fn is_before(a: u32, b: u32) -> bool {\n";
  for (const char* array : {"high", "low", "ids"}) {
    if (array == std::string("high") && !wide) continue;
    text += fmt::format("var<workgroup> {}: array<u32, {}>;\n", array, kRoom);
    swap += fmt::format("let {0}_a = {0}[a];\n{0}[a] = {0}[b];\n{0}[b] = {0}_a;\n", array);
    is_before += fmt::format("if ({0}[a] != {0}[b]) {{ return {0}[a] < {0}[b]; }}\n", array);
  }
  return text + swap + "}\n" + is_before + "return false;\n}\n" + kNetwork;
}

void sort_in_rooms(Queue& queue, const SortKeys& keys, int64_t count, int64_t size, Block* order) {
  const auto padded = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(size)));
  const int64_t per_group = kRoom / padded, groups = (count + per_group - 1) / per_group;
  const bool wide = keys.bits > 32;
  Shader shader;
  const std::string out = shader.bind(order, Access::write);
  keys.declare(shader);
  shader.declare(network(wide));
  const std::string n = shader.param(size), slices = shader.param(count);
  const std::string block = shader.param(padded), each = shader.param(per_group);
  shader.add(fmt::format(
      "if (group >= {5}) {{ return; }}\n"
      "for (var k = t; k < 1024u; k += 256u) {{\n"
      "let slice = group * {0} + k / {1};\nlet id = k & ({1} - 1u);\nids[k] = id;\n"
      "low[k] = 0xffffffffu;\n{6}"
      "if (slice < {2} && id < {3}) {{\nlet key = key_at(slice * {3} + id);\n{4}}}\n}}\n"
      "sort_room(t, {1});\n",
      each, block, slices, n, wide ? "low[k] = key.x;\nhigh[k] = key.y;\n" : "low[k] = key;\n",
      shader.param(groups), wide ? "high[k] = 0xffffffffu;\n" : ""));
  shader.add(
      fmt::format("for (var k = t; k < 1024u; k += 256u) {{\n"
                  "let slice = group * {0} + k / {1};\nlet id = k & ({1} - 1u);\n"
                  "if (slice < {2} && id < {3}) {{ {4}[slice * {3} + id] = ids[k]; }}\n}}\n",
                  each, block, slices, n, out));
  queue.run_groups(shader, groups);
}

/// Floating point of up to 32 bits: `sign` is its highest bit.
constexpr const char* kFloatKey = R"(
fn float_key(v: u32, sign: u32, infinity: u32) -> u32 {
  let all = sign | (sign - 1u);
  let size = v & (sign - 1u);
  if (size > infinity) { return all; }
  if (size == 0u) { return sign; }
  return select(v | sign, ~v & all, (v & sign) != 0u);
}
)";

constexpr const char* kDoubleKey = R"(
fn double_key(v: vec2u) -> vec2u {
  if (is_nan_f64(v)) { return vec2u(0xffffffffu); }
  if ((v.x | (v.y << 1u)) == 0u) { return vec2u(0u, 0x80000000u); }
  return select(vec2u(v.x, v.y | 0x80000000u), ~v, (v.y >> 31u) != 0u);
}
)";

/// The key of element v in ascending order.
const char* key_expression(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return "select(0u, 1u, v)";
    case DType::int8:
      return "((v + 128u) & 255u)";
    case DType::int16:
      return "((v + 32768u) & 65535u)";
    case DType::int32:
      return "(v ^ 0x80000000u)";
    case DType::int64:
      return "vec2u(v.x, v.y ^ 0x80000000u)";
    case DType::float16:
      return "float_key(v, 0x8000u, 0x7c00u)";
    case DType::bfloat16:
      return "float_key(v, 0x8000u, 0x7f80u)";
    case DType::float32:
      return "float_key(v, 0x80000000u, 0x7f800000u)";
    case DType::float64:
      return "double_key(v)";
    default:
      return "v";
  }
}

}  // namespace

SortKeys keys_of(const Slices& x, bool descending) {
  const int bits = x.dtype == DType::boolean ? 1 : static_cast<int>(8 * itemsize(x.dtype));
  return {bits, [x, bits, descending](Shader& shader) {
            const std::string array = shader.bind(block_of(x.buffer), Access::read);
            if (x.dtype == DType::float64) {
              shader.declare(kDoubleKey);
            } else if (is_floating_point(x.dtype)) {
              shader.declare(kFloatKey);
            }
            const uint32_t ones = bits >= 32 ? ~uint32_t{0} : (uint32_t{1} << bits) - 1;
            const std::string flip = shader.param(descending ? ones : uint32_t{0});
            const std::string type = bits > 32 ? "vec2u" : "u32";
            const std::string at = fmt::format("{} + k", shader.param(x.buffer.offset));
            shader.declare(fmt::format(
                "fn key_at(k: u32) -> {0} {{\nlet v = {1};\nreturn {2} ^ {0}({3});\n}}\n", type,
                shader.load(x.dtype, array, at), key_expression(x.dtype), flip));
          }};
}

SortKeys keys_in(Block* words, int64_t extent) {
  const int bits = std::bit_width(static_cast<uint64_t>(extent - 1));
  return {std::max(bits, 1), [words](Shader& shader) {
            const std::string array = shader.bind(words, Access::read);
            shader.declare(fmt::format("fn key_at(k: u32) -> u32 {{ return {}[k]; }}\n", array));
          }};
}

SortedOrder::SortedOrder(Queue& queue, const SortKeys& keys, int64_t count, int64_t size)
    : order_(queue, count * size * 4) {
  if (size <= kRoom) {
    sort_in_rooms(queue, keys, count, size, order_);
  } else {
    sort_by_digits(queue, keys, count, size, order_);
  }
}

}  // namespace tamis::webgpu
