// Sorting by digits of 8 bits, from the lowest on. A workgroup works on a tile of a slice: how
// often each digit occurs in it; the sums of these over all digits and tiles before; then the tile,
// sorted by the digit in the memory of the workgroup, goes where the sums say.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "backend/webgpu/sorted.h"
#include "backend/webgpu/team.h"

namespace tamis::webgpu {

namespace {

constexpr int64_t kTile = 8 * kGroupSize;
constexpr int64_t kDigits = 256;

/// Each invocation has 8 elements that follow each other. By half a digit: where in the tile each
/// belongs. Counts of what an invocation has of each value are 16 bits, those of values below 8 in
/// the lower halves of words, so that one sum over all words does for both.
constexpr const char* kRanks = R"(
var<workgroup> counters: array<u32, 2048>;
var<private> word: array<u32, 8>;
var<private> position: array<u32, 8>;
var<private> rank: array<u32, 8>;
fn count_at(t: u32, value: u32) -> u32 { return (value & 7u) * 256u + t; }
fn find_ranks(t: u32, shift: u32) {
  for (var k = 0u; k < 8u; k++) { counters[k * 256u + t] = 0u; }
  for (var j = 0u; j < 8u; j++) {
    let value = (word[j] >> shift) & 15u;
    let side = (value >> 3u) * 16u;
    let counts = counters[count_at(t, value)];
    rank[j] = (counts >> side) & 0xffffu;
    counters[count_at(t, value)] = counts + (1u << side);
  }
  workgroupBarrier();
  var sum = 0u;
  for (var k = 0u; k < 8u; k++) { sum += counters[t * 8u + k]; }
  var before = sum_before(t, sum);
  before += sum_before_upto[255] << 16u;
  for (var k = 0u; k < 8u; k++) {
    let counts = counters[t * 8u + k];
    counters[t * 8u + k] = before;
    before += counts;
  }
  workgroupBarrier();
  for (var j = 0u; j < 8u; j++) {
    let value = (word[j] >> shift) & 15u;
    rank[j] += (counters[count_at(t, value)] >> ((value >> 3u) * 16u)) & 0xffffu;
  }
  workgroupBarrier();
}
fn exchange(t: u32) {
  for (var j = 0u; j < 8u; j++) { counters[rank[j]] = word[j]; }
  workgroupBarrier();
  for (var j = 0u; j < 8u; j++) { word[j] = counters[t * 8u + j]; }
  workgroupBarrier();
  for (var j = 0u; j < 8u; j++) { counters[rank[j]] = position[j]; }
  workgroupBarrier();
  for (var j = 0u; j < 8u; j++) { position[j] = counters[t * 8u + j]; }
  workgroupBarrier();
}
)";

/// Sorts the tile by a digit: the words then are in `counters`, and where each digit begins there
/// in `starts`; `rank` says where the positions belong.
constexpr const char* kSortTile = R"(
var<workgroup> starts: array<u32, 256>;
fn sort_tile(t: u32, shift: u32) {
  find_ranks(t, shift);
  exchange(t);
  find_ranks(t, shift + 4u);
  for (var j = 0u; j < 8u; j++) { counters[rank[j]] = word[j]; }
  workgroupBarrier();
  for (var p = t; p < 2048u; p += 256u) {
    let digit = (counters[p] >> shift) & 255u;
    if (p == 0u || ((counters[p - 1u] >> shift) & 255u) != digit) { starts[digit] = p; }
  }
  workgroupBarrier();
}
)";

