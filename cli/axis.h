// Axes: where labels stand beside a picture of a mask, and what its caption says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "picture.h"

namespace tamis::cli {

/// A label at a row or column of cells.
struct Tick {
  int64_t cell = 0;
  std::string label;
};

/// At most `most` labels, at round row numbers: the index of the row; of a mask with more than two
/// dimensions all indices but the last, at beginnings of slices where possible; of a wrapped mask
/// the number of the row's first element.
std::vector<Tick> row_ticks(const CellGrid& grid, int64_t most);
std::vector<Tick> column_ticks(const CellGrid& grid, int64_t most);

/// "12,345"
std::string grouped(int64_t n);
/// "50.01%"; 0% and 100% only if none and all are kept.
std::string percentage(int64_t part, int64_t whole);
/// "x.npy [4096, 4096] float32, where x > 3"
std::string title_line(const CellGrid& grid, const Caption& caption);
/// What one has to know to read the picture, such as "a cell is 7 x 7 elements"; may be empty.
std::string note_line(const CellGrid& grid);

}  // namespace tamis::cli
