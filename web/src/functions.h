// Functions: the rows as JavaScript calls them. One function has all rows of its name as overloads.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ops/row.h"
#include "wire.h"

namespace tamis::web {

/// One row, prepared once when the module is loaded.
struct Overload {
  explicit Overload(const Row& row, bool is_method);

  Signature signature;
  std::function<Value(std::span<const Value>)> call;
  std::string summary;
  std::vector<Args> samples;  // of the row, if it has any; they may lack the last parameters
  bool creates = false;       // computed from no tensor
  bool variadic = false;      // x.reshape(2, 3): the last ones may be given one by one
  int writes = -1;            // which argument is written and returned: that of add_, out=
  int dtype = -1;             // the parameter dtype; if it is not given, out= decides
};

/// The tensors and generators that arguments name by their handles.
struct Objects {
  std::function<Tensor(uint32_t handle)> tensor;
  std::function<Generator(uint32_t handle)> generator;
};

struct Function {
  std::string space, name;  // "masked" and "sum" of masked.sum
  bool is_method = false;
  bool is_internal = false;         // the JavaScript of the package calls it, not the user
  std::vector<Overload> overloads;  // tried in this order
  std::vector<std::string> aliases;
  // Instead of overloads, for what rows cannot describe: the brackets of x[...].
  std::function<std::function<Value()>(const Arguments&, const Objects&)> prepare = nullptr;

  /// Whether the first argument is written.
  bool writes_input() const { return name.back() == '_'; }
};

/// In a fixed order; JavaScript calls them by number.
const std::vector<Function>& functions();

/// Whether there is a function or method of that name.
bool has_function(std::string_view name);

/// Arguments that no overload takes.
class ArgumentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A call that is ready to run.
struct Call {
  const Overload* overload = nullptr;
  Args args;
  std::vector<uint32_t> handles;  // of the arguments that are tensors, else 0
  std::function<Value()> prepared = nullptr;

  Value run() const { return prepared ? prepared() : overload->call(args); }
};

/// Finds the first overload that takes the arguments. Throws ArgumentError, which says why the
/// nearest one does not.
Call match(const Function& f, const Arguments& given, const Objects& objects);

/// What the argument is for the parameter; nothing if it is of no type that the parameter takes. A
/// tensor before the dot of a method is not a number or a list.
std::optional<Value> convert(const Parameter& p, const Argument& a, const Objects& objects,
                             bool is_self);

/// Rows that only the JavaScript of the package calls: values, gradients, optimisers, generators.
std::vector<Row> web_rows();
/// The same for files and conditions.
std::vector<Row> file_rows();
/// The same for the explorer of the site.
std::vector<Row> explore_rows();

/// x.get(...) and x.set(..., value).
std::vector<Function> index_functions();

}  // namespace tamis::web
