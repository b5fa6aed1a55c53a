// The rows of gather that are in files of their own.
#pragma once

#include "ops/row.h"

namespace tamis {

std::vector<Row> index_write_rows();
std::vector<Row> scatter_along_rows();

}  // namespace tamis
