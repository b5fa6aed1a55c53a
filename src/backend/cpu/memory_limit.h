// memory_limit: how much memory there is to be had.
#pragma once

#include <cstdint>

namespace tamis::cpu {

/// The bytes that this process can have at most: the memory of the machine, or of the control group
/// that it runs in if that is less, and swap. Found out once.
int64_t memory_limit();

}  // namespace tamis::cpu
