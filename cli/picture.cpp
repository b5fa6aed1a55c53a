// Drawing a grid of cells as pixels.
#include "picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "axis.h"
#include "font.h"

namespace tamis::cli {

namespace {

using Color = std::array<uint8_t, 3>;
constexpr Color kPaper = {255, 255, 255}, kInk = {32, 32, 32}, kFaint = {120, 120, 120};
constexpr Color kRejected = {214, 214, 214}, kKept = {8, 81, 156};
// Dark blue over green to yellow: rising in lightness, and told apart by the colour-blind
// (viridis).
constexpr Color kScale[] = {{68, 1, 84},    {72, 40, 120},  {62, 74, 137},  {49, 104, 142},
                            {38, 130, 142}, {31, 158, 137}, {53, 183, 121}, {109, 205, 89},
                            {180, 222, 44}, {253, 231, 37}};

constexpr int64_t kFontScale = 2;
constexpr int64_t kAdvance = (kGlyphWidth + 1) * kFontScale;
constexpr int64_t kLine = (kGlyphHeight + 4) * kFontScale;
constexpr int64_t kMargin = 16, kTickLength = 6, kBarWidth = 18;
constexpr int64_t kMostCell = 48;
// A picture that would be narrower or lower is stretched.
constexpr int64_t kLeastWidth = 320, kLeastHeight = 160;
constexpr int64_t kMostTitle = 80;  // characters

Color mix(const Color& a, const Color& b, double t) {
  Color result;
  for (size_t i = 0; i < 3; ++i) {
    result[i] = static_cast<uint8_t>(std::lround(a[i] + (b[i] - a[i]) * t));
  }
  return result;
}

Color on_scale(double t) {
  constexpr double kSteps = std::size(kScale) - 1;
  const double at = std::clamp(t, 0.0, 1.0) * kSteps;
  const auto i = std::min(static_cast<size_t>(at), std::size(kScale) - 2);
  return mix(kScale[i], kScale[i + 1], at - static_cast<double>(i));
}

/// How strongly a share colours its cell: a trace of kept is seen, and all differs from almost all.
double strength(double share) { return share == 0 ? 0 : share == 1 ? 1 : 0.2 + 0.65 * share; }

struct Range {
  double low, high;
  double fraction(double v) const { return high > low ? (v - low) / (high - low) : 0.5; }
};

/// The smallest and the largest mean of a cell.
std::optional<Range> value_range(const CellGrid& grid) {
  std::optional<Range> range;
  for (int64_t r = 0; r < grid.rows(); ++r) {
    for (int64_t c = 0; c < grid.columns(); ++c) {
      if (!grid.has_value(r, c)) continue;
      const double v = grid.value(r, c);
      range = range ? Range{std::min(range->low, v), std::max(range->high, v)} : Range{v, v};
    }
  }
  return range;
}

/// Pixels that one can write on.
class Canvas {
 public:
  Canvas(int64_t width, int64_t height) {
    image_.width = width;
    image_.height = height;
    image_.pixels.resize(static_cast<size_t>(width * height * 3));
    fill(0, 0, width, height, kPaper);
  }
  /// What is outside is left out.
  void fill(int64_t x, int64_t y, int64_t width, int64_t height, const Color& color) {
    for (int64_t j = std::max<int64_t>(y, 0); j < std::min(y + height, image_.height); ++j) {
      for (int64_t i = std::max<int64_t>(x, 0); i < std::min(x + width, image_.width); ++i) {
        std::copy(color.begin(), color.end(),
                  &image_.pixels[static_cast<size_t>((j * image_.width + i) * 3)]);
      }
    }
  }
  /// Returns where the next character would stand.
  int64_t write(int64_t x, int64_t y, std::string_view text, const Color& color) {
    for (const char c : text) {
      const uint8_t* columns = glyph(c);
      for (int64_t i = 0; i < kGlyphWidth; ++i) {
        for (int64_t j = 0; j < kGlyphHeight; ++j) {
          if ((columns[i] >> j & 1) == 0) continue;
          fill(x + i * kFontScale, y + j * kFontScale, kFontScale, kFontScale, color);
        }
      }
      x += kAdvance;
    }
    return x;
  }
  Image take() { return std::move(image_); }

 private:
  Image image_;
};

/// One '?' for each character that the font lacks, and an end that tells that more was there.
std::string printable(const std::string& text, size_t most) {
  std::string result;
  for (const char c : text) {
    if ((static_cast<uint8_t>(c) & 0xc0) == 0x80) continue;  // continues the character before
    result += c >= ' ' && c <= '~' ? c : '?';
  }
  if (result.size() > most) result = result.substr(0, most - 3) + "...";
  return result;
}

int64_t text_width(std::string_view text) { return static_cast<int64_t>(text.size()) * kAdvance; }

/// Where everything stands.
struct Layout {
  explicit Layout(const CellGrid& grid, const Caption& caption)
      : title(printable(title_line(grid, caption), kMostTitle)),
        kept("kept " + grouped(grid.kept()) + " (" + percentage(grid.kept(), grid.numel()) + ")"),
        rejected("rejected " + grouped(grid.numel() - grid.kept())),
        note(note_line(grid)) {
    const int64_t rows = std::max<int64_t>(grid.rows(), 1);
    const int64_t columns = std::max<int64_t>(grid.columns(), 1);
    const int64_t side = std::clamp<int64_t>(kImageCells / std::max(rows, columns), 1, kMostCell);
    cell_width = std::max(side, std::min(kMostCell, kLeastWidth / columns));
    cell_height = std::max(side, std::min(kMostCell, kLeastHeight / rows));
    width = columns * cell_width;
    height = rows * cell_height;
    row_labels = row_ticks(grid, height / (kLine + 8));
    const std::string widest = std::to_string(std::max<int64_t>(grid.matrix_columns() - 1, 0));
    column_labels = column_ticks(grid, width / (text_width(widest) + 2 * kAdvance));
    int64_t label_width = 0;
    for (const Tick& tick : row_labels) {
      label_width = std::max(label_width, text_width(tick.label));
    }
    left = kMargin + label_width + kTickLength + 4;
    top = kMargin + (note.empty() ? 2 : 3) * kLine + 8;
    range = grid.has_values() ? value_range(grid) : std::nullopt;
    if (range) {
      low = fmt::format("{:.4g}", range->low);
      high = fmt::format("{:.4g}", range->high);
    }
    const int64_t bar =
        range ? kMargin + kBarWidth + 8 + std::max(text_width(low), text_width(high)) : 0;
    const int64_t captions =
        std::max({text_width(title), text_width(kept + rejected) + 7 * kAdvance, text_width(note)});
    total_width = std::max(left + width + bar, kMargin + captions) + kMargin;
    total_height =
        std::max(top + height + kTickLength + kLine, top + (range ? 3 * kLine : 0)) + kMargin;
  }

