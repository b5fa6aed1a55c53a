// Sinks that move elements one for one, or look at the mask alone: store, fill, count, any, all,
// expand.
#include "backend/cpu/sinks.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "backend/cpu/blocks.h"
#include "backend/cpu/indexed.h"

namespace tamis::cpu {

namespace {

/// Copies a block of the target's memory into `block`, or back.
void gather_target(const Program& program, const Target& target, int64_t start, int64_t n,
                   void* block) {
  const int64_t size = static_cast<int64_t>(itemsize(target.dtype));
  const int64_t stride = target.strides.back();
  const char* const from = address(target);
  const auto gather = kernels().gather[width_index(size)];
  for_each_segment(
      program.shape, target.strides, start, n, [&](int64_t offset, int64_t at, int64_t length) {
        gather(from + offset * size, stride, static_cast<char*>(block) + at * size, length);
      });
}

void scatter_target(const Program& program, const Target& target, int64_t start, int64_t n,
                    const void* block) {
  const int64_t size = static_cast<int64_t>(itemsize(target.dtype));
  const int64_t stride = target.strides.back();
  char* const first = address(target);
  const auto scatter = kernels().scatter[width_index(size)];
  for_each_segment(program.shape, target.strides, start, n,
                   [&](int64_t offset, int64_t at, int64_t length) {
                     char* to = first + offset * size;
                     const char* from = static_cast<const char*>(block) + at * size;
                     if (stride == 1) {
                       std::memcpy(to, from, static_cast<size_t>(length * size));
                     } else {
                       scatter(from, to, stride, length);
                     }
                   });
}

/// The leaf that the program copies in runs, if that is all it does and there is enough to copy,
/// else null. Bools are not just copied: any nonzero byte becomes 1.
const Leaf* moved_in_runs(const Program& program, const Target& target) {
  const bool moves = program.mask < 0 && program.code.size() == 1 &&
                     program.code[0].op == Op::load && program.dtype != DType::boolean;
  if (!moves || program.numel <= kBlock) return nullptr;
  const Leaf& leaf = program.leaves[program.code[0].leaf];
  const bool in_runs = !leaf.counts && leaf.strides.back() == 1 && target.strides.back() == 1;
  return in_runs ? &leaf : nullptr;
}

/// The most elements that a block should have: those of a row, if rows are long and some leaf has
/// them in one run each, so that they are read where they are.
int64_t row_end(const Program& program) {
  constexpr int64_t kLong = 512;
  if (program.code.size() < 2 || program.shape.size() < 2 || program.shape.back() < kLong) {
    return program.numel;
  }
  const bool some = std::any_of(program.leaves.begin(), program.leaves.end(), [&](const Leaf& l) {
    return !l.intervals && l.dtype != DType::boolean && l.strides.back() == 1 &&
           !is_packed(program.shape, l.strides);
  });
  return some ? program.shape.back() : program.numel;
}

}  // namespace

void run_store(const Program& program, const Target& target) {
  const int64_t size = static_cast<int64_t>(itemsize(target.dtype));
  const bool packed = is_packed(program.shape, target.strides);
  if (const Leaf* leaf = packed ? nullptr : moved_in_runs(program, target)) {
    const IndexedElements all{program.shape, target.strides, {}};
    return run_put(all, address(target), address(*leaf), leaf->strides, target.dtype,
                   Combine::assign);
  }
  char* const first = address(target);
  const auto blend = kernels().where[width_index(size)];
  const auto store = [&](Evaluator& evaluator, int64_t start, int64_t n) {
    const Register* mask = program.mask >= 0 ? &evaluator.run_mask(start, n) : nullptr;
    if (mask && mask->state == MaskState::none) return;
    const bool whole = !mask || mask->state == MaskState::all;
    char* to = first + (packed ? start * size : 0);
    if (whole && packed) {
      evaluator.run_value(start, n, to);
      return;
    }
    const void* value = evaluator.run_value(start, n);
    if (whole) {
      scatter_target(program, target, start, n, value);
    } else if (packed) {
      blend({value, evaluator.value_is_uniform()}, to, mask->words(), to, n);
    } else {
      void* block = evaluator.scratch();
      gather_target(program, target, start, n, block);
      blend({value, evaluator.value_is_uniform()}, block, mask->words(), block, n);
      scatter_target(program, target, start, n, block);
    }
  };
  const int64_t row = row_end(program);
  for_blocks_evenly(program, [&](Evaluator& evaluator, int64_t start, int64_t n) {
    for (const int64_t stop = start + n; start < stop; start += n) {
      n = std::min(stop - start, row - start % row);
      store(evaluator, start, n);
    }
  });
}

bool run_fill_small(void* data, DType dtype, const void* mask, int64_t n, const void* number,
                    DType from) {
  const auto casts = [](DType d) { return d != DType::boolean && !is_complex(d); };
  if (n > kBlock || !(from == dtype || (casts(from) && casts(dtype)))) return false;
  const Kernels& table = kernels();
  const auto elements = static_cast<size_t>(n);
  uint64_t words[kBlockWords];
  table.to_mask[static_cast<int>(DType::boolean)](mask, words, elements);

  const size_t size = itemsize(dtype);
  alignas(64) char equal[64 * 16];
  if (from == dtype) {
    std::memcpy(equal, number, size);
  } else {
    table.cast[static_cast<int>(from)][static_cast<int>(dtype)](number, equal, 1);
  }
  const size_t wanted = std::min<size_t>(elements, 64);
  for (size_t made = 1; made < wanted; made *= 2) {
    std::memcpy(equal + made * size, equal, std::min(made, wanted - made) * size);
  }
  table.where[width_index(size)]({equal, true}, data, words, data, elements);
  return true;
}

Memory run_keep_mask(const Program& program, std::vector<int64_t>& begins) {
  const int64_t chunks = chunks_of(program.numel);
  check_memory((chunks + 1) * static_cast<int64_t>(sizeof(int64_t)));
  begins.assign(static_cast<size_t>(chunks + 1), 0);
  const Memory memory = allocate(static_cast<int64_t>(words_of(program.numel)) * 8);
  auto* const words = static_cast<uint64_t*>(memory.data);
  for_each_block(program, [&](Evaluator& evaluator, int64_t chunk, int64_t start, int64_t n) {
    const Register& mask = evaluator.run_mask(start, n);
    begins[chunk + 1] += count_block(mask, n);
    std::copy_n(mask.words(), words_of(n), words + start / 64);
  });
  for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  return memory;
}

int64_t run_count(const Program& program) {
  if (const KeptBits* kept = counted_bits(program)) return kept->begins.back();
  std::atomic<int64_t> total{0};
  for_each_block(program, [&](Evaluator& evaluator, int64_t, int64_t start, int64_t n) {
    total.fetch_add(count_block(evaluator.run_mask(start, n), n), std::memory_order_relaxed);
  });
  return total;
}

namespace {

/// Whether some block's mask is not entirely `boring`.
bool find_block(const Program& program, MaskState boring) {
  std::atomic<bool> found{false};
  for_each_block(program, [&](Evaluator& evaluator, int64_t, int64_t start, int64_t n) {
    if (found.load(std::memory_order_relaxed)) return;
    if (evaluator.run_mask(start, n).state != boring) found.store(true, std::memory_order_relaxed);
  });
  return found;
}

}  // namespace

bool run_any(const Program& program) { return find_block(program, MaskState::none); }
bool run_all(const Program& program) { return !find_block(program, MaskState::all); }

int64_t run_expand(const Program& program, const void* source, int64_t source_numel,
                   const Target& target) {
  const CountedMask counted(program);
  if (counted.total() > source_numel) return counted.total();
  const int64_t size = static_cast<int64_t>(itemsize(target.dtype));
  const bool packed = is_packed(program.shape, target.strides);
  const bool has_background = program.value >= 0;
  char* const first = address(target);
  const auto expand = kernels().expand[width_index(size)];
  std::vector<int64_t> done(counted.offsets().begin(), counted.offsets().end() - 1);
  const char* const limit = static_cast<const char*>(source) + source_numel * size;
  for_each_block(program, [&](Evaluator& evaluator, int64_t chunk, int64_t start, int64_t n) {
    const Register& mask = counted.block(evaluator, start, n);
    if (mask.state == MaskState::none && !has_background) return;
    char* const to = packed ? first + start * size : static_cast<char*>(evaluator.scratch());
    Elements others = to;
    if (has_background) {
      if (mask.state != MaskState::all) {
        others = {evaluator.run_value(start, n), evaluator.value_is_uniform()};
      }
    } else if (!packed) {
      gather_target(program, target, start, n, to);
    }
    const char* const from = static_cast<const char*>(source) + done[chunk] * size;
    done[chunk] += static_cast<int64_t>(expand(from, limit, others, mask.words(), to, n));
    if (!packed) scatter_target(program, target, start, n, to);
  });
  return counted.total();
}

}  // namespace tamis::cpu
