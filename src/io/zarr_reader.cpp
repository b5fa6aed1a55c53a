// The arrays of a store: what its metadata say, and their elements.
#include <algorithm>
#include <mutex>

#include "core/check.h"
#include "io/zarr.h"
#include "io/zarr_slabs.h"
#include "io/zarr_store.h"

namespace tamis::io {

namespace {

constexpr size_t kMaxNodes = 100000, kMaxDepth = 32;

class StoreSource : public ZarrSource {
 public:
  explicit StoreSource(std::unique_ptr<ZarrStore> store) : store_(std::move(store)) {
    visit("", 0);
  }

  bool is_store() const { return visited_ > 0; }

  Tensor read(size_t array) const override { return slabs(array).read(); }
  Tensor window(size_t array, int64_t first, int64_t count) const override {
    return slabs(array).window(first, count);
  }

 private:
  /// An array, and what reads it once somebody does.
  struct Node {
    ZarrArray array;
    // Not std::once_flag, whose variables per thread keep the Python module from being loaded after
    // NumPy and Arrow.
    std::mutex opening;
    std::unique_ptr<ZarrChunks> chunks;
    std::unique_ptr<ZarrSlabs> slabs;
  };

  std::optional<std::string> text_at(const std::string& path, const char* file) const {
    const std::optional<StoredValue> value = store_->find(join_key(path, file), kMaxZarrMetadata);
    if (!value) return std::nullopt;
    return std::string(value->read_all().view());
  }

  /// Goes through the groups below a path and notes their arrays.
  void visit(const std::string& path, size_t depth) {
    const auto has = [&](const char* file) {
      return store_->find(join_key(path, file), kMaxZarrMetadata).has_value();
    };
    std::optional<ZarrArray> array = array_at(path);
    const bool is_group = has("zarr.json") || has(".zgroup");
    if (!array && !is_group && !(path.empty() && store_->may_be_wrapped())) return;
    check(++visited_ <= kMaxNodes && depth <= kMaxDepth, ErrorKind::format,
          "{}: more than {} arrays and groups, or nested deeper than {}", store_->name(), kMaxNodes,
          kMaxDepth);
    if (!array) {
      for (const std::string& part : store_->folders(path)) visit(join_key(path, part), depth + 1);
      return;
    }
    arrays_.push_back(describe(path, *array));
    nodes_.push_back(std::make_unique<Node>());
    nodes_.back()->array = std::move(*array);
  }

  /// The array at a path, or none if it is a group.
  std::optional<ZarrArray> array_at(const std::string& path) const {
    const auto where = [&](const char* file) {
      return store_->name() + "/" + join_key(path, file);
    };
    if (const auto text = text_at(path, "zarr.json")) {
      return parse_zarr_v3(*text, where("zarr.json"));
    }
    const auto text = text_at(path, ".zarray");
    if (!text) return std::nullopt;
    return parse_zarr_v2(*text, text_at(path, ".zattrs").value_or(""), where(".zarray"));
  }

  static ArrayInfo describe(const std::string& path, const ZarrArray& array) {
    ArrayInfo info;
    info.name = path;
    info.dtype = array.dtype;
    info.dtype_text = array.dtype_text;
    info.shape = array.shape;
    info.byte_swapped = array.big_endian;
    info.compressed = !array.codecs.empty();
    if (array.dtype) {
      info.bytes = static_cast<uint64_t>(numel(array.shape)) * itemsize(*array.dtype);
    }
    info.problem = array.problem;
    if (!array.dtype) {
      info.problem = fmt::format("element type '{}' is not supported", array.dtype_text);
    }
    auto zarr = std::make_shared<ZarrInfo>();
    zarr->version = array.version;
    zarr->chunks = array.chunks;
    if (!array.shards.empty()) zarr->shards = array.outer();
    zarr->codecs = array.codecs_text;
    zarr->fill_value = array.fill_text;
    zarr->dimension_names = array.dimension_names;
    info.zarr = std::move(zarr);
    return info;
  }

  const ZarrSlabs& slabs(size_t number) const {
    Node& node = *nodes_[number];
    const std::lock_guard lock(node.opening);
    if (!node.slabs) {
      const std::string& path = arrays_[number].name;
      node.chunks = std::make_unique<ZarrChunks>(*store_, path, node.array);
      node.slabs = std::make_unique<ZarrSlabs>(*node.chunks, join_key(store_->name(), path));
    }
    return *node.slabs;
  }

  const std::unique_ptr<ZarrStore> store_;
  std::vector<std::unique_ptr<Node>> nodes_;
  size_t visited_ = 0;
};

}  // namespace

std::unique_ptr<ZarrSource> open_zarr_folder(const std::string& path) {
  auto source = std::make_unique<StoreSource>(open_folder_store(path));
  check(source->is_store(), ErrorKind::io,
        "{}: cannot read: it is a directory, but not a Zarr store (no zarr.json, .zarray or "
        ".zgroup)",
        path);
  return source;
}

std::unique_ptr<ZarrSource> open_zarr_archive(const File& file, std::vector<ZipMember> members) {
  return std::make_unique<StoreSource>(open_archive_store(file, std::move(members)));
}

}  // namespace tamis::io
