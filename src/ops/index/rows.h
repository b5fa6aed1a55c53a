// The rows of indexing and gather that stand in files of their own.
#pragma once

#include "ops/row.h"

namespace tamis {

std::vector<Row> position_rows();
std::vector<Row> index_write_rows();
std::vector<Row> scatter_along_rows();

}  // namespace tamis
