// sort, and the first elements of what it gives.
#include <fmt/format.h>

#include "backend/webgpu/sinks.h"
#include "backend/webgpu/sorted.h"

namespace tamis::webgpu {

void run_sort(Queue& queue, const Slices& x, bool descending, const Buffer& values,
              const Buffer& indices) {
  run_top(queue, x, x.size, descending, values, indices);
}

void run_top(Queue& queue, const Slices& x, int64_t k, bool descending, const Buffer& values,
             const Buffer& indices) {
  if (x.count == 0 || k == 0) return;
  const SortedOrder order(queue, keys_of(x, descending), x.count, x.size);
  Shader shader;
  const std::string to = shader.bind_elements(block_of(values), x.dtype);
  const std::string to_index = shader.bind(block_of(indices), Access::write);
  const std::string from = shader.bind(block_of(x.buffer), Access::read);
  const std::string positions = shader.bind(order.block(), Access::read);
  const std::string first = shader.param(k), size = shader.param(x.size);
  const std::string element = fmt::format("{} + begin + at", shader.param(x.buffer.offset));
  shader.add(fmt::format(
      "if (i >= {0}) {{ return; }}\nlet begin = i / {1} * {2};\nlet at = {3}[begin + i % {1}];\n",
      shader.param(x.count * k), first, size, positions));
  shader.add(shader.store(x.dtype, to, fmt::format("{} + i", shader.param(values.offset)),
                          shader.load(x.dtype, from, element)));
  shader.add(shader.store(DType::int64, to_index,
                          fmt::format("{} + i", shader.param(indices.offset)), "vec2u(at, 0u)"));
  queue.run(shader, x.count * k);
}

}  // namespace tamis::webgpu
