// Products of matrices: a workgroup per tile of the result, which goes along the common dimension
// with a piece of each operand in its memory. Where tiles are few and that dimension is long, it is
// cut into parts, which are added up afterwards. The order of additions depends on the shapes.
#include <fmt/format.h>

#include <algorithm>

#include "backend/webgpu/sinks.h"

namespace tamis::webgpu {

namespace {

/// Columns of the left piece and rows of the right one; invocations along either side of a tile.
constexpr int64_t kDepth = 16;
constexpr int64_t kSide = 16;

int64_t pieces(int64_t n, int64_t each) { return (n + each - 1) / each; }

/// How elements are computed: what WGSL holds them in, and what is done to them.
struct Arithmetic {
  explicit Arithmetic(DType of) : dtype(of) {
    is_float = dtype == DType::float32;
    is_wide = itemsize(dtype) == 8;
    type = is_float ? "f32" : type_of(dtype);
  }
  std::string zero() const { return type + "()"; }
  std::string from_bits(const std::string& bits) const {
    return is_float ? fmt::format("bitcast<f32>({})", bits) : bits;
  }
  std::string to_bits(const std::string& value) const {
    return is_float ? fmt::format("bitcast<u32>({})", value) : value;
  }
  std::string add(const std::string& a, const std::string& b) const {
    return is_wide ? fmt::format("add_i64({}, {})", a, b) : fmt::format("{} + {}", a, b);
  }
  std::string multiply(const std::string& a, const std::string& b) const {
    return is_wide ? fmt::format("mul_i64({}, {})", a, b) : fmt::format("{} * {}", a, b);
  }

  DType dtype;
  bool is_float, is_wide;
  std::string type;
};

struct Sizes {
  int64_t batches, m, k, n;
  int64_t parts;     // of k
  int64_t per_side;  // results of an invocation along either side of a tile

  int64_t tile() const { return kSide * per_side; }
  int64_t results() const { return batches * m * n; }
  int64_t groups() const { return parts * batches * pieces(m, tile()) * pieces(n, tile()); }
  int64_t part_length() const { return pieces(pieces(k, parts), kDepth) * kDepth; }
};

Sizes plan_for(DType dtype, int64_t batches, int64_t m, int64_t k, int64_t n) {
  Sizes sizes{batches, m, k, n, 1, 1};
  const int64_t smaller = std::min(m, n);
  if (smaller > 24) sizes.per_side = 2;
  if (smaller > 48 && itemsize(dtype) <= 4) sizes.per_side = 4;
  // Parts of this length at least, and no more than keep the device busy.
  constexpr int64_t kLeast = 512, kEnough = 256;
  sizes.parts = std::clamp<int64_t>(kEnough / sizes.groups(), 1, pieces(k, kLeast));
  sizes.parts = pieces(k, sizes.part_length());
  return sizes;
}

/// Writes the text of a product.
class Product {
 public:
  Product(const Sizes& sizes, DType dtype) : sizes_(sizes), arithmetic_(dtype) {}

  /// Into out as [parts, batches, m, n] of dtype `stored`.
  void run(Queue& queue, const MatrixBatch& a, const MatrixBatch& b, const Buffer& out,
           DType stored) {
    const std::string to = shader_.bind_elements(block_of(out), stored);
    const std::string m = shader_.param(sizes_.m), n = shader_.param(sizes_.n);
    find_tile();
    // Rows and columns are padded by one, so that invocations do not meet in a bank of memory.
    shader_.declare(
        fmt::format("var<workgroup> left: array<{0}, {1}>;\n"
                    "var<workgroup> right: array<{0}, {2}>;\n",
                    arithmetic_.type, sizes_.tile() * (kDepth + 1), kDepth * (sizes_.tile() + 1)));
    for_each_result("var sum{0}{1} = {2};\nvar part{0}{1} = {2};\n");
    shader_.add("var count = 0u;\nfor (var begin = first; begin < end; begin += 16u) {\n");
    load_left(a, m);
    load_right(b, n);
    shader_.add("workgroupBarrier();\n");
    multiply();
    shader_.add("workgroupBarrier();\n");
    // Long sums are added up by pieces, which keeps their rounding small.
    if (arithmetic_.is_float) {
      shader_.add("count += 1u;\nif (count % 16u == 0u) {\n");
      for_each_result("sum{0}{1} = sum{0}{1} + part{0}{1};\npart{0}{1} = {2};\n");
      shader_.add("}\n");
    }
    shader_.add("}\n");
    store(stored, to, out.offset, m, n);
    queue.run_groups(shader_, sizes_.groups());
  }

 private:
  /// Which tile of which matrix this is, and which part of the common dimension.
  void find_tile() {
    const int64_t tile = sizes_.tile();
    const std::string across = shader_.param(pieces(sizes_.n, tile));
    const std::string tiles = shader_.param(pieces(sizes_.m, tile) * pieces(sizes_.n, tile));
    shader_.add(fmt::format(
        "if (group >= {0}) {{ return; }}\nlet matrix = group / {1};\n"
        "let inside = group - matrix * {1};\nlet down = inside / {2};\n"
        "let row0 = down * {3}u;\nlet col0 = (inside - down * {2}) * {3}u;\n"
        "let section = matrix / {4};\nlet batch = matrix - section * {4};\n"
        "let first = section * {5};\nlet end = min({6}, first + {5});\n"
        "let ty = t / 16u;\nlet tx = t % 16u;\n",
        shader_.param(sizes_.groups()), tiles, across, tile, shader_.param(sizes_.batches),
        shader_.param(sizes_.part_length()), shader_.param(sizes_.k)));
  }

