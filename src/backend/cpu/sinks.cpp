// Sinks that move elements: store, count, any, all, compress, coordinates, expand.
#include "backend/cpu/sinks.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "backend/cpu/threads.h"

namespace tamis::cpu {

namespace {

/// Calls block(evaluator, chunk, start, n) for all blocks; chunks run in parallel, the blocks of a
/// chunk in order.
template <class F>
void for_each_block(const Program& program, F&& block) {
  parallel_for(chunks_of(program.numel), 1, [&](int64_t begin, int64_t end) {
    Evaluator evaluator(program);
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      const int64_t stop = std::min(program.numel, (chunk + 1) * kChunk);
      for (int64_t start = chunk * kChunk; start < stop; start += kBlock) {
        block(evaluator, chunk, start, std::min(kBlock, stop - start));
      }
    }
  });
}

int64_t count_block(const Register& mask, int64_t n) {
  if (mask.state == MaskState::none) return 0;
  return mask.state == MaskState::all ? n : kernels().popcount(mask.words(), n);
}

/// Where each chunk's selected elements begin in the output; one more entry for the total.
std::vector<int64_t> chunk_offsets(const Program& program) {
  std::vector<int64_t> offsets(chunks_of(program.numel) + 1, 0);
  for_each_block(program, [&](Evaluator& evaluator, int64_t chunk, int64_t start, int64_t n) {
    offsets[chunk + 1] += count_block(evaluator.run_mask(start, n), n);
  });
  for (size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  return offsets;
}

/// Copies a block of the target's memory into `block`, or back.
void gather_target(const Program& program, const Target& target, int64_t start, int64_t n,
                   void* block) {
  const int64_t size = static_cast<int64_t>(itemsize(target.dtype));
  const int64_t stride = target.strides.back();
  const auto gather = kernels().gather[width_index(size)];
  for_each_segment(program.shape, target.strides, start, n,
                   [&](int64_t offset, int64_t at, int64_t length) {
                     gather(static_cast<char*>(target.data) + offset * size, stride,
                            static_cast<char*>(block) + at * size, length);
                   });
}

void scatter_target(const Program& program, const Target& target, int64_t start, int64_t n,
                    const void* block) {
  const int64_t size = static_cast<int64_t>(itemsize(target.dtype));
  const int64_t stride = target.strides.back();
  const auto scatter = kernels().scatter[width_index(size)];
  for_each_segment(program.shape, target.strides, start, n,
                   [&](int64_t offset, int64_t at, int64_t length) {
                     char* to = static_cast<char*>(target.data) + offset * size;
                     const char* from = static_cast<const char*>(block) + at * size;
                     if (stride == 1) {
                       std::memcpy(to, from, static_cast<size_t>(length * size));
                     } else {
                       scatter(from, to, stride, length);
                     }
                   });
}

}  // namespace

void run_store(const Program& program, const Target& target) {
  const int64_t size = static_cast<int64_t>(itemsize(target.dtype));
  const bool packed = is_packed(program.shape, target.strides);
  const auto blend = kernels().where[width_index(size)];
  for_each_block(program, [&](Evaluator& evaluator, int64_t, int64_t start, int64_t n) {
    const Register* mask = program.mask >= 0 ? &evaluator.run_mask(start, n) : nullptr;
    if (mask && mask->state == MaskState::none) return;
    const bool whole = !mask || mask->state == MaskState::all;
    char* place = static_cast<char*>(target.data) + (packed ? start * size : 0);
    if (whole && packed) {
      evaluator.run_value(start, n, place);
      return;
    }
    const void* value = evaluator.run_value(start, n);
    if (whole) {
      scatter_target(program, target, start, n, value);
    } else if (packed) {
      blend(mask->words(), value, place, place, n);
    } else {
      void* block = evaluator.scratch();
      gather_target(program, target, start, n, block);
      blend(mask->words(), value, block, block, n);
      scatter_target(program, target, start, n, block);
    }
  });
}

int64_t run_count(const Program& program) {
  std::atomic<int64_t> total{0};
  for_each_block(program, [&](Evaluator& evaluator, int64_t, int64_t start, int64_t n) {
    total.fetch_add(count_block(evaluator.run_mask(start, n), n), std::memory_order_relaxed);
  });
  return total;
}

namespace {

/// Whether some block's mask is not wholly `boring`.
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

void run_compress(const Program& program, const std::function<void*(int64_t)>& allocate) {
  const int64_t size = static_cast<int64_t>(itemsize(program.dtype));
  const auto compress = kernels().compress[width_index(size)];
  const auto pack = [&](Evaluator& evaluator, const Register& mask, int64_t start, int64_t n,
                        char* out, const char* limit) -> int64_t {
    if (mask.state == MaskState::none) return 0;
    const void* value = evaluator.run_value(start, n);
    if (mask.state == MaskState::mixed)
      return static_cast<int64_t>(compress(value, mask.words(), n, out, limit));
    std::memcpy(out, value, static_cast<size_t>(n * size));
    return n;
  };
  if (program.numel <= kBlock) {  // the mask is computed once
    Evaluator evaluator(program);
    const Register& mask = evaluator.run_mask(0, program.numel);
    const int64_t count = count_block(mask, program.numel);
    char* out = static_cast<char*>(allocate(count));
    pack(evaluator, mask, 0, program.numel, out, out + count * size);
    return;
  }
  const std::vector<int64_t> offsets = chunk_offsets(program);
  char* const out = static_cast<char*>(allocate(offsets.back()));
  std::vector<int64_t> done(offsets.begin(), offsets.end() - 1);  // next place of each chunk
  for_each_block(program, [&](Evaluator& evaluator, int64_t chunk, int64_t start, int64_t n) {
    if (done[chunk] == offsets[chunk + 1]) return;
    const Register& mask = evaluator.run_mask(start, n);
    done[chunk] +=
        pack(evaluator, mask, start, n, out + done[chunk] * size, out + offsets[chunk + 1] * size);
  });
}

void run_coordinates(const Program& program, const Shape& shape,
                     const std::function<int64_t*(int64_t)>& allocate) {
  const std::vector<int64_t> offsets = chunk_offsets(program);
  const int64_t count = offsets.back();
  int64_t* const out = allocate(count);
  const size_t rank = shape.size();
  if (count == 0 || rank == 0) return;
  std::vector<int64_t> done(offsets.begin(), offsets.end() - 1);
  const auto positions = kernels().positions;
  for_each_block(program, [&](Evaluator& evaluator, int64_t chunk, int64_t start, int64_t n) {
    if (done[chunk] == offsets[chunk + 1]) return;
    const Register& mask = evaluator.run_mask(start, n);
    if (mask.state == MaskState::none) return;
    // Positions go to the last column; those of the others follow from the row that each one falls
    // into.
    int64_t* const last = out + static_cast<int64_t>(rank - 1) * count + done[chunk];
    const int64_t found = static_cast<int64_t>(positions(mask.words(), n, start, last));
    if (rank > 1) {
      const int64_t cols = shape[rank - 1];
      int64_t row_begin = -1, row_end = -1;
      Shape index(rank, 0);
      for (int64_t k = 0; k < found; ++k) {
        if (last[k] >= row_end) {
          int64_t row = last[k] / cols;
          row_begin = row * cols;
          row_end = row_begin + cols;
          for (size_t d = rank - 1; d-- > 0;) {
            index[d] = row % shape[d];
            row /= shape[d];
          }
        }
        for (size_t d = 0; d + 1 < rank; ++d)
          out[static_cast<int64_t>(d) * count + done[chunk] + k] = index[d];
        last[k] -= row_begin;
      }
    }
    done[chunk] += found;
  });
}

void run_expand(const Program& program, const void* source, int64_t source_numel,
                const Target& target) {
  const int64_t size = static_cast<int64_t>(itemsize(target.dtype));
  const bool packed = is_packed(program.shape, target.strides);
  const auto expand = kernels().expand[width_index(size)];
  const std::vector<int64_t> offsets = chunk_offsets(program);
  std::vector<int64_t> done(offsets.begin(), offsets.end() - 1);
  const char* const limit = static_cast<const char*>(source) + source_numel * size;
  for_each_block(program, [&](Evaluator& evaluator, int64_t chunk, int64_t start, int64_t n) {
    if (done[chunk] == offsets[chunk + 1]) return;
    const Register& mask = evaluator.run_mask(start, n);
    if (mask.state == MaskState::none) return;
    const char* from = static_cast<const char*>(source) + done[chunk] * size;
    if (packed) {
      expand(from, limit, mask.words(), n, static_cast<char*>(target.data) + start * size);
    } else {
      gather_target(program, target, start, n, evaluator.scratch());
      expand(from, limit, mask.words(), n, evaluator.scratch());
      scatter_target(program, target, start, n, evaluator.scratch());
    }
    done[chunk] += count_block(mask, n);
  });
}

}  // namespace tamis::cpu
