// memory_limit: how much memory is available.
#pragma once

#include <cstdint>

namespace tamis::cpu {

/// The bytes that this process can have at most: the memory of the machine, or of the control group
/// that it runs in if that is less, and swap. Determined once.
int64_t memory_limit();

}  // namespace tamis::cpu