  /// A piece of an operand, `lines` of them of kDepth elements of the common dimension, read along
  /// whichever is contiguous in memory.
  void load(const MatrixBatch& x, const std::string& piece, const std::string& line0,
            const std::string& line_end, int64_t line_stride, int64_t depth_stride,
            const std::string& target) {
    const std::string array = shader_.bind(block_of(x.buffer), Access::read);
    const bool along_depth = depth_stride == 1;
    const std::string index =
        fmt::format("{} + batch * {} + ({} + line) * {} + (begin + depth) * {}",
                    shader_.param(x.buffer.offset), shader_.param(x.batch_stride), line0,
                    shader_.param(line_stride), shader_.param(depth_stride));
    const std::string element =
        arithmetic_.from_bits(shader_.load(arithmetic_.dtype, array, index));
    shader_.add(fmt::format(
        "for (var q = t; q < {0}u; q += 256u) {{\nlet line = q {1};\nlet depth = q {2};\n"
        "var value = {3};\nif ({4} + line < {5} && begin + depth < end) {{ value = {6}; }}\n"
        "{7}[{8}] = value;\n}}\n",
        sizes_.tile() * kDepth, along_depth ? "/ 16u" : fmt::format("% {}u", sizes_.tile()),
        along_depth ? "% 16u" : fmt::format("/ {}u", sizes_.tile()), arithmetic_.zero(), line0,
        line_end, element, piece, target));
  }
  void load_left(const MatrixBatch& a, const std::string& m) {
    load(a, "left", "row0", m, a.row_stride, a.col_stride, "line * 17u + depth");
  }
  void load_right(const MatrixBatch& b, const std::string& n) {
    load(b, "right", "col0", n, b.col_stride, b.row_stride,
         fmt::format("depth * {}u + line", sizes_.tile() + 1));
  }

  void multiply() {
    shader_.add("for (var d = 0u; d < 16u; d++) {\n");
    for (int64_t i = 0; i < sizes_.per_side; ++i) {
      shader_.add(
          fmt::format("let x{0} = left[(ty + {1}u) * 17u + d];\n"
                      "let y{0} = right[d * {2}u + tx + {1}u];\n",
                      i, i * kSide, sizes_.tile() + 1));
    }
    for (int64_t i = 0; i < sizes_.per_side; ++i) {
      for (int64_t j = 0; j < sizes_.per_side; ++j) {
        const std::string part = fmt::format("part{}{}", i, j);
        const std::string product =
            arithmetic_.multiply(fmt::format("x{}", i), fmt::format("y{}", j));
        shader_.add(fmt::format("{} = {};\n", part, arithmetic_.add(part, product)));
      }
    }
    shader_.add("}\n");
  }

  void store(DType stored, const std::string& to, int64_t begin, const std::string& m,
             const std::string& n) {
    const std::string offset = shader_.param(begin);
    for (int64_t i = 0; i < sizes_.per_side; ++i) {
      for (int64_t j = 0; j < sizes_.per_side; ++j) {
        const std::string row = fmt::format("(row0 + ty + {}u)", i * kSide);
        const std::string col = fmt::format("(col0 + tx + {}u)", j * kSide);
        const std::string at =
            fmt::format("{} + (matrix * {} + {}) * {} + {}", offset, m, row, n, col);
        const std::string value =
            arithmetic_.add(fmt::format("sum{}{}", i, j), fmt::format("part{}{}", i, j));
        shader_.add(fmt::format("if ({} < {} && {} < {}) {{ {}}}\n", row, m, col, n,
                                shader_.store(stored, to, at, arithmetic_.to_bits(value))));
      }
    }
  }

  void for_each_result(const char* statements) {
    for (int64_t i = 0; i < sizes_.per_side; ++i) {
      for (int64_t j = 0; j < sizes_.per_side; ++j) {
        shader_.add(fmt::format(fmt::runtime(statements), i, j, arithmetic_.zero()));
      }
    }
  }

  const Sizes sizes_;
  const Arithmetic arithmetic_;
  Shader shader_;
};

/// Adds up [parts, results] of dtype `stored`.
void add_parts(Queue& queue, DType dtype, Block* parts, DType stored, const Sizes& sizes,
               const Buffer& out) {
  const Arithmetic arithmetic(dtype);
  Shader shader;
  const std::string to = shader.bind_elements(block_of(out), dtype);
  const std::string from = shader.bind(parts, Access::read);
  const std::string n = shader.param(sizes.results());
  const std::string element = arithmetic.from_bits(shader.load(stored, from, "at"));
  shader.add(
      fmt::format("if (i >= {0}) {{ return; }}\nvar sum = {1};\nvar at = i;\n"
                  "for (var k = 0u; k < {2}; k++) {{\nsum = {3};\nat += {0};\n}}\n{4}",
                  n, arithmetic.zero(), shader.param(sizes.parts), arithmetic.add("sum", element),
                  shader.store(dtype, to, fmt::format("{} + i", shader.param(out.offset)),
                               arithmetic.to_bits("sum"))));
  queue.run(shader, sizes.results());
}

}  // namespace

void run_matmul(Queue& queue, const MatrixBatch& a, const MatrixBatch& b, DType dtype,
                int64_t batches, int64_t m, int64_t k, int64_t n, const Buffer& out) {
  const Sizes sizes = plan_for(dtype, batches, m, k, n);
  if (sizes.parts == 1) return Product(sizes, dtype).run(queue, a, b, out, dtype);
  const DType stored = itemsize(dtype) < 4 ? DType::int32 : dtype;
  const int64_t bytes = sizes.results() * static_cast<int64_t>(itemsize(stored));
  Scratch parts(queue, sizes.parts * bytes);
  Product(sizes, dtype).run(queue, a, b, {parts, 0}, stored);
  add_parts(queue, dtype, parts, stored, sizes, out);
}

}  // namespace tamis::webgpu
