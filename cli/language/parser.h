// Parser: a condition as a tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "language/error.h"
#include "tamis/scalar.h"

namespace tamis::cli {

struct Node {
  enum class Kind {
    number,
    name,
    list,        // children are the elements
    call,        // text is the function; children are the arguments
    operation,   // text is the row of an operator: "add", "neg"
    comparison,  // a < b <= c: children are the operands, rows the operators between them
  };
  Kind kind = Kind::number;
  TextSpan span;  // of its main token: the operator, the function's name
  std::string text;
  Scalar number = 0;
  std::vector<Node> children;
  std::vector<std::string> rows;   // comparison
  std::vector<std::string> names;  // call: of arguments given by name; else empty
  int depth = 1;
};

/// Nodes below nodes, at most. What walks trees may recurse.
inline constexpr int kMaxDepth = 200;

/// Operators from the loosest to the tightest; comparisons bind tighter than & ^ |, other than in
/// Python, so that `x > 3 & ~isnan(x)` means what it looks like:
///
///     or   and   not   |   ^   &   == != < <= > >= (chained)   + -   * / // %   - + ~   **
///
/// Throws ConditionError.
Node parse(std::string_view text);

}  // namespace tamis::cli
