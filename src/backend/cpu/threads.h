// Threads: the only file that uses oneTBB.
#pragma once

#include <cstdint>
#include <functional>

namespace tamis::cpu {

/// Covers [0, n) by calls body(begin, end), on up to get_num_threads() threads; returns when all
/// are done. Fewer than `grain` items are not worth another thread. In the child of a fork one call
/// covers all, on the calling thread.
void parallel_for(int64_t n, int64_t grain, const std::function<void(int64_t, int64_t)>& body);

/// Runs work later on a thread of the pool, or at once in the child of a fork. It must not throw.
void spawn(std::function<void()> work);

}  // namespace tamis::cpu
