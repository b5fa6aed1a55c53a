// Op: the operations that programs are made of, one row each with all the facts about it.
#pragma once

#include <cstdint>

#include "tamis/dtype.h"

namespace tamis {

/// What an operation on one element costs, in units of reading it from memory.
enum class Cost : uint8_t { cheap = 1, costly = 16 };

/// The kinds of dtypes that an operation takes, as bits. A device has a kernel for each dtype of
/// these kinds and for no other; float16 and bfloat16 are computed in float32, bool in masks.
enum Takes : uint8_t {
  kIntegers = 1,
  kFloats = 2,
  kComplex = 4,
  kReal = kIntegers | kFloats,
  kInexact = kFloats | kComplex,
  kAll = kReal | kComplex,
};

/// The dtype of a result: that of the operands, or of complex operands that of their parts.
enum class Result : uint8_t { same, real };

/// What a gradient reads, to be saved for it: operands (bits), or the result instead of the
/// operand. The derivatives themselves are in ops/pointwise/gradients.cpp.
enum class Saves : uint8_t {
  nothing = 0,
  first = 1,
  second = 2,
  both = 3,
  result = 4,
  no_gradient = 8,  // nothing is recorded: a step function, or never of floating point
};

// clang-format off
// X(name, cost, takes, result, what the gradient saves, what the documentation says): value to value,
// functions of analysis, which turn integers into floating point. Everything except the derivative
// and the kernel follows from the row; elementary functions have their kernels in math.cpp, which
// takes them by their names from math32-inl.h and math64-inl.h.
#define TAMIS_ELEMENTARY_OPS(X)                                                             \
  X(exp, costly, kInexact, same, result, "e to the power of each element.")                 \
  X(log, costly, kInexact, same, first, "The natural logarithm.")                           \
  X(log2, costly, kInexact, same, first, "The logarithm to base 2.")                        \
  X(log10, costly, kInexact, same, first, "The logarithm to base 10.")                      \
  X(log1p, costly, kInexact, same, first, "log(1 + x), exact for small x.")                 \
  X(expm1, costly, kInexact, same, result, "exp(x) - 1, exact for small x.")                \
  X(sin, costly, kInexact, same, first, "The sine.")                                        \
  X(cos, costly, kInexact, same, first, "The cosine.")                                      \
  X(tan, costly, kInexact, same, result, "The tangent.")                                    \
  X(tanh, costly, kInexact, same, result, "The hyperbolic tangent.")                        \
  X(sigmoid, costly, kInexact, same, result, "1 / (1 + exp(-x)).")                          \
  X(erf, costly, kFloats, same, first, "The error function.")
// Rare functions, whose kernels take branches and are compiled once: special.cpp.
#define TAMIS_SPECIAL_OPS(X)                                                                \
  X(erfc, costly, kFloats, same, first, "1 - erf(x), exact for large x.")                   \
  X(erfinv, costly, kFloats, same, result, "The inverse of the error function.")            \
  X(lgamma, costly, kFloats, same, first, "The logarithm of the gamma function's size.")    \
  X(digamma, costly, kFloats, same, first, "The derivative of lgamma.")                     \
  X(i0, costly, kFloats, same, first, "The modified Bessel function of order 0.")
#define TAMIS_ANALYTIC_OPS(X)                                                               \
  X(sqrt, cheap, kInexact, same, result, "The square root.")                                \
  X(rsqrt, cheap, kInexact, same, result, "One divided by the square root.")                \
  TAMIS_ELEMENTARY_OPS(X)                                                                   \
  X(reciprocal, cheap, kInexact, same, result, "One divided by each element.")
// X(name, cost, takes, result, what the gradient saves): value to value, and the above.
#define TAMIS_UNARY_OPS(X)                            \
  TAMIS_ANALYTIC_OPS(X)                               \
  TAMIS_SPECIAL_OPS(X)                                \
  X(i1, costly, kFloats, same, first)  /* for the gradient of i0 */ \
  /* Those of real numbers are made of other ops: inverse.cpp. */ \
  X(asin, costly, kComplex, same, no_gradient)        \
  X(acos, costly, kComplex, same, no_gradient)        \
  X(atan, costly, kComplex, same, no_gradient)        \
  X(sinh, costly, kComplex, same, no_gradient)        \
  X(cosh, costly, kComplex, same, no_gradient)        \
  X(asinh, costly, kComplex, same, no_gradient)       \
  X(acosh, costly, kComplex, same, no_gradient)       \
  X(atanh, costly, kComplex, same, no_gradient)       \
  X(neg, cheap, kAll, same, nothing)                  \
  X(abs, cheap, kAll, real, first)                    \
  X(sign, cheap, kReal, same, nothing)                \
  X(relu, cheap, kReal, same, result)                 \
  X(floor, cheap, kReal, same, nothing)               \
  X(ceil, cheap, kReal, same, nothing)                \
  X(round, cheap, kReal, same, nothing)               \
  X(trunc, cheap, kReal, same, nothing)               \
  X(angle, cheap, kInexact, real, first)              \
  X(conj, cheap, kComplex, same, no_gradient)         \
  X(imag, cheap, kComplex, real, no_gradient)         \
  X(bit_not, cheap, kIntegers, same, no_gradient)
// X(name, cost, takes, what the gradient of the first operand saves, what that of the second):
// two values to a value, all of one dtype.
#define TAMIS_BINARY_OPS(X)                               \
  X(add, cheap, kAll, nothing, nothing)                   \
  X(sub, cheap, kAll, nothing, nothing)                   \
  X(mul, cheap, kAll, second, first)                      \
  X(div, cheap, kInexact, second, both)                   \
  X(floor_div, costly, kReal, no_gradient, no_gradient)   \
  X(remainder, costly, kReal, nothing, both)              \
  X(fmod, costly, kReal, nothing, both)                   \
  X(pow, costly, kAll, both, both)                        \
  X(atan2, costly, kFloats, both, both)                   \
  X(copysign, cheap, kFloats, both, nothing)              \
  X(nextafter, cheap, kFloats, no_gradient, no_gradient)  \
  X(minimum, cheap, kReal, both, both)                    \
  X(maximum, cheap, kReal, both, both)                    \
  X(bit_and, cheap, kIntegers, no_gradient, no_gradient)  \
  X(bit_or, cheap, kIntegers, no_gradient, no_gradient)   \
  X(bit_xor, cheap, kIntegers, no_gradient, no_gradient)  \
  X(shift_left, cheap, kIntegers, no_gradient, no_gradient)  /* by less than 0 or too much: 0 */ \
  X(shift_right, cheap, kIntegers, no_gradient, no_gradient)  /* then: the sign alone */ \
  X(gcd, costly, kIntegers, no_gradient, no_gradient)
// X(name, cost, takes): two values of one dtype to a mask.
#define TAMIS_COMPARE_OPS(X) \
  X(eq, cheap, kAll)         \
  X(lt, cheap, kReal)        \
  X(le, cheap, kReal)        \
  X(abs_lt, cheap, kFloats)  /* |a| < |b| */ \
  X(abs_le, cheap, kFloats)  /* |a| <= |b| */
// X(name, cost, takes): masks to a mask.
#define TAMIS_MASK_OPS(X)  \
  X(mask_and, cheap, kAll) \
  X(mask_or, cheap, kAll)  \
  X(mask_xor, cheap, kAll) \
  X(mask_not, cheap, kAll)
// X(name, cost, takes): what has no kernel of its own, and what occurs only in programs.
#define TAMIS_OTHER_OPS(X)                                                              \
  X(cast, cheap, kAll)          /* between dtypes, bool included */                     \
  X(where, cheap, kAll)         /* mask, value, value */                                \
  X(isin, costly, kReal)        /* value against a prepared set, to a mask */           \
  X(load, cheap, kAll)          /* only in programs: a leaf into a register */          \
  X(skip_if_none, cheap, kAll)  /* there too: jump if mask register a has nothing true */ \
  X(skip_if_all, cheap, kAll)   /* and if it has nothing but true elements */
// clang-format on

enum class Op : uint8_t {
#define X(name, ...) name,
  TAMIS_UNARY_OPS(X) TAMIS_BINARY_OPS(X) TAMIS_COMPARE_OPS(X) TAMIS_MASK_OPS(X) TAMIS_OTHER_OPS(X)
#undef X
};

struct OpRow {
  const char* name;
  Cost cost;
  Takes takes;
  Result result = Result::same;
  Saves first = Saves::no_gradient, second = Saves::no_gradient;  // for the gradient of each
};

// Not a table inside of row_of(), which every call would fill.
inline constexpr OpRow kOpRows[] = {
#define X(name, cost, takes, result, saves, ...) \
  {#name, Cost::cost, takes, Result::result, Saves::saves},
    TAMIS_UNARY_OPS(X)
#undef X
#define X(name, cost, takes, first, second) \
  {#name, Cost::cost, takes, Result::same, Saves::first, Saves::second},
        TAMIS_BINARY_OPS(X)
#undef X
#define X(name, cost, takes) {#name, Cost::cost, takes},
            TAMIS_COMPARE_OPS(X) TAMIS_MASK_OPS(X) TAMIS_OTHER_OPS(X)
#undef X
};

#define X(...) +1
inline constexpr int kUnaryOps = 0 TAMIS_UNARY_OPS(X);
inline constexpr int kBinaryOps = 0 TAMIS_BINARY_OPS(X);
inline constexpr int kCompareOps = 0 TAMIS_COMPARE_OPS(X);
inline constexpr int kMaskOps = 0 TAMIS_MASK_OPS(X);
#undef X

// The index in the tables of its kind.
constexpr int unary_index(Op op) { return static_cast<int>(op); }
constexpr int binary_index(Op op) { return unary_index(op) - kUnaryOps; }
constexpr int compare_index(Op op) { return binary_index(op) - kBinaryOps; }

constexpr bool is_unary(Op op) { return unary_index(op) < kUnaryOps; }
constexpr bool is_binary(Op op) { return !is_unary(op) && binary_index(op) < kBinaryOps; }
constexpr bool is_compare(Op op) {
  return compare_index(op) >= 0 && compare_index(op) < kCompareOps;
}
constexpr bool is_mask_op(Op op) {
  return compare_index(op) >= kCompareOps && compare_index(op) < kCompareOps + kMaskOps;
}

constexpr const OpRow& row_of(Op op) { return kOpRows[static_cast<int>(op)]; }
constexpr const char* name(Op op) { return row_of(op).name; }  ///< "lt"
constexpr int cost_of(Op op) { return static_cast<int>(row_of(op).cost); }

/// Bool counts as an integer.
constexpr Takes kind_of(DType dtype) {
  return is_complex(dtype) ? kComplex : is_floating_point(dtype) ? kFloats : kIntegers;
}
/// Whether the operation takes operands of this dtype, bool aside.
constexpr bool takes(Op op, DType dtype) { return (row_of(op).takes & kind_of(dtype)) != 0; }
constexpr bool is_real_of_complex(Op op) { return row_of(op).result == Result::real; }

}  // namespace tamis
