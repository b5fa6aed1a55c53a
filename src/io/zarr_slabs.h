// ZarrSlabs: windows of an array, from slabs that are decoded once and kept for a while.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "io/zarr_chunks.h"
#include "tamis/tensor.h"

namespace tamis::io {

/// Slabs of more bytes are kept in a file.
inline constexpr uint64_t kMostSlabBytes = uint64_t{256} << 20;
/// Slabs that are kept, or decoded ahead, together have about as many bytes, but they are at least
/// three: one that is used, one that others still use, and the next. Memory that is new to the
/// process costs as much as decoding does, so it should be little.
inline constexpr uint64_t kKeptSlabBytes = uint64_t{32} << 20;

/// Uninitialised elements, in memory or, if they are many, in a mapped temporary file without a
/// name, so that they may exceed the memory. `name` is for messages.
Tensor slab_memory(int64_t elements, DType dtype, const std::string& name);

/// Any number of threads may use it at once.
class ZarrSlabs {
 public:
  ZarrSlabs(const ZarrChunks& chunks, std::string name);

  /// All elements, on several threads.
  Tensor read() const;
  /// Elements [first, first + count), count > 0.
  Tensor window(int64_t first, int64_t count) const;

 private:
  struct Slab;

  std::shared_ptr<Slab> slab(int64_t number) const;
  uint64_t slab_bytes() const {
    return static_cast<uint64_t>(grid_.whole_slab()) * chunks_.width();
  }
  void require(Slab& slab, int64_t first, int64_t count) const;
  bool take(Slab& slab, int64_t chunk) const;
  bool work_ahead(int64_t number) const;
  void decode_whole(int64_t begin, int64_t end, char* to) const;

  const ZarrChunks& chunks_;
  const ZarrGrid& grid_;
  const std::string name_;

  mutable std::mutex mutex_;
  mutable std::map<int64_t, std::shared_ptr<Slab>> recent_;
  mutable uint64_t uses_ = 0;
};

}  // namespace tamis::io
