// Functions: rows chosen by family and signature, and the values of whole arrays.
#include "language/functions.h"

#include <algorithm>
#include <deque>
#include <stdexcept>

namespace tamis::cli {

namespace {

using Type = Parameter::Type;

/// The families whose rows go element by element, each from the ones in its place. A row of another
/// family that does is named below.
constexpr std::string_view kPointwiseFamilies[] = {"Arithmetic", "Comparison", "Logic and bits",
                                                   "Filling",    "Replacing",  "Complex numbers"};
constexpr std::string_view kPointwiseRows[] = {"isin", "logaddexp", "logaddexp2"};
/// They see several elements, or another shape, as one.
constexpr std::string_view kNotPointwise[] = {"view_as_real", "view_as_complex"};
constexpr std::string_view kBuilders = "Mask builders";
constexpr std::string_view kPointwiseBuilders[] = {"between", "keep_token_ids", "drop_token_ids"};

struct WholeFunction {
  const char* usage;
  Whole whole;
  const char* summary;
};
constexpr WholeFunction kWhole[] = {
    {"count(condition)", Whole::count, "How many elements are true."},
    {"any(condition)", Whole::any, "Whether any element is true."},
    {"all(condition)", Whole::all, "Whether every element is true."},
    {"sum(input)", Whole::sum, "The sum; exact for integers."},
    {"mean(input)", Whole::mean, "The mean."},
    {"std(input)", Whole::std, "The standard deviation, with divisor n - 1."},
    {"var(input)", Whole::var, "The variance, with divisor n - 1."},
    {"min(input)", Whole::min, "The smallest element."},
    {"max(input)", Whole::max, "The largest element."},
    {"median(input)", Whole::median, "The median; the lower one if two are in the middle."},
    {"quantile(input, p)", Whole::quantile,
     "The p-quantile, interpolated linearly; p is from 0 to 1."},
    {"q(p), q(input, p)", Whole::quantile,
     "The p-quantile of the first array, or of an expression."},
};

template <size_t N>
bool contains(const std::string_view (&list)[N], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

Type type_of(std::string_view text) {
  constexpr std::pair<std::string_view, Type> kTypes[] = {
      {"Tensor", Type::tensor}, {"Scalar", Type::scalar}, {"int", Type::integer},
      {"float", Type::real},    {"bool", Type::boolean},  {"int[]", Type::integers},
  };
  for (const auto& [name, type] : kTypes) {
    if (text == name) return type;
  }
  return Type::other;
}

Value default_of(Type type, const std::string& text) {
  if (text == "None") return {};
  switch (type) {
    case Type::integer:
      return static_cast<int64_t>(std::stoll(text));
    case Type::real:
      return std::stod(text);
    case Type::boolean:
      return text == "True";
    case Type::scalar:
      return Scalar(std::stod(text));
    case Type::tensor:
      return Tensor(std::stod(text));
    case Type::integers:
      return Shape{};
    case Type::other:
      // Strings are in quotes; a dtype with a default other than None has no place here.
      return text.size() > 1 && text[0] == '\'' ? Value(text.substr(1, text.size() - 2)) : Value{};
  }
  return {};
}

/// "Tensor? min=None"
Parameter parse_parameter(const std::string& text) {
  Parameter p;
  const size_t space = text.find(' '), equals = text.find('=');
  std::string type = text.substr(0, space);
  if (type.back() == '?') type.pop_back();
  p.type = type_of(type);
  p.name = text.substr(space + 1, equals == std::string::npos ? equals : equals - space - 1);
  p.required = equals == std::string::npos;
  if (!p.required) p.fallback = default_of(p.type, text.substr(equals + 1));
  return p;
}

/// The parameters of a row, and how it is written in a condition.
void parse_signature(const Row& row, Function& f) {
  const size_t open = row.signature.find('('), close = row.signature.rfind(") -> ");
  const std::string inside = row.signature.substr(open + 1, close - open - 1);
  f.usage = f.name + "(";
  for (size_t at = 0; at < inside.size();) {
    const size_t end = std::min(inside.find(", ", at), inside.size());
    const std::string part = inside.substr(at, end - at);
    at = end + 2;
    if (part == "*") continue;
    f.parameters.push_back(parse_parameter(part));
    if (f.parameters.back().type == Type::other) continue;
    f.usage += (f.usage.back() == '(' ? "" : ", ") + part.substr(part.find(' ') + 1);
  }
  f.usage += ")";
}

bool is_callable(const Function& f) {
  return std::all_of(f.parameters.begin(), f.parameters.end(),
                     [](const Parameter& p) { return !p.required || p.type != Type::other; });
}

bool has_place(std::string_view family, const Row& row) {
  if (!row.signature.ends_with("-> Tensor")) return false;
  const std::string name = row.name();
  return family == kBuilders || contains(kPointwiseRows, name) ||
         (contains(kPointwiseFamilies, family) && !contains(kNotPointwise, name));
}

std::vector<Function> make_functions() {
  static std::deque<Row> kept;
  std::vector<Function> list;
  for (const Family& family : all_families()) {
    for (Row& candidate : family.rows()) {
      if (!has_place(family.title, candidate)) continue;
      const Row& row = kept.emplace_back(std::move(candidate));
      Function f;
      f.name = row.name();
      f.row = &row;
      f.summary = row.summary;
      f.group = family.title;
      if (family.title == kBuilders && !contains(kPointwiseBuilders, f.name)) {
        f.evaluation = Evaluation::builder;
      }
      parse_signature(row, f);
      if (is_callable(f)) list.push_back(std::move(f));
    }
  }
  for (const WholeFunction& w : kWhole) {
    Function f;
    f.usage = w.usage;
    f.name = f.usage.substr(0, f.usage.find('('));
    f.evaluation = Evaluation::whole;
    f.whole = w.whole;
    f.summary = w.summary;
    f.group = "Values of whole arrays";
    f.parameters.push_back({Type::tensor, "input", f.name != "q", {}});
    if (w.whole == Whole::quantile) f.parameters.push_back({Type::real, "p", true, {}});
    list.push_back(std::move(f));
  }
  return list;
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> list = make_functions();
  return list;
}

const Function* find_function(std::string_view name) {
  for (const Function& f : functions()) {
    if (f.name == name) return &f;
  }
  return nullptr;
}

const Row& operator_row(std::string_view name) {
  const Function* f = find_function(name);
  if (f == nullptr) throw std::logic_error("no row for the operator " + std::string(name));
  return *f->row;
}

}  // namespace tamis::cli
