// Linalg: products of matrices, through BLAS.
#include "ops/row.h"

namespace tamis {

std::vector<Row> linalg_rows() { return {}; }

}  // namespace tamis
