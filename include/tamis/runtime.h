// Runtime: threads, memory and CPU paths of the process.
#pragma once

#include <cstdint>
#include <string>

#include "tamis/device.h"

namespace tamis {

/// How many threads an operation may use; at least 1. The default is the number of cores, or
/// TAMIS_NUM_THREADS. Threads do not survive a fork: the child of a process that has used several
/// has one, and refuses more (kind unsupported).
void set_num_threads(int n);
int get_num_threads();

/// The CPU path in use: "scalar", "sse4", "avx2" or "avx512". TAMIS_ISA forces one that the CPU
/// has.
std::string isa();

/// Whether every operation computes its result at once (TAMIS_EAGER=1). Results are the same bit
/// for bit.
bool eager_mode();
void set_eager_mode(bool on);

/// Where tensors are made unless a device is given: the CPU, until another is set. Throws kind
/// value if there is no such device.
Device default_device();
void set_default_device(const Device& device);

/// What the allocator did since the process started.
struct MemoryStats {
  int64_t live_bytes = 0;       ///< in tensors now
  int64_t cached_bytes = 0;     ///< kept for reuse
  int64_t peak_bytes = 0;       ///< most live_bytes since the last reset_peak_memory
  int64_t allocations = 0;      ///< storages allocated so far
  int64_t allocated_bytes = 0;  ///< their sizes, summed
};
MemoryStats memory_stats();
/// Makes peak_bytes start again from live_bytes.
void reset_peak_memory();
/// Gives cached memory back to the system.
void empty_cache();

}  // namespace tamis
