// Elements by their rank and by their frequency, from the sorted order.
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "backend/webgpu/sinks.h"
#include "backend/webgpu/sorted.h"

namespace tamis::webgpu {

namespace {

/// Elements that one invocation looks at in a search for a mode.
constexpr int64_t kRun = 32;

/// Functions for the sorted slice that begins at `begin`: where its p-th element stands, the key of
/// that, and whether two keys are equal.
void declare_sorted(Shader& shader, const SortKeys& keys, const SortedOrder& order) {
  keys.declare(shader);
  shader.declare(
      fmt::format("fn position_of(begin: u32, p: u32) -> u32 {{ return {0}[begin + p]; }}\n"
                  "fn sorted_key(begin: u32, p: u32) -> {1} {{\n"
                  "return key_at(begin + position_of(begin, p));\n}}\n"
                  "fn same(a: {1}, b: {1}) -> bool {{ return {2}; }}\n",
                  shader.bind(order.block(), Access::read), keys.bits > 32 ? "vec2u" : "u32",
                  keys.bits > 32 ? "eq_i64(a, b)" : "a == b"));
}

/// Where results go: element `to` of values and indices, the latter maybe null.
struct Results {
  const Slices& x;
  const Buffer &values, &indices;
  std::string value_array, index_array;

  void bind(Shader& shader) {
    value_array = shader.bind_elements(block_of(values), x.dtype);
    if (indices) index_array = shader.bind(block_of(indices), Access::write);
  }
  /// Writes the element `at` of the slice at `begin` as the i-th result.
  std::string write(Shader& shader) const {
    const std::string from = shader.bind(block_of(x.buffer), Access::read);
    const std::string element = fmt::format("{} + begin + at", shader.param(x.buffer.offset));
    std::string text =
        shader.store(x.dtype, value_array, fmt::format("{} + i", shader.param(values.offset)),
                     shader.load(x.dtype, from, element));
    if (!indices) return text;
    text += shader.store(DType::int64, index_array,
                         fmt::format("{} + i", shader.param(indices.offset)), "vec2u(at, 0u)");
    return text;
  }
};

/// The longest run of equal keys that begins among each kRun elements of a slice: its length and
/// where it begins, the first among the longest. No two NaNs are equal.
void find_runs(Queue& queue, const Slices& x, const SortKeys& keys, const SortedOrder& order,
               Block* runs, int64_t per_slice) {
  Shader shader;
  const std::string to = shader.bind(runs, Access::write);
  declare_sorted(shader, keys, order);
  const std::string n = shader.param(x.size), parts = shader.param(per_slice);
  std::string nan = "false";
  if (x.dtype == DType::float64) nan = "all(key == vec2u(0xffffffffu))";
  if (is_floating_point(x.dtype) && keys.bits <= 32) {
    nan = fmt::format("key == {}", keys.bits == 32 ? "0xffffffffu" : "0xffffu");
  }
  shader.add(fmt::format(
      "if (i >= {0}) {{ return; }}\nlet begin = i / {1} * {2};\nlet first = i % {1} * {3}u;\n"
      "var most = 0u;\nvar start = 0u;\n"
      "for (var p = first; p < min(first + {3}u, {2}); p++) {{\n"
      "let key = sorted_key(begin, p);\n"
      "if ({4}) {{\nif (most == 0u) {{ most = 1u; start = p; }}\nbreak;\n}}\n"
      "if (p > 0u && same(key, sorted_key(begin, p - 1u))) {{ continue; }}\n",
      shader.param(x.count * per_slice), parts, n, kRun, nan));
  // Only a longer run is measured: its last element is at low, or up to high - 1.
  shader.add(fmt::format(
      "if (p + most >= {0} || !same(key, sorted_key(begin, p + most))) {{ continue; }}\n"
      "var low = p + most;\nvar high = {0};\nwhile (low + 1u < high) {{\n"
      "let middle = low + (high - low) / 2u;\n"
      "if (same(key, sorted_key(begin, middle))) {{ low = middle; }} else {{ high = middle; }}\n"
      "}}\nmost = low + 1u - p;\nstart = p;\n}}\n{1}[2u * i] = most;\n{1}[2u * i + 1u] = start;\n",
      n, to));
  queue.run(shader, x.count * per_slice);
}

/// The longest of each kRun runs, the first among several.
void longest_runs(Queue& queue, int64_t count, Block* from, int64_t before, Block* to,
                  int64_t after) {
  Shader shader;
  const std::string out = shader.bind(to, Access::write), in = shader.bind(from, Access::read);
  const std::string n = shader.param(before), parts = shader.param(after);
  shader.add(fmt::format(
      "if (i >= {0}) {{ return; }}\nlet begin = i / {1} * {2};\nlet first = i % {1} * {3}u;\n"
      "var most = 0u;\nvar start = 0u;\n"
      "for (var p = first; p < min(first + {3}u, {2}); p++) {{\n"
      "let length = {4}[2u * (begin + p)];\n"
      "if (length > most) {{ most = length; start = {4}[2u * (begin + p) + 1u]; }}\n}}\n"
      "{5}[2u * i] = most;\n{5}[2u * i + 1u] = start;\n",
      shader.param(count * after), parts, n, kRun, in, out));
  queue.run(shader, count * after);
}

}  // namespace

void run_select(Queue& queue, const Slices& x, std::span<const int64_t> ranks, int64_t per_slice,
                const Buffer& values, const Buffer& indices) {
  const int64_t n = x.count * per_slice;
  if (n == 0) return;
  const SortKeys keys = keys_of(x, false);
  const SortedOrder order(queue, keys, x.count, x.size);
  const Scratch wanted(queue, n * 4);
  const std::vector<uint32_t> words(ranks.begin(), ranks.end());
  queue.write(wanted, 0, words.data(), n * 4);
  Shader shader;
  Results results{x, values, indices, {}, {}};
  results.bind(shader);
  declare_sorted(shader, keys, order);
  // Equal elements stand in the order of their indices: the first of them is wanted.
  shader.add(
      fmt::format("if (i >= {0}) {{ return; }}\nlet begin = i / {1} * {2};\nvar low = 0u;\n"
                  "var high = {3}[i];\nlet key = sorted_key(begin, high);\nwhile (low < high) {{\n"
                  "let middle = low + (high - low) / 2u;\n"
                  "if (same(key, sorted_key(begin, middle))) {{ high = middle; }} else {{ low = "
                  "middle + 1u; }}\n"
                  "}}\nlet at = position_of(begin, low);\n{4}",
                  shader.param(n), shader.param(per_slice), shader.param(x.size),
                  shader.bind(wanted, Access::read), results.write(shader)));
  queue.run(shader, n);
}

void run_mode(Queue& queue, const Slices& x, const Buffer& values, const Buffer& indices) {
  if (x.count == 0 || x.size == 0) return;
  const SortKeys keys = keys_of(x, false);
  const SortedOrder order(queue, keys, x.count, x.size);
  int64_t parts = (x.size + kRun - 1) / kRun;
  auto runs = std::make_unique<Scratch>(queue, x.count * parts * 8);
  find_runs(queue, x, keys, order, *runs, parts);
  while (parts > 1) {
    const int64_t fewer = (parts + kRun - 1) / kRun;
    auto longest = std::make_unique<Scratch>(queue, x.count * fewer * 8);
    longest_runs(queue, x.count, *runs, parts, *longest, fewer);
    runs = std::move(longest);
    parts = fewer;
  }
  Shader shader;
  Results results{x, values, indices, {}, {}};
  results.bind(shader);
  const std::string found = shader.bind(*runs, Access::read);
  const std::string positions = shader.bind(order.block(), Access::read);
  shader.add(fmt::format(
      "if (i >= {0}) {{ return; }}\nlet begin = i * {1};\n"
      "let at = {2}[begin + {3}[2u * i + 1u]];\n{4}",
      shader.param(x.count), shader.param(x.size), positions, found, results.write(shader)));
  queue.run(shader, x.count);
}

}  // namespace tamis::webgpu
