// The sink that finds the indices of extremes. Which element it finds does not depend on the order
// in which parts are put together, because ties are broken by index.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "backend/cpu/allocator.h"
#include "backend/cpu/sinks.h"
#include "backend/cpu/threads.h"

namespace tamis::cpu {

namespace {

/// Whether a comes before b in the search for the largest (smallest) value: NaN first.
template <bool kLargest, class T>
bool beats(T a, T b) {
  const bool before = kLargest ? a > b : a < b;
  if constexpr (std::is_floating_point_v<T>) return before | ((a != a) & (b == b));
  return before;
}

template <bool kLargest, class T>
constexpr T worst() {
  return neutral_value<T>(row_of(kLargest ? Reduction::amax : Reduction::amin).neutral);
}

/// The best element so far; index -1: none.
template <class T>
struct Best {
  T value;
  int64_t index = -1;
};

/// One block of the program: its values, and the bits of its mask, null if all are kept. Elements
/// that are masked out have the worst value.
template <class T>
struct Block {
  const T* values = nullptr;
  const uint64_t* bits = nullptr;

  bool keeps(int64_t i) const { return !bits || (bits[i / 64] >> (i % 64) & 1); }
};

template <class T, bool kLargest>
class Search {
 public:
  explicit Search(const Program& program)
      : program_(program), evaluator_(program), worst_(program.mask >= 0 ? kBlock : 0) {
    std::fill(worst_.begin(), worst_.end(), worst<kLargest, T>());
  }

  /// Computes a block; false if nothing of it is kept.
  bool run(int64_t start, int64_t n, Block<T>& block) {
    block.bits = nullptr;
    MaskState state = MaskState::all;
    if (program_.mask >= 0) {
      const Register& mask = evaluator_.run_mask(start, n);
      state = mask.state;
      if (state == MaskState::none) return false;
      if (state == MaskState::mixed) block.bits = mask.words();
    }
    block.values = static_cast<const T*>(evaluator_.run_value(start, n));
    if (state == MaskState::mixed) {
      T* chosen = static_cast<T*>(evaluator_.scratch());
      kernels().where[width_index(sizeof(T))](block.values, worst_.data(), block.bits, chosen, n);
      block.values = chosen;
    }
    return true;
  }

  /// Elements [from, from + n) of a block; the first has index `base`. Returns whether there is a
  /// better one among them.
  static bool update(const Block<T>& block, int64_t from, int64_t n, int64_t base, Best<T>& best) {
    constexpr int kType = static_cast<int>(dtype_of<T>);
    constexpr int kRow = reduction_index(kLargest ? Reduction::amax : Reduction::amin);
    T extreme;
    kernels().reduce[kRow][kType](block.values + from, nullptr, &extreme, static_cast<size_t>(n));
    if (best.index >= 0 && !beats<kLargest>(extreme, best.value)) return false;
    for (int64_t i = from; i < from + n;) {
      const auto rest = static_cast<size_t>(from + n - i);
      i += static_cast<int64_t>(kernels().find[kType](block.values + i, &extreme, rest));
      if (i < from + n && block.keeps(i)) {
        best = {block.values[i], base + i - from};
        return true;
      }
      while (i < from + n && !block.keeps(i)) ++i;
    }
    return false;
  }

  static void update(const Best<T>& part, Best<T>& best) {
    if (part.index < 0) return;
    if (best.index < 0 || beats<kLargest>(part.value, best.value)) best = part;
  }

 private:
  const Program& program_;
  Evaluator evaluator_;
  std::vector<T> worst_;
};

template <class T>
void put(const Best<T>& best, int64_t at, T* values, int64_t* indices) {
  values[at] = best.value;
  indices[at] = best.index;
}

template <class T, bool kLargest>
void search_short_rows(const Program& program, int64_t rows, int64_t length, T* values,
                       int64_t* indices) {
  const int64_t per_block = kBlock / length;
  parallel_for((rows + per_block - 1) / per_block, kChunk / kBlock,
               [&](int64_t begin, int64_t end) {
                 Search<T, kLargest> search(program);
                 for (int64_t b = begin; b < end; ++b) {
                   const int64_t first = b * per_block, n = std::min(per_block, rows - first);
                   Block<T> block;
                   const bool any = search.run(first * length, n * length, block);
                   for (int64_t r = 0; r < n; ++r) {
                     Best<T> best{worst<kLargest, T>()};
                     if (any) search.update(block, r * length, length, 0, best);
                     put(best, first + r, values, indices);
                   }
                 }
               });
}

/// Rows longer than a block: the best of each block that is better than those before it in the same
/// task, then the first of those.
template <class T, bool kLargest>
void search_long_rows(const Program& program, int64_t rows, int64_t length, T* values,
                      int64_t* indices) {
  const int64_t blocks = (length + kBlock - 1) / kBlock;
  check_memory(rows * blocks * static_cast<int64_t>(sizeof(Best<T>)));
  std::vector<Best<T>> parts(static_cast<size_t>(rows * blocks), {worst<kLargest, T>()});
  parallel_for(rows * blocks, kChunk / kBlock, [&](int64_t begin, int64_t end) {
    Search<T, kLargest> search(program);
    Best<T> best{};
    for (int64_t i = begin; i < end; ++i) {
      const int64_t from = i % blocks * kBlock, n = std::min(kBlock, length - from);
      if (from == 0) best = {};
      Block<T> block;
      if (!search.run(i / blocks * length + from, n, block)) continue;
      if (search.update(block, 0, n, from, best)) parts[i] = best;
    }
  });
  for (int64_t row = 0; row < rows; ++row) {
    Best<T> best{worst<kLargest, T>()};
    for (int64_t b = 0; b < blocks; ++b) {
      Search<T, kLargest>::update(parts[row * blocks + b], best);
    }
    put(best, row, values, indices);
  }
}

/// The best elements of some columns.
template <class T, bool kLargest>
struct Columns {
  std::vector<T> values;
  std::vector<int64_t> indices;

