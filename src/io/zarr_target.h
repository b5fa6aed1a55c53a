// ZarrTarget: keys and values on their way to a store that appears whole or not at all.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "io/output.h"

namespace tamis::io {

class ZarrTarget {
 public:
  virtual ~ZarrTarget() = default;
  /// Any number of threads may call it, each with keys of its own.
  virtual void put(const std::string& key, std::string_view bytes) = 0;
  /// Makes the store appear. Nothing may be called after it.
  virtual void commit() = 0;
  /// Whether values lie in it in the order of the calls.
  virtual bool keeps_order() const = 0;
  uint64_t bytes() const noexcept { return bytes_; }

 protected:
  std::atomic<uint64_t> bytes_{0};
};

/// A new folder beside `path`, which commit() syncs and renames. A store that is there is replaced;
/// anything else, unless it is an empty folder, is refused (kind io). Without commit() nothing of
/// it stays.
std::unique_ptr<ZarrTarget> make_folder_target(const std::string& path, bool sync);
/// A zip archive with stored members.
std::unique_ptr<ZarrTarget> make_archive_target(std::unique_ptr<Output> output);

}  // namespace tamis::io
