// The condition language: precedence, tokens, and messages with carets.
#include <gtest/gtest.h>

#include <string>

#include "language/parser.h"
#include "nearest.h"

namespace tamis::cli {
namespace {

/// The tree with all its parentheses: "(add x (mul y 2))".
std::string shown(const Node& node) {
  if (node.kind == Node::Kind::number) {
    const Scalar v = node.number;
    if (v.is_beyond_int64()) return std::to_string(static_cast<uint64_t>(v.to_int64()));
    return v.is_floating_point() ? std::to_string(v.to_double()) : std::to_string(v.to_int64());
  }
  if (node.kind == Node::Kind::name) return node.text;
  std::string text = node.kind == Node::Kind::list ? "[" : "(" + node.text;
  if (node.kind == Node::Kind::comparison) text += "compare";
  for (size_t i = 0; i < node.children.size(); ++i) {
    if (node.kind == Node::Kind::comparison && i > 0) text += " " + node.rows[i - 1];
    if (i < node.names.size() && !node.names[i].empty()) text += " " + node.names[i] + "=";
    text += " " + shown(node.children[i]);
  }
  return text + (node.kind == Node::Kind::list ? "]" : ")");
}

std::string tree(const std::string& text) { return shown(parse(text)); }

/// The message and the two lines below it.
std::string refusal(const std::string& text) {
  try {
    parse(text);
  } catch (const ConditionError& e) {
    return std::string(e.what()) + "\n" + underlined(text, e.span());
  }
  return "accepted";
}

TEST(CliParser, BindsComparisonsTighterThanBitOperators) {
  EXPECT_EQ(tree("x > 3 & ~isnan(x)"), "(bitwise_and (compare x gt 3) (bitwise_not (isnan x)))");
  EXPECT_EQ(tree("(x > 3) & (~isnan(x))"), tree("x > 3 & ~isnan(x)"));
  EXPECT_EQ(tree("a | b ^ c & d"), "(bitwise_or a (bitwise_xor b (bitwise_and c d)))");
  EXPECT_EQ(tree("a or b and not c | d"),
            "(logical_or a (logical_and b (logical_not "
            "(bitwise_or c d))))");
  EXPECT_EQ(tree("not x > 3"), "(logical_not (compare x gt 3))");
}

TEST(CliParser, BindsArithmeticAsPythonDoes) {
  EXPECT_EQ(tree("a + b * c"), "(add a (mul b c))");
  EXPECT_EQ(tree("a - b - c"), "(sub (sub a b) c)");
  EXPECT_EQ(tree("a / b // c % d"), "(remainder (floor_divide (div a b) c) d)");
  EXPECT_EQ(tree("a ** b ** c"), "(pow a (pow b c))");
  EXPECT_EQ(tree("-x ** 2"), "(neg (pow x 2))");
  EXPECT_EQ(tree("2 ** -x"), "(pow 2 (neg x))");
  EXPECT_EQ(tree("-x * y"), "(mul (neg x) y)");
  EXPECT_EQ(tree("~x & y"), "(bitwise_and (bitwise_not x) y)");
  EXPECT_EQ(tree("+x"), "x");
  EXPECT_EQ(tree("- - 3"), "3");
  EXPECT_EQ(tree("x + 1 > y * 2"), "(compare (add x 1) gt (mul y 2))");
}

TEST(CliParser, ChainsComparisons) {
  EXPECT_EQ(tree("0 < x <= 3"), "(compare 0 lt x le 3)");
  EXPECT_EQ(tree("a == b != c >= d"), "(compare a eq b ne c ge d)");
}

TEST(CliParser, ReadsNumbers) {
  EXPECT_EQ(tree("0xff"), "255");
  EXPECT_EQ(tree("1e3"), "1000.000000");
  EXPECT_EQ(tree(".5"), "0.500000");
  EXPECT_EQ(tree("2."), "2.000000");
  EXPECT_EQ(tree("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(parse("1E-3").number.to_double(), 1e-3);
  EXPECT_EQ(tree("-7"), "-7");
  EXPECT_EQ(tree("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(tree("9223372036854775808"), "9223372036854775808");
  EXPECT_EQ(tree("x < 0xffffffffffffffff"), "(compare x lt 18446744073709551615)");
  EXPECT_EQ(tree("x > -0x8000000000000000"), "(compare x gt -9223372036854775808)");
  EXPECT_EQ(tree("- -9223372036854775808"), "(neg -9223372036854775808)");
}

TEST(CliParser, ReadsCallsAndLists) {
  EXPECT_EQ(tree("isin(x, [2, 4.5, -7])"), "(isin x [ 2 4.500000 -7])");
  EXPECT_EQ(tree("isin(x, [])"), "(isin x [])");
  EXPECT_EQ(tree("isclose(x, y, atol=1)"), "(isclose x y atol= 1)");
  EXPECT_EQ(tree("f()"), "(f)");
  EXPECT_EQ(tree("f(x,)"), "(f x)");
}

TEST(CliParser, PointsAtWhatItDoesNotUnderstand) {
  EXPECT_EQ(refusal("x >"),
            "expected a number, a name or '(', but the condition ends here\n  x >\n     ^");
  EXPECT_EQ(refusal("x = 3"),
            "expected an operator, but got '='; to compare, write ==\n  x = 3\n    ^");
  EXPECT_EQ(refusal("x > 3 && y"),
            "unknown operator '&&'; write & or and\n  x > 3 && y\n        ^~");
  EXPECT_EQ(refusal("(x > 3"), "expected ')', but the condition ends here\n  (x > 3\n        ^");
  EXPECT_EQ(refusal("x y"), "expected an operator, but got 'y'\n  x y\n    ^");
  EXPECT_EQ(refusal("x in [1]"),
            "expected an operator, but got 'in'; write isin(x, [1, 2])\n  x in [1]\n    ^~");
  EXPECT_EQ(refusal("!x"), "unknown operator '!'; write ~ or not\n  !x\n  ^");
  EXPECT_EQ(refusal("3x > 2"), "this is neither a number nor a name\n  3x > 2\n  ^~");
  EXPECT_EQ(refusal("0x"), "this is neither a number nor a name\n  0x\n  ^~");
  EXPECT_EQ(refusal("0xfg"), "this is neither a number nor a name\n  0xfg\n  ^~~~");
  EXPECT_EQ(refusal("1.2.3"), "this is neither a number nor a name\n  1.2.3\n  ^~~~~");
  EXPECT_EQ(refusal("x > 18446744073709551616"),
            "this number does not fit in 64 bits; add .0 to make it a float\n  x > "
            "18446744073709551616\n      ^~~~~~~~~~~~~~~~~~~~");
  EXPECT_EQ(refusal("-9223372036854775808 ** 2 < x").substr(0, 62),
            "this number does not fit in 64 bits; add .0 to make it a float");
  EXPECT_EQ(refusal("x > -9223372036854775809").substr(0, 62),
            "this number does not fit in 64 bits; add .0 to make it a float");
  EXPECT_EQ(refusal("x > 1e999"),
            "this number is out of range for float64\n  x > 1e999\n      ^~~~~");
  EXPECT_EQ(refusal("f(a=1, 2)"),
            "an argument without a name follows one with a name\n  f(a=1, 2)\n         ^");
  EXPECT_EQ(
      refusal("a & not b"),
      "'not' binds more loosely than the operator before it; put it in parentheses\n  a & not "
      "b\n      ^~~");
  EXPECT_EQ(refusal("  "), "the condition is empty\n    \n    ^");
  EXPECT_EQ(refusal("[1, 2"),
            "expected ',' or ']', but the condition ends here\n  [1, 2\n       ^");
}

TEST(CliParser, ShowsTheLineOfTheFault) {
  EXPECT_EQ(refusal("x > 1 &\n\ty > > 2 &\nz < 1"),
            "expected a number, a name or '(', but got '>'\n   y > > 2 &\n       ^");
  EXPECT_EQ(refusal("x > \xc3\xa9"), "unexpected character\n  x > ??\n      ^");
}

TEST(CliParser, BoundsTheDepthOfTrees) {
  const auto repeated = [](const std::string& text, int n) {
    std::string all;
    for (int i = 0; i < n; ++i) all += text;
    return all;
  };
  EXPECT_NE(refusal(repeated("(", 100) + "x" + repeated(")", 100)), "this is nested too deeply");
  EXPECT_EQ(refusal(repeated("(", 100) + "x" + repeated(")", 100)), "accepted");
  for (const std::string& text :
       {repeated("(", 100000), repeated("-", 100000), repeated("[", 100000), repeated("f(", 100000),
        "x" + repeated("+x", 1000), "x" + repeated("**x", 1000), repeated("not ", 1000) + "x"}) {
    EXPECT_EQ(refusal(text).substr(0, 25), "this is nested too deeply");
  }
}

TEST(CliNearest, FindsWhatWasMeant) {
  const std::vector<std::string> names = {"isnan", "isinf", "where", "x", "--where"};
  EXPECT_EQ(nearest("isnam", names), "isnan");
  EXPECT_EQ(nearest("insan", names), "isnan");
  EXPECT_EQ(nearest("wher", names), "where");
  EXPECT_EQ(nearest("--wehre", names), "--where");
  EXPECT_EQ(nearest("temperature", names), "");
  EXPECT_EQ(nearest("z", names), "");
  EXPECT_EQ(nearest(std::string(100000, 'a'), names), "");
}

}  // namespace
}  // namespace tamis::cli
