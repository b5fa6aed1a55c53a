// Promotion between dtypes, by PyTorch's lattice.
#include "tamis/dtype.h"

#include <algorithm>

namespace tamis {

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);
  // The list is ordered so that the larger one can hold the smaller, but for three pairs.
  if (a == DType::uint8 && b == DType::int8) return DType::int16;
  if (a == DType::float16 && b == DType::bfloat16) return DType::float32;
  if (a == DType::float64 && b == DType::complex64) return DType::complex128;
  return b;
}

bool can_cast(DType from, DType to) {
  if (is_complex(from)) return is_complex(to);
  if (is_floating_point(from)) return is_floating_point(to) || is_complex(to);
  return from == DType::boolean || to != DType::boolean;
}

}  // namespace tamis
