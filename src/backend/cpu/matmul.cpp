// Products of matrices. The bits depend on the shapes alone: the rows are split into blocks by
// their number alone, and OpenBLAS computes each block on one thread.
#include "backend/cpu/matmul.h"

#include <cblas.h>

#include <algorithm>
#include <complex>
#include <mutex>
#include <string_view>
#include <type_traits>

#include "backend/cpu/address.h"
#include "backend/cpu/threads.h"
#include "core/fork.h"

namespace tamis::cpu {

namespace {

/// Rows of a block, at most; if there are several blocks, each has at least half as many.
constexpr int64_t kRows = 256;
constexpr int64_t block_count(int64_t m) { return (m + kRows - 1) / kRows; }

/// Products with fewer multiplications are not worth another thread.
constexpr int64_t kGrain = int64_t{1} << 20;

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

/// Held by the caller of an OpenBLAS that only one thread may call.
std::mutex one_caller;

std::mutex& caller_mutex() { return one_caller; }
[[maybe_unused]] const bool held_at_fork = hold_at_fork<caller_mutex>();

/// A matrix as BLAS takes it: rows or columns that are contiguous, `ld` elements apart.
struct BlasMatrix {
  CBLAS_TRANSPOSE transposed;
  int64_t ld;
};

BlasMatrix blas_matrix(const MatrixBatch& x, int64_t rows, int64_t cols) {
  if ((cols == 1 || x.col_stride == 1) && (rows == 1 || x.row_stride >= cols)) {
    return {CblasNoTrans, rows == 1 ? cols : x.row_stride};
  }
  return {CblasTrans, cols == 1 ? rows : x.col_stride};
}

void gemm(BlasMatrix ta, BlasMatrix tb, int m, int n, int k, const float* a, const float* b,
          float* c) {
  cblas_sgemm(CblasRowMajor, ta.transposed, tb.transposed, m, n, k, 1, a, static_cast<int>(ta.ld),
              b, static_cast<int>(tb.ld), 0, c, n);
}

void gemm(BlasMatrix ta, BlasMatrix tb, int m, int n, int k, const double* a, const double* b,
          double* c) {
  cblas_dgemm(CblasRowMajor, ta.transposed, tb.transposed, m, n, k, 1, a, static_cast<int>(ta.ld),
              b, static_cast<int>(tb.ld), 0, c, n);
}

void gemm(BlasMatrix ta, BlasMatrix tb, int m, int n, int k, const std::complex<float>* a,
          const std::complex<float>* b, std::complex<float>* c) {
  const std::complex<float> one = 1, zero = 0;
  cblas_cgemm(CblasRowMajor, ta.transposed, tb.transposed, m, n, k, &one, a,
              static_cast<int>(ta.ld), b, static_cast<int>(tb.ld), &zero, c, n);
}

void gemm(BlasMatrix ta, BlasMatrix tb, int m, int n, int k, const std::complex<double>* a,
          const std::complex<double>* b, std::complex<double>* c) {
  const std::complex<double> one = 1, zero = 0;
  cblas_zgemm(CblasRowMajor, ta.transposed, tb.transposed, m, n, k, &one, a,
              static_cast<int>(ta.ld), b, static_cast<int>(tb.ld), &zero, c, n);
}

/// Integers wrap around.
template <class T>
void multiply(const MatrixBatch& x, const MatrixBatch& y, const T* a, const T* b, int64_t m,
              int64_t n, int64_t k, T* c) {
  using U = std::make_unsigned_t<decltype(T{} + T{})>;
  std::fill_n(c, m * n, T{0});
  for (int64_t i = 0; i < m; ++i) {
    T* row = c + i * n;
    for (int64_t p = 0; p < k; ++p) {
      const auto factor = static_cast<U>(a[i * x.row_stride + p * x.col_stride]);
      const T* line = b + p * y.row_stride;
      for (int64_t j = 0; j < n; ++j) {
        row[j] = static_cast<T>(static_cast<U>(row[j]) +
                                factor * static_cast<U>(line[j * y.col_stride]));
      }
    }
  }
}

template <class T>
void run(const MatrixBatch& a, const MatrixBatch& b, int64_t batches, int64_t m, int64_t k,
         int64_t n, T* out) {
  const bool shared = use_one_thread();
  const int64_t blocks = block_count(m), height = m / blocks, higher = m % blocks;
  const int64_t each = std::min(m, kRows) * n * k;
  const auto block = [&](int64_t i) {
    const int64_t batch = i / blocks, at = i % blocks;
    const int64_t first = at * height + std::min(at, higher), rows = height + (at < higher ? 1 : 0);
    const T* x = address<const T>(a.buffer) + batch * a.batch_stride + first * a.row_stride;
    const T* y = address<const T>(b.buffer) + batch * b.batch_stride;
    T* to = out + (batch * m + first) * n;
    if constexpr (std::is_integral_v<T>) {
      multiply(a, b, x, y, rows, n, k, to);
    } else {
      std::unique_lock<std::mutex> alone(one_caller, std::defer_lock);
      if (!shared) alone.lock();
      gemm(blas_matrix(a, m, k), blas_matrix(b, k, n), static_cast<int>(rows), static_cast<int>(n),
           static_cast<int>(k), x, y, to);
    }
  };
  parallel_for(batches * blocks, std::max<int64_t>(1, kGrain / std::max<int64_t>(each, 1)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) block(i);
               });
}

}  // namespace

bool matmul_needs_rows(DType dtype, int64_t m, int64_t k, int64_t n) {
  // OpenBLAS has special kernels for small matrices, some of them for contiguous rows only, which
  // round differently. Those for AVX-512 take float32 up to 28 * 512 * 512 multiplications.
  static const bool is_avx2 = [] {
    const std::string_view core = openblas_get_corename();
    return core == "Haswell" || core == "Zen";
  }();
  const bool is_wide = dtype == DType::float32 && !is_avx2;
  const auto rows = static_cast<double>(m / block_count(m));
  return rows * static_cast<double>(n) * static_cast<double>(k) <= (is_wide ? 0x1p23 : 0x1p21);
}

void run_matmul(const MatrixBatch& a, const MatrixBatch& b, DType dtype, int64_t batches, int64_t m,
                int64_t k, int64_t n, void* out) {
  visit_dtype(dtype, [&](auto type) {
    using T = decltype(type);
    if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<T, Half> &&
                  !std::is_same_v<T, BFloat16>) {
      run(a, b, batches, m, k, n, static_cast<T*>(out));
    }
  });
}

}  // namespace tamis::cpu
