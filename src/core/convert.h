// Converting numbers to element types: which ones fit, what they are computed in, and what
// PyTorch's messages call the types.
#pragma once

#include "tamis/scalar.h"

namespace tamis {

/// Whether dtype can hold value. Fractions are cut off, rounding is allowed, negative integers wrap
/// into unsigned types, infinities and NaN fit floating point only, an imaginary part complex
/// dtypes only, and bool takes everything.
bool fits(Scalar value, DType dtype);

/// Throws kind value ("value cannot be converted to type int8_t without overflow") unless it fits.
void check_fits(Scalar value, DType dtype);

/// The dtype of a list of numbers of dtypes a and b: an integer above the largest int64 is uint64,
/// and so are the others beside it.
DType promote_numbers(DType a, DType b);

/// Throws kind value for a negative number in a list whose dtype, found so, is uint64.
void check_in_list(Scalar value, DType found);

/// The largest finite number of a floating point dtype.
double largest_finite(DType dtype);

/// The dtype that elements are computed in: 16-bit floating point goes by way of float32.
constexpr DType compute_dtype(DType dtype) {
  return is_floating_point(dtype) && itemsize(dtype) < itemsize(DType::float32) ? DType::float32
                                                                                : dtype;
}

/// The signed integer of the same width, and other dtypes themselves. What does not depend on the
/// sign (sums, products, equality, moves) is compiled for it alone.
constexpr DType signless(DType dtype) {
  switch (dtype) {
    case DType::uint8:
      return DType::int8;
    case DType::uint16:
      return DType::int16;
    case DType::uint32:
      return DType::int32;
    case DType::uint64:
      return DType::int64;
    default:
      return dtype;
  }
}

/// "Long": the name in PyTorch's "... not implemented for 'Long'".
const char* scalar_type_name(DType dtype);

}  // namespace tamis
