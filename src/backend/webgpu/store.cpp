// store: a program's values into memory.
#include <fmt/format.h>

#include "backend/webgpu/sinks.h"
#include "core/tensor_impl.h"

namespace tamis::webgpu {

namespace {

/// Whether elements that share a word can be written together: the target is contiguous, begins
/// with a word, and ends with one or with its block.
bool has_whole_words(const Program& program, const Target& target) {
  const auto size = static_cast<int64_t>(itemsize(target.dtype));
  const int64_t begin = target.buffer.offset * size, end = begin + program.numel * size;
  return program.mask < 0 && target.strides == contiguous_strides(program.shape) &&
         begin % 4 == 0 && (end % 4 == 0 || end == block_of(target.buffer)->counted);
}

/// One invocation per word.
void store_words(Queue& queue, const Program& program, const Target& target) {
  const auto size = static_cast<int64_t>(itemsize(target.dtype)), per_word = 4 / size;
  Shader shader;
  const std::string array = shader.bind(block_of(target.buffer), Access::write);
  const std::string n = shader.param(program.numel);
  const Code code = emit(queue, shader, program, Wanted::value);
  const std::string bits = target.dtype == DType::boolean
                               ? fmt::format("select(0u, 1u, {})", code.value)
                               : fmt::format("({} & {}u)", code.value, size == 1 ? 255 : 65535);
  shader.add(fmt::format(
      "if (i * {0}u >= {1}) {{ return; }}\nvar word = 0u;\n"
      "for (var j = 0u; j < {0}u; j++) {{\nlet e = i * {0}u + j;\nif (e >= {1}) {{ break; }}\n"
      "{2}{3}word = word | ({4} << (j * {5}u));\n}}\n{6}[{7} + i] = word;\n",
      per_word, n, code.mask_part, code.value_part, bits, size * 8, array,
      shader.param(target.buffer.offset / per_word)));
  queue.run(shader, (program.numel + per_word - 1) / per_word);
}

/// Whether four elements can be written at once, and read.
bool has_fours(const Program& program, const Target& target) {
  const auto size = static_cast<int64_t>(itemsize(target.dtype));
  const int64_t begin = target.buffer.offset, end = begin + program.numel;
  const Block* const block = block_of(target.buffer);
  const bool whole = end % 4 == 0 || end * size == block->counted;
  return program.mask < 0 && (size == 1 || size == 4) && begin % 4 == 0 && whole &&
         target.strides == contiguous_strides(program.shape) &&
         (end + 3) / 4 * 4 * size <= block->bytes && reads_by_fours(program, block, size == 4);
}

/// Fours that an invocation writes one after another.
constexpr int64_t kFours = 4;

void store_fours(Queue& queue, const Program& program, const Target& target) {
  const bool words = itemsize(target.dtype) == 4;
  Block* const block = block_of(target.buffer);
  Shader shader;
  const std::string array =
      words ? shader.bind_fours(block, Access::write) : shader.bind(block, Access::write);
  const std::string fours = shader.param((program.numel + 3) / 4);
  const Code code = emit(queue, shader, program, Wanted::value, 0, Step::four);
  const std::string bits = target.dtype == DType::boolean
                               ? fmt::format("select(0u, 1u, {})", code.value)
                               : fmt::format("({} & 255u)", code.value);
  const std::string lanes = for_four(code, [&](size_t j) {
    const std::string result = words ? fmt::format("all.{} = {};\n", "xyzw"[j], code.value)
                                     : fmt::format("all |= {} << {}u;\n", bits, 8 * j);
    return code.mask_part + code.value_part + result;
  });
  shader.add(
      fmt::format("let end = min({0}, (i + 1u) * {1}u);\nfor (var q = i * {1}u; q < end; q++) {{\n"
                  "var all = {2}();\n{3}{4}[{5} + q] = all;\n}}\n",
                  fours, kFours, words ? "vec4u" : "u32", lanes, array,
                  shader.param(target.buffer.offset / 4)));
  queue.run(shader, (program.numel + 4 * kFours - 1) / (4 * kFours));
}

}  // namespace

void run_store(Queue& queue, const Program& program, const Target& target) {
  if (queue.in_software() && has_fours(program, target)) {
    return store_fours(queue, program, target);
  }
  if (itemsize(target.dtype) < 4 && has_whole_words(program, target)) {
    return store_words(queue, program, target);
  }
  Shader shader;
  const std::string array = shader.bind_elements(block_of(target.buffer), target.dtype);
  const std::string n = shader.param(program.numel);
  const Code code = emit(queue, shader, program, Wanted::both);
  std::string indexing;
  const std::string at =
      Indexer(shader, program.shape, indexing, "t")(target.strides, target.buffer.offset);
  const std::string condition = code.mask.empty() ? "" : fmt::format("if ({}) ", code.mask);
  shader.add(fmt::format("if (i >= {}) {{ return; }}\nlet e = i;\n{}{}{{\n{}{}{}}}\n", n,
                         code.mask_part, condition, code.value_part, indexing,
                         shader.store(target.dtype, array, at, code.value)));
  queue.run(shader, program.numel);
}

}  // namespace tamis::webgpu
