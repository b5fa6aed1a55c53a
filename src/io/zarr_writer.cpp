// Writing stores: slabs are filled in order, and their chunks compressed on several threads.
#include <algorithm>
#include <cstring>
#include <utility>

#include "core/check.h"
#include "core/tensor_impl.h"
#include "io/npy.h"
#include "io/sizes.h"
#include "io/zarr.h"
#include "io/zarr_chunks.h"
#include "io/zarr_slabs.h"
#include "io/zarr_target.h"
#include "io/zarr_workers.h"
#include "tamis/runtime.h"

namespace tamis::io {

namespace {

/// What a size counts as before it is known.
constexpr int64_t kUnknown = int64_t{1} << 40;
constexpr int64_t kChunkBytes = 4 << 20;
/// Rows of chunks side by side should have no more, so that they fit memory.
constexpr int64_t kMostRowBytes = 128 << 20;

/// The whole shape, its longest side halved until a chunk is small enough.
Shape default_chunks(const Shape& shape, int64_t width) {
  Shape chunks = shape;
  for (int64_t& size : chunks) size = std::max<int64_t>(size, 1);
  const auto is_large = [&] {
    const auto bytes = checked_size(chunks, width);
    return !bytes || *bytes > static_cast<uint64_t>(kChunkBytes);
  };
  while (is_large()) {
    int64_t& longest = *std::max_element(chunks.begin(), chunks.end());
    longest = (longest + 1) / 2;
  }
  if (shape.size() < 2) return chunks;
  double row = static_cast<double>(width);
  for (size_t d = 1; d < shape.size(); ++d) row *= static_cast<double>(shape[d]);
  const double rows = static_cast<double>(kMostRowBytes) / std::max(row, 1.0);
  chunks[0] = std::min(chunks[0], std::max<int64_t>(1, static_cast<int64_t>(std::min(rows, 1e15))));
  return chunks;
}

ByteCodec codec_of(const ZarrLayout& layout, DType dtype) {
  ByteCodec codec;
  int least = 0, most = 9, usual = 1;
  switch (layout.compression) {
    case Compression::gzip:
      codec.kind = CodecKind::gzip;
      break;
    case Compression::blosc:
      codec.kind = CodecKind::blosc;
      codec.blosc_compressor = "lz4";
      codec.blosc_shuffle = itemsize(dtype) > 1 ? 1 : 0;
      codec.blosc_typesize = itemsize(dtype);
      usual = 5;
      break;
    case Compression::zstd:
    case Compression::none:
      codec.kind = CodecKind::zstd;
      least = 1, most = 22;
  }
  codec.level = layout.level == -1 ? usual : layout.level;
  check(codec.level >= least && codec.level <= most, ErrorKind::value,
        "the level of compression must be from {} to {}, not {}", least, most, codec.level);
  return codec;
}

void check_chunks(const Shape& chunks, const Shape& shape, int64_t width, const char* what) {
  check(chunks.size() == shape.size(), ErrorKind::shape,
        "{} of shape {} do not fit an array of {} dimensions", what, chunks, shape.size());
  const bool positive =
      std::all_of(chunks.begin(), chunks.end(), [](int64_t size) { return size > 0; });
  const auto bytes = checked_size(chunks, width);
  check(positive && bytes && *bytes < kMaxChunkBytes, ErrorKind::shape,
        "{} of shape {} are not possible: sizes must be at least 1, and less than 2 GiB together",
        what, chunks);
}

/// The array as it will be in the store, but for a size that is not known yet.
ZarrArray array_of(const ArrayPlan& plan) {
  const ZarrLayout& layout = plan.zarr;
  const auto width = static_cast<int64_t>(itemsize(plan.dtype));
  ZarrArray array;
  array.version = layout.version;
  check(array.version == 2 || array.version == 3, ErrorKind::value,
        "version {} of the Zarr format cannot be written; choose 2 or 3", array.version);
  array.shape = plan.shape;
  if (!array.shape.empty() && array.shape[0] == -1) array.shape[0] = kUnknown;
  array.dtype = plan.dtype;
  array.dtype_text = name(plan.dtype);
  if (array.version == 2) {
    const std::string_view code = numpy_code(plan.dtype);
    check(!code.empty(), ErrorKind::dtype,
          "version 2 of the Zarr format does not support {}; use version 3", name(plan.dtype));
    array.dtype_text = (width == 1 ? "|" : "<") + std::string(code);
    array.has_prefix = false;
    array.separator = '.';
  }
  array.chunks = layout.chunks.empty() ? default_chunks(array.shape, width) : layout.chunks;
  check_chunks(array.chunks, array.shape, width, "chunks");
  if (!layout.shards.empty()) {
    check(array.version == 3, ErrorKind::value,
          "version 2 of the Zarr format does not have shards; use version 3");
    check_chunks(layout.shards, array.shape, width, "shards");
    int64_t count = 1;
    for (size_t d = 0; d < array.chunks.size(); ++d) {
      check(layout.shards[d] % array.chunks[d] == 0, ErrorKind::shape,
            "shards of shape {} are not made of whole chunks of shape {}", layout.shards,
            array.chunks);
      count *= layout.shards[d] / array.chunks[d];
    }
    check(count <= kMaxShardChunks, ErrorKind::shape, "{} chunks in a shard are more than {}",
          count, kMaxShardChunks);
    array.shards.push_back({.shape = layout.shards});
  }
  if (layout.compression != Compression::none) {
    array.codecs.push_back(codec_of(layout, plan.dtype));
  }
  check(layout.dimension_names.empty() || layout.dimension_names.size() == array.shape.size(),
        ErrorKind::value, "got {} names for {} dimensions", layout.dimension_names.size(),
        array.shape.size());
  array.dimension_names = layout.dimension_names;
  return array;
}

/// One array of a store: where its elements are until their chunks are written.
class ArrayWriter {
 public:
  ArrayWriter(const ArrayPlan& plan, ZarrTarget& target, Workers& workers, int threads)
      : path_(plan.name),
        may_shrink_(!plan.shape.empty() && plan.shape[0] == -1 && plan.zarr.chunks.empty() &&
                    plan.zarr.shards.empty()),
        target_(target),
        workers_(workers),
        array_(std::make_shared<ZarrArray>(array_of(plan))),
        grid_(std::make_shared<ZarrGrid>(array_->shape, array_->outer())) {
    const auto bytes = static_cast<uint64_t>(grid_->whole_slab()) * itemsize(plan.dtype);
    most_waiting_ =
        std::clamp<uint64_t>(kKeptSlabBytes / bytes, 1, static_cast<uint64_t>(4 * threads));
  }

