// Reading and writing the places that indices point at; see backend/backend.h for contracts.
#pragma once

#include <cstddef>

#include "backend/places.h"

namespace tamis::cpu {

bool run_within(const int64_t* indices, int64_t n, int64_t low, int64_t high);
void run_take(const Places& places, const void* from, size_t itemsize, void* out);
void run_put(const Places& places, void* to, const void* source, const Shape& source_strides,
             DType dtype, Combine combine);

}  // namespace tamis::cpu
