// Stores: files below a folder, reached without following links, and members of an archive.
#include "io/zarr_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "core/check.h"
#include "io/zarr.h"

namespace tamis::io {

namespace {

void check_crc(const StoredValue& value, const char* data) {
  if (!value.crc) return;
  const auto found = crc32_z(0, reinterpret_cast<const Bytef*>(data), value.bytes);
  check(found == *value.crc, ErrorKind::format, "{}: it is damaged: checksum (CRC) mismatch",
        value.name);
}

void check_most(uint64_t bytes, uint64_t most, const std::string& where) {
  check(bytes <= most, ErrorKind::format, "{}: it has {} bytes, more than the {} that it may have",
        where, bytes, most);
}

class FolderStore : public ZarrStore {
 public:
  explicit FolderStore(const std::string& path)
      : ZarrStore(path), root_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (!root_) raise_errno(path, "open for reading");
  }

  std::optional<StoredValue> find(const std::string& key, uint64_t most) const override {
    Descriptor fd = open_below(key, O_NONBLOCK);
    if (!fd) return std::nullopt;
    struct stat status;
    const std::string where = name() + "/" + key;
    if (fstat(fd.get(), &status) != 0) raise_errno(where, "stat the file");
    check(S_ISREG(status.st_mode), ErrorKind::format, "{}: not a regular file", where);
    auto file = std::make_shared<const File>(std::move(fd), where);
    const uint64_t bytes = file->size();
    check_most(bytes, most, where);
    return StoredValue{std::move(file), 0, bytes, std::nullopt, where};
  }

  std::vector<std::string> folders(const std::string& path) const override {
    const Descriptor fd = open_below(path.empty() ? "." : path, O_DIRECTORY);
    if (!fd) return {};
    const int copy = dup(fd.get());
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(copy < 0 ? nullptr : fdopendir(copy),
                                                      closedir);
    if (!entries) raise_errno(name() + "/" + path, "list");
    std::vector<std::string> found;
    while (const dirent* entry = readdir(entries.get())) {
      const std::string part = entry->d_name;
      if (part == "." || part == "..") continue;
      struct stat status;
      if (fstatat(fd.get(), part.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISDIR(status.st_mode)) {
        found.push_back(part);
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  bool may_be_wrapped() const override { return false; }

 private:
  /// Opens what is at the end of a path, one part after the other; none if it is not there.
  Descriptor open_below(const std::string& path, int flags) const {
    Descriptor folder;
    for (size_t begin = 0;;) {
      const size_t end = std::min(path.find('/', begin), path.size());
      const bool is_last = end == path.size();
      const int kind = is_last ? flags : O_DIRECTORY;
      const std::string part = path.substr(begin, end - begin);
      Descriptor next(openat(folder ? folder.get() : root_.get(), part.c_str(),
                             O_RDONLY | O_NOFOLLOW | O_CLOEXEC | kind));
      if (!next && (errno == ENOENT || (errno == ENOTDIR && !is_link(folder, part)))) return {};
      if (!next && (errno == ELOOP || errno == ENOTDIR)) {
        raise(ErrorKind::format, fmt::format("{}/{}: links inside of a Zarr store are not followed",
                                             name(), path.substr(0, end)));
      }
      if (!next) raise_errno(name() + "/" + path, "open for reading");
      if (is_last) return next;
      folder = std::move(next);
      begin = end + 1;
    }
  }

  bool is_link(const Descriptor& folder, const std::string& part) const {
    const int code = errno;
    struct stat status;
    const bool result = fstatat(folder ? folder.get() : root_.get(), part.c_str(), &status,
                                AT_SYMLINK_NOFOLLOW) == 0 &&
                        S_ISLNK(status.st_mode);
    errno = code;
    return result;
  }

  const Descriptor root_;
};

class ArchiveStore : public ZarrStore {
 public:
  ArchiveStore(const File& file, std::vector<ZipMember> members)
      : ZarrStore(file.name()), file_(&file, [](const File*) {}) {
    for (ZipMember& member : members) {
      std::string key = member.name;
      members_.emplace(std::move(key), std::move(member));
    }
  }

  std::optional<StoredValue> find(const std::string& key, uint64_t most) const override {
    const auto found = members_.find(key);
    if (found == members_.end()) return std::nullopt;
    const ZipMember& member = found->second;
    const std::string where = name() + ": member " + key;
    check_most(member.bytes, most, where);
    if (!member.deflated) {
      return StoredValue{file_, member.offset, member.bytes, member.crc, where};
    }
    File target = File::temporary(where, member.bytes);
    read_zip_member(*file_, member, [&](std::span<const char> bytes) {
      target.write(target.size(), bytes.data(), bytes.size());
    });
    return StoredValue{std::make_shared<const File>(std::move(target)), 0, member.bytes,
                       std::nullopt, where};
  }

  std::vector<std::string> folders(const std::string& path) const override {
    const std::string prefix = path.empty() ? "" : path + "/";
    std::vector<std::string> found;
    for (auto at = members_.lower_bound(prefix); at != members_.end();) {
      if (!at->first.starts_with(prefix)) break;
      const size_t slash = at->first.find('/', prefix.size());
      if (slash == std::string::npos) {
        ++at;
        continue;
      }
      found.push_back(at->first.substr(prefix.size(), slash - prefix.size()));
      // Past all that is in this folder: '0' comes after '/'.
      at = members_.lower_bound(at->first.substr(0, slash) + '0');
    }
    return found;
  }

  bool may_be_wrapped() const override { return true; }

 private:
  const std::shared_ptr<const File> file_;
  std::map<std::string, ZipMember> members_;
};

}  // namespace

Bytes StoredValue::read_all() const {
  Bytes all(bytes);
  read_all_to(all.data.get());
  return all;
}

void StoredValue::read_all_to(char* to) const {
  read(0, to, bytes);
  check_crc(*this, to);
}

std::string join_key(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "/" + name;
}

std::unique_ptr<ZarrStore> open_folder_store(const std::string& path) {
  return std::make_unique<FolderStore>(path);
}

std::unique_ptr<ZarrStore> open_archive_store(const File& file, std::vector<ZipMember> members) {
  return std::make_unique<ArchiveStore>(file, std::move(members));
}

bool is_folder(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_zarr(const std::vector<ZipMember>& members) {
  return std::any_of(members.begin(), members.end(), [](const ZipMember& member) {
    const std::string last = member.name.substr(member.name.rfind('/') + 1);
    return std::find(std::begin(kZarrMarkers), std::end(kZarrMarkers), last) !=
           std::end(kZarrMarkers);
  });
}

}  // namespace tamis::io
