// Selections: count, compress, partition, coordinates and expand. A word of 32 mask bits is worked
// on by one invocation, a tile of 256 words by a workgroup: bits and sums first, then the sums of
// all tiles before each, then every element goes where the bits before it say. In software a tile
// is smaller and worked on by a single invocation, which needs no barriers.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "backend/webgpu/sinks.h"
#include "backend/webgpu/team.h"
#include "core/tensor_impl.h"

namespace tamis::webgpu {

namespace {

/// Words of a tile.
constexpr int64_t kWords = kGroupSize, kWordsAlone = 32;

/// The bits of a program's mask, with the number of true ones before each tile.
class MaskBits {
 public:
  MaskBits(Queue& queue, const Program& program)
      : queue_(queue),
        alone_(queue.in_software()),
        numel_(program.numel),
        words_((program.numel + 31) / 32),
        tiles_(alone_ ? (words_ + kWordsAlone - 1) / kWordsAlone : (words_ + kWords - 1) / kWords),
        bits_(queue, words_ * 4),
        sums_(queue, tiles_ * 4),
        before_(queue, (tiles_ + 1) * 4) {
    if (alone_) {
      find_bits_alone(program);
      add_up_alone();
    } else {
      find_bits(program);
      add_up();
    }
  }

  /// The number of all true ones, for which the host waits.
  int64_t count() {
    uint32_t found = 0;
    queue_.read(before_, tiles_ * 4, &found, 4);
    return found;
  }

  /// Runs statements for each element: `e` is its number, `rank` the number of true ones before it.
  /// `otherwise` are those for the false ones.
  void for_each(Shader& shader, const std::string& statements, const std::string& otherwise = "") {
    const std::string bits = shader.bind(bits_, Access::read);
    const std::string before = shader.bind(before_, Access::read);
    const std::string n = shader.param(numel_), words = shader.param(words_);
    std::string loop;
    if (otherwise.empty()) {
      loop = fmt::format(
          "for (var rest = word; rest != 0u; rest = rest & (rest - 1u)) {{\n"
          "let e = k * 32u + countTrailingZeros(rest);\n{}rank += 1u;\n}}\n",
          statements);
    } else {
      loop = fmt::format(
          "for (var j = 0u; j < 32u; j++) {{\nlet e = k * 32u + j;\nif (e >= {}) {{ break; }}\n"
          "if (((word >> j) & 1u) != 0u) {{\n{}rank += 1u;\n}} else {{\n{}}}\n}}\n",
          n, statements, otherwise);
    }
    if (alone_) {
      shader.add(
          fmt::format("if (i >= {0}) {{ return; }}\nvar rank = {1}[i];\n"
                      "let stop = min({2}, (i + 1u) * {3}u);\n"
                      "for (var k = i * {3}u; k < stop; k++) {{\nlet word = {4}[k];\n{5}}}\n",
                      shader.param(tiles_), before, words, kWordsAlone, bits, loop));
      return queue_.run(shader, tiles_);
    }
    shader.declare(declare_sum_before());
    shader.add(
        fmt::format("let k = i;\nvar word = 0u;\nif (k < {0}) {{ word = {1}[k]; }}\n"
                    "var rank = sum_before(t, countOneBits(word));\nif (k >= {0}) {{ return; }}\n"
                    "rank += {2}[group];\n{3}",
                    words, bits, before, loop));
    queue_.run_groups(shader, tiles_);
  }

  Block* before() const { return before_; }
  int64_t tiles() const { return tiles_; }

 private:
  void find_bits(const Program& program) {
    Shader shader;
    const std::string bits = shader.bind(bits_, Access::write);
    const std::string sums = shader.bind(sums_, Access::write);
    const std::string n = shader.param(numel_);
    const Code code = emit(queue_, shader, program, Wanted::mask);
    shader.declare(team_fold("total_of", "u32", "add_i32", kGroupSize));
    shader.add(
        fmt::format("var word = 0u;\nfor (var j = 0u; j < 32u; j++) {{\nlet e = i * 32u + j;\n"
                    "if (e >= {0}) {{ break; }}\n{1}word = word | (select(0u, 1u, {2}) << j);\n}}\n"
                    "if (i * 32u < {0}) {{ {3}[i] = word; }}\n"
                    "let total = total_of(t, countOneBits(word));\n"
                    "if (t == 0u) {{ {4}[group] = total; }}\n",
                    n, code.mask_part, code.mask, bits, sums));
    queue_.run_groups(shader, tiles_);
  }

