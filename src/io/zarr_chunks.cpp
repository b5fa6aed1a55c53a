// Chunks: found by key or by the index of a shard, decoded, and put in their place.
#include "io/zarr_chunks.h"

#include <cstring>

#include "core/check.h"
#include "core/tensor_impl.h"
#include "io/layout.h"
#include "tamis/create.h"
#include "tamis/view.h"

namespace tamis::io {

namespace {

/// Entries of indices that are kept, 16 bytes each.
constexpr size_t kMostEntries = 4 << 20;

/// Strides of the dimensions of a chunk whose bytes have them in that order.
Shape strides_of(const Shape& chunk, const Shape& order) {
  Shape strides(chunk.size(), 0);
  int64_t stride = 1;
  for (size_t i = chunk.size(); i-- > 0;) {
    const size_t d = order.empty() ? i : static_cast<size_t>(order[i]);
    strides[d] = stride;
    stride *= chunk[d];
  }
  return strides;
}

bool is_row_major(const Shape& chunk, const Shape& strides) {
  const Shape plain = strides_of(chunk, {});
  for (size_t d = 0; d < chunk.size(); ++d) {
    if (chunk[d] > 1 && strides[d] != plain[d]) return false;
  }
  return true;
}

/// The most bytes that a file may have, a chunk or a shard.
uint64_t most_file_bytes(const ZarrArray& array) {
  const uint64_t chunk = most_encoded(array.codecs, array.chunk_bytes());
  if (array.shards.empty()) return chunk;
  double chunks = 1;
  for (size_t d = 0; d < array.chunks.size(); ++d) {
    chunks *= static_cast<double>(array.outer()[d] / array.chunks[d]);
  }
  // Entries of indices, one for each level of shards, take less than 256 bytes.
  const double bytes = chunks * static_cast<double>(chunk + 256) + 4096;
  return bytes < 0x1p62 ? static_cast<uint64_t>(bytes) : uint64_t{1} << 62;
}

/// Whether a chunk has all of a slab but rows that the array does not have any more.
bool fills_slab(const ZarrGrid& grid) {
  for (size_t d = grid.dim() + 1; d < grid.shape().size(); ++d) {
    if (grid.chunk()[d] != grid.shape()[d]) return false;
  }
  return true;
}

}  // namespace

ZarrChunks::ZarrChunks(const ZarrStore& store, std::string path, const ZarrArray& array)
    : store_(store),
      path_(std::move(path)),
      array_(array),
      grid_(array.shape, array.chunks),
      strides_(strides_of(array.chunks, array.order)),
      most_file_bytes_(most_file_bytes(array)),
      is_direct_(is_row_major(array.chunks, strides_) && fills_slab(grid_)) {}

/// The bytes of a chunk, in a file of its own or in a shard; none if it was never written.
std::optional<StoredValue> ZarrChunks::find(const Shape& index) const {
  // Elements count from the beginning of the file, or shard, that is looked at.
  Shape at = index;
  for (size_t d = 0; d < at.size(); ++d) at[d] *= array_.chunks[d];
  const Shape& outer = array_.outer();
  Shape file_index = at;
  for (size_t d = 0; d < at.size(); ++d) {
    file_index[d] = at[d] / outer[d];
    at[d] %= outer[d];
  }
  std::string key = join_key(path_, array_.key(file_index));
  std::optional<StoredValue> value = store_.find(key, most_file_bytes_);
  for (size_t i = 0; i < array_.shards.size() && value; ++i) {
    const ShardLevel& level = array_.shards[i];
    const Shape& inner = i + 1 < array_.shards.size() ? array_.shards[i + 1].shape : array_.chunks;
    int64_t number = 0, count = 1;
    for (size_t d = 0; d < at.size(); ++d) {
      const int64_t along = level.shape[d] / inner[d];
      number = number * along + at[d] / inner[d];
      count *= along;
      at[d] %= inner[d];
    }
    const auto shard = shard_index(level, count, *value, key);
    const ShardEntry& entry = shard->entries[static_cast<size_t>(number)];
    if (entry.missing()) return std::nullopt;
    value->offset += entry.offset;
    value->bytes = entry.bytes;
    value->crc.reset();
    key += fmt::format("#{}", number);
  }
  return value;
}

std::shared_ptr<const ZarrChunks::ShardIndex> ZarrChunks::shard_index(
    const ShardLevel& level, int64_t chunks, const StoredValue& shard,
    const std::string& key) const {
  {
    const std::lock_guard guard(mutex_);
    for (auto at = recent_.begin(); at != recent_.end(); ++at) {
      if (at->first != key || at->second->shard_bytes != shard.bytes) continue;
      recent_.splice(recent_.begin(), recent_, at);
      return recent_.front().second;
    }
  }
  const uint64_t bytes = shard_index_bytes(level, chunks);
  check(shard.bytes >= bytes, ErrorKind::format,
        "{}: a shard of {} bytes has no space for an index of {} bytes", shard.name, shard.bytes,
        bytes);
  Bytes index(bytes);
  shard.read(level.index_at_start ? 0 : shard.bytes - bytes, index.data.get(), bytes);
  auto parsed = std::make_shared<ShardIndex>();
  parsed->shard_bytes = shard.bytes;
  parsed->entries = parse_shard_index(level, chunks, index.view(), shard.bytes, shard.name);
  const std::lock_guard guard(mutex_);
  recent_.emplace_front(key, parsed);
  recent_entries_ += parsed->entries.size();
  while (recent_entries_ > kMostEntries && recent_.size() > 1) {
    recent_entries_ -= recent_.back().second->entries.size();
    recent_.pop_back();
  }
  return parsed;
}

void ZarrChunks::decode_to(const StoredValue& value, char* to) const {
  const uint64_t bytes = array_.chunk_bytes();
  if (array_.codecs.empty()) {
    check(value.bytes == bytes, ErrorKind::format, "{}: the chunk has {} bytes instead of {}",
          value.name, value.bytes, bytes);
    value.read_all_to(to);
  } else {
    check(value.bytes <= most_encoded(array_.codecs, bytes), ErrorKind::format,
          "{}: the chunk has {} bytes, more than it can need", value.name, value.bytes);
    const Scratch encoded(value.bytes);
    value.read_all_to(encoded.data());
    decode_bytes(array_.codecs, encoded.view(value.bytes), to, bytes, value.name);
  }
  if (array_.big_endian) swap_bytes(to, static_cast<size_t>(numel(array_.chunks)), dtype());
}

void ZarrChunks::place(const Shape& index, const char* chunk, char* slab) const {
  copy_box(slab + static_cast<size_t>(grid_.offset(index)) * width(), grid_.strides(), chunk,
           strides_, grid_.clipped(index), dtype());
}

void ZarrChunks::decode(int64_t slab_number, int64_t number, char* slab, bool has_room) const {
  const Shape index = grid_.index(slab_number, number);
  const std::optional<StoredValue> value = find(index);
  if (!value) {
    char* to = slab + static_cast<size_t>(grid_.offset(index)) * width();
    copy_box(to, grid_.strides(), array_.fill.data(), Shape(index.size(), 0), grid_.clipped(index),
             dtype());
  } else if (is_direct_ && (has_room || grid_.elements(slab_number) == grid_.whole_slab())) {
    decode_to(*value, slab);
  } else {
    const Scratch chunk(array_.chunk_bytes());
    decode_to(*value, chunk.data());
    place(index, chunk.data(), slab);
  }
}

Tensor memory_view(const char* data, DType dtype, const Shape& sizes, const Shape& strides) {
  return from_blob(const_cast<char*>(data), sizes, dtype, {}, strides);
}

void copy_box(char* to, const Shape& to_strides, const char* from, const Shape& from_strides,
              const Shape& sizes, DType dtype) {
  const size_t width = itemsize(dtype);
  // Whole runs where the innermost dimension follows itself in both.
  const size_t rank = sizes.size();
  if (rank == 0) {
    std::memcpy(to, from, width);
    return;
  }
  if (to_strides[rank - 1] != 1 || from_strides[rank - 1] != 1) {
    memory_view(to, dtype, sizes, to_strides).copy_(memory_view(from, dtype, sizes, from_strides));
    return;
  }
  size_t first = rank - 1;
  int64_t run = sizes[first];
  while (first > 0 && to_strides[first - 1] == run && from_strides[first - 1] == run) {
    run *= sizes[--first];
  }
  Shape index(first, 0);
  for (;;) {
    int64_t in = 0, out = 0;
    for (size_t d = 0; d < first; ++d) {
      in += index[d] * from_strides[d];
      out += index[d] * to_strides[d];
    }
    std::memcpy(to + static_cast<size_t>(out) * width, from + static_cast<size_t>(in) * width,
                static_cast<size_t>(run) * width);
    size_t d = first;
    while (d > 0 && ++index[d - 1] == sizes[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace tamis::io
