// The rows of random numbers, which stand in the family of creation.
#pragma once

#include <vector>

#include "ops/row.h"

namespace tamis {

std::vector<Row> random_rows();

}  // namespace tamis
