// The rows of random numbers, which are part of the creation family.
#pragma once

#include <vector>

#include "ops/row.h"

namespace tamis {

std::vector<Row> random_rows();

}  // namespace tamis
