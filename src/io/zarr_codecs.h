// The codecs of Zarr that turn bytes into bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamis::io {

/// Bytes that nobody has set to zero first.
struct Bytes {
  std::unique_ptr<char[]> data;
  size_t size = 0;

  Bytes() = default;
  explicit Bytes(size_t n) : data(new char[n]), size(n) {}
  std::string_view view() const { return {data.get(), size}; }
};

/// Memory for what a thread needs for a moment, kept for the next time unless it is large: memory
/// that is new to the process costs more than filling it.
class Scratch {
 public:
  explicit Scratch(size_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  char* data() const { return held_.data.get(); }
  /// Its first bytes.
  std::string_view view(size_t bytes) const { return {data(), bytes}; }

 private:
  Bytes held_;
};

enum class CodecKind : uint8_t { gzip, zlib, zstd, blosc, crc32c };

struct ByteCodec {
  CodecKind kind = CodecKind::zstd;
  // How hard to try; only writing needs these.
  int level = 0;
  std::string blosc_compressor = {};
  int blosc_shuffle = 0;
  size_t blosc_typesize = 1;
};

/// The most bytes that `bytes` bytes may become by the codecs, in the order of encoding. More than
/// that is not read.
uint64_t most_encoded(std::span<const ByteCodec> codecs, uint64_t bytes);

/// Undoes the codecs. The result must have exactly `bytes` bytes, which go to `to`; nothing is
/// written or allocated beyond what they and most_encoded allow. `where` begins messages. Throws
/// kind format.
void decode_bytes(std::span<const ByteCodec> codecs, std::string_view encoded, char* to,
                  size_t bytes, const std::string& where);

Bytes encode_bytes(std::span<const ByteCodec> codecs, std::string_view plain);

/// The checksum by Castagnoli's polynomial.
uint32_t crc32c(std::string_view bytes);

}  // namespace tamis::io
