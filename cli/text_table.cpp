// TextTable: columns as wide as they need to be.
#include "text_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace tamis::cli {

std::string text_table(const std::vector<std::vector<std::string>>& lines) {
  std::vector<size_t> widths(lines.empty() ? 0 : lines[0].size(), 0);
  for (const std::vector<std::string>& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const std::vector<std::string>& line : lines) {
    text += fmt::format("{:<{}}", line[0], widths[0]);
    for (size_t i = 1; i < line.size(); ++i) text += fmt::format("  {:>{}}", line[i], widths[i]);
    text += '\n';
  }
  return text;
}

}  // namespace tamis::cli
