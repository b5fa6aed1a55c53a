// Any bytes as parts of a Zarr store: metadata of both versions, the bytes of a chunk, the index of
// a shard. Refused, or an array whose numbers agree with each other. The first byte says which part
// it is.
#include <string>

#include "fuzz/require.h"
#include "io/sizes.h"
#include "io/zarr_metadata.h"
#include "tamis/error.h"

using namespace tamis;
using namespace tamis::io;
using fuzz::require;

namespace {

void look_at(const ZarrArray& array) {
  require(array.shape.size() <= kMaxRank, "the rank is bounded");
  require(array.chunks.size() == array.shape.size(), "chunks have the rank of the array");
  for (const int64_t size : array.chunks) require(size > 0, "chunks are not empty");
  require(array.separator == '/' || array.separator == '.', "keys stay in the store");
  const std::string key = array.key(Shape(array.shape.size(), 0));
  require(key.find("..") == std::string::npos && key[0] != '/', "keys stay in the store");
  if (!array.dtype || !array.problem.empty()) return;
  const auto width = static_cast<int64_t>(itemsize(*array.dtype));
  require(array.fill.size() == itemsize(*array.dtype), "the fill value is an element");
  require(checked_size(array.shape, width).has_value(), "the elements can be counted");
  require(array.chunk_bytes() < kMaxChunkBytes, "the size of chunks is bounded");
  Shape outer = array.outer();
  for (size_t i = 0; i < array.shards.size(); ++i) {
    const Shape& inner = i + 1 < array.shards.size() ? array.shards[i + 1].shape : array.chunks;
    int64_t count = 1;
    for (size_t d = 0; d < inner.size(); ++d) {
      require(outer[d] % inner[d] == 0, "chunks fill their shard");
      count *= outer[d] / inner[d];
    }
    require(count <= kMaxShardChunks, "the index of a shard is bounded");
    outer = inner;
  }
  if (array.order.empty()) return;
  require(array.order.size() == array.shape.size(), "the order names each dimension");
  for (const int64_t d : array.order) {
    require(d >= 0 && d < static_cast<int64_t>(array.order.size()), "the order names dimensions");
  }
}

/// The next byte: how many codecs, and which.
std::vector<ByteCodec> codecs_of(std::string_view& bytes) {
  std::vector<ByteCodec> codecs;
  const int choice = bytes.empty() ? 0 : static_cast<uint8_t>(bytes[0]);
  if (!bytes.empty()) bytes.remove_prefix(1);
  for (int i = 0; i <= choice / 64; ++i) {
    codecs.push_back({.kind = static_cast<CodecKind>((choice >> 2 * i) % 5)});
  }
  return codecs;
}

void decode(std::string_view bytes) {
  constexpr size_t kBytes = 4096;
  const std::vector<ByteCodec> codecs = codecs_of(bytes);
  std::string out(kBytes + 64, 'x');
  try {
    decode_bytes(codecs, bytes, out.data(), kBytes, "input");
  } catch (const Error&) {
    require(out.find_first_not_of('x', kBytes) == std::string::npos, "nothing beyond the chunk");
    throw;
  }
  require(out.find_first_not_of('x', kBytes) == std::string::npos, "nothing beyond the chunk");
  // What was decoded comes back after it is encoded again.
  std::vector<ByteCodec> again = codecs;
  for (ByteCodec& codec : again) {
    codec.level = 1;
    codec.blosc_compressor = "lz4";
  }
  const Bytes encoded = encode_bytes(again, {out.data(), kBytes});
  require(encoded.size <= most_encoded(again, kBytes), "no codec makes more of it than allowed");
  std::string back(kBytes, '\0');
  decode_bytes(again, encoded.view(), back.data(), kBytes, "input");
  require(back == out.substr(0, kBytes), "codecs are undone");
}

void read_index(std::string_view bytes) {
  ShardLevel level;
  const int choice = bytes.empty() ? 0 : static_cast<uint8_t>(bytes[0]);
  if (!bytes.empty()) bytes.remove_prefix(1);
  level.index_at_start = choice & 1;
  level.index_big_endian = choice & 2;
  level.index_has_crc = choice & 4;
  const int64_t chunks = choice >> 3;
  const uint64_t index_bytes = shard_index_bytes(level, chunks);
  if (bytes.size() < index_bytes) return;
  const std::string_view index = level.index_at_start ? bytes.substr(0, index_bytes)
                                                      : bytes.substr(bytes.size() - index_bytes);
  uint64_t total = 0;
  for (const ShardEntry& entry : parse_shard_index(level, chunks, index, bytes.size(), "input")) {
    if (entry.missing()) continue;
    require(entry.offset <= bytes.size() && entry.bytes <= bytes.size() - entry.offset,
            "chunks are in the shard");
    total += entry.bytes;
  }
  require(total + index_bytes <= bytes.size(), "chunks do not overlap");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0]) {
      case '3':
        if (const auto array = parse_zarr_v3(bytes, "input")) look_at(*array);
        break;
      case '2': {
        const size_t middle = std::min(bytes.find('\n'), bytes.size());
        look_at(parse_zarr_v2(bytes.substr(0, middle), bytes.substr(middle), "input"));
        break;
      }
      case 'c':
        decode(bytes);
        break;
      case 's':
        read_index(bytes);
        break;
      default:
        break;
    }
  } catch (const Error& e) {
    require(e.kind() == ErrorKind::format, "malformed input is an error of that kind");
  }
  return 0;
}
