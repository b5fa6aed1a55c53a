// The index of a shard.
#include <algorithm>

#include "core/check.h"
#include "io/zarr_metadata.h"

namespace tamis::io {

namespace {

constexpr uint64_t kEntryBytes = 16, kCrcBytes = 4;

uint64_t number(const char* from, bool big_endian) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) {
    value = value << 8 | static_cast<uint8_t>(from[big_endian ? i : 7 - i]);
  }
  return value;
}

}  // namespace

uint64_t shard_index_bytes(const ShardLevel& level, int64_t chunks) {
  return static_cast<uint64_t>(chunks) * kEntryBytes + (level.index_has_crc ? kCrcBytes : 0);
}

std::vector<ShardEntry> parse_shard_index(const ShardLevel& level, int64_t chunks,
                                          std::string_view index, uint64_t shard_bytes,
                                          const std::string& where) {
  const uint64_t bytes = static_cast<uint64_t>(chunks) * kEntryBytes;
  std::string plain(bytes, '\0');
  std::vector<ByteCodec> codecs;
  if (level.index_has_crc) codecs.push_back({.kind = CodecKind::crc32c});
  decode_bytes(codecs, index, plain.data(), bytes, where + ": index");
  const uint64_t begin = level.index_at_start ? index.size() : 0;
  const uint64_t end = shard_bytes - (level.index_at_start ? 0 : index.size());
  std::vector<ShardEntry> entries(static_cast<size_t>(chunks));
  std::vector<size_t> present;
  for (size_t i = 0; i < entries.size(); ++i) {
    const char* from = plain.data() + i * kEntryBytes;
    entries[i] = {number(from, level.index_big_endian), number(from + 8, level.index_big_endian)};
    if (entries[i].missing()) continue;
    const auto [offset, length] = entries[i];
    check(offset >= begin && offset <= end && length <= end - offset, ErrorKind::format,
          "{}: chunk {} of the shard, {} bytes at byte {}, is outside of the bytes from {} to {}",
          where, i, length, offset, begin, end);
    present.push_back(i);
  }
  std::sort(present.begin(), present.end(),
            [&](size_t a, size_t b) { return entries[a].offset < entries[b].offset; });
  uint64_t taken = begin;
  for (const size_t i : present) {
    check(entries[i].offset >= taken, ErrorKind::format,
          "{}: chunk {} of the shard overlaps another", where, i);
    taken = entries[i].offset + entries[i].bytes;
  }
  return entries;
}

Bytes make_shard_index(const std::vector<ShardEntry>& entries) {
  std::string plain;
  plain.reserve(entries.size() * kEntryBytes);
  for (const ShardEntry& entry : entries) {
    for (const uint64_t value : {entry.offset, entry.bytes}) {
      for (int i = 0; i < 8; ++i) plain += static_cast<char>(value >> 8 * i & 0xff);
    }
  }
  const ByteCodec crc = {.kind = CodecKind::crc32c};
  return encode_bytes({&crc, 1}, plain);
}

}  // namespace tamis::io
