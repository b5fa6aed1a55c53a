// Op: the pointwise operations that programs are made of, from one list.
#pragma once

#include <cstdint>

namespace tamis {

// clang-format off
// X(name): value to value of the same dtype; of complex values, abs, angle and imag are real.
#define TAMIS_UNARY_OPS(X)                                                                  \
  X(neg) X(abs) X(sign) X(sqrt) X(rsqrt) X(exp) X(log) X(log2) X(log10) X(log1p) X(expm1)   \
  X(sin) X(cos) X(tan) X(tanh) X(sigmoid) X(relu) X(floor) X(ceil) X(round) X(trunc)        \
  X(reciprocal) X(angle) X(conj) X(imag) X(bit_not)
// X(name): two values to a value, all of one dtype.
#define TAMIS_BINARY_OPS(X)                                                                 \
  X(add) X(sub) X(mul) X(div) X(floor_div) X(remainder) X(fmod) X(pow) X(minimum)           \
  X(maximum) X(bit_and) X(bit_or) X(bit_xor)
// X(name): two values of one dtype to a mask.
#define TAMIS_COMPARE_OPS(X) X(eq) X(lt) X(le)
// X(name): masks to a mask.
#define TAMIS_MASK_OPS(X) X(mask_and) X(mask_or) X(mask_xor) X(mask_not)
// clang-format on

enum class Op : uint8_t {
#define X(name) name,
  TAMIS_UNARY_OPS(X) TAMIS_BINARY_OPS(X) TAMIS_COMPARE_OPS(X) TAMIS_MASK_OPS(X)
#undef X
      cast,  // between dtypes, bool included
  where,     // mask, value, value
  isin,      // value against a prepared set, to a mask
  // Only in programs:
  load,          // a leaf into a register
  skip_if_none,  // jump if mask register a has no true element
  skip_if_all,   // jump if it has nothing but true elements
};

inline constexpr int kUnaryOps = 0
#define X(name) +1
    TAMIS_UNARY_OPS(X)
#undef X
    ;
inline constexpr int kBinaryOps = 0
#define X(name) +1
    TAMIS_BINARY_OPS(X)
#undef X
    ;
inline constexpr int kCompareOps = 3;

// Not a table inside of name(), which every call would fill.
inline constexpr const char* kOpNames[] = {
#define X(name) #name,
    TAMIS_UNARY_OPS(X) TAMIS_BINARY_OPS(X) TAMIS_COMPARE_OPS(X) TAMIS_MASK_OPS(X)
#undef X
        "cast",
    "where",
    "isin",
    "load",
    "skip_if_none",
    "skip_if_all"};
constexpr const char* name(Op op) { return kOpNames[static_cast<int>(op)]; }  ///< "lt"

constexpr bool is_unary(Op op) { return op <= Op::bit_not; }
constexpr bool is_binary(Op op) { return op > Op::bit_not && op <= Op::bit_xor; }
constexpr bool is_compare(Op op) { return op >= Op::eq && op <= Op::le; }
constexpr bool is_mask_op(Op op) { return op >= Op::mask_and && op <= Op::mask_not; }
/// Whether the operation takes complex operands: those without an order and without rounding do.
constexpr bool takes_complex(Op op) {
  switch (op) {
    case Op::sign:
    case Op::log1p:
    case Op::expm1:
    case Op::relu:
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::trunc:
    case Op::bit_not:
    case Op::floor_div:
    case Op::remainder:
    case Op::fmod:
    case Op::minimum:
    case Op::maximum:
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::lt:
    case Op::le:
    case Op::isin:
      return false;
    default:
      return true;
  }
}
constexpr bool is_real_of_complex(Op op) {
  return op == Op::abs || op == Op::angle || op == Op::imag;
}
constexpr int unary_index(Op op) { return static_cast<int>(op); }
constexpr int binary_index(Op op) { return static_cast<int>(op) - kUnaryOps; }
constexpr int compare_index(Op op) { return static_cast<int>(op) - static_cast<int>(Op::eq); }

}  // namespace tamis
