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

/// The largest finite number of a floating point dtype.
double largest_finite(DType dtype);

/// The dtype that elements are computed in: 16-bit floating point goes by way of float32.
constexpr DType compute_dtype(DType dtype) {
  return is_floating_point(dtype) && itemsize(dtype) < itemsize(DType::float32) ? DType::float32
                                                                                : dtype;
}

/// "Long": the name in PyTorch's "... not implemented for 'Long'".
const char* scalar_type_name(DType dtype);

}  // namespace tamis
