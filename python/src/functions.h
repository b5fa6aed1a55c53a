// Functions: Python callables made from rows.
#pragma once

#include "convert.h"
#include "signature.h"

namespace tamis::python {

/// One op as Python calls it.
struct Function {
  Function(const Row& from, std::string module, bool is_method);

  Signature signature;
  std::function<Value(std::span<const Value>)> call;
  std::string row, module, doc, text_signature;
  bool is_method;
  bool varargs = false;        // x.reshape(2, 3): the sizes may be given one by one
  int writes = -1;             // which argument is written and returned: self of add_, out=
  int dtype = -1;              // the parameter dtype; if it is not given, out= decides
  PyObject* fields = nullptr;  // the named tuple for several results, if they have names
};

/// A new reference to a callable over f, which lives as long as the process.
PyObject* make_function(const Function* f);

/// What o is for the parameter (arguments.cpp). False if o is of no type that the parameter takes.
bool convert_argument(const Param& p, PyObject* o, Value& value, Origins& origins, Copying copying);

/// Creates the type of the callables.
void add_function_type(py::module_& m);

// ---- rows for the flags of a row (forms.cpp) ----------------------------------------------------

/// The method name_, which writes the result into input.
Row in_place_row(const Row& row);
/// The same function with out=.
Row out_row(const Row& row);
/// The function with device= and requires_grad=, for those that create tensors.
Row leaf_row(const Row& row);

// ---- rows for what the op rows leave out (rows.cpp) -------------------------------------------

/// Functions with overloads or options that the row of that name lacks; they take its place.
std::vector<Row> replacement_rows();
/// Methods that are no functions: views, conversions, fill_, zero_ and copy_.
std::vector<Row> method_rows();

}  // namespace tamis::python
