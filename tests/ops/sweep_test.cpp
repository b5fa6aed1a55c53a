// Sweep: every row of the op table, in every dtype, layout and evaluation mode, against the plain
// reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "core/tensor_impl.h"
#include "ops/row.h"
#include "support/layouts.h"
#include "support/reference.h"

namespace tamis {
namespace {

using reference::Arg;
using reference::Refused;
using reference::Rule;
using testing::LayoutKind;

constexpr DType kDTypes[] = {boolean, uint8,   uint16,   int8,    int16,  int32,
                             int64,   float16, bfloat16, float32, float64};

// ---- the cases of a row -------------------------------------------------------------------------

bool is_mask(const Parameter& p) { return p.name == "mask" || p.name == "condition"; }
bool is_dtype(const Parameter& p) { return p.type() == ParamType::dtype; }

struct Case {
  std::string label;
  Args args;
};

bool is_number(const Tensor& x) { return x.impl().is_number && x.dim() == 0; }

/// x with its values converted by the reference.
Tensor converted(const Tensor& x, DType dtype) {
  return reference::write(reference::cast(reference::read(x), dtype));
}

/// args with those tensors converted that `which(parameter, position among the tensors)` picks;
/// nothing if it picks none.
template <class F>
std::optional<Args> with_dtype(const Args& args, const std::vector<Parameter>& params, DType dtype,
                               F which) {
  Args result = args;
  int position = 0;
  bool changed = false;
  const auto change = [&](Tensor& x, const Parameter& param) {
    if (!which(param, position++) || x.dtype() == dtype || is_number(x)) return;
    x = converted(x, dtype);
    changed = true;
  };
  for (size_t i = 0; i < result.size(); ++i) {
    if (auto* x = std::get_if<Tensor>(&result[i])) {
      change(*x, params[i]);
    } else if (auto* list = std::get_if<std::vector<Tensor>>(&result[i])) {
      for (Tensor& y : *list) change(y, params[i]);
    } else if (is_dtype(params[i]) && which(params[i], -1)) {
      result[i] = dtype;
      changed = true;
    }
  }
  return changed ? std::optional(result) : std::nullopt;
}

std::vector<Case> cases_of(const Row& row, size_t sample) {
  const std::vector<Parameter>& params = row.signature.params;
  const Args& args = row.samples[sample];
  std::vector<Case> cases = {{"as given", args}};
  for (DType dtype : kDTypes) {
    const auto add = [&](const char* what, bool (*which)(const Parameter&, int)) {
      const auto some = with_dtype(args, params, dtype, which);
      if (some) cases.push_back({fmt::format("{} as {}", what, name(dtype)), *some});
    };
    add("all", [](const Parameter& p, int at) { return !is_mask(p) && at >= 0; });
    add("the first", [](const Parameter& p, int at) { return !is_mask(p) && at == 0; });
    add("masks", [](const Parameter& p, int) { return is_mask(p); });
    add("the result", [](const Parameter& p, int) { return is_dtype(p); });
  }
  return cases;
}

// ---- running one case ---------------------------------------------------------------------------

/// Tensor k of the arguments in layout number first + k * step; nothing if one of them cannot be
/// had.
std::optional<Args> in_layout(const Args& args, size_t first, size_t step) {
  Args result = args;
  size_t k = first;
  const auto lay_out = [&](Tensor& x) {
    const LayoutKind kind = testing::kLayoutKinds[k % testing::kLayoutKinds.size()];
    k += step;
    if (is_number(x)) return true;
    auto laid_out = testing::with_layout(kind, x);
    if (!laid_out) return false;
    x = *laid_out;
    return true;
  };
  for (Value& arg : result) {
    if (auto* x = std::get_if<Tensor>(&arg)) {
      if (!lay_out(*x)) return std::nullopt;
    } else if (auto* list = std::get_if<std::vector<Tensor>>(&arg)) {
      for (Tensor& y : *list) {
        if (!lay_out(y)) return std::nullopt;
      }
    }
  }
  return result;
}

const char* kind_name(ErrorKind kind) {
  constexpr const char* kNames[] = {"shape", "dtype", "index", "value", "unsupported", "memory"};
  return kNames[static_cast<int>(kind)];
}

/// What the reference says to some arguments.
struct Expected {
  reference::Args args;
  Arg result;
  std::optional<ErrorKind> refused;
};

Expected expect(const Rule& rule, const Args& args) {
  Expected expected;
  for (const Value& v : args) expected.args.push_back(reference::read(v));
  try {
    expected.result = rule.call(expected.args);
  } catch (const Refused& r) {
    expected.refused = r.kind;
  }
  return expected;
}

/// What is wrong with the row's answer to the arguments; empty if nothing is.
std::string run(const Row& row, const Rule& rule, const Args& args, const Expected& expected) {
  Value value;
  try {
    value = row.call(args);
  } catch (const Error& e) {
    if (!expected.refused) return fmt::format("threw \"{}\"", e.what());
    if (*expected.refused == e.kind()) return "";
    return fmt::format("threw an error of kind {} instead of {}: {}", kind_name(e.kind()),
                       kind_name(*expected.refused), e.what());
  }
  if (expected.refused)
    return fmt::format("threw no error of kind {}", kind_name(*expected.refused));
  const Arg got = reference::read(value);
  if (!rule.judge) return reference::difference(expected.result, got, rule.ulps);
  const auto &shape = std::get<reference::Array>(expected.result),
             &x = std::get<reference::Array>(got);
  if (shape.dtype != x.dtype || !(shape.shape == x.shape)) return "wrong shape or dtype";
  return rule.judge(expected.args, got);
}

int64_t& counter(const std::string& op) {
  static std::map<std::string, int64_t> counts;
  return counts[op];
}

/// Runs the case in all layouts and both modes, up to the first failure.
void sweep_layouts(const Row& row, const Rule& rule, const Case& c,
                   std::initializer_list<size_t> layouts) {
  const Expected expected = expect(rule, c.args);
  for (bool eager : {false, true}) {
    const testing::ModeGuard mode(eager);
    for (size_t layout : layouts) {
      for (size_t step : {0, 4}) {
        const auto args = in_layout(c.args, layout, step);
        if (!args) continue;
        ++counter(row.name());
        const std::string problem = run(row, rule, *args, expected);
        ASSERT_EQ(problem, "") << row.signature.text << "\n  " << c.label << ", first tensor "
                               << testing::layout_name(testing::kLayoutKinds[layout])
                               << (step ? ", the others in other layouts" : ", so are the others")
                               << (eager ? ", eager" : ", deferred");
      }
    }
  }
}

class Sweep : public ::testing::TestWithParam<size_t> {
 protected:
  const Row& row() const { return all_rows()[GetParam()]; }
  const Rule* rule() const { return &reference::table().at(row().name()); }
};

TEST(Reference, HasAllBasicOps) {
  for (auto* family : {create_rows, view_rows, arith_rows, compare_rows, logic_rows, select_rows,
                       fill_rows, scatter_rows, reduce_rows, mask_rows}) {
    for (const Row& row : family()) {
      EXPECT_TRUE(reference::table().count(row.name()))
          << "no reference for " << row.signature.text;
    }
  }
}

TEST_P(Sweep, SamplesMatchTheReference) {
  const Rule* const r = rule();
  ASSERT_FALSE(row().samples.empty()) << row().signature.text;
  for (size_t i = 0; i < row().samples.size(); ++i) {
    for (const Case& c : cases_of(row(), i)) {
      sweep_layouts(row(), *r, {fmt::format("sample {}, {}", i, c.label), c.args},
                    {0, 1, 2, 3, 4, 5, 6, 7, 8});
      if (HasFatalFailure()) return;
    }
  }
}

// ---- lengths around the sizes of words and blocks -----------------------------------------------

/// Small multiples of a quarter, so that sums of them are exact in any order. With `specials`,
/// floating point has infinities and NaN among them.
Tensor values(const Shape& shape, DType dtype, uint32_t seed, bool zeros, bool specials) {
  reference::Array x{DType::float64, shape, {}, false};
  constexpr double kSpecial[] = {HUGE_VAL, -HUGE_VAL, NAN, -0.0};
  for (int64_t i = 0; i < numel(shape); ++i) {
    seed = seed * 1664525u + 1013904223u;
    const int pick = static_cast<int>(seed >> 16) % 97;
    double v = (pick - 48) * 0.25;
    if (specials && pick < 4) v = kSpecial[pick];
    if (!is_floating_point(dtype))
      v = dtype == boolean ? pick % 3 == 0 : dtype == uint8 ? pick : pick - 48;
    x.cells.push_back({v == 0 && !zeros ? 5.0 : v, 0});
  }
  return reference::write(reference::cast(x, dtype));
}

/// Masks with and without long runs.
Tensor mask_of(const Shape& shape, int pattern) {
  reference::Array x{boolean, shape, {}, false};
  for (int64_t i = 0; i < numel(shape); ++i) {
    const bool random = (static_cast<uint32_t>(i) * 2654435761u) >> 31;
    const bool bits[] = {random, true, false, i % 2 == 0, i / 100 % 2 == 0};
    x.cells.push_back({0, bits[pattern % 5]});
  }
  return reference::write(x);
}

/// The row's first sample with long tensors instead of its own: the first [rows, n], the
/// others [n].
Args long_args(const Row& row, DType dtype, int64_t rows, int64_t n, int pattern) {
  static const std::set<std::string> kDivisions = {"floor_divide", "remainder", "fmod"};
  static const std::set<std::string> kKept = {"value", "test_elements", "ids"};
  const std::vector<Parameter>& params = row.signature.params;
  Args args = row.samples[0];
  bool first = true;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!std::holds_alternative<Tensor>(args[i])) continue;
    if (params[i].name == "value") args[i] = Tensor(1);
    if (kKept.count(params[i].name)) continue;
    const bool source = params[i].name == "source";
    const Shape shape = first && rows > 1 ? Shape{rows, n} : Shape{source ? rows * n : n};
    args[i] = is_mask(params[i]) || row.name() == "count"
                  ? mask_of(shape, pattern)
                  : values(shape, dtype, static_cast<uint32_t>(n + i),
                           first || !kDivisions.count(row.name()), pattern % 2 == 0);
    first = false;
  }
  return args;
}

