// Mappings of files that a shortened file turns into zeros and an error instead of a crash.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "io/file.h"

namespace tamis::io {

/// Set when a page of a mapping could not be read.
using Damage = std::shared_ptr<std::atomic<bool>>;

/// Bytes [offset, offset + bytes) of a file, mapped for reading.
class Mapping {
 public:
  /// Null if the system has no address space left for it, or too many mappings are alive. bytes >
  /// 0. Installs the handler for SIGBUS at the first call.
  static std::shared_ptr<Mapping> make(const File& file, uint64_t offset, size_t bytes,
                                       Damage damage);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  /// For reading, although not const: tensors over it are marked as read-only.
  void* data() const noexcept { return data_; }

 private:
  Mapping() = default;

  // Unused where files are never mapped (wasm/mapping.cpp).
  [[maybe_unused]] void* pages_ = nullptr;
  [[maybe_unused]] size_t page_bytes_ = 0;
  void* data_ = nullptr;
  [[maybe_unused]] size_t slot_ = 0;
  Damage damage_;
};

}  // namespace tamis::io
