// Evaluator: runs a program on one block at a time, on one thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/cpu/address.h"
#include "backend/cpu/bits.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/panel.h"
#include "backend/program.h"

namespace tamis::cpu {

/// What is known of a mask block as a whole.
enum class MaskState : uint8_t { none, all, mixed };

struct Register {
  void* data = nullptr;    // where the block's values are: the buffer, or the leaf's memory itself
  void* buffer = nullptr;  // for a block of any dtype
  MaskState state = MaskState::mixed;
  bool uniform = false;  // all elements are the same, in every block

  Elements elements() const { return {data, uniform}; }
  const uint64_t* words() const { return static_cast<const uint64_t*>(data); }
};

/// One thread's registers for one program. Buffers come from a per-thread arena, so at most one
/// Evaluator per thread is alive at a time.
class Evaluator {
 public:
  explicit Evaluator(const Program& program);
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Computes the mask for elements [start, start + n), n <= kBlock.
  const Register& run_mask(int64_t start, int64_t n);
  /// The same from bits that run_mask has computed for this block before.
  const Register& reuse_mask(const uint64_t* words, int64_t n);
  /// Computes the value for the same block. Where `out` is given (a buffer of exactly n elements of
  /// the value's dtype, bool as bytes), the values are put there; otherwise wherever the result's
  /// data points to.
  const void* run_value(int64_t start, int64_t n, void* out = nullptr);

  /// As run_value, for a sink that does not need values whose bit is zero: long runs of those are
  /// not computed. The mask's register keeps its bits.
  const void* run_kept(int64_t start, int64_t n);
  /// Whether all values are the same, in every block.
  bool value_is_uniform() const { return registers_[program_.value].uniform; }

  /// A buffer for a block of any dtype, for the sink's own use.
  void* scratch() { return scratch_; }

 private:
  void run(std::span<const Instr> code, size_t from, size_t to, int64_t start, int64_t n);
  void execute(const Instr& instr, int64_t start, int64_t n);
  /// Whether values are read where they are, or were computed with the mask.
  bool value_is_there() const;
  void load(const Instr& instr, int64_t start, int64_t n);
  void load_bytes(int leaf, int64_t start, int64_t n, void* out);
  void load_repeated(const Leaf& leaf, int64_t start, int64_t n, uint64_t* words);
  void load_intervals(const Leaf& leaf, int64_t start, int64_t n, uint64_t* words);
  void load_bits(const Leaf& leaf, int64_t start, int64_t n, Register& dst);
  void load_counter(const Leaf& leaf, int64_t start, int64_t n, int64_t* out);
  void execute_mask_op(const Instr& instr, int64_t n);
  void execute_where(const Instr& instr, int64_t n);
  void execute_cast(const Instr& instr, int64_t n);

  const Program& program_;
  const Kernels& kernels_;
  Register* registers_ = nullptr;
  bool reused_ = false;                         // the mask was given, not computed
  void* scratch_ = nullptr;                     // the sink's
  void* bytes_ = nullptr;                       // bools as bytes
  uint64_t kept_[kBlockWords];                  // a mask whose register is needed for its parts
  std::vector<std::unique_ptr<Panel>> panels_;  // per leaf; made when they are needed
};

/// Calls segment(offset of its first element, position in the block, length) for each run of a
/// block along the innermost dimension; strides are those of the operand. The innermost stride
/// applies within a segment.
template <class F>
void for_each_segment(const Shape& shape, const Shape& strides, int64_t start, int64_t n,
                      F&& segment) {
  const size_t rank = shape.size();
  if (rank == 0) {
    segment(int64_t{0}, int64_t{0}, n);
    return;
  }
  Shape index(rank, 0);
  int64_t rest = start, offset = 0;
  for (size_t d = rank; d-- > 0;) {
    index[d] = rest % shape[d];
    rest /= shape[d];
    offset += index[d] * strides[d];
  }
  const size_t last = rank - 1;
  for (int64_t at = 0; at < n;) {
    const int64_t length = std::min(shape[last] - index[last], n - at);
    segment(offset, at, length);
    at += length;
    offset -= index[last] * strides[last];
    index[last] = 0;
    for (size_t d = last; d-- > 0;) {
      offset += strides[d];
      if (++index[d] < shape[d]) break;
      offset -= shape[d] * strides[d];
      index[d] = 0;
    }
  }
}

/// This thread's buffer for mask words; the next call reuses it.
uint64_t* kept_words(int64_t count);
/// The same for operands outside of programs (apply.cpp).
char* apply_buffers(size_t bytes);

/// Whether elements are contiguous in the program's order.
bool is_packed(const Shape& shape, const Shape& strides);

}  // namespace tamis::cpu
