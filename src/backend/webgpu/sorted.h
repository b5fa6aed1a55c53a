// Sorted orders: what sorting, ranks, modes and puts that combine are made of. The order of slices
// by keys, which are unsigned numbers.
#pragma once

#include <functional>
#include <string>

#include "backend/order.h"
#include "backend/webgpu/shader.h"

namespace tamis::webgpu {

/// A key for each of count * size elements.
struct SortKeys {
  int bits = 32;  ///< that they have at most, up to 64
  /// Adds `fn key_at(k: u32)` to a shader, the key of element k: a u32, or vec2u(low, high) if
  /// there are more than 32 bits. Binds only what is read.
  std::function<void(Shader&)> declare;
};

/// Keys that compare as the elements do: all NaNs have one, the largest, and both zeros have one.
/// Those of descending order are their complements.
SortKeys keys_of(const Slices& x, bool descending);
/// Keys that are words of a block.
SortKeys keys_in(Block* words, int64_t extent);

/// For each slice the positions of its elements in ascending order of the keys, where equal ones
/// stay in the order in which they stand: count * size words.
class SortedOrder {
 public:
  SortedOrder(Queue& queue, const SortKeys& keys, int64_t count, int64_t size);
  Block* block() const { return order_; }

 private:
  Scratch order_;
};

/// The same by digits, one after the other from the lowest on, for slices of any size.
void sort_by_digits(Queue& queue, const SortKeys& keys, int64_t count, int64_t size, Block* order);

}  // namespace tamis::webgpu
