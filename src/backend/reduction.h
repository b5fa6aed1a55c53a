// Reduction: the reductions that devices have, one row each with all the facts about it.
#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "backend/op.h"
#include "core/convert.h"
#include "tamis/scalar.h"

namespace tamis {

/// The value that changes nothing in a reduction. The least and the greatest number are infinite
/// where the dtype has infinities.
enum class Neutral : uint8_t { zero, one, lowest, highest };

/// The dtype that partial results have: `wide` is int64, float64 or complex128, and integers are
/// int64 (uint64 where the result is) from the start; `same` is that of the elements.
enum class Accumulator : uint8_t { wide, same };

/// The dtype of a result: `sums` of integers and bools are int64, those of uint64 are uint64, all
/// others have the input's.
enum class ResultDType : uint8_t { sums, own };

/// What partial results become at the end.
enum class Finish : uint8_t { as_is, divided_by_count, square_root };

/// What the reduction of a single element is: the element, or what the kernel makes of it.
enum class Single : uint8_t { itself, reduced };

// clang-format off
// X(name, takes, neutral, accumulator, combined by, result dtype, finish, single, PyTorch's kernel)
#define TAMIS_REDUCTIONS(X)                                                           \
  X(sum, kAll, zero, wide, add, sums, as_is, itself, "sum_cpu")                       \
  X(mean, kAll, zero, wide, add, own, divided_by_count, itself, "mean_cpu")           \
  X(nansum, kFloats, zero, wide, add, sums, as_is, reduced, "nansum_cpu")             \
  X(square_sum, kFloats, zero, wide, add, own, as_is, reduced, "square_sum_cpu")      \
  X(norm, kFloats, zero, wide, add, own, square_root, reduced, "norm_cpu")            \
  X(prod, kAll, one, wide, mul, sums, as_is, itself, "prod_cpu")                      \
  X(amax, kReal, lowest, same, maximum, own, as_is, itself, "max_values_cpu")         \
  X(amin, kReal, highest, same, minimum, own, as_is, itself, "min_values_cpu")

enum class Reduction : uint8_t {
#define X(name, ...) name,
  TAMIS_REDUCTIONS(X)
#undef X
};

struct ReductionRow {
  const char* name;
  Takes takes;
  Neutral neutral;
  Accumulator accumulator;
  Op combine;
  ResultDType result;
  Finish finish;
  Single single;
  const char* kernel;  // for messages
};

inline constexpr ReductionRow kReductionRows[] = {
#define X(name, takes, neutral, accumulator, combine, result, finish, single, kernel)          \
  {#name, takes, Neutral::neutral, Accumulator::accumulator, Op::combine, ResultDType::result, \
   Finish::finish, Single::single, kernel},
    TAMIS_REDUCTIONS(X)
#undef X
};
// clang-format on

#define X(...) +1
inline constexpr int kReductions = 0 TAMIS_REDUCTIONS(X);
#undef X

/// The index in tables of reductions.
constexpr int reduction_index(Reduction reduction) { return static_cast<int>(reduction); }
constexpr const ReductionRow& row_of(Reduction reduction) {
  return kReductionRows[reduction_index(reduction)];
}
constexpr const char* name(Reduction reduction) { return row_of(reduction).name; }  ///< "sum"

constexpr bool takes(Reduction reduction, DType dtype) {
  return (row_of(reduction).takes & kind_of(dtype)) != 0;
}

/// The dtype that integers and bools are added up in.
constexpr DType wide_integer(DType dtype) {
  return dtype == DType::uint64 ? DType::uint64 : DType::int64;
}

/// The dtype that elements are converted to before they are reduced to a result of this dtype.
constexpr DType operand_dtype(Reduction reduction, DType result) {
  const bool is_wide = row_of(reduction).accumulator == Accumulator::wide;
  return is_wide && kind_of(result) == kIntegers ? wide_integer(result) : compute_dtype(result);
}

/// The dtype of partial results of such elements.
constexpr DType accumulator_dtype(Reduction reduction, DType operand) {
  if (row_of(reduction).accumulator == Accumulator::same) return operand;
  return is_complex(operand)          ? DType::complex128
         : is_floating_point(operand) ? DType::float64
                                      : wide_integer(operand);
}

/// The dtype of the result, unless another one is requested.
constexpr DType result_dtype(Reduction reduction, DType dtype) {
  const bool becomes_wide =
      row_of(reduction).result == ResultDType::sums && kind_of(dtype) == kIntegers;
  return becomes_wide ? wide_integer(dtype) : dtype;
}

/// Complex numbers have no least or greatest value; they get a zero.
template <class T>
constexpr T neutral_value(Neutral neutral) {
  if (neutral == Neutral::one) return static_cast<T>(1);
  if constexpr (!is_complex(dtype_of<T>)) {
    using Limits = std::numeric_limits<std::conditional_t<std::is_arithmetic_v<T>, T, float>>;
    if (neutral == Neutral::lowest) {
      return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    }
    if (neutral == Neutral::highest) {
      return Limits::has_infinity ? Limits::infinity() : Limits::max();
    }
  }
  return static_cast<T>(0);
}

/// What replaces elements that take no part.
inline Scalar neutral(Reduction reduction, DType dtype) {
  return visit_dtype(dtype, [&](auto type) -> Scalar {
    return neutral_value<decltype(type)>(row_of(reduction).neutral);
  });
}

/// The reduction of no elements.
inline Scalar reduction_of_nothing(Reduction reduction, DType dtype) {
  if (row_of(reduction).finish != Finish::divided_by_count) return neutral(reduction, dtype);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return is_complex(dtype) ? Scalar(std::complex<double>(nan, nan)) : Scalar(nan);
}

}  // namespace tamis
