// Matmul: products of matrices, through OpenBLAS where it has the dtype.
#pragma once

#include "backend/backend.h"

namespace tamis::cpu {

/// See Backend::matmul.
void run_matmul(const MatrixBatch& a, const MatrixBatch& b, DType dtype, int64_t batches, int64_t m,
                int64_t k, int64_t n, void* out);

bool matmul_needs_rows(DType dtype, int64_t m, int64_t k, int64_t n);

}  // namespace tamis::cpu
