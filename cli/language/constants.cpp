// Constants: literals, named numbers, and what is calculated from them.
#include "language/constants.h"

#include <limits>
#include <vector>

#include <fmt/format.h>

#include "language/functions.h"
#include "language/numbers.h"

namespace tamis::cli {

std::optional<Scalar> constant_named(std::string_view name) {
  if (name == "true" || name == "True") return Scalar(true);
  if (name == "false" || name == "False") return Scalar(false);
  if (name == "inf") return Scalar(std::numeric_limits<double>::infinity());
  if (name == "nan") return Scalar(std::numeric_limits<double>::quiet_NaN());
  return std::nullopt;
}

std::optional<Scalar> constant_of(const Node& node) {
  if (node.kind == Node::Kind::number) return node.number;
  if (node.kind == Node::Kind::name) return constant_named(node.text);
  if (node.kind != Node::Kind::operation) return std::nullopt;
  std::vector<Scalar> numbers;
  for (const Node& child : node.children) {
    const std::optional<Scalar> v = constant_of(child);
    if (!v) return std::nullopt;
    numbers.push_back(*v);
  }
  return calculate(operator_row(node.text).symbol, numbers, node.span);
}

std::string dump(const Node& node) {
  if (node.kind == Node::Kind::number) {
    if (node.number.is_floating_point()) return fmt::format("{:a}", node.number.to_double());
    return node.number.is_beyond_int64() ? fmt::format("{}", node.number.to<uint64_t>())
                                         : fmt::format("{}", node.number.to_int64());
  }
  std::string text = node.text;
  if (node.kind == Node::Kind::name) return text;
  for (const std::string& row : node.rows) text += row + " ";
  text += node.kind == Node::Kind::list ? "[" : "(";
  for (size_t i = 0; i < node.children.size(); ++i) {
    if (i < node.names.size() && !node.names[i].empty()) text += node.names[i] + "=";
    text += dump(node.children[i]) + ",";
  }
  return text + ")";
}

}  // namespace tamis::cli
