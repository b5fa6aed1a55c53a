// A bitmap font of printable ASCII, five pixels wide and eight high.
#pragma once

#include <cstdint>

namespace tamis::cli {

inline constexpr int kGlyphWidth = 5;
inline constexpr int kGlyphHeight = 8;

/// Five columns from the left; bit 0 is the top pixel. Other characters look like '?'.
const uint8_t* glyph(char c);

}  // namespace tamis::cli
