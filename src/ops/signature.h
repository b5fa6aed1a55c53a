// Signature: what a row says about its name, parameters and results, parsed once when the row is
// made. Every binding reads this and no text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/value.h"

namespace tamis {

enum class ParamType : uint8_t {
  tensor,     ///< Tensor
  tensors,    ///< Tensor[]
  scalar,     ///< Scalar: a number of any kind
  integer,    ///< int
  real,       ///< float
  flag,       ///< bool
  dtype,      ///< dtype
  integers,   ///< int[]: one int means a list of one
  string,     ///< str
  generator,  ///< Generator
  device,     ///< device: its name, "cpu"
  scalars,    ///< Scalar[], float[] and bool[]: lists that a tensor may be written as
  reals,
  flags,
};

/// As the type is written in a signature.
const char* name(ParamType type);

struct Parameter {
  std::string name;
  /// What it takes, in the order in which it is tried. If the first is Tensor, the others are other
  /// ways to write one: `Scalar` is a number, weak in promotion; `int` is a 0-d tensor; a list
  /// (`int[]`, `Scalar[]`, `bool[]`) is a tensor of its values, and one of `float[]` is as weak as
  /// a number. Otherwise each type is a Value of its own.
  std::vector<ParamType> types;
  std::optional<bool> literal;  // of type True or False: this value and no other
  bool optional = false;        // may be None
  bool required = true;         // has no default
  bool keyword_only = false;
  Value fallback;             // the default
  std::string fallback_text;  // as the signature writes it

  ParamType type() const { return types.front(); }
  bool takes(ParamType type) const;
};

struct Signature {
  std::string text;   // the whole of it
  std::string space;  // "masked" of "masked.sum(...)", else empty
  std::string name;   // "sum"
  std::vector<Parameter> params;
  size_t positional = 0;  // how many parameters may be given by position; they come first
  ParamType result = ParamType::tensor;
  std::vector<std::string> fields;  // the names of several results, else empty

  Signature() = default;
  /// Throws std::logic_error if the text does not follow the syntax that row.h describes.
  explicit Signature(std::string_view text);

  /// "masked.sum"
  std::string full_name() const { return space.empty() ? name : space + "." + name; }
  /// Whether it is a method that writes into its first parameter: its name ends with _.
  bool writes_input() const { return name.back() == '_'; }
  /// Whether a call may give the items of its only positional list one by one: reshape(2, 3). A
  /// method has its tensor before that.
  bool spreads_integers(bool is_method) const;
  /// The index of the parameter of that type or name; -1 if there is none.
  int find(ParamType type) const;
  int find(std::string_view parameter) const;

  /// The same with another name.
  Signature renamed(const std::string& to) const;
  /// The same with more parameters at the end, which need their names.
  Signature with_keywords(const std::string& parameters) const;
};

}  // namespace tamis