/// Replaces n words by the sums of all before each.
void add_up(Queue& queue, Block* words, int64_t n) {
  const int64_t tiles = (n + kTile - 1) / kTile;
  const auto sum = [&](const std::string& array, const std::string& size) {
    return fmt::format(
        "var sum = 0u;\nfor (var k = i * 8u; k < min(i * 8u + 8u, {1}); k++) {{ sum += {0}[k]; }}\n"
        "var before = sum_before(t, sum);\n",
        array, size);
  };
  const auto replace = [&](Block* before_tiles) {
    Shader shader;
    const std::string array = shader.bind(words, Access::write), size = shader.param(n);
    shader.declare(declare_sum_before());
    shader.add(fmt::format("if (group >= {}) {{ return; }}\n", shader.param(tiles)));
    shader.add(sum(array, size));
    if (before_tiles != nullptr) {
      shader.add(fmt::format("before += {}[group];\n", shader.bind(before_tiles, Access::read)));
    }
    shader.add(
        fmt::format("for (var k = i * 8u; k < min(i * 8u + 8u, {1}); k++) {{\n"
                    "let v = {0}[k];\n{0}[k] = before;\nbefore += v;\n}}\n",
                    array, size));
    queue.run_groups(shader, tiles);
  };
  if (tiles == 1) return replace(nullptr);
  const Scratch totals(queue, tiles * 4);
  Shader shader;
  const std::string to = shader.bind(totals, Access::write);
  const std::string array = shader.bind(words, Access::read), size = shader.param(n);
  shader.declare(declare_sum_before());
  shader.add(fmt::format("if (group >= {}) {{ return; }}\n", shader.param(tiles)));
  shader.add(sum(array, size));
  shader.add(fmt::format("if (t == 255u) {{ {}[group] = before + sum; }}\n", to));
  queue.run_groups(shader, tiles);
  add_up(queue, totals, tiles);
  replace(totals);
}

/// One digit. The first pass of a word reads the keys, those behind it what the one before wrote.
struct Pass {
  int word = 0, shift = 0;
  bool is_first = false, is_last = false;  // of its word
  Block *from_words = nullptr, *to_words = nullptr;
  Block *from_order = nullptr, *to_order = nullptr;  // from null: elements as they stand
};

class DigitSort {
 public:
  DigitSort(Queue& queue, const SortKeys& keys, int64_t count, int64_t size)
      : queue_(queue),
        keys_(keys),
        size_(size),
        tiles_((size + kTile - 1) / kTile),
        groups_(count * tiles_),
        table_(queue, groups_ * kDigits * 4) {}

  void run(const Pass& pass) {
    count(pass);
    add_up(queue_, table_, groups_ * kDigits);
    move(pass);
  }

 private:
  /// Functions for the element at `p` of the slice that begins at `begin`: its position before the
  /// first pass, and the word by which it is sorted.
  void declare_reads(Shader& shader, const Pass& pass) const {
    std::string position = "p", word;
    if (pass.from_order != nullptr) {
      position = fmt::format("{}[begin + p]", shader.bind(pass.from_order, Access::read));
    }
    if (pass.is_first) {
      keys_.declare(shader);
      word = fmt::format("key_at(begin + position_of(begin, p)){}", keys_.bits <= 32 ? ""
                                                                    : pass.word == 0 ? ".x"
                                                                                     : ".y");
    } else {
      word = fmt::format("{}[begin + p]", shader.bind(pass.from_words, Access::read));
    }
    shader.declare(
        fmt::format("fn position_of(begin: u32, p: u32) -> u32 {{ return {}; }}\n"
                    "fn word_of(begin: u32, p: u32) -> u32 {{ return {}; }}\n",
                    position, word));
  }

  /// Which slice and tile a workgroup has; `tiles` is their number in a slice.
  std::string find_tile(Shader& shader, const std::string& tiles) const {
    return fmt::format(
        "if (group >= {0}) {{ return; }}\nlet slice = group / {1};\nlet tile = group % {1};\n"
        "let begin = slice * {2};\nlet first = tile * 2048u;\nlet n = min(2048u, {2} - first);\n",
        shader.param(groups_), tiles, shader.param(size_));
  }

