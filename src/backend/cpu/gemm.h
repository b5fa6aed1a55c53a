// Gemm: products of matrices of floating point numbers for systems without a BLAS.
#pragma once

#include <cstdint>

namespace tamis::cpu {

/// A matrix of any layout.
template <class T>
struct Strided {
  const T* data;
  int64_t row_stride, col_stride;
};

/// c = a b for float, double and complex numbers of them: c has m contiguous rows of n elements,
/// each the sum of k products, which are added in order, by blocks whose size is fixed. The bits do
/// not depend on the layout.
template <class T>
void multiply_blocked(Strided<T> a, Strided<T> b, int64_t m, int64_t n, int64_t k, T* c);

}  // namespace tamis::cpu
