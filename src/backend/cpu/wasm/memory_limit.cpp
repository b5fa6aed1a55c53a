// The memory that addresses of 32 bits reach. An engine may give less, which an allocation then
// says.
#include "backend/cpu/memory_limit.h"

namespace tamis::cpu {

int64_t memory_limit() { return int64_t{1} << 32; }

}  // namespace tamis::cpu
