// Pages: large pieces of memory, straight from the system.
#pragma once

#include <cstdint>

namespace tamis::cpu {

/// The bytes rounded up to what map_pages takes.
int64_t round_to_pages(int64_t bytes);

/// Fresh memory, on huge pages if the system has them, or null; bytes as round_to_pages gives them.
char* map_pages(int64_t bytes);

/// The same for memory that may never be used: all zero, and no page of it is there before it is
/// touched, except for a small one at the beginning. Null also if the system gives no zeros.
char* map_zeros(int64_t bytes);

/// Gives memory of map_pages back.
void unmap_pages(char* base, int64_t bytes);

/// Gives all but the first `kept` bytes back; how many bytes are left, which may be all.
int64_t trim_pages(char* base, int64_t bytes, int64_t kept);

}  // namespace tamis::cpu
