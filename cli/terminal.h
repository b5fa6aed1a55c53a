// Terminal: whether to use colours.
#pragma once

#include <string>

namespace tamis::cli {

/// Whether a stream (a file descriptor) is a terminal that may show colours: never if NO_COLOR is
/// set to anything but nothing, or TERM to "dumb".
bool use_color(int stream);

/// Text in an SGR colour ("1;31"), or as it is.
std::string colored(const std::string& text, const char* color, bool use);

}  // namespace tamis::cli
