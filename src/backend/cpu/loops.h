// What the kernel files share whatever the instruction set: a pragma for loops and words of each
// width.
#pragma once

#include <cstdint>

// The iterations of the next loop do not depend on each other though `out` may be one of the
// operands; without it the compiler checks for overlap at run time and then does not vectorise.
#if defined(__clang__)
#define TAMIS_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
// Loops around functions of libm stay scalar.
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define TAMIS_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace tamis::cpu {

/// Elements of W bytes that stand for any dtype of that width, so they alias all of them.
template <int W>
struct Word;
template <>
struct Word<1> {
  typedef uint8_t __attribute__((may_alias)) type;
};
template <>
struct Word<2> {
  typedef uint16_t __attribute__((may_alias)) type;
};
template <>
struct Word<4> {
  typedef uint32_t __attribute__((may_alias)) type;
};
template <>
struct Word<8> {
  typedef uint64_t __attribute__((may_alias)) type;
};

template <>
struct Word<16> {
  // Not an integer of 16 bytes, whose alignment complex numbers need not have.
  struct __attribute__((may_alias)) type {
    uint64_t low, high;
  };
};

}  // namespace tamis::cpu
