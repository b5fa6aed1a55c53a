// Region: part of a mask, seen as a matrix, in cells with exact counts.
#pragma once

#include <cstdint>
#include <string>

#include "cells.h"

namespace tamis::web {

/// Rows and columns of a matrix, from a begin up to an end. An end of -1 is that of the matrix.
struct Rectangle {
  int64_t top = 0, bottom = -1, left = 0, right = -1;
};

/// A mask of any shape is a matrix as in cli::CellGrid; of a rectangle of it, the cells are
/// counted.
class Region {
 public:
  Region(const Shape& shape, const Rectangle& wanted, int64_t max_rows, int64_t max_columns);

  /// Elements first, first + 1, ... of the mask in row-major order, whole or not in the region;
  /// values may be undefined.
  void add(int64_t first, const Tensor& mask, const Tensor& values);
  /// Whether some of the elements [first, first + count) may be in it.
  bool reaches(int64_t first, int64_t count) const;

  /// As {matrix: [rows, columns], wrapped, rectangle: [top, bottom, left, right], cells: [rows,
  /// columns], block: [rows, columns]}.
  std::string json() const;
  /// [3, rows, columns], float64: elements, kept ones, and the mean of the kept, NaN where there
  /// is none.
  Tensor cells() const;

 private:
  int64_t elements(int64_t row, int64_t column) const;

  Shape shape_;
  int64_t matrix_rows_, matrix_columns_, numel_;
  bool is_wrapped_;
  Rectangle at_;
  cli::CellGrid grid_;
};

}  // namespace tamis::web
