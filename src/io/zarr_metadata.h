// The metadata of Zarr: what zarr.json and .zarray say about an array, parsed from untrusted text,
// and written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/array_info.h"
#include "io/zarr_codecs.h"

namespace tamis::io {

/// Metadata of more bytes is refused; some stores keep that of all arrays in one file.
inline constexpr uint64_t kMaxZarrMetadata = 64 << 20;
/// A chunk has fewer bytes.
inline constexpr uint64_t kMaxChunkBytes = uint64_t{1} << 31;
/// A shard has no more chunks.
inline constexpr int64_t kMaxShardChunks = 1 << 22;

/// Files that hold chunks, or other shards, and an index of them.
struct ShardLevel {
  Shape shape;  ///< in elements
  bool index_at_start = false;
  bool index_big_endian = false;
  bool index_has_crc = true;
};

struct ZarrArray {
  int version = 3;
  Shape shape;
  std::optional<DType> dtype;  ///< none: Tamis does not have it
  std::string dtype_text;
  std::string fill;                ///< the bytes of an element that was never written
  std::string fill_text;           ///< as JSON
  Shape chunks;                    ///< sizes of what is compressed at once, all at least 1
  std::vector<ShardLevel> shards;  ///< from the outermost on; each divides the one before it
  /// Dimension order[i] of a chunk is dimension i of its bytes. Empty: the same order.
  Shape order;
  bool big_endian = false;
  std::vector<ByteCodec> codecs;  ///< in the order of writing
  std::string codecs_text;
  char separator = '/';
  bool has_prefix = true;                    ///< keys begin with "c"
  std::vector<std::string> dimension_names;  ///< one for each dimension, or none
  /// What of it is not supported; empty: it can be read.
  std::string problem;

  uint64_t chunk_bytes() const { return static_cast<uint64_t>(numel(chunks)) * itemsize(*dtype); }
  /// The sizes of a file.
  const Shape& outer() const { return shards.empty() ? chunks : shards[0].shape; }
  /// The key of a file, from its place in the grid of files.
  std::string key(const Shape& index) const;
};

/// The array that a zarr.json describes, or none if it describes a group. `where` begins messages.
/// Throws kind format if it is malformed; what is sound but not supported is the array's `problem`.
std::optional<ZarrArray> parse_zarr_v3(std::string_view json, const std::string& where);
/// The array of a .zarray; `attributes` is the text of .zattrs, which may be empty.
ZarrArray parse_zarr_v2(std::string_view json, std::string_view attributes,
                        const std::string& where);

/// zarr.json or .zarray of an array as Tamis writes it: little endian, its fill value 0.
std::string make_zarr_metadata(const ZarrArray& array);
/// zarr.json or .zgroup of a group.
std::string make_zarr_group(int version);

/// Where a chunk is in a shard.
struct ShardEntry {
  uint64_t offset = 0, bytes = 0;
  static constexpr uint64_t kMissing = UINT64_MAX;
  bool missing() const { return offset == kMissing && bytes == kMissing; }
};

/// The bytes of an index of so many chunks.
uint64_t shard_index_bytes(const ShardLevel& level, int64_t chunks);
/// The index of a shard of `shard_bytes` bytes. Throws kind format if its checksum is wrong, or if
/// a chunk overlaps another or the index, or reaches out of the shard.
std::vector<ShardEntry> parse_shard_index(const ShardLevel& level, int64_t chunks,
                                          std::string_view index, uint64_t shard_bytes,
                                          const std::string& where);
/// The index of chunks, with its checksum.
Bytes make_shard_index(const std::vector<ShardEntry>& entries);

}  // namespace tamis::io