  void count(const Pass& pass) {
    Shader shader;
    const std::string table = shader.bind(table_, Access::write);
    declare_reads(shader, pass);
    shader.declare("var<workgroup> counts: array<atomic<u32>, 256>;\n");
    const std::string tiles = shader.param(tiles_);
    shader.add(find_tile(shader, tiles));
    // Not every device begins with zeros in the memory of a workgroup, though WGSL says so.
    shader.add(
        fmt::format("atomicStore(&counts[t], 0u);\nworkgroupBarrier();\n"
                    "for (var p = t; p < n; p += 256u) {{\n"
                    "atomicAdd(&counts[(word_of(begin, first + p) >> {0}) & 255u], 1u);\n}}\n"
                    "workgroupBarrier();\n"
                    "{1}[(slice * 256u + t) * {2} + tile] = atomicLoad(&counts[t]);\n",
                    shader.param(int64_t{pass.shift}), table, tiles));
    queue_.run_groups(shader, groups_);
  }

  void move(const Pass& pass) {
    Shader shader;
    const std::string order = shader.bind(pass.to_order, Access::write);
    const std::string words = pass.is_last ? "" : shader.bind(pass.to_words, Access::write);
    const std::string table = shader.bind(table_, Access::read);
    declare_reads(shader, pass);
    shader.declare(declare_sum_before());
    shader.declare(kRanks);
    shader.declare(kSortTile);
    const std::string tiles = shader.param(tiles_), shift = shader.param(int64_t{pass.shift});
    shader.add(find_tile(shader, tiles));
    // What is missing in the last tile has the largest digit, and so stays behind all others.
    shader.add(fmt::format(
        "for (var j = 0u; j < 8u; j++) {{\nlet p = t * 8u + j;\nword[j] = 0xffffffffu;\n"
        "if (p < n) {{\nword[j] = word_of(begin, first + p);\n"
        "position[j] = position_of(begin, first + p);\n}}\n}}\nsort_tile(t, {0});\n"
        "var places: array<u32, 8>;\nfor (var j = 0u; j < 8u; j++) {{\nlet p = j * 256u + t;\n"
        "let digit = (counters[p] >> {0}) & 255u;\n"
        "places[j] = {1}[(slice * 256u + digit) * {2} + tile] + p - starts[digit];\n{3}}}\n",
        shift, table, tiles,
        pass.is_last ? "" : fmt::format("if (p < n) {{ {}[places[j]] = counters[p]; }}\n", words)));
    shader.add(
        fmt::format("workgroupBarrier();\nfor (var j = 0u; j < 8u; j++) {{ counters[rank[j]] = "
                    "position[j]; }}\n"
                    "workgroupBarrier();\nfor (var j = 0u; j < 8u; j++) {{\nlet p = j * 256u + t;\n"
                    "if (p < n) {{ {}[places[j]] = counters[p]; }}\n}}\n",
                    order));
    queue_.run_groups(shader, groups_);
  }

  Queue& queue_;
  const SortKeys& keys_;
  const int64_t size_, tiles_, groups_;
  const Scratch table_;
};

}  // namespace

void sort_by_digits(Queue& queue, const SortKeys& keys, int64_t count, int64_t size, Block* order) {
  constexpr int kDigitBits = 8;
  std::vector<Pass> passes;
  for (int word = 0; 32 * word < keys.bits; ++word) {
    const int bits = std::min(32, keys.bits - 32 * word);
    for (int shift = 0; shift < bits; shift += kDigitBits) {
      passes.push_back({word, shift, shift == 0, shift + kDigitBits >= bits});
    }
  }
  // Orders alternate between two blocks, of which `order` is the last.
  const int64_t bytes = count * size * 4;
  const Scratch other_order(queue, bytes), words(queue, bytes), other_words(queue, bytes);
  DigitSort sort(queue, keys, count, size);
  for (size_t k = 0; k < passes.size(); ++k) {
    Pass& pass = passes[k];
    const bool is_even = (passes.size() - k) % 2 == 0;
    pass.to_order = is_even ? other_order : order;
    pass.to_words = is_even ? other_words : words;
    if (k > 0) pass.from_order = passes[k - 1].to_order;
    if (k > 0) pass.from_words = passes[k - 1].to_words;
    sort.run(pass);
  }
}

}  // namespace tamis::webgpu
