// Swapping bytes; bringing Fortran order into C order by boxes that are read and written in runs.
#include "io/layout.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/tensor_impl.h"
#include "expr/expr.h"

namespace tamis::io {

namespace {

template <class Bits>
void swap_as(void* data, size_t numbers) {
  char* at = static_cast<char*>(data);
  for (size_t i = 0; i < numbers; ++i, at += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, at, sizeof bits);
    if constexpr (sizeof bits == 2) bits = __builtin_bswap16(bits);
    if constexpr (sizeof bits == 4) bits = __builtin_bswap32(bits);
    if constexpr (sizeof bits == 8) bits = __builtin_bswap64(bits);
    std::memcpy(at, &bits, sizeof bits);
  }
}

// Runs of this many elements make a system call worthwhile, in the file that is read as well as in
// the one that is written; a box has about the square of it.
constexpr int64_t kRun = 1024;

/// Sizes of a box with runs of kRun elements, if there are as many, in both orders.
Shape box_sizes(const Shape& shape) {
  Shape box(shape.size(), 1);
  const auto grow = [&](size_t dim, int64_t& run) {
    const int64_t wanted = std::min(shape[dim], (kRun + run - 1) / run);
    box[dim] = std::max(box[dim], wanted);
    run *= box[dim];
    return box[dim] == shape[dim];  // else the rest is not adjacent
  };
  int64_t run = 1;
  for (size_t dim = 0; dim < shape.size() && run < kRun && grow(dim, run); ++dim) {
  }
  run = 1;
  for (size_t dim = shape.size(); dim-- > 0 && run < kRun && grow(dim, run);) {
  }
  return box;
}

/// Goes through the runs of a box within an array. Dimensions are given from the slowest to the
/// fastest of the file; visit(element in the file, element in the box, elements).
template <class Visit>
void for_each_run(const Shape& shape, const Shape& start, const Shape& size, const Visit& visit) {
  // The run takes the fastest dimension, and slower ones as long as the box has all of the faster.
  size_t first = shape.size() - 1;
  int64_t run = size[first];
  while (first > 0 && size[first] == shape[first]) run *= size[--first];
  const Shape strides = contiguous_strides(shape);
  Shape index(first, 0);
  for (int64_t in_box = 0;; in_box += run) {
    int64_t at = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      at += (start[d] + (d < first ? index[d] : 0)) * strides[d];
    visit(at, in_box, run);
    size_t d = first;
    while (d > 0 && ++index[d - 1] == size[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

Shape reversed(const Shape& shape) {
  Shape result = shape;
  std::reverse(result.begin(), result.end());
  return result;
}

/// Reads the box that begins at start, turns it, and writes it.
void move_box(const File& from, uint64_t offset, File& to, const Shape& shape, DType dtype,
              const Shape& start, const Shape& size) {
  const auto width = static_cast<uint64_t>(itemsize(dtype));
  const Tensor box = allocate_on_host(reversed(size), dtype);
  char* const read_into = static_cast<char*>(box.mutable_data_ptr());
  for_each_run(reversed(shape), reversed(start), reversed(size),
               [&](int64_t at, int64_t in_box, int64_t n) {
                 from.read(offset + at * width, read_into + in_box * width, n * width);
               });
  Shape turned(size.size(), 0);
  for (size_t d = 0; d < turned.size(); ++d)
    turned[d] = static_cast<int64_t>(turned.size() - 1 - d);
  const Tensor ordered = box.permute(turned).contiguous().settle();
  const char* const write_from = static_cast<const char*>(ordered.data_ptr());
  for_each_run(shape, start, size, [&](int64_t at, int64_t in_box, int64_t n) {
    to.write(at * width, write_from + in_box * width, n * width);
  });
}

}  // namespace

void swap_bytes(void* data, size_t elements, DType dtype) {
  const size_t width = itemsize(real_dtype(dtype));
  const size_t numbers = elements * (itemsize(dtype) / width);
  if (width == 2) swap_as<uint16_t>(data, numbers);
  if (width == 4) swap_as<uint32_t>(data, numbers);
  if (width == 8) swap_as<uint64_t>(data, numbers);
}

File to_c_order(const File& file, uint64_t offset, const Shape& shape, DType dtype) {
  const auto bytes = static_cast<uint64_t>(numel(shape)) * itemsize(dtype);
  File result = File::temporary(file.name(), bytes);
  const Shape box = box_sizes(shape);
  Shape start(shape.size(), 0);
  if (numel(shape) == 0) return result;
  for (;;) {
    Shape size = box;
    for (size_t d = 0; d < size.size(); ++d) size[d] = std::min(box[d], shape[d] - start[d]);
    move_box(file, offset, result, shape, dtype, start, size);
    size_t d = shape.size();
    while (d > 0 && (start[d - 1] += box[d - 1]) >= shape[d - 1]) start[--d] = 0;
    if (d == 0) return result;
  }
}

}  // namespace tamis::io