  /// From the sums of the tiles those of all before each; one workgroup does it. Not in place, so
  /// that an attempt that is run again finds both.
  void add_up() {
    Shader shader;
    const std::string before = shader.bind(before_, Access::write);
    const std::string sums = shader.bind(sums_, Access::read);
    const std::string n = shader.param(tiles_ + 1);
    shader.declare(declare_sum_before());
    shader.add(fmt::format(
        "var carry = 0u;\nfor (var begin = 0u; begin < {0}; begin += 256u) {{\n"
        "let k = begin + t;\nvar v = 0u;\nif (k > 0u && k < {0}) {{ v = {2}[k - 1u]; }}\n"
        "let sum = sum_before(t, v) + v;\nif (k < {0}) {{ {1}[k] = carry + sum; }}\n"
        "carry += workgroupUniformLoad(&sum_before_upto[255]);\n}}\n",
        n, before, sums));
    queue_.run_groups(shader, 1);
  }

  void find_bits_alone(const Program& program) {
    const bool by_fours = reads_by_fours(program);
    Shader shader;
    const std::string bits = shader.bind(bits_, Access::write);
    const std::string sums = shader.bind(sums_, Access::write);
    const std::string n = shader.param(numel_), words = shader.param(words_);
    const Code code =
        emit(queue_, shader, program, Wanted::mask, 0, by_fours ? Step::four : Step::one);
    std::string loop;
    if (by_fours) {
      const std::string four = for_four(code, [&](size_t j) {
        return fmt::format("{}four |= select(0u, {}u, {});\n", code.mask_part, 1 << j, code.mask);
      });
      loop = fmt::format(
          "for (var j = 0u; j < 8u; j++) {{\nlet q = k * 8u + j;\nvar four = 0u;\n{0}"
          "word |= four << (j * 4u);\n}}\n"
          "if (k * 32u + 32u > {1}) {{ word &= (1u << ({1} & 31u)) - 1u; }}\n",
          four, n);
    } else {
      loop = fmt::format(
          "for (var j = 0u; j < 32u; j++) {{\nlet e = k * 32u + j;\nif (e >= {0}) {{ break; }}\n"
          "{1}word |= select(0u, 1u, {2}) << j;\n}}\n",
          n, code.mask_part, code.mask);
    }
    shader.add(fmt::format(
        "if (i >= {0}) {{ return; }}\nvar total = 0u;\nlet stop = min({1}, (i + 1u) * {2}u);\n"
        "for (var k = i * {2}u; k < stop; k++) {{\nvar word = 0u;\n{3}{4}[k] = word;\n"
        "total += countOneBits(word);\n}}\n{5}[i] = total;\n",
        shader.param(tiles_), words, kWordsAlone, loop, bits, sums));
    queue_.run(shader, tiles_);
  }

  void add_up_alone() {
    Shader shader;
    const std::string before = shader.bind(before_, Access::write);
    const std::string sums = shader.bind(sums_, Access::read);
    const std::string n = shader.param(tiles_);
    shader.add(
        fmt::format("if (i > 0u) {{ return; }}\nvar sum = 0u;\nfor (var k = 0u; k < {0}; k++) {{\n"
                    "{1}[k] = sum;\nsum += {2}[k];\n}}\n{1}[{0}] = sum;\n",
                    n, before, sums));
    queue_.run(shader, 1);
  }

