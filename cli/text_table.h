// TextTable: numbers under the names of their columns.
#pragma once

#include <string>
#include <vector>

namespace tamis::cli {

/// Lines of cells, the first of which are the names of the columns; as many in each. The first
/// column is aligned to the left, the others to the right.
std::string text_table(const std::vector<std::vector<std::string>>& lines);

}  // namespace tamis::cli
