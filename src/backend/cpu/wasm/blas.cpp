// Products of matrices where there is no OpenBLAS.
#include "backend/cpu/blas.h"

#include "backend/cpu/gemm.h"

namespace tamis::cpu {

namespace {

template <class T>
Strided<T> strided(BlasMatrix x, const T* data) {
  return x.transposed ? Strided<T>{data, 1, x.ld} : Strided<T>{data, x.ld, 1};
}

}  // namespace

void gemm(BlasMatrix ta, BlasMatrix tb, int m, int n, int k, const float* a, const float* b,
          float* c) {
  multiply_blocked(strided(ta, a), strided(tb, b), m, n, k, c);
}

void gemm(BlasMatrix ta, BlasMatrix tb, int m, int n, int k, const double* a, const double* b,
          double* c) {
  multiply_blocked(strided(ta, a), strided(tb, b), m, n, k, c);
}

void gemm(BlasMatrix ta, BlasMatrix tb, int m, int n, int k, const std::complex<float>* a,
          const std::complex<float>* b, std::complex<float>* c) {
  multiply_blocked(strided(ta, a), strided(tb, b), m, n, k, c);
}

void gemm(BlasMatrix ta, BlasMatrix tb, int m, int n, int k, const std::complex<double>* a,
          const std::complex<double>* b, std::complex<double>* c) {
  multiply_blocked(strided(ta, a), strided(tb, b), m, n, k, c);
}

bool gemm_needs_rows(DType, double) { return false; }

}  // namespace tamis::cpu
