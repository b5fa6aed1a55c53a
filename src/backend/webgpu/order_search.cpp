// Searching in sorted slices.
#include <fmt/format.h>

#include "backend/webgpu/library.h"
#include "backend/webgpu/sinks.h"

namespace tamis::webgpu {

namespace {

/// What elements are compared as.
DType compared_as(DType dtype) {
  if (dtype == DType::boolean) return DType::int32;
  if (dtype == DType::float16 || dtype == DType::bfloat16) return DType::float32;
  return dtype;
}

}  // namespace

/// The comparisons and their order are PyTorch's, so that slices with NaN, or not sorted at all,
/// give the same answers too.
void run_search(Queue& queue, const Slices& x, const Buffer& sorter, const Buffer& values,
                int64_t slices, int64_t per_slice, bool right, const Buffer& out) {
  const int64_t n = slices * per_slice;
  if (n == 0) return;
  const DType dtype = compared_as(x.dtype);
  Shader shader;
  const std::string to = shader.bind(block_of(out), Access::write);
  const std::string slice = shader.bind(block_of(x.buffer), Access::read);
  const std::string wanted = shader.bind(block_of(values), Access::read);
  std::string position = "middle";
  if (sorter) {
    const std::string array = shader.bind(block_of(sorter), Access::read);
    const std::string at = fmt::format("{} + begin + middle", shader.param(sorter.offset));
    position = shader.load(DType::int64, array, at) + ".x";
  }
  const auto load = [&](const std::string& array, const Buffer& buffer, const std::string& at) {
    const std::string index = fmt::format("{} + {}", shader.param(buffer.offset), at);
    return convert(shader.load(x.dtype, array, index), x.dtype, dtype);
  };
  const std::string size = shader.param(x.size);
  const std::string begin =
      x.count == 1 ? "0u" : fmt::format("i / {} * {}", shader.param(per_slice), size);
  shader.add(fmt::format(
      "if (i >= {0}) {{ return; }}\nlet begin = {1};\nlet value = {2};\nvar start = 0u;\n"
      "var end = {3};\nwhile (start < end) {{\nlet middle = start + (end - start) / 2u;\n"
      "let element = {4};\nif ({5}) {{ end = middle; }} else {{ start = middle + 1u; }}\n}}\n{6}",
      shader.param(n), begin, load(wanted, values, "i"), size,
      load(slice, x.buffer, "begin + " + position),
      apply(right ? Op::lt : Op::le, dtype, "value", "element"),
      shader.store(DType::int64, to, fmt::format("{} + i", shader.param(out.offset)),
                   "vec2u(start, 0u)")));
  queue.run(shader, n);
}

}  // namespace tamis::webgpu
