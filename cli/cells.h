// CellGrid: how much of each block of a mask is kept, counted window by window.
#pragma once

#include <cstdint>
#include <vector>

#include "tamis/tensor.h"

namespace tamis::cli {

/// A mask of any shape seen as a matrix, in blocks of the same size (those at the right and lower
/// edge may be smaller). The columns are the last dimension, the rows all others. A long 1-d mask
/// is wrapped into rows of a round number of elements, and the last row may end early. Counts are
/// exact, however coarse the grid.
class CellGrid {
 public:
  /// Of at most max_rows x max_columns cells, and no more than one per element.
  CellGrid(const Shape& shape, int64_t max_rows, int64_t max_columns);

  /// Counts the elements first, first + 1, ... in row-major order; mask is bool and has any shape.
  /// `values`, if defined, has as many elements, real ones; the finite among the kept are averaged
  /// per cell. Windows may come in any order, each once, one at a time.
  void add(int64_t first, const Tensor& mask, const Tensor& values = {});

  /// The same counts on a grid that is coarser by whole numbers.
  CellGrid coarser(int64_t max_rows, int64_t max_columns) const;

  const Shape& shape() const { return shape_; }
  int64_t matrix_rows() const { return matrix_rows_; }        ///< of the matrix
  int64_t matrix_columns() const { return matrix_columns_; }  ///< of the matrix
  int64_t rows() const { return rows_; }                      ///< of cells
  int64_t columns() const { return columns_; }                ///< of cells
  int64_t block_rows() const { return block_rows_; }          ///< rows of the matrix in a cell
  int64_t block_columns() const { return block_columns_; }
  /// Whether a 1-d mask is cut into rows.
  bool is_wrapped() const { return shape_.size() == 1 && matrix_rows_ > 1; }

  int64_t elements(int64_t row, int64_t column) const;  ///< in a cell; 0 behind the end
  int64_t kept(int64_t row, int64_t column) const { return cells_[index(row, column)].kept; }
  /// Kept elements of the cell over all of it; 0 for a cell without elements.
  double share(int64_t row, int64_t column) const;
  int64_t kept() const { return kept_; }  ///< of all that was added
  int64_t numel() const { return numel_; }
  bool has_values() const { return has_values_; }
  /// Whether a cell has kept values, and their mean.
  bool has_value(int64_t row, int64_t column) const {
    return cells_[index(row, column)].values > 0;
  }
  double value(int64_t row, int64_t column) const {
    const Cell& cell = cells_[index(row, column)];
    return cell.sum / static_cast<double>(cell.values);
  }

 private:
  struct Cell {
    int64_t kept = 0;
    int64_t values = 0;  // finite ones among the kept
    double sum = 0;
  };

  size_t index(int64_t row, int64_t column) const {
    return static_cast<size_t>(row * columns_ + column);
  }
  void set_blocks(int64_t block_rows, int64_t block_columns);
  void add_run(Cell& cell, const uint8_t* mask, const double* values, int64_t n);

  Shape shape_;
  int64_t numel_ = 0;
  int64_t matrix_rows_ = 0, matrix_columns_ = 0;
  int64_t block_rows_ = 1, block_columns_ = 1;
  int64_t rows_ = 0, columns_ = 0;
  int64_t kept_ = 0;
  bool has_values_ = false;
  std::vector<Cell> cells_;
};

}  // namespace tamis::cli
