// Pictures of masks: as pixels, as a PNG file, and as text for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cells.h"

namespace tamis::cli {

/// What the line above a picture says beside shape and counts.
struct Caption {
  std::string name;       ///< of the array
  std::string dtype;      ///< of the array
  std::string condition;  ///< empty: the array is the mask itself
};

/// Pixels, three bytes (red, green, blue) each, row by row.
struct Image {
  int64_t width = 0;
  int64_t height = 0;
  std::vector<uint8_t> pixels;
};

/// The finest grid that draw_image has a pixel for.
inline constexpr int64_t kImageCells = 640;

/// The mask with frame, index labels and caption. Kept is blue, the stronger the larger the share;
/// rejected is grey. If the grid has values, kept cells have the colour of their mean on a scale,
/// which is drawn beside. The grid has at most kImageCells rows and columns.
Image draw_image(const CellGrid& grid, const Caption& caption);

/// The bytes of a PNG file.
std::string encode_png(const Image& image);

/// The mask as lines of text, for a terminal of so many columns; the cells take at most so many
/// lines. In colour there are two cells in a character if there are more rows than lines. Without,
/// a cell is one of "· ░ ▒ ▓ █" by its share: the first only for nothing at all, the last only for
/// all.
std::string draw_text(const CellGrid& grid, const Caption& caption, int64_t width, int64_t height,
                      bool color);

}  // namespace tamis::cli
