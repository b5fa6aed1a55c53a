// ConditionError: what is wrong with a condition, and where in its text.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tamis::cli {

/// A range of bytes in a condition's text.
struct TextSpan {
  size_t begin = 0;
  size_t end = 0;
};

class ConditionError : public std::runtime_error {
 public:
  ConditionError(const std::string& what, TextSpan span) : std::runtime_error(what), span_(span) {}
  TextSpan span() const noexcept { return span_; }
  /// The whole text, set by whoever began to parse it.
  const std::string& source() const noexcept { return source_; }
  void set_source(std::string source) { source_ = std::move(source); }

 private:
  TextSpan span_;
  std::string source_;
};

/// The line of text that holds the span and, below it, a caret and tildes under the span, both
/// indented by two spaces. Bytes that are not printable ASCII are shown as '?'.
std::string underlined(std::string_view text, TextSpan span);

}  // namespace tamis::cli
