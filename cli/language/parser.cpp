// Parser: precedence climbing over tokens, with a bound on depth.
#include "language/parser.h"

#include <algorithm>
#include <limits>

#include "language/functions.h"
#include "language/token.h"

namespace tamis::cli {

namespace {

enum Precedence {
  kLoosest,
  kOr,
  kAnd,
  kNot,
  kBitOr,
  kBitXor,
  kBitAnd,
  kCompare,
  kSum,
  kProduct,
  kSign,
  kPower
};

struct Operator {
  std::string_view symbol;
  Precedence precedence;
};
constexpr Operator kInfix[] = {
    {"or", kOr},      {"and", kAnd},    {"|", kBitOr},   {"^", kBitXor},   {"&", kBitAnd},
    {"==", kCompare}, {"!=", kCompare}, {"<", kCompare}, {"<=", kCompare}, {">", kCompare},
    {">=", kCompare}, {"+", kSum},      {"-", kSum},     {"*", kProduct},  {"/", kProduct},
    {"//", kProduct}, {"%", kProduct},  {"**", kPower},
};
constexpr Operator kPrefix[] = {
    {"not", kNot},
    {"-", kSign},
    {"+", kSign},
    {"~", kSign},
};

template <size_t N>
const Operator* find(const Operator (&operators)[N], const Token& token) {
  if (token.kind != Token::Kind::symbol && token.kind != Token::Kind::name) return nullptr;
  const auto* found = std::find_if(std::begin(operators), std::end(operators),
                                   [&](const Operator& o) { return o.symbol == token.text; });
  return found == std::end(operators) ? nullptr : found;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(tokenize(text)) {}

  Node run() {
    if (peek().kind == Token::Kind::end) fail("the condition is empty");
    Node node = expression(kLoosest);
    if (peek().kind != Token::Kind::end) unexpected("expected an operator");
    return node;
  }

 private:
  const Token& peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool is(std::string_view symbol, size_t ahead = 0) const {
    return peek(ahead).kind == Token::Kind::symbol && peek(ahead).text == symbol;
  }
  const Token& take() { return tokens_[std::min(at_++, tokens_.size() - 1)]; }
  bool take_if(std::string_view symbol) {
    const bool yes = is(symbol);
    if (yes) take();
    return yes;
  }

  [[noreturn]] void fail(const std::string& what) const { throw ConditionError(what, peek().span); }
  [[noreturn]] void unexpected(const std::string& expected) const {
    if (peek().kind == Token::Kind::end) fail(expected + ", but the condition ends here");
    std::string hint;
    if (is("=")) hint = "; to compare, write ==";
    if (peek().text == "in") hint = "; write isin(x, [1, 2])";
    fail(expected + ", but got '" + std::string(peek().text) + "'" + hint);
  }

  /// Every node is made or changed through this, so no tree becomes deeper than kMaxDepth.
  static Node limited(Node node) {
    for (const Node& child : node.children) node.depth = std::max(node.depth, child.depth + 1);
    if (node.depth > kMaxDepth) throw ConditionError("this is nested too deeply", node.span);
    return node;
  }
  static Node make(Node::Kind kind, const Token& token, std::string text,
                   std::vector<Node> children) {
    Node node;
    node.kind = kind;
    node.span = token.span;
    node.text = std::move(text);
    node.children = std::move(children);
    return limited(std::move(node));
  }
  static std::vector<Node> list_of(Node a) {
    std::vector<Node> list;
    list.push_back(std::move(a));
    return list;
  }
  static std::vector<Node> list_of(Node a, Node b) {
    std::vector<Node> list = list_of(std::move(a));
    list.push_back(std::move(b));
    return list;
  }

  Node expression(int loosest) {
    // The tree's depth is checked as it is built; this bounds the recursion before it.
    if (++nesting_ > kMaxDepth) fail("this is nested too deeply");
    Node left = prefix(loosest);
    for (const Operator* o = find(kInfix, peek()); o != nullptr && o->precedence >= loosest;
         o = find(kInfix, peek())) {
      if (o->precedence == kCompare) {
        left = comparison(std::move(left));
        continue;
      }
      const Token& token = take();
      // Powers group from the right, and their right side may have a sign.
      Node right = expression(o->precedence == kPower ? int{kSign} : o->precedence + 1);
      left = make(Node::Kind::operation, token, operator_name(o->symbol, 2),
                  list_of(std::move(left), std::move(right)));
    }
    --nesting_;
    return left;
  }

  Node comparison(Node first) {
    Node node = make(Node::Kind::comparison, peek(), {}, list_of(std::move(first)));
    for (const Operator* o = find(kInfix, peek()); o != nullptr && o->precedence == kCompare;
         o = find(kInfix, peek())) {
      take();
      node.rows.push_back(operator_name(o->symbol, 2));
      node.children.push_back(expression(kCompare + 1));
    }
    return limited(std::move(node));
  }

  Node prefix(int loosest) {
    const Operator* o = find(kPrefix, peek());
    if (o == nullptr) return primary();
    if (o->precedence < loosest && o->precedence == kNot) {
      fail("'not' binds more loosely than the operator before it; put it in parentheses");
    }
    const Token& token = take();
    const bool negates = o->symbol == "-";
    if (negates && peek().is_two_63) return smallest_integer();
    Node operand = expression(o->precedence);
    if (o->symbol == "+") return operand;
    if (negates && operand.kind == Node::Kind::number && has_negative(operand.number)) {
      const Scalar v = operand.number;
      operand.number = v.is_floating_point() ? Scalar(-v.to_double()) : Scalar(-v.to_int64());
      return operand;
    }
    if (negates && operand.number.is_beyond_int64()) refuse_integer(operand.span);
    return make(Node::Kind::operation, token, operator_name(o->symbol, 1),
                list_of(std::move(operand)));
  }

  static bool has_negative(const Scalar& v) {
    if (v.dtype() == DType::int64) return v.to_int64() != std::numeric_limits<int64_t>::min();
    return v.is_floating_point();
  }

  /// -2^63, whose digits alone are too large.
  Node smallest_integer() {
    const Token& token = take();
    if (is("**")) refuse_integer(token.span);
    Node node = make(Node::Kind::number, token, std::string(token.text), {});
    node.number = std::numeric_limits<int64_t>::min();
    return node;
  }

  Node primary() {
    if (peek().kind == Token::Kind::number) {
      const Token& token = take();
      Node node = make(Node::Kind::number, token, std::string(token.text), {});
      node.number = token.number;
      return node;
    }
    if (peek().kind == Token::Kind::name && find(kInfix, peek()) == nullptr) {
      const Token& token = take();
      if (take_if("(")) return call(token);
      return make(Node::Kind::name, token, std::string(token.text), {});
    }
    if (is("(")) {
      take();
      Node node = expression(kLoosest);
      if (!take_if(")")) unexpected("expected ')'");
      return node;
    }
    if (is("[")) return list();
    unexpected("expected a number, a name or '('");
  }

  Node list() {
    const Token& token = take();
    std::vector<Node> elements;
    while (!is("]")) {
      elements.push_back(expression(kLoosest));
      if (!take_if(",") && !is("]")) unexpected("expected ',' or ']'");
    }
    take();
    return make(Node::Kind::list, token, {}, std::move(elements));
  }

  Node call(const Token& function) {
    std::vector<Node> arguments;
    std::vector<std::string> names;
    while (!is(")")) {
      std::string name;
      if (peek().kind == Token::Kind::name && is("=", 1)) {
        name = take().text;
        take();
      } else if (!names.empty() && !names.back().empty()) {
        fail("an argument without a name follows one with a name");
      }
      names.push_back(std::move(name));
      arguments.push_back(expression(kLoosest));
      if (!take_if(",") && !is(")")) unexpected("expected ',' or ')'");
    }
    take();
    Node node = make(Node::Kind::call, function, std::string(function.text), std::move(arguments));
    node.names = std::move(names);
    return node;
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

Node parse(std::string_view text) { return Parser(text).run(); }

}  // namespace tamis::cli