  void append(const char* data, size_t bytes) {
    const size_t width = itemsize(*array_->dtype);
    while (bytes > 0) {
      if (!slab_.defined()) {
        slab_ = slab_memory(grid_->elements(number_), *array_->dtype, path_);
        filled_ = 0;
      }
      const size_t room = static_cast<size_t>(grid_->elements(number_)) * width - filled_;
      const size_t n = std::min(room, bytes);
      std::memcpy(static_cast<char*>(slab_.mutable_data_ptr()) + filled_, data, n);
      filled_ += n, data += n, bytes -= n;
      if (n == room) submit();
    }
  }

  /// The shape is known now.
  void finish(const Shape& shape) {
    if (!(shape == array_->shape)) {
      auto array = std::make_shared<ZarrArray>(*array_);
      array->shape = shape;
      if (may_shrink_ && number_ == 0) {
        array->chunks[0] = std::min(array->chunks[0], std::max<int64_t>(1, shape[0]));
      }
      array_ = std::move(array);
      grid_ = std::make_shared<ZarrGrid>(array_->shape, array_->outer());
    }
    if (slab_.defined()) submit();
    workers_.finish();
    target_.put(join_key(path_, array_->version == 3 ? "zarr.json" : ".zarray"),
                make_zarr_metadata(*array_));
  }

