// Products of matrices. The bits depend on the shapes alone: the rows are split into blocks by
// their number alone, and BLAS computes each block on one thread.
#include "backend/cpu/matmul.h"

#include <algorithm>
#include <type_traits>

#include "backend/cpu/address.h"
#include "backend/cpu/blas.h"
#include "backend/cpu/threads.h"
#include "core/convert.h"

namespace tamis::cpu {

namespace {

/// Rows of a block, at most; if there are several blocks, each has at least half as many.
constexpr int64_t kRows = 256;
constexpr int64_t block_count(int64_t m) { return (m + kRows - 1) / kRows; }

/// Products with fewer multiplications are not worth another thread.
constexpr int64_t kGrain = int64_t{1} << 20;

BlasMatrix blas_matrix(const MatrixBatch& x, int64_t rows, int64_t cols) {
  if ((cols == 1 || x.col_stride == 1) && (rows == 1 || x.row_stride >= cols)) {
    return {false, rows == 1 ? cols : x.row_stride};
  }
  return {true, cols == 1 ? rows : x.col_stride};
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
  const auto rows = static_cast<double>(m / block_count(m));
  return gemm_needs_rows(dtype, rows * static_cast<double>(n) * static_cast<double>(k));
}

void run_matmul(const MatrixBatch& a, const MatrixBatch& b, DType dtype, int64_t batches, int64_t m,
                int64_t k, int64_t n, void* out) {
  visit_dtype(signless(dtype), [&](auto type) {
    using T = decltype(type);
    if constexpr (!std::is_unsigned_v<T> && !std::is_same_v<T, Half> &&
                  !std::is_same_v<T, BFloat16>) {
      run(a, b, batches, m, k, n, static_cast<T*>(out));
    }
  });
}

}  // namespace tamis::cpu
