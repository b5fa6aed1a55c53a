// The reduce sink. The order of additions depends on the shape alone, never on threads, layout or
// instruction set.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "backend/cpu/allocator.h"
#include "backend/cpu/sinks.h"
#include "backend/cpu/threads.h"

namespace tamis::cpu {

namespace {

constexpr int64_t kBlocksPerTask = kChunk / kBlock;

/// How one reduction of one dtype accumulates.
struct Plan {
  Reduction reduction;
  DType operand;  // of the blocks
  DType acc;      // of partial results
  Kernels::Reduce block;
  Kernels::Lines lines;
  Kernels::Binary combine;
};

Plan plan_for(Reduction reduction, DType operand) {
  const Kernels& k = kernels();
  const int row = reduction_index(reduction), in = static_cast<int>(operand);
  const DType acc = accumulator_dtype(reduction, operand);
  const int combine = binary_index(row_of(reduction).combine);
  return {reduction,
          operand,
          acc,
          k.reduce[row][in],
          k.reduce_lines[row][in],
          k.binary[combine][static_cast<int>(acc)]};
}

/// Combines partials[0, n) of `width` values each into the first, in a tree of fixed form.
void combine_tree(const Plan& plan, char* partials, int64_t n, int64_t width) {
  const int64_t bytes = width * static_cast<int64_t>(itemsize(plan.acc));
  for (int64_t gap = 1; gap < n; gap *= 2) {
    for (int64_t i = 0; i + gap < n; i += 2 * gap) {
      char* to = partials + i * bytes;
      plan.combine(to, partials + (i + gap) * bytes, to, width);
    }
  }
}

/// Writes n accumulated values as results, and changes them in place before that.
void finish(const Plan& plan, void* acc, int64_t n, int64_t reduced, void* out, DType result) {
  const Finish last = row_of(plan.reduction).finish;
  if (last != Finish::as_is) {
    auto* const sums = static_cast<double*>(acc);
    const int64_t numbers = is_complex(plan.acc) ? 2 * n : n;
    for (int64_t i = 0; i < numbers; ++i) {
      sums[i] =
          last == Finish::square_root ? std::sqrt(sums[i]) : sums[i] / static_cast<double>(reduced);
    }
  }
  if (plan.acc == result) {
    std::memcpy(out, acc, static_cast<size_t>(n) * itemsize(result));
  } else {
    kernels().cast[static_cast<int>(plan.acc)][static_cast<int>(result)](acc, out, n);
  }
}

/// A buffer for n partial results of any dtype.
std::vector<double> buffer_for(const Plan& plan, int64_t n) {
  const int64_t numbers = is_complex(plan.acc) ? 2 * n : n;
  check_memory(numbers * static_cast<int64_t>(sizeof(double)));
  return std::vector<double>(static_cast<size_t>(numbers));
}

char* at(void* base, int64_t index, DType dtype) {
  return static_cast<char*>(base) + index * static_cast<int64_t>(itemsize(dtype));
}

/// n times the value that changes nothing in this reduction.
void fill_neutral(Reduction reduction, DType dtype, int64_t n, void* out) {
  visit_dtype(dtype, [&](auto type) {
    using T = decltype(type);
    std::fill_n(static_cast<T*>(out), n, neutral_value<T>(row_of(reduction).neutral));
  });
}

/// n times the start value of a line's sum that leaves it unchanged: a negative zero changes no
/// zero's sign.
void fill_start(const Plan& plan, int64_t n, void* out) {
  fill_neutral(plan.reduction, plan.acc, n, out);
  if (plan.acc == DType::float64 && row_of(plan.reduction).neutral == Neutral::zero) {
    std::fill_n(static_cast<double*>(out), n, -0.0);
  }
}

/// Values of a block, and which of them are kept: all if `mask` is null. The others may be
/// anything; where whole words of the mask are zero they have not been computed.
struct Block {
  const char* values;
  const uint64_t* mask;
};

Block run_block(Evaluator& evaluator, const Program& program, int64_t start, int64_t n) {
  if (program.mask < 0) {
    return {static_cast<const char*>(evaluator.run_value(start, n)), nullptr};
  }
  const Register& mask = evaluator.run_mask(start, n);
  const void* values =
      mask.state == MaskState::none ? evaluator.scratch() : evaluator.run_kept(start, n);
  return {static_cast<const char*>(values), mask.state == MaskState::all ? nullptr : mask.words()};
}

/// The mask of [from, from + n) of a block, which is copied to `buffer` unless it begins with a
/// word.
const uint64_t* part_of(const uint64_t* mask, int64_t from, int64_t n, uint64_t* buffer) {
  if (!mask || (from % 64 == 0 && n % 64 == 0)) return mask ? mask + from / 64 : nullptr;
  copy_bits(mask, from, n, buffer);
  return buffer;
}

/// Rows of up to a block: several of them in each block.
void reduce_short_rows(const Program& program, const Plan& plan, int64_t rows, int64_t length,
                       void* out, DType result) {
  // What is computed is reduced while it is in the first-level cache, with the registers that it
  // was computed from.
  const int64_t together = program.code.size() > 1 ? kBlock / 4 : kBlock;
  const int64_t per_block = std::max<int64_t>(1, together / length);
  const int64_t blocks = (rows + per_block - 1) / per_block;
  const int64_t size = static_cast<int64_t>(itemsize(plan.operand));
  const int64_t acc_size = static_cast<int64_t>(itemsize(plan.acc));
  parallel_for(blocks, kBlocksPerTask, [&](int64_t begin, int64_t end) {
    Evaluator evaluator(program);
    char* acc = static_cast<char*>(evaluator.scratch());
    uint64_t words[kBlockWords];
    for (int64_t block = begin; block < end; ++block) {
      const int64_t first = block * per_block, n = std::min(per_block, rows - first);
      const Block all = run_block(evaluator, program, first * length, n * length);
      for (int64_t r = 0; r < n; ++r) {
        plan.block(all.values + r * length * size, part_of(all.mask, r * length, length, words),
                   acc + r * acc_size, length);
      }
      finish(plan, acc, n, length, at(out, first, result), result);
    }
  });
}

/// Rows longer than a block: a partial result per block, then a tree.
void reduce_long_rows(const Program& program, const Plan& plan, int64_t rows, int64_t length,
                      void* out, DType result) {
  const int64_t blocks = (length + kBlock - 1) / kBlock;
  std::vector<double> buffer = buffer_for(plan, rows * blocks);
  char* partials = reinterpret_cast<char*>(buffer.data());
  parallel_for(rows * blocks, kBlocksPerTask, [&](int64_t begin, int64_t end) {
    Evaluator evaluator(program);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t from = i % blocks * kBlock, n = std::min(kBlock, length - from);
      const Block block = run_block(evaluator, program, i / blocks * length + from, n);
      plan.block(block.values, block.mask, at(partials, i, plan.acc), n);
    }
  });
  for (int64_t row = 0; row < rows; ++row) {
    char* first = at(partials, row * blocks, plan.acc);
    combine_tree(plan, first, blocks, 1);
    finish(plan, first, 1, length, at(out, row, result), result);
  }
}

/// Adds rows of [reduced, inner] matrices to rows, on one thread.
class Columns {
 public:
  Columns(const Program& program, const Plan& plan)
      : evaluator_(program),
        program_(program),
        plan_(plan),
        widen_(kernels().cast[static_cast<int>(plan.operand)][static_cast<int>(plan.acc)]) {
    if (program.mask < 0) return;
    chosen_.resize(static_cast<size_t>(kBlock * size()) / sizeof(double));
    neutral_.resize(chosen_.size());
    fill_neutral(plan.reduction, plan.operand, kBlock, neutral_.data());
  }