  Queue& queue_;
  const bool alone_;
  const int64_t numel_, words_, tiles_;
  Scratch bits_, sums_, before_;
};

/// The statements that write a program's value to element `at` of a bound array.
std::string store_value(Shader& shader, const Program& program, const Code& code,
                        const std::string& array, const std::string& at) {
  return code.mask_part + code.value_part + shader.store(program.dtype, array, at, code.value);
}

/// Packs the values that the mask keeps, as many as fit.
void pack(Queue& queue, const Program& program, MaskBits& mask, const Output& out) {
  Shader shader;
  const std::string array = shader.bind_elements(block_of(out.buffer), program.dtype);
  const Code code = emit(queue, shader, program, Wanted::value, 2);
  const std::string at = fmt::format("{} + rank", shader.param(out.buffer.offset));
  mask.for_each(shader, fmt::format("if (rank < {}) {{\n{}}}\n", shader.param(out.capacity),
                                    store_value(shader, program, code, array, at)));
}

/// Writes the coordinates of what the mask keeps, as many as fit.
void write_coordinates(const Shape& shape, MaskBits& mask, const Output& out) {
  Shader shader;
  const std::string array = shader.bind(block_of(out.buffer), Access::write);
  const std::string capacity = shader.param(out.capacity);
  std::string statements = "var rest_of_e = e;\n";
  for (size_t d = shape.size(); d-- > 0;) {
    const std::string size = shader.param(shape[d]);
    const int64_t column = out.buffer.offset + static_cast<int64_t>(d) * out.capacity;
    const std::string at = fmt::format("{} + rank", shader.param(column));
    const std::string value = fmt::format("vec2u(rest_of_e % {}, 0u)", size);
    statements += shader.store(DType::int64, array, at, value);
    statements += fmt::format("rest_of_e = rest_of_e / {};\n", size);
  }
  mask.for_each(shader, fmt::format("if (rank < {}) {{\n{}}}\n", capacity, statements));
}

/// Writes `value`, an expression, to the elements of each of `columns` outputs from the count on.
void fill_up(Queue& queue, Shader& shader, DType dtype, const Output& out, int64_t columns,
             const MaskBits& mask, const std::string& value) {
  if (out.capacity == 0 || columns == 0) return;
  const std::string array = shader.bind_elements(block_of(out.buffer), dtype);
  const std::string before = shader.bind(mask.before(), Access::read);
  const std::string at = fmt::format("{} + i", shader.param(out.buffer.offset));
  shader.add(fmt::format("if (i >= {} || i % {} < {}[{}]) {{ return; }}\n{}",
                         shader.param(out.capacity * columns), shader.param(out.capacity), before,
                         shader.param(mask.tiles()), shader.store(dtype, array, at, value)));
  queue.run(shader, out.capacity * columns);
}

/// Writes source[rank] where the mask is true, if there is one, else the program's value.
void spread(Queue& queue, const Program& program, MaskBits& mask, const Buffer& source,
            int64_t source_numel, const Target& target) {
  Shader shader;
  const std::string array = shader.bind_elements(block_of(target.buffer), target.dtype);
  const Code code = emit(queue, shader, program, Wanted::value, 3);
  std::string indexing;
  const std::string at =
      Indexer(shader, program.shape, indexing, "t")(target.strides, target.buffer.offset);
  std::string other;
  if (program.value >= 0) {
    other = indexing + store_value(shader, program, code, array, at);
  }
  if (source_numel == 0) {
    const std::string nothing = other.empty() ? "_ = e;\n" : other;
    return mask.for_each(shader, nothing, nothing);
  }
  const std::string from = shader.bind(block_of(source), Access::read);
  const std::string element =
      shader.load(target.dtype, from, fmt::format("{} + rank", shader.param(source.offset)));
  mask.for_each(shader,
                fmt::format("if (rank < {}) {{\n{}{}}} else {{\n{}}}\n", shader.param(source_numel),
                            indexing, shader.store(target.dtype, array, at, element), other),
                other);
}

/// If it may take this many bytes, a selection that somebody awaits is packed before it is known
/// how many elements it has: they are there when the number comes, and nobody waits twice. Its
/// memory stays as large as if all were kept.
constexpr int64_t kPackedAtOnce = int64_t{1} << 20;

/// The number of true elements of a mask that the host has written itself, else nothing.
std::optional<int64_t> known_count(const Queue& queue, const Program& program) {
  if (program.mask_end != 1 || program.shape.size() != 1 || program.numel < 2) return std::nullopt;
  const Instr& load = program.code[0];
  if (load.op != Op::load || load.dst != program.mask) return std::nullopt;
  const Leaf& leaf = program.leaves[static_cast<size_t>(load.leaf)];
  if (leaf.intervals || leaf.dtype != DType::boolean || leaf.strides[0] != 1) return std::nullopt;
  const Block& block = *block_of(Buffer{leaf.storage->data(), 0});
  const std::span<const std::byte> bytes = queue.known(block, leaf.offset, program.numel);
  if (bytes.empty()) return std::nullopt;
  return std::count_if(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte{}; });
}

void compress_at_once(Queue& queue, const Program& program,
                      const std::function<Output(int64_t)>& resize) {
  MaskBits mask(queue, program);
  if (const std::optional<int64_t> known = known_count(queue, program)) {
    const Output out = resize(*known);
    if (*known > 0 && out.capacity > 0) pack(queue, program, mask, out);
    return;
  }
  const Scratch all(queue, program.numel * static_cast<int64_t>(itemsize(program.dtype)));
  pack(queue, program, mask, {{all, 0}, program.numel});
  const int64_t count = mask.count();
  const Output out = resize(count);
  if (count == 0 || out.capacity == 0) return;
  const bool is_whole = out.buffer.offset == 0 && queue.exchange(all, block_of(out.buffer));
  if (!is_whole) pack(queue, program, mask, out);
}

}  // namespace

