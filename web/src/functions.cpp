// The table of functions, made from the rows.
#include "functions.h"

#include <map>
#include <tuple>

#include "ops/forms/forms.h"

namespace tamis::web {

namespace {

/// Adds every form of the rows to the function of its name.
void add(std::vector<Function>& all,
         std::map<std::tuple<std::string, bool, std::string>, size_t>& known,
         const std::vector<Row>& rows, bool is_internal) {
  for (const Row& row : rows) {
    for (const Form& form : forms_of(row)) {
      const Signature& s = form.row.signature;
      const auto [at, is_new] = known.try_emplace({s.space, form.is_method, s.name}, all.size());
      if (is_new) all.push_back({s.space, s.name, form.is_method, is_internal, {}, {}, nullptr});
      Function& f = all[at->second];
      f.overloads.emplace_back(form.row, form.is_method);
      f.aliases.insert(f.aliases.end(), form.row.aliases.begin(), form.row.aliases.end());
    }
  }
}

}  // namespace

Overload::Overload(const Row& row, bool is_method)
    : signature(row.signature),
      call(row.call),
      summary(row.summary),
      samples(row.samples),
      creates(row.creates) {
  variadic = row.variadic || signature.spreads_integers(is_method);
  dtype = signature.find(ParamType::dtype);
  writes = signature.writes_input() ? 0 : signature.find("out");
}

const std::vector<Function>& functions() {
  static const std::vector<Function> table = [] {
    std::vector<Function> all;
    std::map<std::tuple<std::string, bool, std::string>, size_t> known;
    add(all, known, all_rows(), false);
    add(all, known, method_rows(), false);
    add(all, known, web_rows(), true);
    add(all, known, file_rows(), true);
    add(all, known, explore_rows(), true);
    for (Function& f : index_functions()) all.push_back(std::move(f));
    return all;
  }();
  return table;
}

bool has_function(std::string_view name) {
  for (const Function& f : functions()) {
    if (f.name == name && f.space.empty()) return true;
  }
  return false;
}

}  // namespace tamis::web