  /// Rows [from, to) of columns [col, col + width) of the matrix that begins at element `base`, up
  /// in acc.
  void add(int64_t base, int64_t inner, int64_t from, int64_t to, int64_t col, int64_t width,
           char* acc) {
    // Long rows by themselves: only the part of them that is kept is added.
    const bool together = width == inner && (program_.mask < 0 || width < kAlone);
    const int64_t step = together ? kBlock / inner : 1;
    first_ = true;
    always_ = {0, width};
    if (program_.mask >= 0) fill_neutral(plan_.reduction, plan_.acc, width, acc);
    for (int64_t row = from; row < to; row += step) {
      const int64_t rows = std::min(step, to - row), n = rows * width;
      const Block block = run_block(evaluator_, program_, base + row * inner + col, n);
      Range part = block.mask ? extent(block.mask, n) : Range{0, n};
      if (rows > 1 && !part.empty()) part = {0, n};
      const char* const values = block.mask ? chosen(block, part) : block.values;
      add_lines(values, rows, width, {part.from, std::min(part.to, width)}, acc);
    }
    if (program_.mask >= 0) finish_skipped(width, acc);
  }

 private:
  struct Range {
    int64_t from, to;
    bool empty() const { return from >= to; }
  };
  static constexpr int64_t kAlone = 512;

