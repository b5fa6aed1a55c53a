// Signatures: what a row says about its parameters, parsed once when the module is imported.
#pragma once

#include <string>
#include <vector>

#include "object.h"
#include "ops/row.h"

namespace tamis::python {

enum class ParamType : uint8_t {
  tensor,
  tensors,
  scalar,
  integer,
  real,
  boolean,
  dtype,
  integers,
  string,
  generator,
  real_or_string
};

struct Param {
  ParamType type;
  bool optional = false;      // may be None
  bool required = true;       // has no default
  bool keyword_only = false;  // stands behind *, or is a dtype with a default
  bool number = false;        // a tensor that may be given as a number
  bool list = false;          // a tensor that may be given as nested lists
  bool integer = false;       // a tensor that may be given as an int, for a list of one
  bool single = false;        // a list of integers; one that is given as an integer stays one
  std::string name;
  PyObject* key = nullptr;  // the name, interned
  Value fallback;
  std::string fallback_text;
};

struct Signature {
  std::string name;
  std::string fields;  // the names of several results, with spaces between; else empty
  std::vector<Param> params;
  size_t positional = 0;  // how many parameters may be given by position

  /// Throws if the text does not follow the syntax of ops/row.h.
  explicit Signature(const std::string& text);

  /// "(input, mask, *, out=None)"; the first parameter of a method is called self.
  std::string python_text(bool is_method) const;
};

}  // namespace tamis::python
