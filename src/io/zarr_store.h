// ZarrStore: the keys of a store and their values, in a folder or in a zip archive.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/file.h"
#include "io/zarr_codecs.h"
#include "io/zip.h"

namespace tamis::io {

/// Bytes [offset, offset + bytes) of a file.
struct StoredValue {
  std::shared_ptr<const File> file;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  std::optional<uint32_t> crc;  ///< of all of them, if the archive has one
  std::string name;             ///< for messages

  void read(uint64_t skip, void* to, size_t n) const { file->read(offset + skip, to, n); }
  /// All of it, compared with its checksum, to memory for as many bytes. Throws kind format if the
  /// checksum is wrong.
  void read_all_to(char* to) const;
  Bytes read_all() const;
};

class ZarrStore {
 public:
  virtual ~ZarrStore() = default;
  const std::string& name() const { return name_; }
  /// The value of a key, such as "a/c/0/1". None if there is no such key. Refused (kind format) are
  /// values of more bytes than `most`, before anything is inflated, and links inside of a folder:
  /// they could lead out of it.
  virtual std::optional<StoredValue> find(const std::string& key, uint64_t most) const = 0;
  /// The names of the folders right below a path, sorted; "" is the root. Links are left out.
  virtual std::vector<std::string> folders(const std::string& path) const = 0;
  /// Whether the store may be in a folder of its own, as in archives that were packed by hand.
  virtual bool may_be_wrapped() const = 0;

 protected:
  explicit ZarrStore(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

/// The files that make a folder a group or an array.
inline constexpr const char* kZarrMarkers[] = {"zarr.json", ".zarray", ".zgroup"};

/// "a/b" of "a" and "b"; the root is "".
std::string join_key(const std::string& path, const std::string& name);

std::unique_ptr<ZarrStore> open_folder_store(const std::string& path);
/// The archive must outlive the store.
std::unique_ptr<ZarrStore> open_archive_store(const File& file, std::vector<ZipMember> members);

}  // namespace tamis::io
