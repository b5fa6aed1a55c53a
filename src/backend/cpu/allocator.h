// Allocator: aligned, padded memory that is cached for reuse, because fresh pages cost more than
// the kernels that fill them.
#pragma once

#include <cstdint>

#include "core/storage.h"

namespace tamis::cpu {

/// At least `bytes` bytes, 64-byte aligned, with 64 bytes after them that may be read and
/// overwritten. Throws kind memory if the system has none left, or if all tensors together would
/// exceed what the process can have (memory_limit).
Memory allocate(int64_t bytes);

/// The same, with all bytes zero. Large blocks are pages that the system gives, which take no time
/// until they are used.
Memory allocate_zeros(int64_t bytes);

/// The same error for other memory, such as vectors, before it is allocated.
void check_memory(int64_t bytes);

/// The same block for fewer bytes. What follows stays with it, unless that is much: then its pages
/// go back to the system.
Memory shrink(Memory memory, int64_t bytes);

}  // namespace tamis::cpu
