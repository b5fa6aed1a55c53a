// Arrays that a file has in another layout than tensors: byte-swapped, or in Fortran order.
#pragma once

#include <cstddef>

#include "io/array_info.h"
#include "io/file.h"

namespace tamis::io {

/// Reverses the bytes of each number; a complex element is two.
void swap_bytes(void* data, size_t elements, DType dtype);

/// A temporary file with the elements of an array in Fortran order, which begin at `offset` of
/// `file`, in C order. Takes memory for a box of some megabytes, whatever the size of the array.
File to_c_order(const File& file, uint64_t offset, const Shape& shape, DType dtype);

}  // namespace tamis::io
