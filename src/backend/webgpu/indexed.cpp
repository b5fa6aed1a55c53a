// take: reading the elements that indices name, and checking that these are in range.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "backend/webgpu/indexed.h"
#include "backend/webgpu/sinks.h"

namespace tamis::webgpu {

std::string index_expression(Shader& shader, const IndexedElements& elements, int64_t offset,
                             std::string& statements) {
  Indexer indexer(shader, elements.shape, statements, "x");
  std::string index = indexer(elements.strides, offset);
  for (const IndexColumn& column : elements.columns) {
    const std::string array = shader.bind(block_of(column.numbers), Access::read);
    const std::string at = indexer(column.strides, column.numbers.offset);
    // The low word is enough: the number is in range. Its sign is that of the high one.
    const std::string name = fmt::format("x{}", &column - elements.columns.data());
    statements += fmt::format("let {} = {};\n", name, shader.load(DType::int64, array, at));
    index += fmt::format(" + ({0}.x + select(0u, {1}, {0}.y != 0u)) * {2}", name,
                         shader.param(column.size), shader.param(column.step));
  }
  return index;
}

void find_numbers(Queue& queue, const IndexedElements& elements, int64_t offset, Block* numbers) {
  const int64_t n = numel(elements.shape), free_bindings = kMaxBindings - 1;
  const auto end = elements.columns.end();
  IndexedElements part{elements.shape, elements.strides, {}};
  for (auto next = elements.columns.begin();;) {
    const bool is_first = next == elements.columns.begin();
    const auto stop = next + std::min<int64_t>(free_bindings, end - next);
    part.columns.assign(next, stop);
    if (!is_first) part.strides = Shape(part.shape.size(), 0);
    Shader shader;
    const std::string array = shader.bind(numbers, Access::write);
    std::string statements;
    const std::string number = index_expression(shader, part, is_first ? offset : 0, statements);
    shader.add(fmt::format("if (i >= {0}) {{ return; }}\nlet e = i;\n{1}{2}[e] = {3}{4};\n",
                           shader.param(n), statements, array, number,
                           is_first ? "" : fmt::format(" + {}[e]", array)));
    queue.run(shader, n);
    if (stop == end) return;
    next = stop;
  }
}

bool run_within(Queue& queue, const Buffer& indices, int64_t n, int64_t low, int64_t high) {
  if (n == 0) return true;
  Scratch found(queue, 4);
  queue.clear(found, 0, 4);
  Shader shader;
  const std::string flag = shader.bind(found, Access::write, true);
  const std::string array = shader.bind(block_of(indices), Access::read);
  const std::string at = fmt::format("{} + i", shader.param(indices.offset));
  shader.add(
      fmt::format("if (i >= {}) {{ return; }}\nlet x = {};\n"
                  "if (lt_i64(x, {}) || !lt_i64(x, {})) {{ atomicStore(&{}[0], 1u); }}\n",
                  shader.param(n), shader.load(DType::int64, array, at),
                  shader.param_pair(static_cast<uint64_t>(low)),
                  shader.param_pair(static_cast<uint64_t>(high)), flag));
  queue.run(shader, n);
  uint32_t outside = 0;
  queue.read(found, 0, &outside, 4);
  return outside == 0;
}

namespace {

/// A dtype of this size whose bits are moved as they are.
DType bits_of(size_t itemsize) {
  switch (itemsize) {
    case 1:
      return DType::uint8;
    case 2:
      return DType::uint16;
    case 4:
      return DType::int32;
    case 8:
      return DType::int64;
    default:
      return DType::complex128;
  }
}

}  // namespace

void run_take(Queue& queue, const IndexedElements& elements, const Buffer& from, size_t itemsize,
              const Buffer& out) {
  const DType dtype = bits_of(itemsize);
  const int64_t n = numel(elements.shape);
  Shader shader;
  const std::string to = shader.bind_elements(block_of(out), dtype);
  const std::string array = shader.bind(block_of(from), Access::read);
  std::string statements, index;
  std::optional<Scratch> numbers;
  if (elements.columns.size() + shader.blocks().size() <= kMaxBindings) {
    index = index_expression(shader, elements, from.offset, statements);
  } else {
    numbers.emplace(queue, n * 4);
    find_numbers(queue, elements, from.offset, *numbers);
    index = fmt::format("{}[e]", shader.bind(*numbers, Access::read));
  }
  const std::string at = fmt::format("{} + e", shader.param(out.offset));
  shader.add(fmt::format("if (i >= {}) {{ return; }}\nlet e = i;\n{}{}", shader.param(n),
                         statements,
                         shader.store(dtype, to, at, shader.load(dtype, array, index))));
  queue.run(shader, n);
}

}  // namespace tamis::webgpu
