// Reference: a naive model of tensors and of every op, written from PyTorch's documentation; it
// uses none of the library's ops.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis::reference {

/// One element: f if its dtype is floating point, else i.
struct Cell {
  double f = 0;
  int64_t i = 0;
};

/// Elements in row-major order.
struct Array {
  DType dtype{};
  Shape shape;
  std::vector<Cell> cells;
  bool is_number = false;  // a number, not a 0-d tensor: weak in promotion
};

/// Thrown where PyTorch (or docs/differences.md) refuses the arguments.
struct Refused {
  ErrorKind kind;
};

using Arg = std::variant<std::monostate, Array, Scalar, int64_t, double, bool, DType, Shape,
                         std::vector<Array>, std::string>;
using Args = std::vector<Arg>;

/// What one op does.
struct Rule {
  /// The result, or an example of its shape and dtype if `judge` is given.
  std::function<Arg(const Args&)> call;
  /// How far results may be off, in units in the last place of the result's dtype.
  double ulps = 0;
  /// All tensor arguments broadcast and each element of the result depends on one element of each.
  bool elementwise = false;
  /// For results that are not determined: says what is wrong with one, or nothing.
  std::function<std::string(const Args&, const Arg& result)> judge = nullptr;
};

using Table = std::map<std::string, Rule>;

/// All rules, by the name of the op's row.
const Table& table();
void add_arithmetic(Table& table);
void add_creation(Table& table);
void add_masking(Table& table);
void add_reductions(Table& table);
void add_shapes(Table& table);

// ---- between the library and the model ----------------------------------------------------------

/// Reads x's memory element by element.
Array read(const Tensor& x);
Arg read(const Value& value);
/// A contiguous tensor.
Tensor write(const Array& x);

/// What differs between an expected and an actual result; empty if nothing does.
std::string difference(const Arg& want, const Arg& got, double ulps);

// ---- numbers ------------------------------------------------------------------------------------

bool is_real(DType dtype);
bool has_sign(DType dtype);  ///< of integers
/// v rounded to the dtype, which is floating point.
Cell real(double v, DType dtype);
/// v wrapped into the dtype, which is integer or bool.
Cell whole(int64_t v, DType dtype);
/// As a C++ cast; numbers that no int64 can hold become 0.
Cell convert(Cell c, DType from, DType to);
Array cast(const Array& x, DType to);
bool truth(const Array& x, size_t i);
/// Whether PyTorch's checked conversion lets the number into the dtype.
bool holds(DType dtype, Cell number, DType from);

DType promote(DType a, DType b);
DType result_type(std::initializer_list<const Array*> operands);

// ---- shapes -------------------------------------------------------------------------------------

int64_t count_of(const Shape& shape);
/// Throws Refused if they do not broadcast.
Shape broadcast(const Shape& a, const Shape& b);
/// For each element of `to` the number of the element of `from` that is broadcast to it.
std::vector<int64_t> spread(const Shape& from, const Shape& to);
/// x broadcast to shape.
Array stretch(const Array& x, const Shape& shape);
/// The coordinates of element i of a shape.
Shape coordinates_of(int64_t i, const Shape& shape);
int64_t number_of(const Shape& coordinates, const Shape& shape);
/// dim in [0, rank); throws Refused if it is out of range.
int64_t wrap(int64_t dim, int64_t rank);

inline const Array& array_of(const Args& args, size_t i) { return std::get<Array>(args[i]); }
inline int64_t int_of(const Args& args, size_t i) { return std::get<int64_t>(args[i]); }
inline bool given(const Args& args, size_t i) {
  return !std::holds_alternative<std::monostate>(args[i]);
}
inline void require(bool ok, ErrorKind kind) {
  if (!ok) throw Refused{kind};
}

}  // namespace tamis::reference
