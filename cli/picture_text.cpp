// Drawing a grid of cells with characters.
#include <fmt/format.h>

#include <algorithm>

#include "axis.h"
#include "picture.h"

namespace tamis::cli {

namespace {

// Of the 256 colours that terminals have: a grey that stands back on light and dark ground, blues
// that become brighter, and dark blue over green to yellow.
constexpr int kRejected = 242;
constexpr int kShares[] = {24, 25, 32, 39, 45};
constexpr int kScale[] = {55, 61, 31, 30, 36, 35, 71, 112, 148, 220};
constexpr const char* kShades[] = {"·", "░", "▒", "▓", "█"};

/// Which of n steps a share is: the first for none at all, the last for all, the others evenly.
int step_of(double share, int n) {
  if (share <= 0) return 0;
  if (share >= 1) return n - 1;
  return 1 + std::min(static_cast<int>(share * (n - 2)), n - 3);
}

class TextPicture {
 public:
  TextPicture(const CellGrid& fine, int64_t width, int64_t height, bool color)
      : color_(color),
        halves_(color && fine.rows() > height),
        grid_(fine.coarser(std::max<int64_t>(1, halves_ ? 2 * height : height),
                           std::max<int64_t>(1, width - label_room(fine)))) {
    const int64_t lines = halves_ ? (grid_.rows() + 1) / 2 : grid_.rows();
    row_ticks_ = row_ticks(grid_, std::max<int64_t>(1, lines / 3));
    for (const Tick& tick : row_ticks_) margin_ = std::max(margin_, tick.label.size());
    // A character is about half as wide as it is high.
    repeat_ = !halves_ && 2 * grid_.columns() + label_room(fine) <= width ? 2 : 1;
    if (color_) find_range();
  }

  const CellGrid& grid() const { return grid_; }

  std::string draw() const {
    std::string text;
    const int64_t per_line = halves_ ? 2 : 1;
    for (int64_t r = 0; r < grid_.rows(); r += per_line) {
      text += left_edge(r, per_line);
      for (int64_t c = 0; c < grid_.columns(); ++c) {
        const std::string one = halves_ ? colored_pair(r, c) : color_ ? colored(r, c) : shade(r, c);
        text += one;
        if (repeat_ == 2) text += one;
      }
      text += color_ ? "\x1b[0m\n" : "\n";
    }
    return text + lower_edge();
  }

 private:
  static int64_t label_room(const CellGrid& grid) {
    size_t longest = 0;
    for (const Tick& tick : row_ticks(grid, 20)) longest = std::max(longest, tick.label.size());
    return static_cast<int64_t>(longest) + 2;
  }
  void find_range() {
    for (int64_t r = 0; r < grid_.rows(); ++r) {
      for (int64_t c = 0; c < grid_.columns(); ++c) {
        if (!grid_.has_value(r, c)) continue;
        const double v = grid_.value(r, c);
        low_ = has_range_ ? std::min(low_, v) : v;
        high_ = has_range_ ? std::max(high_, v) : v;
        has_range_ = true;
      }
    }
  }

  std::string left_edge(int64_t row, int64_t rows) const {
    const auto tick = std::find_if(row_ticks_.begin(), row_ticks_.end(), [&](const Tick& t) {
      return t.cell >= row && t.cell < row + rows && !t.label.empty();
    });
    const bool found = tick != row_ticks_.end();
    return fmt::format("{:>{}} {}", found ? tick->label : "", margin_, found ? "┤" : "│");
  }

  std::string shade(int64_t row, int64_t column) const {
    return grid_.elements(row, column) == 0 ? " " : kShades[step_of(grid_.share(row, column), 5)];
  }

  /// A colour of the 256, or -1 for the ground.
  int color_of(int64_t row, int64_t column) const {
    if (row >= grid_.rows() || grid_.elements(row, column) == 0) return -1;
    const double share = grid_.share(row, column);
    if (share == 0) return kRejected;
    if (has_range_ && grid_.has_value(row, column)) {
      const double t = high_ > low_ ? (grid_.value(row, column) - low_) / (high_ - low_) : 0.5;
      return kScale[std::clamp(static_cast<int>(t * 10), 0, 9)];
    }
    return kShares[step_of(share, 6) - 1];
  }

  std::string colored(int64_t row, int64_t column) const {
    const int color = color_of(row, column);
    return color < 0 ? "\x1b[0m " : fmt::format("\x1b[38;5;{}m█", color);
  }

  /// Two cells, one over the other, as the foreground and the background of an upper half block.
  std::string colored_pair(int64_t row, int64_t column) const {
    const int upper = color_of(row, column), lower = color_of(row + 1, column);
    if (upper < 0) return "\x1b[0m ";
    const std::string ground = lower < 0 ? "49" : fmt::format("48;5;{}", lower);
    return fmt::format("\x1b[38;5;{};{}m▀", upper, ground);
  }

  std::string lower_edge() const {
    const std::vector<Tick> ticks =
        column_ticks(grid_, std::max<int64_t>(1, grid_.columns() * repeat_ / 8));
    std::string line = std::string(margin_ + 1, ' ') + "└", labels(margin_ + 2, ' ');
    size_t next = 0;
    for (int64_t c = 0; c < grid_.columns() * repeat_; ++c) {
      const bool here = next < ticks.size() && ticks[next].cell * repeat_ == c;
      line += here ? "┴" : "─";
      if (!here) continue;
      labels.resize(std::max(labels.size(), margin_ + 2 + static_cast<size_t>(c)), ' ');
      labels += ticks[next++].label;
    }
    return line + "\n" + (ticks.empty() ? "" : labels + "\n");
  }

  const bool color_;
  const bool halves_;  // two cells in a character, since there are more rows than lines
  const CellGrid grid_;
  std::vector<Tick> row_ticks_;
  size_t margin_ = 0;
  int64_t repeat_ = 1;
  bool has_range_ = false;
  double low_ = 0, high_ = 0;
};

}  // namespace

std::string draw_text(const CellGrid& grid, const Caption& caption, int64_t width, int64_t height,
                      bool color) {
  const TextPicture picture(grid, width, height, color);
  std::string text = title_line(grid, caption) + "\n";
  text += fmt::format("kept {} of {} ({})\n", grouped(grid.kept()), grouped(grid.numel()),
                      percentage(grid.kept(), grid.numel()));
  const std::string note = note_line(picture.grid());
  if (!note.empty()) text += note + "\n";
  if (grid.rows() == 0) return text;
  return text + picture.draw();
}

}  // namespace tamis::cli
