// Kernels: the block functions of one instruction set, as a table of pointers. Nothing here
// allocates or throws.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/op.h"
#include "backend/reduction.h"
#include "tamis/dtype.h"

namespace tamis::cpu {

/// Elements that a program works on at a time: operands stay in the first-level cache.
inline constexpr int64_t kBlock = 4096;
inline constexpr int64_t kBlockWords = kBlock / 64;

/// Byte widths 1, 2, 4, 8, 16 as indices 0..4: moves do not care about types.
inline constexpr int kWidths = 5;
constexpr int width_index(size_t itemsize) {
  return itemsize == 1 ? 0 : itemsize == 2 ? 1 : itemsize == 4 ? 2 : itemsize == 8 ? 3 : 4;
}

/// An operand of a kernel that has several: its elements, contiguous, or, if it is uniform, 64
/// equal ones that represent all. Those stay in registers and leave the cache to the others.
struct Elements {
  Elements(const void* first, bool uniform = false) : data(first), step(uniform ? 0 : 64) {}
  const void* data;
  size_t step;  // from the elements of one mask word to those of the next
};

/// Conventions.
/// Arguments come in this order: values that are read, the mask, numbers, what is written, how many
/// elements. What belongs to one pointer (its stride, its limit) follows it at once.
/// Masks are 64-bit words, element i is bit i % 64 of word i / 64; the bits of the last word beyond
/// n are zero, in and out. No kernel reads or writes outside [0, n) of its operands unless its
/// comment says so. No operand need be aligned beyond its dtype. `out` may be the same pointer as
/// an operand of the same width (element-wise), but may not overlap it otherwise. n may be 0.
/// Arithmetic tables have an entry for each dtype that the row of the op takes (op.h,
/// reduction.h), and null for the others (sqrt of int32, bit_and of float32, lt of complex64).
/// float16 and bfloat16 only occur in casts and moves, bool only as mask words (its bytes are moved
/// as width 1). tests/kernels/table_test.cpp looks at every entry.
struct Kernels {
  using Unary = void (*)(const void* a, void* out, size_t n);
  using Binary = void (*)(Elements a, Elements b, void* out, size_t n);
  using Compare = void (*)(Elements a, Elements b, uint64_t* out, size_t n);

  const char* isa;

  Unary unary[kUnaryOps][kDTypeCount];
  Binary binary[kBinaryOps][kDTypeCount];
  Compare compare[kCompareOps][kDTypeCount];  // false with NaN

  /// C++ conversions between non-bool dtypes, f16/bf16 via float; float to integer truncates.
  /// Complex dtypes convert to each other, and to and from the dtype of their parts.
  Unary cast[kDTypeCount][kDTypeCount];
  /// x != 0, for every dtype (for bool: any nonzero byte). NaN is true.
  void (*to_mask[kDTypeCount])(const void* a, uint64_t* out, size_t n);
  /// Mask to 0/1 values of the dtype (for bool: bytes 0 and 1).
  void (*from_mask[kDTypeCount])(const uint64_t* mask, void* out, size_t n);

  /// out = mask ? a : b, by width.
  void (*where[kWidths])(Elements a, Elements b, const uint64_t* mask, void* out, size_t n);

  /// Packs the elements whose bit is set at out, keeping their order; returns their number. Writes
  /// only below `limit` (an address at or after the last selected element): bytes between the
  /// packed elements and limit may be overwritten. May read all of src[0, n).
  size_t (*compress[kWidths])(const void* src, const uint64_t* mask, void* out, const void* limit,
                              size_t n);
  /// The reverse: out[i] = next element of src where bit i is set, others[i] elsewhere; `others`
  /// may be out itself. Returns how many elements of src were taken. Reads src only below `limit`.
  size_t (*expand[kWidths])(const void* src, const void* limit, Elements others,
                            const uint64_t* mask, void* out, size_t n);
  /// Writes base + i for every set bit i; returns their number. Writes nothing else to
  /// out.
  size_t (*positions)(const uint64_t* mask, int64_t base, int64_t* out, size_t n);

  /// Number of set bits in n elements.
  int64_t (*popcount)(const uint64_t* mask, size_t n);

  /// out[i] = src[i * stride] and out[i * stride] = src[i]; stride in elements, not negative.
  void (*gather[kWidths])(const void* src, int64_t stride, void* out, size_t n);
  void (*scatter[kWidths])(const void* src, void* out, int64_t stride, size_t n);
  /// Repeats one element n times.
  void (*fill[kWidths])(const void* value, void* out, size_t n);

  /// Reductions of what the mask keeps of one block to one value, which has the accumulator's dtype
  /// (accumulator_dtype); a null mask keeps all. Where 64 elements are masked out they are not
  /// read. Sums are taken over 64 interleaved lanes that are then added pairwise, on every
  /// instruction set, so the result does not depend on it; integers wrap. NaN wins in extremes; of
  /// nothing, the result is the neutral value. Those with a wide accumulator have of the integers
  /// only int64 and uint64. n >= 1.
  using Reduce = void (*)(const void* a, const uint64_t* mask, void* out, size_t n);
  Reduce reduce[kReductions][kDTypeCount];
  /// Contiguous lines of `width` elements onto `acc` in their order: acc[j] becomes the reduction
  /// of itself and the j-th element of each line. Dtypes as in `reduce`.
  using Lines = void (*)(const void* a, void* acc, size_t lines, size_t width);
  Lines reduce_lines[kReductions][kDTypeCount];

  /// Where extremes are, of the real dtypes but bool and halves.
  /// The position of the first element that equals *value, or is NaN as well; n if there is none.
  size_t (*find[kDTypeCount])(const void* a, const void* value, size_t n);
  /// Contiguous lines of `width` elements, numbered from `first` on, in their order: the j-th
  /// element of a line that is smaller (in the second table: larger) than values[j] takes its
  /// place, and the number of the line that of indices[j]. NaN beats every number.
  using ArgLines = void (*)(const void* a, int64_t first, void* values, int64_t* indices,
                            size_t lines, size_t width);
  ArgLines arg_lines[2][kDTypeCount];

  /// What softmax is made of, for float32 and float64. A null mask keeps all.
  /// The largest kept element, -infinity if there is none; NaN is ignored.
  double (*kept_max[kDTypeCount])(const void* a, const uint64_t* mask, size_t n);
  /// out = exp(a - shift) where kept, 0 elsewhere; returns the sum, taken as `reduce` does.
  double (*exp_sum[kDTypeCount])(const void* a, const uint64_t* mask, double shift, void* out,
                                 size_t n);
  /// a *= factor, and out = (a - first) - second; the numbers are rounded to the dtype before.
  void (*scale[kDTypeCount])(double factor, void* a, size_t n);
  void (*subtract[kDTypeCount])(const void* a, double first, double second, void* out, size_t n);

  /// The four words of philox (core/philox.h) for each of the counters [first, first + n).
  void (*philox)(uint64_t seed, uint64_t first, uint32_t* out, size_t n);
};

/// The table of the best instruction set that the CPU has and TAMIS_ISA allows; chosen once.
const Kernels& kernels();
/// The table for a name ("scalar", "sse4", "avx2", "avx512"), or null if this CPU or this build has
/// none. For tests.
const Kernels* kernels_for(const char* isa);

}  // namespace tamis::cpu
