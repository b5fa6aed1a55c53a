// Program: random sequences of operations on a pool of tensors, run by an interpreter that records
// all that can be seen.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tamis/tamis.h"

namespace tamis::testing {

/// What to do (first entry) and with what; every value means something.
using Step = std::array<uint8_t, 6>;

/// Runs the steps on a fresh pool of tensors of several dtypes and shapes. Returns what sinks gave,
/// what errors said, and what the pool holds at the end.
std::vector<std::string> run_program(const std::vector<Step>& steps);

}  // namespace tamis::testing
