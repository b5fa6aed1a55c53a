// Kernels: the block functions of one instruction set, as a table of pointers. Nothing here
// allocates or throws.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/op.h"
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

/// An operand of a kernel that has several: its elements one behind the other, or, if it is
/// uniform, 64 equal ones that stand for all. Those stay in registers and leave the cache to the
/// others.
struct Elements {
  Elements(const void* first, bool uniform = false) : data(first), step(uniform ? 0 : 64) {}
  const void* data;
  size_t step;  // from the elements of one mask word to those of the next
};

/// Conventions.
/// Masks are 64-bit words, element i is bit i % 64 of word i / 64; the bits of the last word beyond
/// n are zero, in and out. No kernel reads or writes outside [0, n) of its operands unless its
/// comment says so. No operand need be aligned beyond its dtype. `out` may be the same pointer as
/// an operand of the same width (element-wise), but may not overlap it otherwise. n may be 0.
/// Arithmetic tables have entries for integers, float32, float64 and complex dtypes; null where the
/// op makes no sense for the dtype (sqrt of int32, bit_and of float32, lt of complex64). float16
/// and bfloat16 only occur in casts and moves, bool only as mask words (its bytes are moved as
/// width 1).
struct Kernels {
  using Unary = void (*)(const void* a, void* out, size_t n);
  using Binary = void (*)(Elements a, Elements b, void* out, size_t n);
  using Compare = void (*)(Elements a, Elements b, uint64_t* out, size_t n);

  const char* isa;

  Unary unary[kUnaryOps][kDTypeCount];
  Binary binary[kBinaryOps][kDTypeCount];
  Compare compare[kCompareOps][kDTypeCount];  // eq, lt, le; false with NaN

  /// C++ conversions between non-bool dtypes, f16/bf16 by way of float; float to integer truncates.
  /// Complex dtypes convert to each other, and to and from the dtype of their parts.
  Unary cast[kDTypeCount][kDTypeCount];
  /// x != 0, for every dtype (for bool: any nonzero byte). NaN is true.
  void (*to_mask[kDTypeCount])(const void* a, uint64_t* out, size_t n);
  /// Mask to 0/1 values of the dtype (for bool: bytes 0 and 1).
  void (*from_mask[kDTypeCount])(const uint64_t* mask, void* out, size_t n);

  /// out = mask ? a : b, by width.
  void (*where[kWidths])(const uint64_t* mask, Elements a, Elements b, void* out, size_t n);

  /// Packs the elements whose bit is set at out, keeping their order; returns their number. Writes
  /// only below `limit` (an address at or behind the last selected element): bytes between the
  /// packed elements and limit may be overwritten. May read all of src[0, n).
  size_t (*compress[kWidths])(const void* src, const uint64_t* mask, size_t n, void* out,
                              const void* limit);
  /// The reverse: out[i] = next element of src where bit i is set, others[i] elsewhere; `others`
  /// may be out itself. Returns how many elements of src were taken. Reads src only below `limit`.
  size_t (*expand[kWidths])(const void* src, const void* limit, const uint64_t* mask,
                            Elements others, size_t n, void* out);
  /// Writes base + i for every set bit i; returns their number. Writes only the selected ones'
  /// places in out.
  size_t (*positions)(const uint64_t* mask, size_t n, int64_t base, int64_t* out);

  /// Number of set bits in n elements.
  int64_t (*popcount)(const uint64_t* mask, size_t n);

  /// out[i] = src[i * stride] and out[i * stride] = src[i]; stride in elements, not negative.
  void (*gather[kWidths])(const void* src, int64_t stride, void* out, size_t n);
  void (*scatter[kWidths])(const void* src, void* out, int64_t stride, size_t n);
  /// Repeats one element n times.
  void (*fill[kWidths])(const void* value, void* out, size_t n);

  /// Reductions of what the mask keeps of one block to one value; a null mask keeps all. Where 64
  /// elements are masked out they are not read. Sums are taken over 64 interleaved lanes that are
  /// then added pairwise, on every instruction set, so the result does not depend on it. float32
  /// sums and products end in double. Entries: sum, prod for int64 (result int64, wrapping),
  /// float32, float64 (result double), complex64, complex128 (result complex128); amax, amin for
  /// all integers, float32, float64 (result of the dtype; NaN wins; of nothing the least or
  /// greatest number). n >= 1.
  void (*sum[kDTypeCount])(const void* a, const uint64_t* mask, size_t n, void* out);
  void (*prod[kDTypeCount])(const void* a, const uint64_t* mask, size_t n, void* out);
  void (*amax[kDTypeCount])(const void* a, const uint64_t* mask, size_t n, void* out);
  void (*amin[kDTypeCount])(const void* a, const uint64_t* mask, size_t n, void* out);

  /// What softmax is made of, for float32 and float64. A null mask keeps all.
  /// The largest kept element, -infinity of none; NaN is passed over.
  double (*kept_max[kDTypeCount])(const void* a, const uint64_t* mask, size_t n);
  /// out = exp(a - shift) where kept, 0 elsewhere; returns the sum, taken as `sum` does.
  double (*exp_sum[kDTypeCount])(const void* a, const uint64_t* mask, size_t n, double shift,
                                 void* out);
  /// a *= factor, and out = (a - first) - second; the numbers are rounded to the dtype before.
  void (*scale[kDTypeCount])(void* a, size_t n, double factor);
  void (*subtract[kDTypeCount])(const void* a, size_t n, double first, double second, void* out);

  /// Lines of `width` elements, one behind the other, onto `acc` in their order: acc[j] becomes the
  /// sum (product, extreme) of itself and the j-th element of each line. Dtypes as in `sum` and so
  /// on; acc has that of the result.
  using Lines = void (*)(const void* a, size_t lines, size_t width, void* acc);
  Lines sum_lines[kDTypeCount];
  Lines prod_lines[kDTypeCount];
  Lines amax_lines[kDTypeCount];
  Lines amin_lines[kDTypeCount];

  /// The four words of philox (core/philox.h) for each of the counters [first, first + n).
  void (*philox)(uint64_t seed, uint64_t first, size_t n, uint32_t* out);
};

/// The table of the best instruction set that the CPU has and TAMIS_ISA allows; chosen once.
const Kernels& kernels();
/// The table for a name ("scalar", "sse4", "avx2", "avx512"), or null if this CPU or this build has
/// none. For tests.
const Kernels* kernels_for(const char* isa);

}  // namespace tamis::cpu