 private:
  /// What jobs share of a slab.
  struct Batch {
    std::shared_ptr<const ZarrArray> array;
    std::shared_ptr<const ZarrGrid> grid;
    std::string path;
    Tensor elements;
    int64_t number = 0;
    int64_t left = 0;  // chunks that are not written
  };

  /// Hands the chunks of the slab to the workers.
  void submit() {
    auto batch = std::make_shared<Batch>();
    *batch = {array_, grid_, path_, std::exchange(slab_, {}), number_++, grid_->chunks_per_slab()};
    workers_.wait([&] { return *waiting_ < most_waiting_; });
    workers_.change([&] { ++*waiting_; });
    for (int64_t i = 0; i < grid_->chunks_per_slab(); ++i) {
      workers_.submit([batch, i, turn = turns_++, turns = turns_done_, waiting = waiting_,
                       &target = target_, &workers = workers_] {
        const Bytes encoded = encode(*batch, i);
        if (target.keeps_order()) workers.wait([&] { return *turns == turn; });
        if (encoded.size > 0) {
          const std::string key = batch->array->key(batch->grid->index(batch->number, i));
          target.put(join_key(batch->path, key), encoded.view());
        }
        workers.change([&] {
          ++*turns;
          if (--batch->left == 0) --*waiting;
        });
      });
    }
  }

  /// The bytes of a file, none if all its elements are zero.
  static Bytes encode(const Batch& batch, int64_t number) {
    const ZarrGrid& grid = *batch.grid;
    const ZarrArray& array = *batch.array;
    const size_t width = itemsize(*array.dtype);
    const Shape index = grid.index(batch.number, number);
    const Shape strides = grid.strides();
    const char* from = static_cast<const char*>(batch.elements.data_ptr()) +
                       static_cast<size_t>(grid.offset(index)) * width;
    const Shape clipped = grid.clipped(index);
    return array.shards.empty() ? encode_chunk(array, from, strides, clipped)
                                : encode_shard(array, from, strides, clipped);
  }

  static Bytes encode_shard(const ZarrArray& array, const char* from, const Shape& strides,
                            const Shape& clipped) {
    const size_t width = itemsize(*array.dtype);
    const ZarrGrid inner(clipped, array.chunks);
    Shape at(clipped.size(), 0), along = array.shards[0].shape;
    for (size_t d = 0; d < along.size(); ++d) along[d] /= array.chunks[d];
    std::vector<ShardEntry> entries;
    std::vector<Bytes> parts;
    uint64_t offset = 0;
    for (int64_t i = 0; i < numel(along); ++i) {
      int64_t rest = i, start = 0;
      bool is_inside = true;
      for (size_t d = along.size(); d-- > 0; rest /= along[d]) at[d] = rest % along[d];
      for (size_t d = 0; d < along.size(); ++d) {
        is_inside &= at[d] * array.chunks[d] < clipped[d];
        start += at[d] * array.chunks[d] * strides[d];
      }
      Bytes part;
      if (is_inside) {
        part = encode_chunk(array, from + static_cast<size_t>(start) * width, strides,
                            inner.clipped(at));
      }
      const bool is_missing = part.size == 0;
      entries.push_back(is_missing ? ShardEntry{ShardEntry::kMissing, ShardEntry::kMissing}
                                   : ShardEntry{offset, part.size});
      offset += part.size;
      parts.push_back(std::move(part));
    }
    if (offset == 0) return {};
    parts.push_back(make_shard_index(entries));
    Bytes shard(offset + parts.back().size);
    char* to = shard.data.get();
    for (const Bytes& part : parts) to = std::copy_n(part.data.get(), part.size, to);
    return shard;
  }

