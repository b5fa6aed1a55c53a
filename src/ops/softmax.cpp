// Softmax: exponentials normalised along a dimension, and what is computed like them.
#include "ops/row.h"

namespace tamis {

std::vector<Row> softmax_rows() { return {}; }

}  // namespace tamis