  std::string title, kept, rejected, note, low, high;
  std::vector<Tick> row_labels, column_labels;
  std::optional<Range> range;
  int64_t cell_width, cell_height, left, top, width, height, total_width, total_height;
};

void draw_caption(Canvas& canvas, const Layout& at, const Color& kept_color) {
  constexpr int64_t kSwatch = kGlyphHeight * kFontScale - 4;
  canvas.write(kMargin, kMargin, at.title, kInk);
  int64_t x = kMargin;
  const int64_t y = kMargin + kLine;
  canvas.fill(x, y + 1, kSwatch, kSwatch, kept_color);
  x = canvas.write(x + kSwatch + kAdvance * 2 / 3, y, at.kept, kInk) + 2 * kAdvance;
  canvas.fill(x, y + 1, kSwatch, kSwatch, kRejected);
  canvas.write(x + kSwatch + kAdvance * 2 / 3, y, at.rejected, kInk);
  canvas.write(kMargin, kMargin + 2 * kLine, at.note, kFaint);
}

void draw_axes(Canvas& canvas, const Layout& at) {
  canvas.fill(at.left - 1, at.top - 1, at.width + 2, 1, kInk);
  canvas.fill(at.left - 1, at.top + at.height, at.width + 2, 1, kInk);
  canvas.fill(at.left - 1, at.top - 1, 1, at.height + 2, kInk);
  canvas.fill(at.left + at.width, at.top - 1, 1, at.height + 2, kInk);
  for (const Tick& tick : at.row_labels) {
    const int64_t y = at.top + tick.cell * at.cell_height + at.cell_height / 2;
    if (tick.label.empty()) continue;
    canvas.fill(at.left - 1 - kTickLength, y, kTickLength, 1, kInk);
    canvas.write(at.left - kTickLength - 4 - text_width(tick.label),
                 y - kGlyphHeight * kFontScale / 2 + 1, tick.label, kInk);
  }
  for (const Tick& tick : at.column_labels) {
    const int64_t x = at.left + tick.cell * at.cell_width + at.cell_width / 2;
    canvas.fill(x, at.top + at.height + 1, 1, kTickLength, kInk);
    canvas.write(x - text_width(tick.label) / 2 + 1, at.top + at.height + kTickLength + 5,
                 tick.label, kInk);
  }
}

void draw_cells(Canvas& canvas, const CellGrid& grid, const Layout& at) {
  // Cells that are large enough are told apart by a line of paper.
  const int64_t gap = std::min(at.cell_width, at.cell_height) >= 8 ? 1 : 0;
  for (int64_t r = 0; r < grid.rows(); ++r) {
    for (int64_t c = 0; c < grid.columns(); ++c) {
      if (grid.elements(r, c) == 0) continue;
      const Color kept =
          at.range && grid.has_value(r, c) ? on_scale(at.range->fraction(grid.value(r, c))) : kKept;
      canvas.fill(at.left + c * at.cell_width, at.top + r * at.cell_height, at.cell_width - gap,
                  at.cell_height - gap, mix(kRejected, kept, strength(grid.share(r, c))));
    }
  }
}

void draw_scale(Canvas& canvas, const Layout& at) {
  const int64_t x = at.left + at.width + kMargin, height = std::max(at.height, 3 * kLine);
  for (int64_t y = 0; y < height; ++y) {
    const double t = 1 - static_cast<double>(y) / static_cast<double>(height - 1);
    canvas.fill(x, at.top + y, kBarWidth, 1, on_scale(t));
  }
  canvas.write(x + kBarWidth + 8, at.top, at.high, kInk);
  canvas.write(x + kBarWidth + 8, at.top + height - kGlyphHeight * kFontScale, at.low, kInk);
}

}  // namespace

Image draw_image(const CellGrid& grid, const Caption& caption) {
  const Layout at(grid, caption);
  Canvas canvas(at.total_width, at.total_height);
  draw_caption(canvas, at, at.range ? on_scale(0.5) : kKept);
  if (grid.rows() == 0) {
    canvas.write(kMargin, at.top, "no elements", kFaint);
    return canvas.take();
  }
  draw_cells(canvas, grid, at);
  draw_axes(canvas, at);
  if (at.range) draw_scale(canvas, at);
  return canvas.take();
}

}  // namespace tamis::cli
