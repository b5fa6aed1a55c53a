// Blas: products of two matrices in floating point, by OpenBLAS or, where there is none, by gemm.h.
#pragma once

#include <complex>
#include <cstdint>

#include "tamis/dtype.h"

namespace tamis::cpu {

/// A matrix as BLAS takes it: rows, or columns if it is transposed, that are contiguous, `ld`
/// elements apart.
struct BlasMatrix {
  bool transposed;
  int64_t ld;
};

/// c = a b, of m rows, n columns and k products for each element. On the calling thread; several
/// may call it at once.
void gemm(BlasMatrix ta, BlasMatrix tb, int m, int n, int k, const float* a, const float* b,
          float* c);
void gemm(BlasMatrix ta, BlasMatrix tb, int m, int n, int k, const double* a, const double* b,
          double* c);
void gemm(BlasMatrix ta, BlasMatrix tb, int m, int n, int k, const std::complex<float>* a,
          const std::complex<float>* b, std::complex<float>* c);
void gemm(BlasMatrix ta, BlasMatrix tb, int m, int n, int k, const std::complex<double>* a,
          const std::complex<double>* b, std::complex<double>* c);

/// Whether a product of so many multiplications rounds by the layout of its operands, so that only
/// contiguous rows always give the same bits.
bool gemm_needs_rows(DType dtype, double multiplications);

}  // namespace tamis::cpu
