// Functions: Python callables made from rows. One callable has all rows of its name as overloads.
#pragma once

#include "convert.h"
#include "ops/row.h"

namespace tamis::python {

/// No row has more.
constexpr size_t kMostParameters = 12;

/// One row as Python calls it, prepared once when the module is imported.
struct Overload {
  Overload(const Row& row, bool is_method, const std::string& module);

  Signature signature;
  std::function<Value(std::span<const Value>)> call;
  Tensor (*of_one)(const Tensor&) = nullptr;                 // as in Row
  Tensor (*of_two)(const Tensor&, const Tensor&) = nullptr;  // there, too
  std::string summary;
  std::vector<PyObject*> keys;    // the names of the parameters, interned
  std::vector<PyObject*> others;  // NumPy's names for them, or null
  uint32_t required = 0;          // bit i: parameter i has no default
  uint32_t valued = 0;            // bit i: it has one other than None
  View view = View::never;        // when the call is quick, whatever the size of its tensor
  bool variadic = false;          // x.reshape(2, 3): the last ones may be given one by one
  int writes = -1;                // which argument is written and returned: self of add_, out=
  int dtype = -1;                 // the parameter dtype; if it is not given, out= decides
  PyObject* fields = nullptr;     // the named tuple for several results, if they have names
};

struct Function {
  std::string name, module;
  bool is_method = false;
  std::vector<Overload> overloads;  // tried in this order
  std::string doc;
  std::string text_signature;  // "(input, mask, *, out=None)"; of several overloads, in one

  /// Adds an overload.
  void add(const Row& row);
};

/// A new reference to a callable over f, which lives as long as the process.
PyObject* make_function(const Function* f);

/// Calls the first overload that takes the arguments (call.cpp).
PyObject* call_function(const Function& f, PyObject* const* values, size_t count, PyObject* names);

/// What o is for the parameter (arguments.cpp). False if o is of no type that the parameter takes.
/// A tensor before the dot of a method is not a number or a list.
bool convert_argument(const Parameter& p, PyObject* o, Value& value, Origins& origins,
                      Copying copying, bool is_self);

/// The signatures of a callable as Python values, for the generators of stubs and reference.
py::tuple signatures_of(const Function& f);

/// Creates the type of the callables.
void add_function_type(py::module_& m);

}  // namespace tamis::python