int64_t run_count(Queue& queue, const Program& program) { return MaskBits(queue, program).count(); }

void run_compress(Queue& queue, const Program& program,
                  const std::function<Output(int64_t)>& resize) {
  const auto size = static_cast<int64_t>(itemsize(program.dtype));
  if (Attempt::current() && program.numel * size <= kPackedAtOnce) {
    return compress_at_once(queue, program, resize);
  }
  MaskBits mask(queue, program);
  const int64_t count = mask.count();
  const Output out = resize(count);
  if (count > 0 && out.capacity > 0) pack(queue, program, mask, out);
}

void run_compress_padded(Queue& queue, const Program& program, const Output& out, const void* fill,
                         const Buffer& count) {
  MaskBits mask(queue, program);
  if (out.capacity > 0) pack(queue, program, mask, out);
  Shader filling;
  fill_up(queue, filling, program.dtype, out, 1, mask, number(filling, program.dtype, fill));
  Shader counting;
  const std::string to = counting.bind(block_of(count), Access::write);
  const std::string before = counting.bind(mask.before(), Access::read);
  const std::string found = fmt::format("vec2u({}[{}], 0u)", before, counting.param(mask.tiles()));
  counting.add(fmt::format("if (i == 0u) {{ {}}}\n",
                           counting.store(DType::int64, to, counting.param(count.offset), found)));
  queue.run(counting, 1);
}

void run_partition(Queue& queue, const Program& program,
                   const std::function<std::pair<Buffer, Buffer>(int64_t)>& allocate) {
  MaskBits mask(queue, program);
  const auto [kept, rejected] = allocate(mask.count());
  Shader shader;
  const std::string first = shader.bind_elements(block_of(kept), program.dtype);
  const std::string second = shader.bind_elements(block_of(rejected), program.dtype);
  const Code code = emit(queue, shader, program, Wanted::value, 2);
  const std::string here = fmt::format("{} + rank", shader.param(kept.offset));
  const std::string there = fmt::format("{} + e - rank", shader.param(rejected.offset));
  mask.for_each(shader, store_value(shader, program, code, first, here),
                store_value(shader, program, code, second, there));
}

void run_coordinates(Queue& queue, const Program& program, const Shape& shape,
                     const std::function<Output(int64_t)>& allocate) {
  MaskBits mask(queue, program);
  const int64_t count = mask.count();
  const Output out = allocate(count);
  if (count > 0 && out.capacity > 0 && !shape.empty()) write_coordinates(shape, mask, out);
}

void run_coordinates_padded(Queue& queue, const Program& program, const Shape& shape,
                            const Output& out, int64_t fill) {
  if (shape.empty() || out.capacity == 0) return;
  MaskBits mask(queue, program);
  write_coordinates(shape, mask, out);
  Shader shader;
  fill_up(queue, shader, DType::int64, out, static_cast<int64_t>(shape.size()), mask,
          shader.param_pair(static_cast<uint64_t>(fill)));
}

int64_t run_expand(Queue& queue, const Program& program, const Buffer& source, int64_t source_numel,
                   const Target& target) {
  MaskBits mask(queue, program);
  const int64_t count = mask.count();
  if (count <= source_numel) spread(queue, program, mask, source, source_numel, target);
  return count;
}

void run_expand_padded(Queue& queue, const Program& program, const Buffer& source,
                       int64_t source_numel, const Target& target) {
  MaskBits mask(queue, program);
  spread(queue, program, mask, source, source_numel, target);
}

}  // namespace tamis::webgpu
