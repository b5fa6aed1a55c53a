// Program: an expression compiled to a short list of instructions over block registers, the
// language of the waist.
#pragma once

#include <memory>
#include <memory_resource>
#include <vector>

#include "backend/op.h"
#include "core/interval.h"
#include "core/kept_bits.h"
#include "core/storage.h"
#include "tamis/dtype.h"
#include "tamis/shape.h"

namespace tamis {

/// A set of numbers for `isin`, prepared by a backend for its own programs. Elements are compared
/// exactly: a number that their dtype cannot represent equals none of them, NaN equals nothing, and
/// -0 equals +0.
class IsinSet {
 public:
  virtual ~IsinSet() = default;
};

/// A tensor as a program reads it: strides (in elements) for each dimension of the program's shape.
/// The storage is of the backend that runs the program; or, if the leaf is a single number, of the
/// CPU.
struct Leaf {
  Ref<Storage> storage;            // kept alive while the program runs
  Ref<const Intervals> intervals;  // instead of memory: a structured mask, element row * cols + col
  Ref<const KeptBits> bits;        // instead of memory: a mask as bits; on the CPU only
  bool counts = false;             // instead of memory: element i is the int64 i; on the CPU only
  int64_t offset = 0;              // of the first element in the storage, or in the intervals
  DType dtype{};
  Shape strides;
};

/// One step: registers[dst] = op(registers[a], registers[b], registers[c]).
struct Instr {
  Op op{};
  DType in{};   // of the operands (values); for cast the source
  DType out{};  // of dst; bool means a mask register
  int16_t dst = -1, a = -1, b = -1, c = -1;
  int16_t leaf = -1;       // load
  int16_t target = -1;     // skip: index of the instruction to go on with
  bool for_value = false;  // the sink's value depends on it
  const IsinSet* set = nullptr;
};

/// `code` runs once per block of consecutive elements, in the row-major order of `shape`; `setup`
/// once before the first block, for what is the same in all of them. The registers of setup, mask
/// and value are used for nothing else. The lists are in memory of whoever makes the program, which
/// must outlive it.
struct Program {
  explicit Program(std::pmr::memory_resource* memory)
      : leaves(memory), setup(memory), code(memory), sets(memory) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Shape shape;  // the iteration space, adjacent dimensions merged where all leaves allow it
  int64_t numel = 0;
  std::pmr::vector<Leaf> leaves;
  std::pmr::vector<Instr> setup;
  std::pmr::vector<Instr> code;
  std::pmr::vector<std::shared_ptr<const IsinSet>> sets;  // kept alive while the program runs
  int16_t registers = 0;
  int16_t mask = -1;   // register of the sink's mask; -1: none
  int16_t value = -1;  // register of the sink's value; -1: none
  int32_t mask_end =
      0;  // code[0, mask_end) computes the mask; the rest may be left out where that is all false
  DType dtype{};  // of the value
};

}  // namespace tamis
