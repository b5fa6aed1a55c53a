// Bindings: what the Python module and the command line know about ops, they read from the rows.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "ops/forms/forms.h"
#include "support/pointwise_cases.h"

namespace tamis {
namespace {

using namespace testing;

/// All names by which an op is called.
std::set<std::string> names_of_ops() {
  std::set<std::string> names;
  for (const auto* rows : {&all_rows(), &method_rows()}) {
    for (const Row& row : *rows) {
      for (const Form& form : forms_of(row)) {
        names.insert(form.row.signature.name);
        names.insert(form.row.aliases.begin(), form.row.aliases.end());
      }
    }
  }
  return names;
}

/// The names of ops that stand in quotes in a file, alone or before a parenthesis; comments are not
/// looked at.
std::set<std::string> quoted(const std::string& path, const std::set<std::string>& names) {
  static const std::regex comment(R"(//[^\n]*)"), literal(R"re("(\w+)(?:\([^"\n]*)?")re");
  const std::string text = std::regex_replace(read_text(path), comment, "");
  std::set<std::string> found;
  for (std::sregex_iterator m(text.begin(), text.end(), literal), end; m != end; ++m) {
    if (names.count((*m)[1])) found.insert((*m)[1]);
  }
  return found;
}

/// Words that are names of ops too, and mean something else where they stand.
const std::map<std::string, std::set<std::string>>& allowed() {
  static const std::map<std::string, std::set<std::string>> words = {
      // Commands and their options; conditions that they write or propose.
      {"cli/commands/count.cpp", {"count"}},
      {"cli/commands/select.cpp", {"select", "partition"}},
      {"cli/commands/table.cpp", {"select", "count", "partition", "fill"}},
      {"cli/commands/fill.cpp", {"from_lengths", "fill"}},
      // What the command stats prints.
      {"cli/commands/stats.cpp", {"count", "sum", "mean", "std", "min", "max", "index", "all"}},
      // Functions that the language of conditions has instead of rows.
      {"cli/language/functions.cpp",
       {"between", "count", "any", "all", "sum", "mean", "std", "var", "min", "max", "median",
        "quantile"}},
      // Names of dtypes, and properties of them.
      {"python/src/dtype.cpp",
       {"float", "double", "half", "long", "int", "short", "cfloat", "cdouble", "is_complex",
        "is_signed"}},
      // to() takes devices and other tensors too, and x.real and x.imag are properties.
      {"python/src/copies.cpp", {"to"}},
      {"python/src/methods.cpp", {"to", "real", "imag"}},
      // Parameters of frombuffer and of backward.
      {"python/src/creation.cpp", {"count"}},
      {"python/src/autograd.cpp", {"gradient"}},
      // Values of whole arrays in conditions.
      {"python/src/condition.cpp", {"count", "max", "mean", "min", "std", "sum", "var"}},
      // Methods of states, named after the ops whose results they give, and an option of one.
      {"python/src/partial.cpp",
       {"all", "amax", "amin", "any", "argmax", "argmin", "between", "count", "mean", "median",
        "nonzero", "std", "sum", "var"}},
      // A property of devices.
      {"python/src/device.cpp", {"index"}},
      // How much is printed.
      {"python/src/module.cpp", {"short", "full", "threshold"}},
      // A method of torch's tensors.
      {"python/src/torch.cpp", {"view"}},
  };
  return words;
}

TEST(Bindings, NameNoOps) {
  const std::set<std::string> names = names_of_ops();
  EXPECT_GT(names.size(), 300u);
  size_t files = 0;
  for (const char* folder : {"python/src", "cli"}) {
    for (const std::string& path : files_under(folder)) {
      if (!path.ends_with(".cpp") && !path.ends_with(".h")) continue;
      ++files;
      const auto exceptions = allowed().find(path);
      for (const std::string& name : quoted(path, names)) {
        const bool is_meant = exceptions != allowed().end() && exceptions->second.count(name) != 0;
        EXPECT_TRUE(is_meant) << path << " names the op " << name
                              << ": what it knows about it belongs into the row";
      }
    }
  }
  EXPECT_GT(files, 80u);
}

TEST(Bindings, ExceptionsAreNeeded) {
  const std::set<std::string> names = names_of_ops();
  for (const auto& [path, words] : allowed()) EXPECT_EQ(quoted(path, names), words) << path;
}

}  // namespace
}  // namespace tamis
