// Order on the CPU: what each slice, or each part of a large one, has to do.
#pragma once

#include "backend/cpu/threads.h"
#include "backend/order.h"

namespace tamis::cpu {

void run_sort(const Slices& x, bool descending, void* values, int64_t* indices);
void run_top(const Slices& x, int64_t k, bool descending, void* values, int64_t* indices);
void run_select(const Slices& x, const int64_t* ranks, int64_t per_slice, void* values,
                int64_t* indices);
void run_mode(const Slices& x, void* values, int64_t* indices);
void run_search(const Slices& x, const int64_t* sorter, const void* values, int64_t slices,
                int64_t per_slice, bool right, int64_t* out);

/// From this size on the threads share one slice, if there are not enough slices for all of them.
inline constexpr int64_t kLargeSlice = 1 << 16;

/// How many threads share each slice: one, unless slices are large and fewer than the threads.
int64_t threads_per_slice(const Slices& x);

/// Calls body(first, last) for ranges of slices: several at a time if a slice has one thread.
void for_slices(const Slices& x, const std::function<void(int64_t, int64_t)>& body);

}  // namespace tamis::cpu
