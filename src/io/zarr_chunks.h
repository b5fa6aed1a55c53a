// ZarrChunks: finds and decodes the chunks of one array.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/zarr_grid.h"
#include "io/zarr_metadata.h"
#include "io/zarr_store.h"
#include "tamis/tensor.h"

namespace tamis::io {

/// Any number of threads may use it at once.
class ZarrChunks {
 public:
  /// The array at a path of the store, which can be read: it has no problem, and a dtype.
  ZarrChunks(const ZarrStore& store, std::string path, const ZarrArray& array);

  const ZarrGrid& grid() const { return grid_; }
  DType dtype() const { return *array_.dtype; }
  size_t width() const { return itemsize(dtype()); }

  /// Decodes a chunk of a slab, by its number there, to its place in the slab, which begins at
  /// `slab`. If `has_room`, there is memory for all rows of a chunk, even in the last slab, where
  /// the array may have fewer.
  void decode(int64_t slab_number, int64_t number, char* slab, bool has_room) const;

 private:
  struct ShardIndex {
    uint64_t shard_bytes = 0;
    std::vector<ShardEntry> entries;
  };

  std::optional<StoredValue> find(const Shape& index) const;
  std::shared_ptr<const ShardIndex> shard_index(const ShardLevel& level, int64_t chunks,
                                                const StoredValue& shard,
                                                const std::string& key) const;
  void decode_to(const StoredValue& value, char* to) const;
  void place(const Shape& index, const char* chunk, char* slab) const;

  const ZarrStore& store_;
  const std::string path_;
  const ZarrArray& array_;
  const ZarrGrid grid_;
  const Shape strides_;  // of a decoded chunk, in elements
  const uint64_t most_file_bytes_;
  const bool is_direct_;  // a chunk has the order of a slab, and is alone in it

  // Indices of shards that were used last, the last one in front.
  mutable std::mutex mutex_;
  mutable std::list<std::pair<std::string, std::shared_ptr<const ShardIndex>>> recent_;
  mutable size_t recent_entries_ = 0;
};

/// A view of part of memory, for copies between layouts. Strides are in elements.
Tensor memory_view(const char* data, DType dtype, const Shape& sizes, const Shape& strides);

/// Copies a box of elements from one layout to another.
void copy_box(char* to, const Shape& to_strides, const char* from, const Shape& from_strides,
              const Shape& sizes, DType dtype);

}  // namespace tamis::io
