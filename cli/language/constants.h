// Constants: numbers and texts that a tree says by itself, without any array.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "language/parser.h"
#include "tamis/error.h"

namespace tamis::cli {

/// The number that a constant's name stands for.
std::optional<Scalar> constant_named(std::string_view name);

/// The number that a node is without any array, if it is one: a literal, or arithmetic on such.
/// Integers are exact: ConditionError if one has more than 64 bits.
std::optional<Scalar> constant_of(const Node& node);

/// A text that is equal for nodes that mean the same.
std::string dump(const Node& node);

/// Calls f; the library's errors become errors at that span. Errors of files are left alone.
template <class F>
auto at_span(TextSpan span, F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::io || e.kind() == ErrorKind::format ||
        e.kind() == ErrorKind::memory) {
      throw;
    }
    throw ConditionError(e.what(), span);
  }
}

}  // namespace tamis::cli
