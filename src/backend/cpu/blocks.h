// Blocks: what the sinks share: going through all blocks of a program, and counting what its mask
// selects.
#pragma once

#include <algorithm>
#include <vector>

#include "backend/cpu/sinks.h"
#include "backend/cpu/threads.h"

namespace tamis::cpu {

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

inline int64_t count_block(const Register& mask, int64_t n) {
  if (mask.state == MaskState::none) return 0;
  return mask.state == MaskState::all ? n : kernels().popcount(mask.words(), n);
}

/// Where each chunk's selected elements begin in the output; one more entry for the total.
inline std::vector<int64_t> chunk_offsets(const Program& program) {
  std::vector<int64_t> offsets(chunks_of(program.numel) + 1, 0);
  for_each_block(program, [&](Evaluator& evaluator, int64_t chunk, int64_t start, int64_t n) {
    offsets[chunk + 1] += count_block(evaluator.run_mask(start, n), n);
  });
  for (size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  return offsets;
}

}  // namespace tamis::cpu
