// Examples: calls of each command and what they print; the tests run them.
#pragma once

#include <vector>

#include "app.h"

namespace tamis::cli {

std::vector<Example> select_examples();
std::vector<Example> fill_examples();
std::vector<Example> count_examples();
std::vector<Example> stats_examples();
std::vector<Example> mask_examples();
std::vector<Example> partition_examples();
std::vector<Example> show_examples();
std::vector<Example> head_examples();
std::vector<Example> convert_examples();
std::vector<Example> info_examples();

}  // namespace tamis::cli
