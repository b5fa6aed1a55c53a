// Rows: the table of ops is complete, well formed, and every op in it behaves on its own samples.
#include "ops/row.h"

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

struct Parameter {
  std::string type, name, fallback;
};

/// The parameters of a signature; fails the test if it does not follow the syntax of row.h.
std::vector<Parameter> parse(const std::string& signature, std::string& result) {
  static const std::regex whole(
      R"(([\w.]+)\((.*)\) -> (Tensor|Tensor\[\]|int|float|bool|dtype|\((?:Tensor \w+(?:, )?)+\)))");
  static const std::regex one(
      R"((Tensor|Tensor\[\]|Scalar|int|float\|str|float|bool|dtype|int\[\]|str|Generator)(\??) ([a-z]\w*)(=(\S+))?)");
  std::vector<Parameter> parameters;
  std::smatch match;
  if (!std::regex_match(signature, match, whole)) {
    ADD_FAILURE() << "not a signature: " << signature;
    return parameters;
  }
  result = match[3];
  const std::string list = match[2];
  for (size_t from = 0; from < list.size();) {
    const size_t to = std::min(list.find(", ", from), list.size());
    const std::string text = list.substr(from, to - from);
    from = to + 2;
    if (text == "*") continue;
    std::smatch m;
    EXPECT_TRUE(std::regex_match(text, m, one)) << "'" << text << "' in " << signature;
    if (m.size() == 6) parameters.push_back({m[1].str() + m[2].str(), m[3], m[5]});
  }
  return parameters;
}

bool has_type(const Value& value, const std::string& type) {
  if (type == "Tensor") return std::holds_alternative<Tensor>(value);
  if (type == "Tensor[]" || type[0] == '(')
    return std::holds_alternative<std::vector<Tensor>>(value);
  if (type == "Scalar") return std::holds_alternative<Scalar>(value);
  if (type == "int") return std::holds_alternative<int64_t>(value);
  if (type == "float|str") {
    return std::holds_alternative<double>(value) || std::holds_alternative<std::string>(value);
  }
  if (type == "float") return std::holds_alternative<double>(value);
  if (type == "bool") return std::holds_alternative<bool>(value);
  if (type == "dtype") return std::holds_alternative<DType>(value);
  if (type == "int[]") return std::holds_alternative<Shape>(value);
  if (type == "str") return std::holds_alternative<std::string>(value);
  if (type == "Generator") return std::holds_alternative<Generator>(value);
  return std::holds_alternative<std::monostate>(value) ||
         has_type(value, type.substr(0, type.size() - 1));
}

TEST(Rows, NamesAreUnique) {
  std::set<std::string> names;
  for (const Row& row : all_rows()) EXPECT_TRUE(names.insert(row.name()).second) << row.name();
  EXPECT_GT(names.size(), 100u);
}

TEST(Rows, SignaturesAreWellFormed) {
  for (const Row& row : all_rows()) {
    SCOPED_TRACE(row.signature);
    std::string result;
    bool optional = false;
    std::set<std::string> names;
    for (const Parameter& p : parse(row.signature, result)) {
      EXPECT_TRUE(names.insert(p.name).second) << p.name;
      EXPECT_TRUE(!optional || !p.fallback.empty()) << p.name << " needs a default too";
      optional = !p.fallback.empty();
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
  for (const Row& row : all_rows()) rows.insert(row.name());
  std::set<std::string> names;
  for (const char* header :
       {"complex", "create", "index", "linalg", "loss", "mask", "masks", "order", "pointwise",
        "random", "reduce", "results", "sequence", "view"}) {
    std::set<std::string> found = declared(std::string("include/tamis/") + header + ".h");
    EXPECT_FALSE(found.empty()) << header;
    names.merge(found);
  }
  EXPECT_GT(names.size(), 150u);
  for (const std::string& name : declared("include/tamis/masked.h")) names.insert("masked." + name);
#define X(op) names.insert(#op);
  TAMIS_UNARY_METHODS(X)
  TAMIS_BINARY_METHODS(X)
#undef X
  // These take C++ memory or lists, which other languages have their own ways to give.
  for (const char* host : {"tensor", "from_data", "from_blob", "copy_elements", "copy_range"}) {
    names.erase(host);
  }
  for (const std::string& name : names) {
    EXPECT_TRUE(rows.count(name)) << name << " has no row";
  }
}

// ---- samples -----------------------------------------------------------------------------------

/// Every call gives other values.
bool is_random(const Row& row) {
  static const std::set<std::string> kNames = {"rand",       "randn",      "randint",   "randperm",
                                               "rand_like",  "randn_like", "bernoulli", "empty",
                                               "empty_like", "multinomial"};
  return kNames.count(row.name()) != 0;
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
  Tensor room = zeros(wide, x.dtype());
  Tensor view = room.select(x.dim(), 1);
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
  for (const Row& row : all_rows()) {
    SCOPED_TRACE(row.signature);
    EXPECT_FALSE(row.samples.empty());
    std::string result;
    const std::vector<Parameter> parameters = parse(row.signature, result);
    for (const Args& args : row.samples) {
      ASSERT_EQ(args.size(), parameters.size());
      for (size_t i = 0; i < args.size(); ++i) {
        EXPECT_TRUE(has_type(args[i], parameters[i].type)) << parameters[i].name;
      }
      EXPECT_TRUE(has_type(row.call(args), result));
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