  int64_t size() const { return static_cast<int64_t>(itemsize(plan_.operand)); }

  /// What the non-zero words are for.
  static Range extent(const uint64_t* mask, int64_t n) {
    int64_t from = 0, to = (n + 63) / 64;
    while (from < to && mask[from] == 0) ++from;
    if (from == to) return {0, 0};
    while (mask[to - 1] == 0) --to;
    return {from * 64, std::min(to * 64, n)};
  }

  /// The values of that part with what is masked out replaced.
  const char* chosen(const Block& block, Range part) {
    char* const out = reinterpret_cast<char*>(chosen_.data());
    const int64_t at = part.from * size();
    kernels().where[width_index(itemsize(plan_.operand))](block.values + at, neutral_.data(),
                                                          block.mask + part.from / 64, out + at,
                                                          static_cast<size_t>(part.to - part.from));
    return out;
  }

  /// That part of each line. There is one line unless the part is a whole line.
  void add_lines(const char* line, int64_t lines, int64_t width, Range part, char* acc) {
    always_ = {std::max(always_.from, part.from), std::min(always_.to, part.to)};
    const auto n = static_cast<size_t>(std::max<int64_t>(part.to - part.from, 0));
    char* const to = at(acc, part.from, plan_.acc);
    line += part.from * size();
    if (std::exchange(first_, false)) {
      if (row_of(plan_.reduction).single == Single::reduced) {
        fill_start(plan_, static_cast<int64_t>(n), to);
        return plan_.lines(line, to, static_cast<size_t>(lines), n);
      }
      if (plan_.acc == plan_.operand) {
        std::memcpy(to, line, n * itemsize(plan_.acc));
      } else {
        widen_(line, to, n);
      }
      line += width * size();
      --lines;
    }
    plan_.lines(line, to, static_cast<size_t>(lines), n);
  }

  /// Adds all that was skipped: zeros, which make a sum of negative zeros positive.
  void finish_skipped(int64_t width, char* acc) {
    if (always_.empty()) always_ = {width, width};
    fill_neutral(plan_.reduction, plan_.acc, width, evaluator_.scratch());
    for (Range part : {Range{0, always_.from}, Range{always_.to, width}}) {
      char* const to = at(acc, part.from, plan_.acc);
      plan_.combine(to, evaluator_.scratch(), to, static_cast<size_t>(part.to - part.from));
    }
  }

