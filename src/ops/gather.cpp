// Gather: ops that read or write the elements that integer tensors point at along a dimension.
#include "ops/row.h"

namespace tamis {

std::vector<Row> gather_rows() { return {}; }

}  // namespace tamis
