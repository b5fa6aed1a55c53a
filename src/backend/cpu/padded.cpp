// Selections of a given size: packed, filled up, and counted.
#include <algorithm>
#include <cstring>
#include <vector>

#include "backend/cpu/address.h"
#include "backend/cpu/sinks.h"

namespace tamis::cpu {

void run_compress_padded(const Program& program, const Output& out, const void* fill,
                         int64_t* count) {
  run_compress(program, [&](int64_t found) {
    *count = found;
    return out;
  });
  visit_dtype(program.dtype, [&](auto type) {
    using T = decltype(type);
    T* const to = address<T>(out.buffer);
    std::fill(to + std::min(*count, out.capacity), to + out.capacity, *static_cast<const T*>(fill));
  });
}

void run_coordinates_padded(const Program& program, const Shape& shape, const Output& out,
                            int64_t fill) {
  int64_t count = 0;
  run_coordinates(program, shape, [&](int64_t found) {
    count = found;
    return out;
  });
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t* const column = address<int64_t>(out.buffer) + static_cast<int64_t>(d) * out.capacity;
    std::fill(column + std::min(count, out.capacity), column + out.capacity, fill);
  }
}

void run_expand_padded(const Program& program, const void* source, int64_t source_numel,
                       const Target& target) {
  if (run_expand(program, source, source_numel, target) <= source_numel) return;
  // What source lacks are the values in its place.
  std::vector<char> all;
  const size_t size = itemsize(target.dtype);
  int64_t count = 0;
  run_compress(program, [&](int64_t found) {
    count = found;
    all.resize(static_cast<size_t>(found) * size + 64);
    return Output{{all.data(), 0}, found};
  });
  std::memcpy(all.data(), source, static_cast<size_t>(source_numel) * size);
  run_expand(program, all.data(), count, target);
}

}  // namespace tamis::cpu