  Evaluator evaluator_;
  const Program& program_;
  const Plan& plan_;
  const Kernels::Unary widen_;
  std::vector<double> neutral_, chosen_;  // blocks of the operand's dtype
  bool first_ = true;                     // no line has been added yet
  Range always_{};                        // the columns that no line has left out
};

/// [reduced, inner] matrices: rows are added to rows. The rows of a matrix are split into at most
/// 16 parts.
void reduce_columns(const Program& program, const Plan& plan, int64_t outer, int64_t reduced,
                    int64_t inner, void* out, DType result) {
  const int64_t part_rows = std::max<int64_t>(64, (reduced + 15) / 16);
  const int64_t parts = (reduced + part_rows - 1) / part_rows;
  // Of long rows only so much that what they are added to stays in the first-level cache.
  const int64_t tile = std::min(inner, kBlock / 2);
  const int64_t tiles = (inner + tile - 1) / tile;
  const int64_t grain = std::max<int64_t>(1, kChunk / (std::min(part_rows, reduced) * tile));
  if (parts == 1) {
    parallel_for(outer * tiles, grain, [&](int64_t begin, int64_t end) {
      Columns columns(program, plan);
      std::vector<double> acc = buffer_for(plan, tile);
      for (int64_t i = begin; i < end; ++i) {
        const int64_t matrix = i / tiles, col = i % tiles * tile,
                      width = std::min(tile, inner - col);
        columns.add(matrix * reduced * inner, inner, 0, reduced, col, width,
                    reinterpret_cast<char*>(acc.data()));
        finish(plan, acc.data(), width, reduced, at(out, matrix * inner + col, result), result);
      }
    });
    return;
  }
  std::vector<double> buffer = buffer_for(plan, parts * inner);
  char* const partials = reinterpret_cast<char*>(buffer.data());
  for (int64_t matrix = 0; matrix < outer; ++matrix) {
    parallel_for(parts * tiles, grain, [&](int64_t begin, int64_t end) {
      Columns columns(program, plan);
      for (int64_t i = begin; i < end; ++i) {
        const int64_t part = i / tiles, col = i % tiles * tile;
        columns.add(matrix * reduced * inner, inner, part * part_rows,
                    std::min(reduced, (part + 1) * part_rows), col, std::min(tile, inner - col),
                    at(partials, part * inner + col, plan.acc));
      }
    });
    combine_tree(plan, partials, parts, inner);
    finish(plan, partials, inner, reduced, at(out, matrix * inner, result), result);
  }
}

/// How many of the bits [from, from + n) are set.
int64_t count_bits(const uint64_t* words, int64_t from, int64_t n) {
  if (from % 64 == 0 && n % 64 == 0) return kernels().popcount(words + from / 64, n);
  int64_t count = 0;
  for (int64_t at = from; at < from + n;) {
    const int64_t here = std::min(64 - at % 64, from + n - at);
    const uint64_t bits = words[at / 64] >> (at % 64) & ~uint64_t{0} >> (64 - here);
    count += std::popcount(bits);
    at += here;
  }
  return count;
}

/// The number of true elements in rows of the mask.
void count_rows(const Program& program, int64_t rows, int64_t length, int64_t* out) {
  const int64_t together = std::max<int64_t>(1, kBlock / length);  // rows to a block
  const int64_t blocks = (length + kBlock - 1) / kBlock;           // to a row
  check_memory(rows * blocks * static_cast<int64_t>(sizeof(int64_t)));
  std::vector<int64_t> partials(static_cast<size_t>(rows * blocks));
  const int64_t tasks = (rows + together - 1) / together * blocks;
  parallel_for(tasks, kBlocksPerTask, [&](int64_t begin, int64_t end) {
    Evaluator evaluator(program);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i / blocks * together, here = std::min(together, rows - row);
      const int64_t at = i % blocks * kBlock, n = std::min(kBlock, length - at);
      const Register& mask = evaluator.run_mask(row * length + at, here * n);
      for (int64_t r = 0; r < here; ++r) {
        partials[(row + r) * blocks + i % blocks] = mask.state == MaskState::mixed
                                                        ? count_bits(mask.words(), r * n, n)
                                                    : mask.state == MaskState::all ? n
                                                                                   : 0;
      }
    }
  });
  for (int64_t row = 0; row < rows; ++row) {
    const auto first = partials.begin() + row * blocks;
    out[row] = std::accumulate(first, first + blocks, int64_t{0});
  }
}

void reduce_nothing(Reduction reduction, int64_t n, void* out, DType result) {
  visit_dtype(result, [&](auto type) {
    using T = decltype(type);
    std::fill_n(static_cast<T*>(out), n, reduction_of_nothing(reduction, result).to<T>());
  });
}

}  // namespace

void run_reduce(const Program& program, Reduction reduction, const ReductionShape& shape, void* out,
                DType result) {
  const int64_t outer = shape.outer, reduced = shape.reduced, inner = shape.inner;
  if (reduced == 0) return reduce_nothing(reduction, outer * inner, out, result);
  if (program.value < 0) return count_rows(program, outer, reduced, static_cast<int64_t*>(out));
  const Plan plan = plan_for(reduction, program.dtype);
  if (inner > 1) return reduce_columns(program, plan, outer, reduced, inner, out, result);
  if (reduced > kBlock) return reduce_long_rows(program, plan, outer, reduced, out, result);
  reduce_short_rows(program, plan, outer, reduced, out, result);
}

}  // namespace tamis::cpu
