// The condition language: what expressions give, window by window, and what they refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "language/functions.h"
#include "support/cli.h"
#include "tamis/masks.h"
#include "tamis/runtime.h"
#include "tamis/tamis.h"

namespace tamis::cli {
namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

std::vector<Array> arrays() {
  return {array_of("x", tensor({{1.f, -2.f, kNan}, {4.f, 0.5f, kInf}})),
          array_of("y", tensor({0.f, 1.f, 2.f})), array_of("n", tensor({{3, 4, 5}, {6, -7, 8}})),
          array_of("b", tensor({{true, false, true}, {false, false, true}})),
          array_of("lens", tensor({2, 0, 3}))};
}

/// Equal in shape, dtype and values, NaN equal to NaN.
void expect_same(const Tensor& got, const Tensor& expected, const std::string& what) {
  ASSERT_EQ(got.shape(), expected.shape()) << what;
  ASSERT_EQ(got.dtype(), expected.dtype()) << what;
  const bool same =
      is_floating_point(got.dtype()) ? allclose(got, expected, 0, 0, true) : equal(got, expected);
  EXPECT_TRUE(same) << what << "\n" << got << "\n" << expected;
}

/// In boxes of every size, down to one element, the value is the same.
void check(const std::string& text, const Tensor& expected) {
  for (int64_t elements : {1, 2, 4, 100}) {
    expect_same(evaluate(text, arrays(), elements), expected, text);
  }
}

std::string refusal(const std::string& text) {
  try {
    evaluate(text, arrays());
  } catch (const ConditionError& e) {
    return std::string(e.what()) + "\n" + underlined(e.source(), e.span());
  }
  return "accepted";
}

TEST(CliLanguage, ComparesAndCombines) {
  check("x > 0.5 & ~isnan(x)", tensor({{true, false, false}, {true, false, true}}));
  check("0 < x <= 1", tensor({{true, false, false}, {false, true, false}}));
  check("x > y", tensor({{true, false, false}, {true, false, true}}));
  check("b | n == 4", tensor({{true, true, true}, {false, false, true}}));
  check("b ^ true", tensor({{false, true, false}, {true, true, false}}));
  check("not b and n > 4", tensor({{false, false, false}, {true, false, false}}));
  check("n & 1 | 2", tensor({{3, 2, 3}, {2, 3, 2}}));
  check("x == inf", tensor({{false, false, false}, {false, false, true}}));
  check("x != nan", tensor({{true, true, true}, {true, true, true}}));
}

TEST(CliLanguage, Calculates) {
  check("n // 2 + n % 2 * 10 - 1", tensor({{10, 1, 11}, {2, 5, 3}}));
  check("-n ** 2", tensor({{-9, -16, -25}, {-36, -49, -64}}));
  check("where(b, n, -1)", tensor({{3, -1, 5}, {-1, -1, 8}}));
  check("clamp(n, min=4)", tensor({{4, 4, 5}, {6, 4, 8}}));
  check("clamp(n, max=4, min=0)", tensor({{3, 4, 4}, {4, 0, 4}}));
  check("n / 2", tensor({{1.5f, 2.f, 2.5f}, {3.f, -3.5f, 4.f}}).to_double());
}

TEST(CliLanguage, KeepsDtypesBesideNumbers) {
  check("n + 1", tensor({{4, 5, 6}, {7, -6, 9}}));
  // 0.1 is compared in float32, as in PyTorch.
  const std::vector<Array> tenth = {array_of("x", tensor({0.1f, 0.2f}))};
  expect_same(evaluate("x == 0.1", tenth), tensor({true, false}), "==");
  expect_same(evaluate("isin(x, [0.1, 5])", tenth), tensor({true, false}), "isin");
}

TEST(CliLanguage, KnowsIndices) {
  check("i", tensor({{0, 0, 0}, {1, 1, 1}}));
  check("i * 10 + j", tensor({{0, 1, 2}, {10, 11, 12}}));
  check("j >= i & x > 0", tensor({{true, false, false}, {false, true, true}}));
  EXPECT_EQ(refusal("k > 0"),
            "k is the index along dimension 2, but there are only two dimensions\n  k > 0\n  ^");
}

TEST(CliLanguage, KnowsSets) {
  check("isin(n, [3, 8, -7])", tensor({{true, false, false}, {false, true, true}}));
  check("isin(n, [])", tensor({{false, false, false}, {false, false, false}}));
  check("isin(n, [4], invert=true)", tensor({{true, false, true}, {true, true, true}}));
  check("isin(n, lens)", tensor({{true, false, false}, {false, false, false}}));
  check("keep_token_ids(n, [4, 5])", tensor({{false, true, true}, {false, false, false}}));
}

TEST(CliLanguage, KnowsValuesOfWholeArrays) {
  check("x > mean(n)", tensor({{false, false, false}, {true, false, true}}));  // 19 / 6
  check("n == max(n)", tensor({{false, false, false}, {false, false, true}}));
  check("n + sum(b)", tensor({{6, 7, 8}, {9, -4, 11}}));
  check("n - count(x > 0)", tensor({{-1, 0, 1}, {2, -11, 4}}));
  check("n > 0 & any(b)", tensor({{true, true, true}, {true, false, true}}));
  check("n > 0 & all(b)", tensor({{false, false, false}, {false, false, false}}));
  // NaN is left out: the median of -2, 0.5, 1, 4, inf.
  check("x == median(x)", tensor({{true, false, false}, {false, false, false}}));
  check("x >= q(0.75)", tensor({{false, false, false}, {true, false, true}}));
  check("n == q(n, 0.2)", tensor({{true, false, false}, {false, false, false}}));
  check("n > quantile(n, 0.5)", tensor({{false, false, true}, {true, false, true}}));  // 4.5
  check("n > 0 & abs(mean(n - mean(n))) < 1e-6", tensor({{true, true, true}, {true, false, true}}));
  check("y < min(abs(n)) & y >= var(y)", tensor({false, true, true}).expand({2, 3}));
  check("y / std(y)", tensor({0.f, 1.f, 2.f}).expand({2, 3}));
}

TEST(CliLanguage, BuildsMasks) {
  const std::vector<Array> square = {array_of("x", arange(49).view({7, 7})),
                                     array_of("ids", tensor({0, 0, 1, 1, 1, 3, 0})),
                                     array_of("lens", tensor({2, 0, 3, 7, 1, 0, 7}))};
  const Tensor ids = tensor({0, 0, 1, 1, 1, 3, 0});
  const std::pair<std::string, Tensor> cases[] = {
      {"causal(7)", masks::causal(7)},
      {"causal(7, 7, -2)", masks::causal(7, 7, -2)},
      {"causal(7, offset=3)", masks::causal(7, {}, 3)},
      {"band(7, 7, 1, 2)", masks::band(7, 7, 1, 2)},
      {"band(7, 7, -1, 4)", masks::band(7, 7, -1, 4)},
      {"sliding_window(7, 3)", masks::sliding_window(7, 3)},
      {"sliding_window(7, 3, causal=false)", masks::sliding_window(7, 3, false)},
      {"sliding_window(7, 0)", masks::sliding_window(7, 0)},
      {"from_lengths(lens, 7)", masks::from_lengths(tensor({2, 0, 3, 7, 1, 0, 7}), 7)},
      {"from_lengths(lens)", masks::from_lengths(tensor({2, 0, 3, 7, 1, 0, 7}))},
      {"documents(ids)", masks::documents(ids)},
      {"from_indices([7, 7], [0, 8, -1])", masks::from_indices(Shape{7, 7}, {0, 8, -1})},
      {"from_indices([7], [1, 2], value=false)",
       masks::from_indices(7, {1, 2}, false).expand({7, 7})},
      {"between(x, 3, 9)", (arange(49).view({7, 7}) >= 3) & (arange(49).view({7, 7}) <= 9)},
      {"causal(7) & x % 2 == 0", masks::causal(7) & (arange(49).view({7, 7}) % 2 == 0)},
  };
  for (const auto& [text, expected] : cases) {
    for (int64_t elements : {1, 3, 7, 16, 100}) {
      expect_same(evaluate(text, square, elements), expected.clone(), text);
    }
  }
  EXPECT_EQ(numel(evaluate("causal(3, 4)", {}).shape()), 12);
}

TEST(CliLanguage, BroadcastsArraysInBoxes) {
  const Tensor a = arange(24).view({2, 3, 1, 4}), b = arange(10).view({5, 2}).t();
  const std::vector<Array> some = {array_of("x", a), array_of("y", tensor({{1}, {2}, {3}}))};
  const Tensor expected = a * tensor({{1}, {2}, {3}});
  for (int64_t elements = 1; elements < 30; ++elements) {
    expect_same(evaluate("x * y", some, elements), expected.clone(), "x * y");
  }
  const std::vector<Array> strided = {array_of("x", b)};
  expect_same(evaluate("x * 2", strided, 3), (b * 2).clone(), "x * 2");
}

TEST(CliLanguage, TakesEmptyAndZeroDimensionalArrays) {
  EXPECT_EQ(evaluate("x > 0", {array_of("x", zeros({0, 3}))}).shape(), (Shape{0, 3}));
  expect_same(evaluate("x > 2", {array_of("x", tensor(3))}), tensor(true), "0-d");
  expect_same(evaluate("x > mean(x)", {array_of("x", zeros({0}))}), empty({0}, boolean), "mean");
}

TEST(CliLanguage, GivesTheSameOnAnyNumberOfThreads) {
  manual_seed(1);
  const std::vector<Array> some = {array_of("x", randn({1000003}))};
  const std::string text = "abs(x - mean(x)) > 2 * std(x) | x < q(0.01) | x > q(0.99)";
  const Tensor one = evaluate(text, some, 1 << 16, 1);
  EXPECT_TRUE(equal(evaluate(text, some, 1 << 16, 4), one));
  EXPECT_GT(count(one), 40000);
}

TEST(CliLanguage, PointsAtNamesAndSuggestsTheNearest) {
  EXPECT_EQ(refusal("x > 3 & ~isnam(x)"),
            "unknown function 'isnam'; did you mean isnan?\n  x > 3 & ~isnam(x)\n           ^~~~~");
  EXPECT_EQ(refusal("len > 3"), "unknown name 'len'; did you mean lens?\n  len > 3\n  ^~~");
  EXPECT_EQ(refusal("temp > 3"),
            "unknown name 'temp'; the arrays are named x, y, n, b, lens\n  temp > 3\n  ^~~~");
  EXPECT_EQ(refusal("isnan & b"), "isnan is a function; write isnan(input)\n  isnan & b\n  ^~~~~");
  EXPECT_EQ(refusal("x(3)"), "x is an array, not a function\n  x(3)\n  ^");
}

TEST(CliLanguage, PointsAtWrongArguments) {
  EXPECT_EQ(refusal("isnan(x, y)"),
            "too many arguments; write isnan(input)\n  isnan(x, y)\n           ^");
  EXPECT_EQ(refusal("where(b, x)"),
            "where needs 'other'; write where(condition, input, other)\n"
            "  where(b, x)\n  ^~~~~");
  EXPECT_EQ(refusal("clamp(x, low=1)"),
            "clamp has no argument 'low'; write clamp(input, min=None, max=None)\n"
            "  clamp(x, low=1)\n               ^");
  EXPECT_EQ(
      refusal("isclose(x, y, input=x)"),
      "the argument 'input' is given twice\n  isclose(x, y, input=x)\n                      ^");
  EXPECT_EQ(refusal("isin(x, 3)"),
            "expected a list or the name of an array\n  isin(x, 3)\n          ^");
  EXPECT_EQ(refusal("isin(x, [y])"),
            "a list can contain only numbers\n  isin(x, [y])\n           ^");
  EXPECT_EQ(refusal("x > [1]"),
            "a list can only be an argument, as in isin(x, [1, 2])\n  x > [1]\n      ^");
  EXPECT_EQ(refusal("causal(2.5)"), "n of causal must be an integer\n  causal(2.5)\n         ^~~");
  EXPECT_EQ(refusal("causal(x)"), "n of causal must be an integer\n  causal(x)\n         ^");
  EXPECT_EQ(refusal("x > q(1.5)"), "p must be between 0 and 1\n  x > q(1.5)\n        ^~~");
  EXPECT_EQ(refusal("x > q(nan)"), "p must be between 0 and 1\n  x > q(nan)\n        ^~~");
  EXPECT_EQ(refusal("count(x)"),
            "count takes a condition, but this is float32\n  count(x)\n        ^");
  EXPECT_EQ(refusal("keep_token_ids(n, 3)"),
            "ids of keep_token_ids must be a list of integers\n  keep_token_ids(n, 3)\n"
            "                    ^");
  EXPECT_EQ(refusal("isclose(x, y, equal_nan=1)"),
            "equal_nan of isclose must be true or false\n  isclose(x, y, equal_nan=1)\n"
            "                          ^");
}

TEST(CliLanguage, PointsAtWhatTheLibraryRefuses) {
  EXPECT_NE(refusal("x & 1").find("\n  x & 1\n    ^"), std::string::npos) << refusal("x & 1");
  EXPECT_NE(refusal("b & causal(2)").find("\n  b & causal(2)\n    ^"), std::string::npos);
  EXPECT_NE(refusal("where(x, 1, 2) > 0").find("\n  where(x, 1, 2) > 0\n  ^~~~~"),
            std::string::npos);
  EXPECT_NE(refusal("from_lengths(lens, 2)").find("out of range"), std::string::npos);
  EXPECT_NE(refusal("from_indices([2, 3], [6])").find("out of bounds"), std::string::npos);
  EXPECT_NE(refusal("causal(-1)").find("must not be negative"), std::string::npos);
}

TEST(CliLanguage, PointsAtDivisionsOfIntegersByZero) {
  // Only where there is one: n has no 9.
  check("n % (n - 9) == 0", tensor({{false, false, false}, {true, false, true}}));
  check("n // (count(b) - 1) == 2", tensor({{false, true, true}, {false, false, false}}));
  EXPECT_EQ(refusal("n % (n - 4) == 0"), "integer division by zero\n  n % (n - 4) == 0\n    ^");
  EXPECT_EQ(refusal("x > mean(n // i)"),
            "integer division by zero\n  x > mean(n // i)\n             ^~");
  EXPECT_EQ(refusal("n // (count(b) - 3) > 0").substr(0, 24), "integer division by zero");
}

// ---- the functions are those of the rows --------------------------------------------------------

TEST(CliFunctions, HaveAllPointwiseRowsAndMaskBuilders) {
  const bool eager = eager_mode();
  set_eager_mode(false);
  // Deferred and from tensors alone, and yet not only from the elements at the same position.
  const std::set<std::string> others = {"outer",         "kron",
                                        "addmm",         "addmv",
                                        "addr",          "addbmm",
                                        "baddbmm",       "bernoulli",
                                        "normal",        "dropout",
                                        "view_as_real",  "view_as_complex",
                                        "corrcoef",      "feature_dropout",
                                        "alpha_dropout", "feature_alpha_dropout",
                                        "rrelu",         "poisson",
                                        "binomial"};
  const auto has = [](const Row& row, ParamType type) { return row.signature.find(type) >= 0; };
  for (const Row& row : all_rows()) {
    // Other parameters are dimensions and the like.
    if (!row.signature.space.empty() || has(row, ParamType::integer) ||
        has(row, ParamType::integers) || has(row, ParamType::string) ||
        has(row, ParamType::dtype) || others.contains(row.name())) {
      continue;
    }
    const Value result = row.call(row.samples[0]);
    const auto* tensor = std::get_if<Tensor>(&result);
    if (tensor == nullptr || !tensor->is_deferred()) continue;
    EXPECT_NE(find_function(row.name()), nullptr) << row.signature.text << " is no function";
  }
  for (const Row& row : mask_rows()) {
    EXPECT_NE(find_function(row.signature.name), nullptr) << row.signature.text;
  }
  set_eager_mode(eager);
}

/// A sample argument as it is written in a condition; arrays are added to `arrays`.
std::string written(const Value& value, const Parameter& p, std::vector<Array>& arrays) {
  if (const auto* x = std::get_if<Tensor>(&value)) {
    // 0-d samples are mostly numbers.
    if (x->dim() == 0 && p.name != "test_elements" && x->dtype() != DType::boolean) {
      const Scalar v = x->item();
      return v.is_floating_point() ? std::to_string(v.to_double()) : std::to_string(v.to_int64());
    }
    arrays.push_back(array_of("a" + std::to_string(arrays.size()), *x));
    return arrays.back().name;
  }
  if (const auto* v = std::get_if<bool>(&value)) return *v ? "true" : "false";
  if (const auto* v = std::get_if<int64_t>(&value)) return std::to_string(*v);
  if (const auto* v = std::get_if<double>(&value)) return std::to_string(*v);
  if (const auto* v = std::get_if<Scalar>(&value)) {
    return v->is_floating_point() ? std::to_string(v->to_double()) : std::to_string(v->to_int64());
  }
  if (const auto* v = std::get_if<Shape>(&value)) return to_string(*v);
  return {};
}

TEST(CliFunctions, GiveWhatTheirRowsGive) {
  int calls = 0;
  for (const Function& f : functions()) {
    if (f.evaluation == Evaluation::whole) continue;
    for (const Args& sample : f.row->samples) {
      std::vector<Array> inputs;
      std::string text;
      for (size_t i = 0; i < f.parameters.size(); ++i) {
        if (!is_written(f.parameters[i])) continue;
        const std::string argument = written(sample[i], f.parameters[i], inputs);
        if (argument.empty()) continue;
        text += (text.empty() ? "" : ", ") + f.parameters[i].name + "=" + argument;
      }
      text = f.name + "(" + text + ")";
      const Tensor expected = std::get<Tensor>(f.row->call(sample));
      // The first array only lends its shape to the boxes where it has the result's.
      for (int64_t elements : {1, 3, 1000}) {
        Expression expression(text, inputs);
        const Windows windows(expression.shape(), elements);
        std::vector<Tensor> parts;
        for (int64_t n = 0; n < windows.count(); ++n) {
          const Box box = windows[n];
          BoxOfArrays arrays_of_box(inputs, box);
          parts.push_back(expression.evaluate(arrays_of_box).broadcast_to(box.size).reshape({-1}));
        }
        ASSERT_EQ(expression.shape(), expected.shape()) << text;
        // Integers that give fractions are computed in float64 here.
        const bool is_wider = expression.dtype() == float64 && expected.dtype() == float32;
        ASSERT_TRUE(is_wider || expression.dtype() == expected.dtype()) << text;
        if (parts.empty()) continue;
        const Tensor got = cat(parts).view(expected.shape());
        if (is_wider) {
          EXPECT_TRUE(allclose(got, expected.to_double(), 1e-6, 1e-30, true)) << text;
          continue;
        }
        if (is_complex(got.dtype())) {
          EXPECT_TRUE(equal(got, expected)) << text;
        } else {
          expect_same(got, expected.clone(), text);
        }
        ++calls;
      }
    }
  }
  EXPECT_GT(calls, 300);
}

TEST(CliFunctions, AreDescribed) {
  std::set<std::string> names;
  for (const Function& f : functions()) {
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    EXPECT_TRUE(f.summary.ends_with(".")) << f.name;
    EXPECT_TRUE(f.usage.starts_with(f.name + "(")) << f.usage;
  }
}

}  // namespace
}  // namespace tamis::cli
