// Panel: reads a leaf whose rows are strided in memory (a transposed tensor) a cache line at a
// time.
#pragma once

#include "backend/program.h"

namespace tamis::cpu {

/// Some rows of one leaf, in order. Element by element, a strided row would fetch a cache line for
/// each of its elements, and the next row the same lines again.
class Panel {
 public:
  Panel() = default;
  Panel(const Panel&) = delete;
  Panel& operator=(const Panel&) = delete;
  ~Panel();

  /// Whether reading the leaf by panels is possible and pays.
  static bool suits(const Shape& shape, const Leaf& leaf);
  /// Copies elements [start, start + n) of the leaf, seen in the row-major order of `shape`, to
  /// out. Always called with the same shape and leaf.
  void read(const Shape& shape, const Leaf& leaf, int64_t start, int64_t n, void* out);

 private:
  void fill(const Shape& shape, const Leaf& leaf, int64_t row);

  Memory memory_;
  int64_t first_ = 0, last_ = 0;  // the rows that are there
};

}  // namespace tamis::cpu
