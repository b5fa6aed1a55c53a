// Reading and writing the elements that indices name; see backend/backend.h for contracts.
#pragma once

#include <cstddef>

#include "backend/indexed.h"

namespace tamis::cpu {

bool run_within(const int64_t* indices, int64_t n, int64_t low, int64_t high);
void run_take(const IndexedElements& indexed, const void* from, size_t itemsize, void* out);
void run_put(const IndexedElements& indexed, void* to, const void* source,
             const Shape& source_strides, DType dtype, Combine combine);

}  // namespace tamis::cpu
