// ConditionError: pointing at a column.
#include "language/error.h"

#include <algorithm>

namespace tamis::cli {

std::string underlined(std::string_view text, TextSpan span) {
  const size_t at = std::min(span.begin, text.size());
  size_t begin = at, end = at;
  while (begin > 0 && text[begin - 1] != '\n') --begin;
  while (end < text.size() && text[end] != '\n') ++end;
  std::string line(text.substr(begin, end - begin));
  for (char& c : line) {
    if (c == '\t') c = ' ';
    if (c < ' ' || c > '~') c = '?';
  }
  const size_t last = std::clamp(span.end, at + 1, std::max(end, at + 1));
  return "  " + line + "\n  " + std::string(at - begin, ' ') + "^" +
         std::string(last - at - 1, '~');
}

}  // namespace tamis::cli
