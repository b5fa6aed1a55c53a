// Counting a mask in blocks.
#include "cells.h"

#include <algorithm>
#include <cmath>

#include "tamis/tensor.h"

namespace tamis::cli {

namespace {

// A 1-d mask up to here is one row.
constexpr int64_t kLongestRow = 256;

/// A round number of elements (1, 2 or 5 times a power of ten) per row, so that there are no more
/// rows than columns.
int64_t wrapped_columns(int64_t n) {
  for (int64_t power = 100;; power *= 10) {
    for (const int64_t digit : {1, 2, 5}) {
      const int64_t columns = digit * power;
      if ((n + columns - 1) / columns <= columns) return columns;
    }
  }
}

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

CellGrid::CellGrid(const Shape& shape, int64_t max_rows, int64_t max_columns)
    : shape_(shape), numel_(tamis::numel(shape)) {
  if (shape.size() == 1 && numel_ > kLongestRow) {
    matrix_columns_ = wrapped_columns(numel_);
    matrix_rows_ = ceil_div(numel_, matrix_columns_);
  } else {
    matrix_columns_ = shape.empty() ? 1 : shape.back();
    matrix_rows_ = matrix_columns_ == 0 ? 0 : numel_ / matrix_columns_;
  }
  set_blocks(std::max<int64_t>(1, ceil_div(matrix_rows_, max_rows)),
             std::max<int64_t>(1, ceil_div(matrix_columns_, max_columns)));
}

void CellGrid::set_blocks(int64_t block_rows, int64_t block_columns) {
  block_rows_ = block_rows;
  block_columns_ = block_columns;
  rows_ = ceil_div(matrix_rows_, block_rows);
  columns_ = matrix_rows_ == 0 ? 0 : ceil_div(matrix_columns_, block_columns);
  cells_.assign(static_cast<size_t>(rows_ * columns_), Cell());
}

void CellGrid::add_run(Cell& cell, const uint8_t* mask, const double* values, int64_t n) {
  int64_t kept = 0;
  for (int64_t i = 0; i < n; ++i) kept += mask[i] != 0;
  cell.kept += kept;
  kept_ += kept;
  if (values == nullptr) return;
  for (int64_t i = 0; i < n; ++i) {
    if (mask[i] == 0 || !std::isfinite(values[i])) continue;
    ++cell.values;
    cell.sum += values[i];
  }
}

void CellGrid::add(int64_t first, const Tensor& mask, const Tensor& values) {
  const Tensor flags = mask.contiguous().settle();
  const auto* kept = static_cast<const uint8_t*>(flags.data_ptr());
  Tensor numbers;
  const double* value = nullptr;
  if (values.defined()) {
    numbers = values.to(DType::float64).contiguous().settle();
    value = numbers.data<double>();
    has_values_ = true;
  }
  const int64_t end = first + flags.numel();
  for (int64_t at = first; at < end;) {
    const int64_t row = at / matrix_columns_, row_end = std::min((row + 1) * matrix_columns_, end);
    const int64_t block = (at % matrix_columns_) / block_columns_;
    Cell* cell = &cells_[index(row / block_rows_, block)];
    // The elements of a block that follow each other; blocks may be as narrow as one.
    int64_t block_end = row * matrix_columns_ + (block + 1) * block_columns_;
    for (; at < row_end; block_end += block_columns_, ++cell) {
      const int64_t n = std::min(block_end, row_end) - at;
      add_run(*cell, kept + (at - first), value == nullptr ? nullptr : value + (at - first), n);
      at += n;
    }
  }
}

CellGrid CellGrid::coarser(int64_t max_rows, int64_t max_columns) const {
  CellGrid result = *this;
  const int64_t by_rows = std::max<int64_t>(1, ceil_div(rows_, max_rows));
  const int64_t by_columns = std::max<int64_t>(1, ceil_div(columns_, max_columns));
  result.set_blocks(block_rows_ * by_rows, block_columns_ * by_columns);
  for (int64_t r = 0; r < rows_; ++r) {
    for (int64_t c = 0; c < columns_; ++c) {
      const Cell& from = cells_[index(r, c)];
      Cell& to = result.cells_[result.index(r / by_rows, c / by_columns)];
      to.kept += from.kept;
      to.values += from.values;
      to.sum += from.sum;
    }
  }
  return result;
}

int64_t CellGrid::elements(int64_t row, int64_t column) const {
  const int64_t first_row = row * block_rows_, first_column = column * block_columns_;
  const int64_t rows = std::min(block_rows_, matrix_rows_ - first_row);
  const int64_t columns = std::min(block_columns_, matrix_columns_ - first_column);
  int64_t n = rows * columns;
  // The last row of a wrapped mask may end early.
  const int64_t missing = matrix_rows_ * matrix_columns_ - numel_;
  if (missing > 0 && first_row + rows == matrix_rows_) {
    const int64_t last_end = matrix_columns_ - missing;
    n -= columns - std::clamp<int64_t>(last_end - first_column, 0, columns);
  }
  return n;
}

double CellGrid::share(int64_t row, int64_t column) const {
  const int64_t n = elements(row, column);
  return n == 0 ? 0 : static_cast<double>(kept(row, column)) / static_cast<double>(n);
}

}  // namespace tamis::cli
