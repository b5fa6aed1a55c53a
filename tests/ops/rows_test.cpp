// Rows: the table of ops is complete, well formed, and every op in it behaves on its own samples.
#include "ops/row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "core/tensor_impl.h"
#include "support/pointwise_cases.h"

namespace tamis {
namespace {

using namespace testing;

// ---- signatures --------------------------------------------------------------------------------

bool is_of(const Value& value, ParamType type) {
  switch (type) {
    case ParamType::tensor:
      return std::holds_alternative<Tensor>(value);
    case ParamType::tensors:
      return std::holds_alternative<std::vector<Tensor>>(value);
    case ParamType::scalar:
      return std::holds_alternative<Scalar>(value);
    case ParamType::integer:
      return std::holds_alternative<int64_t>(value);
    case ParamType::real:
      return std::holds_alternative<double>(value);
    case ParamType::flag:
      return std::holds_alternative<bool>(value);
    case ParamType::dtype:
      return std::holds_alternative<DType>(value);
    case ParamType::integers:
      return std::holds_alternative<Shape>(value);
    case ParamType::string:
    case ParamType::device:
      return std::holds_alternative<std::string>(value);
    case ParamType::generator:
      return std::holds_alternative<Generator>(value);
    default:
      return false;
  }
}

bool fits(const Value& value, const Parameter& p) {
  if (std::holds_alternative<std::monostate>(value)) return p.optional;
  if (p.literal && std::get<bool>(value) != *p.literal) return false;
  // What else stands for a tensor has become one.
  if (p.type() == ParamType::tensor) return is_of(value, ParamType::tensor);
  return std::any_of(p.types.begin(), p.types.end(), [&](ParamType t) { return is_of(value, t); });
}

TEST(Rows, SignaturesAreUnique) {
  std::set<std::string> names, texts;
  for (const auto* rows : {&all_rows(), &method_rows()}) {
    for (const Row& row : *rows) {
      names.insert(row.name());
      EXPECT_TRUE(texts.insert(row.signature.text).second) << row.signature.text;
    }
  }
  EXPECT_GT(names.size(), 100u);
}

TEST(Rows, OverloadsOfOneNameStandTogether) {
  std::set<std::string> seen;
  std::string last;
  for (const Row& row : all_rows()) {
    const bool is_new = row.name() != last;
    EXPECT_TRUE(!is_new || seen.insert(row.name()).second) << row.signature.text;
    last = row.name();
  }
}

TEST(Rows, FlagsAgreeWithSignatures) {
  for (const auto* rows : {&all_rows(), &method_rows()}) {
    for (const Row& row : *rows) {
      SCOPED_TRACE(row.signature.text);
      const Signature& s = row.signature;
      EXPECT_TRUE(row.function || row.method);
      const bool has_input = !s.params.empty() && s.params[0].name == "input" &&
                             s.params[0].type() == ParamType::tensor;
      EXPECT_TRUE(has_input || !(row.method || row.in_place));
      EXPECT_TRUE(!row.in_place || s.result == ParamType::tensor);
      EXPECT_TRUE(!row.pointwise || s.result == ParamType::tensor);
      EXPECT_TRUE(!row.creates || s.result == ParamType::tensor);
      EXPECT_TRUE(row.symbol.empty() || row.pointwise);
      EXPECT_TRUE(!row.variadic || s.params[s.positional - 1].type() == ParamType::tensors);
      EXPECT_TRUE(!s.writes_input() || (row.method && !row.function));
    }
  }
}

TEST(Rows, SummariesAreOneSentence) {
  for (const Row& row : all_rows()) {
    EXPECT_FALSE(row.summary.empty()) << row.name();
    EXPECT_EQ(row.summary.back(), '.') << row.name();
    EXPECT_EQ(row.summary.find('\n'), std::string::npos) << row.name();
  }
}

// ---- completeness ------------------------------------------------------------------------------

/// The names of the functions that a header declares at the start of a line.
std::set<std::string> declared(const std::string& header) {
  static const std::regex function(

      R"((?:Tensor|std::vector<Tensor>|std::pair<Tensor, Tensor>|std::tuple<Tensor, Tensor, Tensor>|bool|int64_t|DType) ([a-z]\w*)\()");
  std::set<std::string> names;
  std::string line;
  std::istringstream lines(read_text(header));
  std::smatch match;
  while (std::getline(lines, line)) {
    if (std::regex_search(line, match, function, std::regex_constants::match_continuous))
      names.insert(match[1]);
  }
  return names;
}

TEST(Rows, EveryPublicFunctionHasOne) {
  std::set<std::string> rows;
  for (const auto* some : {&all_rows(), &method_rows()}) {
    for (const Row& row : *some) rows.insert(row.name());
  }
  std::set<std::string> names;
  for (const char* header :
       {"activation", "complex", "create", "index", "linalg", "loss", "mask", "order", "pointwise",
        "random", "reduce", "results", "sequence", "view"}) {
    std::set<std::string> found = declared(std::string("include/tamis/") + header + ".h");
    EXPECT_FALSE(found.empty()) << header;
    names.merge(found);
  }
  EXPECT_GT(names.size(), 150u);
  const std::pair<const char*, const char*> spaces[] = {
      {"masked", "masked"}, {"masks", "masks"}, {"masks", "pruning"}, {"masks", "regions"}};
  for (const auto& [space, header] : spaces) {
    for (const std::string& name : declared(fmt::format("include/tamis/{}.h", header))) {
      names.insert(fmt::format("{}.{}", space, name));
    }
  }
#define X(op) names.insert(#op);
  TAMIS_UNARY_METHODS(X)
  TAMIS_BINARY_METHODS(X)
#undef X
  // These take C++ memory or lists, which other languages have their own ways to give.
  for (const char* host :
       {"tensor", "from_data", "from_blob", "copy_elements", "copy_range", "with_options"}) {
    names.erase(host);
  }
  for (const std::string& name : names) {
    EXPECT_TRUE(rows.count(name)) << name << " has no row";
  }
}

// ---- samples -----------------------------------------------------------------------------------

/// Every call gives other values.
bool is_random(const Row& row) {
  return row.random || row.name() == "empty" || row.name() == "empty_like";
}

/// Same dtype, shape and bits.
bool identical(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  const Tensor x = a.contiguous(), y = b.contiguous();
  return a.numel() == 0 || std::memcmp(x.data_ptr(), y.data_ptr(),
                                       static_cast<size_t>(a.numel()) * a.itemsize()) == 0;
}

bool identical(const Value& a, const Value& b) {
  if (a.index() != b.index()) return false;
  if (const auto* x = std::get_if<Tensor>(&a)) return identical(*x, std::get<Tensor>(b));
  if (const auto* x = std::get_if<std::vector<Tensor>>(&a)) {
    const auto& y = std::get<std::vector<Tensor>>(b);
    return std::equal(x->begin(), x->end(), y.begin(), y.end(),
                      [](const Tensor& s, const Tensor& t) { return identical(s, t); });
  }
  if (const auto* x = std::get_if<int64_t>(&a)) return *x == std::get<int64_t>(b);
  if (const auto* x = std::get_if<double>(&a)) return *x == std::get<double>(b);
  if (const auto* x = std::get_if<bool>(&a)) return *x == std::get<bool>(b);
  if (const auto* x = std::get_if<DType>(&a)) return *x == std::get<DType>(b);
  return false;
}

/// A copy of the tensors in args by `copy`, all else as it is.
Args with_tensors(const Args& args, Tensor (*copy)(const Tensor&)) {
  Args result = args;
  for (Value& value : result) {
    if (auto* x = std::get_if<Tensor>(&value)) *x = copy(*x);
    if (auto* list = std::get_if<std::vector<Tensor>>(&value)) {
      for (Tensor& x : *list) x = copy(x);
    }
  }
  return result;
}

bool is_weak(const Tensor& x) { return x.impl().is_number; }

Tensor cloned(const Tensor& x) { return is_weak(x) ? x : x.clone(); }

/// The same values, every second element of a larger tensor.
Tensor strided(const Tensor& x) {
  if (is_weak(x)) return x;
  Shape wide = x.shape();
  wide.push_back(2);
  Tensor buffer = zeros(wide, x.dtype());
  Tensor view = buffer.select(x.dim(), 1);
  view.copy_(x);
  return view;
}

/// The same values, stored with the first dimension innermost.
Tensor transposed(const Tensor& x) {
  if (is_weak(x) || x.dim() < 2) return x;
  return x.transpose(0, x.dim() - 1).clone().transpose(0, x.dim() - 1);
}

/// The same values as an expression that has not been computed.
Tensor deferred(const Tensor& x) { return is_weak(x) ? x : where(tensor(true), x, x); }

TEST(Rows, EveryOneHasSamplesThatFitItsSignature) {
  for (const auto* rows : {&all_rows(), &method_rows()}) {
    for (const Row& row : *rows) {
      SCOPED_TRACE(row.signature.text);
      EXPECT_FALSE(row.samples.empty());
      const auto& parameters = row.signature.params;
      for (const Args& args : row.samples) {
        ASSERT_EQ(args.size(), parameters.size());
        for (size_t i = 0; i < args.size(); ++i) {
          EXPECT_TRUE(fits(args[i], parameters[i])) << parameters[i].name;
        }
        const Value result = row.call(with_tensors(args, cloned));
        EXPECT_TRUE(is_of(result, row.signature.result));
        const auto* list = std::get_if<std::vector<Tensor>>(&result);
        if (list != nullptr && !row.signature.fields.empty()) {
          EXPECT_EQ(list->size(), row.signature.fields.size());
        }
      }
    }
  }
}

TEST(Rows, NoOpChangesItsInputs) {
  for (const Row& row : all_rows()) {
    for (const Args& args : row.samples) {
      const Args before = with_tensors(args, cloned);
      const Value result = row.call(args);
      if (const auto* x = std::get_if<Tensor>(&result)) x->settle();
      for (size_t i = 0; i < args.size(); ++i) {
        if (std::holds_alternative<Tensor>(args[i])) {
          EXPECT_TRUE(identical(args[i], before[i])) << row.name() << ", argument " << i;
        }
      }
    }
  }
}

/// Is refused in some layouts.
bool needs_layout(const Row& row) { return row.name() == "view_as_complex"; }

TEST(Rows, NeitherLayoutNorDeferralShowInAnyResult) {
  struct Variant {
    const char* name;
    Tensor (*copy)(const Tensor&);
  };
  const Variant variants[] = {
      {"strided", strided}, {"transposed", transposed}, {"deferred", deferred}};
  for (const Row& row : all_rows()) {
    if (is_random(row) || needs_layout(row)) continue;
    for (size_t i = 0; i < row.samples.size(); ++i) {
      const Value want = row.call(row.samples[i]);
      for (const Variant& v : variants) {
        EXPECT_TRUE(identical(row.call(with_tensors(row.samples[i], v.copy)), want))
            << row.name() << ", sample " << i << ", " << v.name;
      }
    }
  }
}

class EagerMode {
 public:
  explicit EagerMode(bool on) : before_(eager_mode()) { set_eager_mode(on); }
  ~EagerMode() { set_eager_mode(before_); }

 private:
  bool before_;
};

TEST(Rows, EagerModeGivesTheSameBits) {
  for (const Row& row : all_rows()) {
    if (is_random(row)) continue;
    for (size_t i = 0; i < row.samples.size(); ++i) {
      Value at_once, later;
      {
        EagerMode mode(true);
        at_once = row.call(row.samples[i]);
      }
      {
        EagerMode mode(false);
        later = row.call(row.samples[i]);
      }
      EXPECT_TRUE(identical(at_once, later)) << row.name() << ", sample " << i;
    }
  }
}

}  // namespace
}  // namespace tamis
