// The wire: values of JavaScript as C++ receives them, and results on their way back. Both are a
// sequence of items of 8-byte words in the order of the machine: a word with kind and size, then
// what the kind needs. web/js/wire.js is the other end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/value.h"

namespace tamis::web {

/// The kinds of items, in both directions.
enum class Kind : uint32_t {
  undefined = 0,
  null = 1,
  boolean = 2,    // size: 0 or 1
  number = 3,     // a double
  bigint = 4,     // an int64; with size 1 a uint64 above all of those
  text = 5,       // size: bytes of UTF-8, padded to whole words
  tensor = 6,     // size: its handle
  generator = 7,  // size: its handle
  list = 8,       // size: how many items follow
  named = 9,      // size: how many pairs of text and item follow
  complex = 10,   // two doubles
  same = 11,      // results only: the argument that is the tensor with this handle
};

/// A value that JavaScript has passed.
struct Argument {
  Kind kind = Kind::undefined;
  bool truth = false;
  double number = 0;
  double imaginary = 0;
  int64_t integer = 0;    // bigint
  bool is_large = false;  // of which the bits are those of a uint64 above all int64
  uint32_t handle = 0;    // tensor, generator
  std::string_view text;
  std::vector<Argument> items;

  /// A bigint that is an int64, or a number without fraction that a double holds exactly. -0 is not
  /// one.
  bool is_integer() const;
  int64_t to_integer() const {
    return kind == Kind::bigint ? integer : static_cast<int64_t>(number);
  }
  /// As messages call its type.
  const char* type_name() const;
};

/// The arguments of a call: by position, and those that the last object names.
struct Arguments {
  std::vector<Argument> positional;
  std::vector<std::pair<std::string_view, Argument>> named;
};

/// Reads them from the bytes that JavaScript has written; texts point into them.
Arguments decode(std::span<const uint64_t> words);

/// Collects the items of a result.
class Reply {
 public:
  void clear() { words_.clear(); }
  std::span<const uint64_t> words() const { return words_; }

  void undefined() { head(Kind::undefined, 0); }
  void boolean(bool value) { head(Kind::boolean, value ? 1 : 0); }
  void number(double value);
  void integer(int64_t value);
  void large_integer(uint64_t value);
  void complex(double real, double imaginary);
  void text(std::string_view value);
  void tensor(uint32_t handle) { head(Kind::tensor, handle); }
  void generator(uint32_t handle) { head(Kind::generator, handle); }
  void same(uint32_t handle) { head(Kind::same, handle); }
  void list(size_t count) { head(Kind::list, static_cast<uint32_t>(count)); }
  void named(size_t count) { head(Kind::named, static_cast<uint32_t>(count)); }

 private:
  void head(Kind kind, uint32_t size);

  std::vector<uint64_t> words_;
};

}  // namespace tamis::web
