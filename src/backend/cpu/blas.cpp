// Calls of OpenBLAS.
#include "backend/cpu/blas.h"

#include <cblas.h>

#include <mutex>
#include <string_view>

#include "core/fork.h"

namespace tamis::cpu {

namespace {

/// Held by the caller of an OpenBLAS that only one thread may call.
std::mutex one_caller;

std::mutex& caller_mutex() { return one_caller; }
[[maybe_unused]] const bool held_at_fork = hold_at_fork<caller_mutex>();

/// Makes OpenBLAS compute on the calling thread: threads of its own would split the work by their
/// number, and the bits would depend on it. Returns whether several threads may call it at once: a
/// build without threads shares its buffers between callers, and gives wrong results.
bool use_one_thread() {
  static const bool shared = [] {
    if (openblas_get_parallel() == OPENBLAS_SEQUENTIAL) return false;
    openblas_set_num_threads(1);
    return true;
  }();
  return shared;
}

/// To be held during a call.
std::unique_lock<std::mutex> lock() {
  return use_one_thread() ? std::unique_lock<std::mutex>() : std::unique_lock(one_caller);
}

CBLAS_TRANSPOSE order(BlasMatrix x) { return x.transposed ? CblasTrans : CblasNoTrans; }
int leading(BlasMatrix x) { return static_cast<int>(x.ld); }

}  // namespace

void gemm(BlasMatrix ta, BlasMatrix tb, int m, int n, int k, const float* a, const float* b,
          float* c) {
  const auto held = lock();
  cblas_sgemm(CblasRowMajor, order(ta), order(tb), m, n, k, 1, a, leading(ta), b, leading(tb), 0, c,
              n);
}

void gemm(BlasMatrix ta, BlasMatrix tb, int m, int n, int k, const double* a, const double* b,
          double* c) {
  const auto held = lock();
  cblas_dgemm(CblasRowMajor, order(ta), order(tb), m, n, k, 1, a, leading(ta), b, leading(tb), 0, c,
              n);
}

void gemm(BlasMatrix ta, BlasMatrix tb, int m, int n, int k, const std::complex<float>* a,
          const std::complex<float>* b, std::complex<float>* c) {
  const std::complex<float> one = 1, zero = 0;
  const auto held = lock();
  cblas_cgemm(CblasRowMajor, order(ta), order(tb), m, n, k, &one, a, leading(ta), b, leading(tb),
              &zero, c, n);
}

void gemm(BlasMatrix ta, BlasMatrix tb, int m, int n, int k, const std::complex<double>* a,
          const std::complex<double>* b, std::complex<double>* c) {
  const std::complex<double> one = 1, zero = 0;
  const auto held = lock();
  cblas_zgemm(CblasRowMajor, order(ta), order(tb), m, n, k, &one, a, leading(ta), b, leading(tb),
              &zero, c, n);
}

bool gemm_needs_rows(DType dtype, double multiplications) {
  // OpenBLAS has special kernels for small matrices, some of them for contiguous rows only, which
  // round differently. Those for AVX-512 take float32 up to 28 * 512 * 512 multiplications.
  static const bool is_avx2 = [] {
    const std::string_view core = openblas_get_corename();
    return core == "Haswell" || core == "Zen";
  }();
  const bool is_wide = dtype == DType::float32 && !is_avx2;
  return multiplications <= (is_wide ? 0x1p23 : 0x1p21);
}

}  // namespace tamis::cpu