TEST_P(Sweep, LongTensorsMatchTheReference) {
  static const std::set<std::string> kAlso = {
      "masked_select", "masked_fill", "masked_scatter", "nonzero", "count", "count_nonzero", "isin",
      "sum",           "mean",        "amax",           "amin",    "max",   "min",           "any",
      "all",           "clone",       "nonzero_tuple"};
  const Rule& r = *rule();
  if (!r.elementwise && !kAlso.count(row().name())) return;
  int pattern = 0;
  for (DType dtype : kDTypes) {
    for (int64_t n : {0, 1, 63, 64, 65, 4095, 4096, 4097}) {
      const int64_t rows = n < 100 ? 3 : 1;
      const Case c{fmt::format("{} of {}", n, name(dtype)),
                   long_args(row(), dtype, rows, n, pattern)};
      if (n < 100) {
        sweep_layouts(row(), r, c, {0, 2, 5, 6});
      } else if (n == 4097) {
        sweep_layouts(row(), r, c, {2, 6});
      } else {
        sweep_layouts(row(), r, c, {5});
      }
      if (HasFatalFailure()) return;
      ++pattern;
    }
  }
}

std::string row_name(const ::testing::TestParamInfo<size_t>& info) {
  std::string name = all_rows()[info.param].name();
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

/// The rows that the reference has a rule for, of overloads the first; the others are compared with
/// PyTorch (tests/torch).
std::vector<size_t> rows_with_rules() {
  std::vector<size_t> rows;
  std::set<std::string> names;
  for (size_t i = 0; i < all_rows().size(); ++i) {
    const std::string name = all_rows()[i].name();
    if (reference::table().count(name) && names.insert(name).second) rows.push_back(i);
  }
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Rows, Sweep, ::testing::ValuesIn(rows_with_rules()), row_name);

/// Says at the end how much was compared.
class Totals : public ::testing::Environment {
 public:
  void TearDown() override {
    int64_t total = 0;
    std::string text;
    std::set<std::string> names;
    for (const Row& row : all_rows()) {
      if (!names.insert(row.name()).second) continue;
      const int64_t n = counter(row.name());
      total += n;
      if (n > 0) text += fmt::format(" {} {}", row.name(), n);
    }
    if (total > 0) std::cout << fmt::format("sweep: {} cases:{}\n", total, text);
  }
};
const ::testing::Environment* const kTotals = ::testing::AddGlobalTestEnvironment(new Totals);

}  // namespace
}  // namespace tamis
