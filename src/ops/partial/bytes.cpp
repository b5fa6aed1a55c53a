// Bytes of states: numbers as groups of seven bits, and a checksum.
#include "ops/partial/bytes.h"

#include <zlib.h>

#include <limits>

namespace tamis::partial {

namespace {

constexpr std::string_view kMark = "TMSP";
constexpr uint8_t kVersion = 1;
constexpr size_t kHead = kMark.size() + 2, kChecksum = 4;

uint32_t checksum(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace

ByteWriter::ByteWriter(Kind kind) : bytes_(kMark) {
  byte(kVersion);
  byte(static_cast<uint8_t>(kind));
}

void ByteWriter::number(uint64_t v) {
  for (; v >= 0x80; v >>= 7) byte(static_cast<uint8_t>(v | 0x80));
  byte(static_cast<uint8_t>(v));
}

void ByteWriter::fixed(uint64_t v) {
  for (int i = 0; i < 8; ++i) byte(static_cast<uint8_t>(v >> 8 * i));
}

void ByteWriter::shape(const Shape& shape) {
  number(shape.size());
  for (int64_t n : shape) number(static_cast<uint64_t>(n));
}

// By name, as the order of dtypes means nothing.
void ByteWriter::dtype(DType dtype) { text(name(dtype)); }

void ByteWriter::text(std::string_view v) {
  number(v.size());
  raw(v.data(), v.size());
}

std::string ByteWriter::finish() && {
  const uint32_t sum = checksum(bytes_);
  for (int i = 0; i < 4; ++i) byte(static_cast<uint8_t>(sum >> 8 * i));
  return std::move(bytes_);
}

ByteReader::ByteReader(std::string_view bytes, Kind kind) {
  require(bytes.size() >= kHead + kChecksum && bytes.substr(0, kMark.size()) == kMark);
  const auto version = static_cast<uint8_t>(bytes[kMark.size()]);
  check(version == kVersion, ErrorKind::format,
        "from_bytes(): the state is of version {}, but this is version {}", version, kVersion);
  const auto found = static_cast<uint8_t>(bytes[kMark.size() + 1]);
  check(found == static_cast<uint8_t>(kind), ErrorKind::format,
        "from_bytes(): the state is of another kind (number {}, expected {})", found,
        static_cast<int>(kind));
  const std::string_view content = bytes.substr(0, bytes.size() - kChecksum);
  uint32_t sum = 0;
  for (size_t i = 0; i < kChecksum; ++i) {
    sum |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[content.size() + i])) << 8 * i;
  }
  check(sum == checksum(content), ErrorKind::format,
        "from_bytes(): the checksum is wrong: the bytes were damaged or cut short");
  bytes_ = content.substr(kHead);
}

bool ByteReader::flag() {
  const uint8_t v = byte();
  require(v <= 1);
  return v == 1;
}

uint64_t ByteReader::number() {
  uint64_t v = 0;
  for (int shift = 0;; shift += 7) {
    const uint8_t next = byte();
    // Of the tenth byte one bit is left; a zero at the end would be another spelling.
    require(shift < 63 || next <= 1);
    v |= static_cast<uint64_t>(next & 0x7f) << shift;
    if (next < 0x80) {
      require(next != 0 || shift == 0);
      return v;
    }
  }
}

int64_t ByteReader::size() {
  const uint64_t v = number();
  require(v <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
  return static_cast<int64_t>(v);
}

int64_t ByteReader::length(size_t bytes) {
  const int64_t n = size();
  require(static_cast<uint64_t>(n) <= (bytes_.size() - at_) / bytes);
  return n;
}

uint64_t ByteReader::fixed() {
  uint64_t v = 0;
  const std::string_view bytes = raw(8);
  for (size_t i = 0; i < 8; ++i) {
    v |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])) << 8 * i;
  }
  return v;
}

Shape ByteReader::shape() {
  const int64_t rank = length();
  Shape result;
  int64_t product = 1;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t n = size();
    // Zeros count as ones, so that strides do not overflow either.
    require(!__builtin_mul_overflow(product, n == 0 ? 1 : n, &product));
    result.push_back(n);
  }
  return result;
}

DType ByteReader::dtype() {
  const std::string found = text();
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (found == name(dtype)) return dtype;
  }
  require(false);
  return DType::boolean;
}

std::string ByteReader::text() {
  const int64_t n = length();
  return std::string(raw(static_cast<size_t>(n)));
}

std::string_view ByteReader::raw(size_t n) {
  require(n <= bytes_.size() - at_);
  at_ += n;
  return bytes_.substr(at_ - n, n);
}

}  // namespace tamis::partial
