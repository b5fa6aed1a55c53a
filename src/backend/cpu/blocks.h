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

/// Calls block(evaluator, start, n) for all blocks, which are shared out evenly: for sinks to which
/// it does not matter which blocks come after each other.
template <class F>
void for_blocks_evenly(const Program& program, F&& block) {
  constexpr int64_t kFewest = 8;  // that are worth a thread
  const int64_t blocks = (program.numel + kBlock - 1) / kBlock;
  const int64_t grain = blocks < 2 * kFewest ? blocks : kFewest;
  parallel_for(blocks, grain, [&](int64_t begin, int64_t end) {
    Evaluator evaluator(program);
    for (int64_t i = begin; i < end; ++i) {
      block(evaluator, i * kBlock, std::min(kBlock, program.numel - i * kBlock));
    }
  });
}

inline int64_t count_block(const Register& mask, int64_t n) {
  if (mask.state == MaskState::none) return 0;
  return mask.state == MaskState::all ? n : kernels().popcount(mask.words(), n);
}

/// The bits that are all of the program's mask and have been counted, or null.
inline const KeptBits* counted_bits(const Program& program) {
  static_assert(KeptBits::kCounted == kChunk);
  const Instr& instr = program.code[0];
  if (program.mask_end != 1 || instr.op != Op::load) return nullptr;
  const Leaf& leaf = program.leaves[instr.leaf];
  const bool is_whole = leaf.bits && leaf.offset == 0 && leaf.bits->numel == program.numel &&
                        is_packed(program.shape, leaf.strides);
  return is_whole && !leaf.bits->begins.empty() ? leaf.bits.get() : nullptr;
}

/// The mask of a program, counted before the first element is moved. Its bits are saved in between
/// (an eighth of what reading even a mask of bytes again would cost), as many as fit into a bounded
/// buffer; the rest is computed again. At most one per thread is alive at a time.
class CountedMask {
 public:
  explicit CountedMask(const Program& program)
      : offsets_(offsets_for(program)),
        kept_(costs_nothing(program) ? 0 : std::min(program.numel, kKept)),
        words_(kept_ == 0 ? nullptr : kept_words((kept_ + 63) / 64)) {
    if (counted_bits(program)) return;
    for_each_block(program, [&](Evaluator& evaluator, int64_t chunk, int64_t start, int64_t n) {
      const Register& mask = evaluator.run_mask(start, n);
      offsets_[chunk + 1] += count_block(mask, n);
      if (start < kept_) std::copy_n(mask.words(), (n + 63) / 64, words_ + start / 64);
    });
    for (size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
  }
  CountedMask(const CountedMask&) = delete;
  CountedMask& operator=(const CountedMask&) = delete;

  /// Where each chunk's selected elements begin in the output; one more entry for the total.
  const std::vector<int64_t>& offsets() const { return offsets_; }
  int64_t total() const { return offsets_.back(); }
  /// The mask of a block; the evaluator can compute the block's values next.
  const Register& block(Evaluator& evaluator, int64_t start, int64_t n) const {
    return start < kept_ ? evaluator.reuse_mask(words_ + start / 64, n)
                         : evaluator.run_mask(start, n);
  }

 private:
  static constexpr int64_t kKept = int64_t{1} << 25;  // 4 MiB of bits
  static_assert(kKept % kChunk == 0);

  /// Whether the mask is a structured one or bits already.
  static bool costs_nothing(const Program& program) {
    const Instr& instr = program.code[0];
    if (program.mask_end != 1 || instr.op != Op::load) return false;
    const Leaf& leaf = program.leaves[instr.leaf];
    return leaf.intervals || leaf.bits;
  }

  static std::vector<int64_t> offsets_for(const Program& program) {
    if (const KeptBits* kept = counted_bits(program)) return kept->begins;
    const int64_t n = chunks_of(program.numel) + 1;
    check_memory(n * static_cast<int64_t>(sizeof(int64_t)));
    return std::vector<int64_t>(static_cast<size_t>(n), 0);
  }

  std::vector<int64_t> offsets_;
  const int64_t kept_;
  uint64_t* const words_;
};

}  // namespace tamis::cpu
