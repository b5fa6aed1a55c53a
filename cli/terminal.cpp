// Terminal: what the environment says.
#include "terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace tamis::cli {

bool use_color(int stream) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  return isatty(stream) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

std::string colored(const std::string& text, const char* color, bool use) {
  return use ? "\x1b[" + std::string(color) + "m" + text + "\x1b[0m" : text;
}

}  // namespace tamis::cli
