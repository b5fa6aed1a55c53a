// Region: the runs of elements that lie in a rectangle.
#include "region.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "tamis/create.h"
#include "tamis/view.h"

namespace tamis::web {

namespace {

Rectangle within(const Rectangle& wanted, int64_t rows, int64_t columns) {
  Rectangle r = wanted;
  if (r.bottom < 0) r.bottom = rows;
  if (r.right < 0) r.right = columns;
  r.bottom = std::clamp<int64_t>(r.bottom, 0, rows);
  r.right = std::clamp<int64_t>(r.right, 0, columns);
  r.top = std::clamp<int64_t>(r.top, 0, r.bottom);
  r.left = std::clamp<int64_t>(r.left, 0, r.right);
  return r;
}

}  // namespace

Region::Region(const Shape& shape, const Rectangle& wanted, int64_t max_rows, int64_t max_columns)
    : shape_(shape), grid_(shape, 1, 1) {
  matrix_rows_ = grid_.matrix_rows();
  matrix_columns_ = grid_.matrix_columns();
  numel_ = grid_.numel();
  is_wrapped_ = grid_.is_wrapped();
  at_ = within(wanted, matrix_rows_, matrix_columns_);
  grid_ = cli::CellGrid({at_.bottom - at_.top, at_.right - at_.left}, max_rows, max_columns);
}

bool Region::reaches(int64_t first, int64_t count) const {
  return first < at_.bottom * matrix_columns_ && first + count > at_.top * matrix_columns_;
}

void Region::add(int64_t first, const Tensor& mask, const Tensor& values) {
  const Tensor flags = mask.reshape({-1});
  const Tensor numbers = values.defined() ? values.reshape({-1}) : Tensor();
  const int64_t columns = matrix_columns_, width = at_.right - at_.left;
  const int64_t end = std::min(first + flags.numel(), at_.bottom * columns);
  if (width == 0) return;
  for (int64_t at = std::max(first, at_.top * columns); at < end;) {
    const int64_t row = at / columns, column = at % columns;
    const int64_t rows = column == 0 ? (end - at) / columns : 0;  // whole ones
    if (rows > 0) {
      const auto part = [&](const Tensor& x) {
        if (!x.defined()) return x;
        const Tensor lines = x.narrow(0, at - first, rows * columns).view({rows, columns});
        return lines.narrow(1, at_.left, width);
      };
      grid_.add((row - at_.top) * width, part(flags), part(numbers));
      at += rows * columns;
      continue;
    }
    const int64_t stop = std::min(end, (row + 1) * columns);
    const int64_t left = std::max(column, at_.left);
    const int64_t right = std::min(stop - row * columns, at_.right);
    if (left < right) {
      const auto part = [&](const Tensor& x) {
        return x.defined() ? x.narrow(0, row * columns + left - first, right - left) : x;
      };
      grid_.add((row - at_.top) * width + left - at_.left, part(flags), part(numbers));
    }
    at = stop;
  }
}

int64_t Region::elements(int64_t row, int64_t column) const {
  int64_t n = grid_.elements(row, column);
  // The last row of a wrapped mask may end early.
  const int64_t last_end = matrix_columns_ - (matrix_rows_ * matrix_columns_ - numel_);
  const int64_t bottom = at_.top + std::min((row + 1) * grid_.block_rows(), at_.bottom - at_.top);
  if (last_end < matrix_columns_ && bottom == matrix_rows_) {
    const int64_t left = at_.left + column * grid_.block_columns();
    const int64_t columns = std::min(grid_.block_columns(), at_.right - left);
    n -= columns - std::clamp<int64_t>(last_end - left, 0, columns);
  }
  return n;
}

std::string Region::json() const {
  return nlohmann::ordered_json{{"matrix", {matrix_rows_, matrix_columns_}},
                                {"wrapped", is_wrapped_},
                                {"rectangle", {at_.top, at_.bottom, at_.left, at_.right}},
                                {"cells", {grid_.rows(), grid_.columns()}},
                                {"block", {grid_.block_rows(), grid_.block_columns()}}}
      .dump();
}

Tensor Region::cells() const {
  const int64_t rows = grid_.rows(), columns = grid_.columns();
  std::vector<double> all;
  all.reserve(static_cast<size_t>(3 * rows * columns));
  const auto each = [&](auto number) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) all.push_back(number(r, c));
    }
  };
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  each([&](int64_t r, int64_t c) { return static_cast<double>(elements(r, c)); });
  each([&](int64_t r, int64_t c) { return static_cast<double>(grid_.kept(r, c)); });
  each([&](int64_t r, int64_t c) { return grid_.has_value(r, c) ? grid_.value(r, c) : kNone; });
  return from_data(all.data(), {3, rows, columns}, DType::float64);
}

}  // namespace tamis::web