  static Bytes encode_chunk(const ZarrArray& array, const char* from, const Shape& strides,
                            const Shape& clipped) {
    const size_t bytes = array.chunk_bytes();
    const Shape plain = contiguous_strides(array.chunks);
    Bytes copy;
    std::string_view all(from, bytes);
    bool is_plain = clipped == array.chunks;
    for (size_t d = 0; d < clipped.size(); ++d) {
      is_plain &= clipped[d] == 1 || strides[d] == plain[d];
    }
    if (!is_plain) {
      copy = Bytes(bytes);
      if (!(clipped == array.chunks)) std::memset(copy.data.get(), 0, bytes);
      copy_box(copy.data.get(), plain, from, strides, clipped, *array.dtype);
      all = copy.view();
    }
    const bool is_zero = all[0] == 0 && std::memcmp(all.data(), all.data() + 1, bytes - 1) == 0;
    return is_zero ? Bytes() : encode_bytes(array.codecs, all);
  }

  const std::string path_;
  const bool may_shrink_;
  ZarrTarget& target_;
  Workers& workers_;
  std::shared_ptr<const ZarrArray> array_;
  std::shared_ptr<const ZarrGrid> grid_;
  Tensor slab_;  // the one that is being filled, up to filled_ bytes
  size_t filled_ = 0;
  int64_t number_ = 0;  // of that slab
  uint64_t most_waiting_ = 1;
  // Guarded by the workers.
  const std::shared_ptr<uint64_t> waiting_ = std::make_shared<uint64_t>(0);  // slabs
  int64_t turns_ = 0;
  const std::shared_ptr<int64_t> turns_done_ = std::make_shared<int64_t>(0);
};

class StoreSink : public ZarrSink {
 public:
  StoreSink(std::unique_ptr<ZarrTarget> target, std::vector<ArrayPlan> plans)
      : target_(std::move(target)),
        plans_(std::move(plans)),
        threads_(plans_.empty() || plans_[0].zarr.threads == 0 ? get_num_threads()
                                                               : plans_[0].zarr.threads),
        workers_(std::make_unique<Workers>(threads_)) {
    begin_array();
  }

  void append(const void* data, size_t bytes) override {
    writer_->append(static_cast<const char*>(data), bytes);
  }

  void end_array(const Shape& shape) override {
    writer_->finish(shape);
    ++current_;
    begin_array();
  }

  void commit() override {
    write_groups();
    workers_.reset();
    target_->commit();
  }

  uint64_t bytes() const override { return target_->bytes(); }

 private:
  void begin_array() {
    writer_.reset();
    if (current_ == plans_.size()) return;
    writer_ = std::make_unique<ArrayWriter>(plans_[current_], *target_, *workers_, threads_);
  }

  /// Every folder above an array is a group.
  void write_groups() {
    std::vector<std::string> groups;
    for (const ArrayPlan& plan : plans_) {
      if (plan.name.empty()) continue;
      groups.emplace_back();
      for (size_t end = plan.name.find('/'); end != plan.name.npos;
           end = plan.name.find('/', end + 1)) {
        groups.push_back(plan.name.substr(0, end));
      }
    }
    if (plans_.empty()) groups.emplace_back();
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    const int version = plans_.empty() ? 3 : plans_[0].zarr.version;
    for (const std::string& group : groups) {
      target_->put(join_key(group, version == 3 ? "zarr.json" : ".zgroup"),
                   make_zarr_group(version));
    }
  }

  const std::unique_ptr<ZarrTarget> target_;
  const std::vector<ArrayPlan> plans_;
  const int threads_;
  std::unique_ptr<Workers> workers_;  // after what its jobs use
  std::unique_ptr<ArrayWriter> writer_;
  size_t current_ = 0;
};

/// Before anything is written.
void check_layouts(const std::vector<ArrayPlan>& plans) {
  for (const ArrayPlan& plan : plans) (void)array_of(plan);
}

}  // namespace

std::unique_ptr<ZarrSink> make_zarr_folder(const std::string& path, std::vector<ArrayPlan> plans,
                                           bool sync) {
  check_layouts(plans);
  return std::make_unique<StoreSink>(make_folder_target(path, sync), std::move(plans));
}

std::unique_ptr<ZarrSink> make_zarr_archive(std::unique_ptr<Output> output,
                                            std::vector<ArrayPlan> plans) {
  check_layouts(plans);
  return std::make_unique<StoreSink>(make_archive_target(std::move(output)), std::move(plans));
}

}  // namespace tamis::io
