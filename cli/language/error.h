// ConditionError: what is wrong with a condition, and where in its text.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tamis::cli {

/// A piece of a condition's text, in bytes.
struct Place {
  size_t begin = 0;
  size_t end = 0;
};

class ConditionError : public std::runtime_error {
 public:
  ConditionError(const std::string& what, Place place) : std::runtime_error(what), place_(place) {}
  Place place() const noexcept { return place_; }
  /// The whole text, which is known to those who began to read it.
  const std::string& source() const noexcept { return source_; }
  void set_source(std::string source) { source_ = std::move(source); }

 private:
  Place place_;
  std::string source_;
};

/// The line of text that holds the place and, below it, a caret and tildes under the place; two
/// spaces before each. Bytes that are no printable ASCII are shown as '?'.
std::string underlined(std::string_view text, Place place);

}  // namespace tamis::cli
