// Sizes that a file claims, multiplied with overflow checks.
#pragma once

#include <cstdint>
#include <optional>

#include "tamis/shape.h"

namespace tamis::io {

/// The number of elements times `unit`, which is that of one element in bytes or bits. None if a
/// size is negative or the product does not fit 63 bits, even without the sizes that are 0: one 0
/// does not hide the others.
inline std::optional<uint64_t> checked_size(const Shape& shape, int64_t unit) {
  int64_t product = unit;
  bool empty = false;
  for (const int64_t size : shape) {
    if (size < 0) return std::nullopt;
    empty |= size == 0;
    if (size != 0 && __builtin_mul_overflow(product, size, &product)) return std::nullopt;
  }
  return empty ? 0 : static_cast<uint64_t>(product);
}

}  // namespace tamis::io