  explicit Columns(int64_t n)
      : values(static_cast<size_t>(n), worst<kLargest, T>()), indices(static_cast<size_t>(n), -1) {}
};

/// Takes elements of one row for columns without a kept one so far, and returns how many: only
/// those can take an element that is no better than the worst.
template <class T>
int64_t take_missing(const Block<T>& block, int64_t from, int64_t width, int64_t row, T* values,
                     int64_t* indices) {
  int64_t taken = 0;
  for (int64_t c = 0; c < width; ++c) {
    if (indices[c] >= 0 || !block.keeps(from + c)) continue;
    values[c] = block.values[from + c];
    indices[c] = row;
    ++taken;
  }
  return taken;
}

/// Columns [col, col + width) of rows [from, to) of a [reduced, inner] matrix that begins at
/// element `base`.
template <class T, bool kLargest>
void search_columns(Search<T, kLargest>& search, int64_t base, int64_t inner, int64_t from,
                    int64_t to, int64_t col, int64_t width, T* values, int64_t* indices) {
  const auto update = kernels().arg_lines[kLargest][static_cast<int>(dtype_of<T>)];
  const int64_t rows_per_block = width == inner ? kBlock / inner : 1;
  int64_t missing = width;
  for (int64_t row = from; row < to; row += rows_per_block) {
    const int64_t rows = std::min(rows_per_block, to - row);
    Block<T> block;
    if (!search.run(base + row * inner + col, rows * width, block)) continue;
    for (int64_t r = 0, lines; r < rows; r += lines) {
      lines = missing > 0 ? 1 : rows - r;
      if (missing > 0) missing -= take_missing(block, r * width, width, row + r, values, indices);
      update(block.values + r * width, row + r, values, indices, static_cast<size_t>(lines),
             static_cast<size_t>(width));
    }
  }
}

/// [reduced, inner] matrices. If there are few, their rows are split into parts.
template <class T, bool kLargest>
void search_matrices(const Program& program, int64_t outer, int64_t reduced, int64_t inner,
                     T* values, int64_t* indices) {
  const int64_t tile = std::min(inner, kBlock), tiles = (inner + tile - 1) / tile;
  const int64_t most = outer * tiles >= 16 ? 1 : 16;
  const int64_t part_rows = std::max<int64_t>(64, (reduced + most - 1) / most);
  const int64_t parts = (reduced + part_rows - 1) / part_rows;
  const int64_t grain = std::max<int64_t>(1, kChunk / (std::min(part_rows, reduced) * tile));
  Columns<T, kLargest> found(outer * parts * inner);
  parallel_for(outer * parts * tiles, grain, [&](int64_t begin, int64_t end) {
    Search<T, kLargest> search(program);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t matrix = i / tiles / parts, part = i / tiles % parts, col = i % tiles * tile;
      const int64_t from = part * part_rows, at = (matrix * parts + part) * inner + col;
      search_columns(search, matrix * reduced * inner, inner, from,
                     std::min(reduced, from + part_rows), col, std::min(tile, inner - col),
                     &found.values[at], &found.indices[at]);
    }
  });
  for (int64_t i = 0; i < outer * inner; ++i) {
    Best<T> best{worst<kLargest, T>()};
    for (int64_t part = 0; part < parts; ++part) {
      const int64_t at = (i / inner * parts + part) * inner + i % inner;
      Search<T, kLargest>::update({found.values[at], found.indices[at]}, best);
    }
    put(best, i, values, indices);
  }
}

template <class T, bool kLargest>
void search(const Program& program, int64_t outer, int64_t reduced, int64_t inner, void* values,
            int64_t* indices) {
  T* out = static_cast<T*>(values);
  if (inner > 1) {
    search_matrices<T, kLargest>(program, outer, reduced, inner, out, indices);
  } else if (reduced > kBlock) {
    search_long_rows<T, kLargest>(program, outer, reduced, out, indices);
  } else {
    search_short_rows<T, kLargest>(program, outer, reduced, out, indices);
  }
}

}  // namespace

void run_arg_extreme(const Program& program, bool largest, const ReductionShape& shape,
                     void* values, int64_t* indices) {
  visit_dtype(program.dtype, [&](auto type) {
    using T = decltype(type);
    // What the compiler makes of bools and halves is uint8 and float32.
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      (largest ? search<T, true> : search<T, false>)(program, shape.outer, shape.reduced,
                                                     shape.inner, values, indices);
    }
  });
}

}  // namespace tamis::cpu
