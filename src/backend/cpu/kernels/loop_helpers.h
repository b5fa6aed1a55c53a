// What the kernel files share whatever the instruction set: a pragma and a prefetch for loops, and
// words of each width.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "backend/cpu/kernels/kernels.h"

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

/// Prefetches the 64 elements that are a block after x, so that they arrive while this block is
/// computed. If x is a register or the last block, this is useless but harmless.
template <class T>
__attribute__((always_inline)) inline void prefetch_next(const T* x) {
  for (size_t i = 0; i < 64; i += 64 / sizeof(T)) __builtin_prefetch(x + kBlock + i);
}

/// The same for the `count` elements that are 16 KiB after x, whatever their dtype: a block of the
/// larger ones would fill the first-level cache.
template <size_t count, class T>
__attribute__((always_inline)) inline void prefetch_ahead(const T* x) {
  constexpr size_t kAhead = 16384 / sizeof(T);
  for (size_t i = 0; i < count; i += 64 / sizeof(T)) __builtin_prefetch(x + kAhead + i);
}

/// The signed integer of the same width, and other types themselves: kernels that do not depend on
/// the sign are compiled for it alone.
template <class T>
struct SignlessOf {
  using type = T;
};
template <std::unsigned_integral T>
struct SignlessOf<T> {
  using type = std::make_signed_t<T>;
};
template <class T>
using Signless = typename SignlessOf<T>::type;

/// Elements of W bytes, for any dtype of that width, so they alias all of them.
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
