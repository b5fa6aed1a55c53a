// Blocks: what the sinks share: going through all blocks of a program, and counting what its mask
// selects.
#pragma once

#include <algorithm>
#include <vector>

#include "backend/cpu/allocator.h"
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

/// The mask of a program, counted before the first element is moved. One that is more work to
/// compute again than to keep is kept, as bits.
class CountedMask {
 public:
  explicit CountedMask(const Program& program)
      : offsets_(chunks_of(program.numel) + 1, 0), keeps_(!is_cheap(program)) {
    if (keeps_) bits_ = allocate((program.numel + 63) / 64 * 8);
    for_each_block(program, [&](Evaluator& evaluator, int64_t chunk, int64_t start, int64_t n) {
      const Register& mask = evaluator.run_mask(start, n);
      offsets_[chunk + 1] += count_block(mask, n);
      if (keeps_) std::copy_n(mask.words(), (n + 63) / 64, words(start));
    });
    for (size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
  }
  CountedMask(const CountedMask&) = delete;
  CountedMask& operator=(const CountedMask&) = delete;
  ~CountedMask() {
    if (keeps_) bits_.free(bits_.data, bits_.bytes);
  }

  /// Where each chunk's selected elements begin in the output; one more entry for the total.
  const std::vector<int64_t>& offsets() const { return offsets_; }
  int64_t total() const { return offsets_.back(); }
  /// The mask of a block; the evaluator can compute the block's values next.
  const Register& block(Evaluator& evaluator, int64_t start, int64_t n) const {
    return keeps_ ? evaluator.reuse_mask(words(start), start, n) : evaluator.run_mask(start, n);
  }

 private:
  /// Whether the mask is read as it lies in memory, or is a structured one.
  static bool is_cheap(const Program& program) {
    if (program.mask_end != 1) return false;
    const Instr& instr = program.code[0];
    if (instr.op != Op::load) return false;
    const Leaf& leaf = program.leaves[instr.leaf];
    return leaf.intervals || is_packed(program.shape, leaf.strides);
  }
  uint64_t* words(int64_t start) const { return static_cast<uint64_t*>(bits_.data) + start / 64; }

  std::vector<int64_t> offsets_;
  const bool keeps_;
  Memory bits_;
};

}  // namespace tamis::cpu
