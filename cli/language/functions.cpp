// Functions: rows chosen by their flags, and the values of whole arrays.
#include "language/functions.h"

#include <algorithm>
#include <deque>
#include <stdexcept>

namespace tamis::cli {

namespace {

/// Rows that the language replaces by functions of its own.
struct OwnMeaning {
  std::string_view name;
  Evaluation evaluation;
};
constexpr OwnMeaning kOwnMeanings[] = {{"between", Evaluation::between}};

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

/// How a row is written in a condition.
std::string usage_of(const Signature& signature) {
  std::string usage = signature.name + "(";
  for (const Parameter& p : signature.params) {
    if (!is_written(p)) continue;
    usage += (usage.back() == '(' ? "" : ", ") + p.name;
    if (!p.required) usage += "=" + p.fallback_text;
  }
  return usage + ")";
}

/// Whether it can be evaluated window by window, and every argument that it needs be written.
bool is_usable(const Row& row) {
  const auto& params = row.signature.params;
  return row.signature.result == ParamType::tensor && (row.pointwise || row.windows) &&
         std::all_of(params.begin(), params.end(),
                     [](const Parameter& p) { return !p.required || is_written(p); });
}

Evaluation evaluation_of(const Row& row) {
  for (const OwnMeaning& own : kOwnMeanings) {
    if (own.name == row.signature.name) return own.evaluation;
  }
  return row.pointwise ? Evaluation::pointwise : Evaluation::builder;
}

Parameter parameter(ParamType type, const char* name, bool required) {
  Parameter p;
  p.types = {type};
  p.name = name;
  p.required = required;
  return p;
}

std::vector<Function> make_functions() {
  static std::deque<Row> kept;
  std::vector<Function> list;
  for (const Family& family : all_families()) {
    for (Row& candidate : family.rows()) {
      if (!is_usable(candidate)) continue;
      const Row& row = kept.emplace_back(std::move(candidate));
      Function f;
      f.name = row.signature.name;
      f.evaluation = evaluation_of(row);
      f.parameters = row.signature.params;
      f.row = &row;
      f.usage = usage_of(row.signature);
      f.summary = row.summary;
      f.group = family.title;
      list.push_back(std::move(f));
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
    f.parameters.push_back(parameter(ParamType::tensor, "input", f.name != "q"));
    if (w.whole == Whole::quantile) f.parameters.push_back(parameter(ParamType::real, "p", true));
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

bool is_written(const Parameter& p) {
  switch (p.type()) {
    case ParamType::tensor:
    case ParamType::scalar:
    case ParamType::integer:
    case ParamType::real:
    case ParamType::flag:
    case ParamType::integers:
      return true;
    default:
      return false;
  }
}

bool is_set(const Function& f, const Parameter& p) {
  return f.evaluation == Evaluation::pointwise && p.type() == ParamType::tensor &&
         p.takes(ParamType::scalars);
}

const std::string& operator_name(std::string_view symbol, size_t operands) {
  for (const Function& f : functions()) {
    if (f.row == nullptr || f.row->symbol != symbol) continue;
    const auto& params = f.parameters;
    const auto is_operand = [](const Parameter& p) { return p.required; };
    if (static_cast<size_t>(std::count_if(params.begin(), params.end(), is_operand)) == operands) {
      return f.name;
    }
  }
  throw std::logic_error("no row for the operator " + std::string(symbol));
}

const Row& operator_row(std::string_view name) {
  const Function* f = find_function(name);
  if (f == nullptr) throw std::logic_error("no row of an operator: " + std::string(name));
  return *f->row;
}

}  // namespace tamis::cli
