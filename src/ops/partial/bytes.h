// Bytes of states: writing them, and reading them with every doubt.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "tamis/dtype.h"
#include "tamis/shape.h"

namespace tamis::partial {

/// The kinds of states; a number is never used again.
enum class Kind : uint8_t {
  count = 1,
  sum = 2,
  moments = 3,
  extremes = 4,
  selected = 5,
  top_k = 6,
  unique = 7,
  histogram = 8,
  search = 9,
};

/// Mark, version, kind; what the state writes; a checksum.
class ByteWriter {
 public:
  explicit ByteWriter(Kind kind);
  void byte(uint8_t v) { bytes_.push_back(static_cast<char>(v)); }
  /// Seven bits at a time, the lowest first.
  void number(uint64_t v);
  /// With a sign, which becomes the lowest bit.
  void integer(int64_t v) {
    number(static_cast<uint64_t>(v) << 1 ^ static_cast<uint64_t>(v >> 63));
  }
  void fixed(uint64_t v);  // 8 bytes
  void shape(const Shape& shape);
  void dtype(DType dtype);
  void text(std::string_view v);
  void raw(const void* data, size_t n) { bytes_.append(static_cast<const char*>(data), n); }
  std::string finish() &&;

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  /// Throws kind format unless mark, version, kind and checksum are right.
  ByteReader(std::string_view bytes, Kind kind);
  uint8_t byte() { return static_cast<uint8_t>(raw(1)[0]); }
  bool flag();
  uint64_t number();
  int64_t integer() {
    const uint64_t v = number();
    return static_cast<int64_t>(v >> 1 ^ -(v & 1));
  }
  /// Not negative.
  int64_t size();
  /// How many elements there are: so few that many states can be merged.
  int64_t count() {
    const int64_t n = size();
    require(n <= int64_t{1} << 56);
    return n;
  }
  /// The same for the length of a list whose entries take at least `bytes` each: no more than what
  /// is left can hold.
  int64_t length(size_t bytes = 1);
  uint64_t fixed();
  /// Its number of elements does not overflow.
  Shape shape();
  DType dtype();
  std::string text();
  std::string_view raw(size_t n);
  /// Refuses bytes behind the end.
  void finish() const { require(at_ == bytes_.size()); }
  static void require(bool ok) {
    check(ok, ErrorKind::format, "from_bytes(): these bytes are not a valid state");
  }

 private:
  std::string_view bytes_;  // without mark and checksum
  size_t at_ = 0;
};

}  // namespace tamis::partial
