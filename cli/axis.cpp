// Round numbers for ticks, indices of folded dimensions, texts of the caption.
#include "axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tamis::cli {

namespace {

/// 1, 2, 5, 10, 20, 50, ...: the number-th.
int64_t round_number(int number) {
  int64_t power = 1;
  for (int i = 0; i < number / 3; ++i) power *= 10;
  constexpr int64_t kDigits[] = {1, 2, 5};
  return kDigits[number % 3] * power;
}

/// The smallest step with which `size` has at most `most` multiples. It is a round number; where
/// dimensions are folded (given from the slowest), a round part of one of them or a whole one, so
/// that labels stand where indices begin again.
int64_t choose_step(int64_t size, int64_t most, const Shape& folded) {
  const auto fits = [&](int64_t step) { return (size + step - 1) / step <= most; };
  int64_t unit = 1;
  for (size_t d = folded.size(); d-- > 1; unit *= folded[d]) {
    for (int i = 0; round_number(i) < folded[d]; ++i) {
      const int64_t part = round_number(i);
      if (folded[d] % part == 0 && fits(unit * part)) return unit * part;
    }
  }
  for (int i = 0;; ++i) {
    if (fits(unit * round_number(i))) return unit * round_number(i);
  }
}

std::string row_label(const CellGrid& grid, int64_t row) {
  const Shape& shape = grid.shape();
  if (grid.is_wrapped()) return std::to_string(row * grid.matrix_columns());
  if (shape.size() < 2) return "";
  std::string label;
  for (size_t d = shape.size() - 1; d-- > 0;) {
    label = std::to_string(row % shape[d]) + (label.empty() ? "" : ",") + label;
    row /= shape[d];
  }
  return label;
}

}  // namespace

std::vector<Tick> row_ticks(const CellGrid& grid, int64_t most) {
  std::vector<Tick> ticks;
  if (grid.rows() == 0) return ticks;
  Shape folded = grid.shape();
  if (!folded.empty()) folded.resize(folded.size() - 1);
  const int64_t step = choose_step(grid.matrix_rows(), std::max<int64_t>(most, 1), folded);
  for (int64_t row = 0; row < grid.matrix_rows(); row += step) {
    ticks.push_back({row / grid.block_rows(), row_label(grid, row)});
  }
  return ticks;
}

std::vector<Tick> column_ticks(const CellGrid& grid, int64_t most) {
  std::vector<Tick> ticks;
  if (grid.columns() == 0 || grid.shape().empty()) return ticks;
  const int64_t step = choose_step(grid.matrix_columns(), std::max<int64_t>(most, 1), {});
  for (int64_t column = 0; column < grid.matrix_columns(); column += step) {
    ticks.push_back({column / grid.block_columns(), std::to_string(column)});
  }
  return ticks;
}

std::string grouped(int64_t n) {
  std::string text = std::to_string(n);
  for (auto at = static_cast<int64_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<size_t>(at), ",");
  }
  return text;
}

std::string percentage(int64_t part, int64_t whole) {
  if (part == 0) return "0%";
  if (part == whole) return "100%";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (percent < 0.01) return "<0.01%";
  if (percent > 99.99) return ">99.99%";
  return fmt::format("{:.2f}%", percent);
}

std::string title_line(const CellGrid& grid, const Caption& caption) {
  std::string line = caption.name;
  line += (line.empty() ? "" : " ") + to_string(grid.shape());
  if (!caption.dtype.empty()) line += " " + caption.dtype;
  if (!caption.condition.empty()) line += ", where " + caption.condition;
  return line;
}

std::string note_line(const CellGrid& grid) {
  std::string note;
  if (grid.is_wrapped()) note = fmt::format("rows of {} elements", grouped(grid.matrix_columns()));
  if (const size_t rank = grid.shape().size(); rank > 2) {
    note = fmt::format("rows: dimensions 0-{}, columns: dimension {}", rank - 2, rank - 1);
  }
  if (grid.block_rows() > 1 || grid.block_columns() > 1) {
    note += fmt::format("{}a cell is {} x {} elements", note.empty() ? "" : "; ", grid.block_rows(),
                        grid.block_columns());
  }
  return note;
}

}  // namespace tamis::cli
