// Manual: the text about the command that belongs to no single one of its commands.
#pragma once

#include <span>
#include <string_view>

namespace tamis::cli {

/// Paragraphs with empty lines between them; lines that begin with four spaces are shown as they
/// are, and `backticks` enclose what is typed.
struct Section {
  std::string_view title;
  std::string_view text;
};

/// What stands before the commands, and behind them.
std::string_view manual_introduction();
std::span<const Section> manual_sections();

}  // namespace tamis::cli
