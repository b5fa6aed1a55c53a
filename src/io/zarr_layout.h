// ZarrLayout and ZarrInfo: how an array lies in a Zarr store, as it is asked for and as it is
// found.
#pragma once

#include <string>
#include <vector>

#include "tamis/shape.h"

namespace tamis::io {

enum class Compression : uint8_t { none, zstd, gzip, blosc };

/// How an array is to be written to a Zarr store.
struct ZarrLayout {
  int version = 3;  ///< of the format: 2 or 3
  /// Sizes of a chunk. Empty: about 4 MiB, with sides of about equal length.
  Shape chunks = {};
  /// Sizes of a shard, a file that holds many chunks; multiples of those of a chunk. Empty: none.
  Shape shards = {};
  Compression compression = Compression::zstd;
  int level = -1;                                 ///< of the compression; -1: a fast one
  std::vector<std::string> dimension_names = {};  ///< one for each dimension, or none
  int threads = 0;                                ///< that compress; 0: get_num_threads()
};

/// How an array lies in a store, for descriptions.
struct ZarrInfo {
  int version = 3;
  Shape chunks;
  Shape shards;            ///< the outermost, empty if there are none
  std::string codecs;      ///< "bytes, zstd(level 1)"
  std::string fill_value;  ///< as JSON
  std::vector<std::string> dimension_names;
};

}  // namespace tamis::io
