// Stores being written: a folder under a temporary name, or the members of an archive.
#include "io/zarr_target.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <random>
#include <set>
#include <vector>

#include "core/check.h"
#include "io/system.h"
#include "io/zarr_store.h"
#include "io/zip.h"

namespace tamis::io {

namespace {

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string parent_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

bool is_empty_folder(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(path.c_str()), closedir);
  if (!entries) return false;
  int count = 0;
  while (readdir(entries.get()) != nullptr) ++count;
  return count <= 2;  // itself and its parent
}

bool is_store(const std::string& path) {
  return std::any_of(std::begin(kZarrMarkers), std::end(kZarrMarkers), [&](const char* marker) {
    return access((path + "/" + marker).c_str(), F_OK) == 0;
  });
}

class FolderTarget : public ZarrTarget {
 public:
  FolderTarget(const std::string& path, bool sync)
      : name_(path), target_(follow_links(without_slashes(path))), sync_(sync) {
    struct stat old;
    exists_ = stat(target_.c_str(), &old) == 0;
    check(!exists_ || S_ISDIR(old.st_mode), ErrorKind::io,
          "{}: cannot write: it is a file, and a Zarr store is a folder (or an archive whose name "
          "ends in .zip)",
          name_);
    check(!exists_ || is_store(target_) || is_empty_folder(target_), ErrorKind::io,
          "{}: cannot write: it is a directory that is not a Zarr store", name_);
    if (exists_ && access(target_.c_str(), W_OK) != 0) raise_errno(name_, "write");
    make_temporary();
    if (exists_) copy_permissions(root_.get(), old);
  }

  ~FolderTarget() override { remove_temporary(); }

  void put(const std::string& key, std::string_view bytes) override {
    make_folders(key);
    const Descriptor fd(
        openat(root_.get(), key.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!fd) raise_errno(name_, "write");
    iovec part = {const_cast<char*>(bytes.data()), bytes.size()};
    if (!write_all(fd.get(), {&part, 1})) raise_errno(name_, "write");
    bytes_ += bytes.size();
  }

  void commit() override {
    if (sync_ && syncfs(root_.get()) != 0) raise_errno(name_, "write");
    if (!exists_) {
      if (rename(temporary_.c_str(), target_.c_str()) != 0) raise_errno(name_, "rename into place");
      forget(slot_);
      temporary_.clear();
    } else {
      replace();
    }
    if (!sync_) return;
    // The new name must be on the disk as well.
    const Descriptor folder(::open(parent_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder) fsync(folder.get());
  }

  bool keeps_order() const override { return false; }

 private:
  void make_temporary() {
    std::random_device random;
    for (int attempt = 0; attempt < 100 && !root_; ++attempt) {
      temporary_ = fmt::format("{}.{:08x}.tmp", target_, random());
      // Before the folder exists: a signal right after mkdir must find its name.
      slot_ = remember(temporary_);
      if (mkdir(temporary_.c_str(), 0777) == 0) {
        root_ = Descriptor(::open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (root_) return;
      }
      const int code = errno;
      forget(slot_);
      errno = code;
      if (code != EEXIST) break;
    }
    temporary_.clear();
    raise_errno(name_, ("write to the directory " + parent_of(target_)).c_str());
  }

  void make_folders(const std::string& key) {
    const size_t slash = key.rfind('/');
    if (slash == key.npos) return;
    const std::lock_guard guard(mutex_);
    if (made_.contains(key.substr(0, slash))) return;
    for (size_t end = key.find('/'); end != key.npos; end = key.find('/', end + 1)) {
      const std::string folder = key.substr(0, end);
      if (!made_.insert(folder).second) continue;
      if (mkdirat(root_.get(), folder.c_str(), 0777) != 0 && errno != EEXIST) {
        raise_errno(name_, "write");
      }
    }
  }

  /// The two change places, so that there is a whole store under the name at every moment; then the
  /// old one is removed. Where the system cannot do that, the old one moves away first.
  void replace() {
    if (renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
      remove_temporary();
      return;
    }
    if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) {
      raise_errno(name_, "rename into place");
    }
    const std::string old = temporary_ + ".old";
    if (rename(target_.c_str(), old.c_str()) != 0) raise_errno(name_, "rename into place");
    if (rename(temporary_.c_str(), target_.c_str()) != 0) {
      const int code = errno;
      rename(old.c_str(), target_.c_str());
      errno = code;
      raise_errno(name_, "rename into place");
    }
    forget(slot_);
    temporary_.clear();
    remove_tree(old.c_str());
  }

  void remove_temporary() noexcept {
    if (temporary_.empty()) return;
    remove_tree(temporary_.c_str());
    forget(slot_);
    temporary_.clear();
  }

  const std::string name_, target_;
  const bool sync_;
  bool exists_ = false;
  std::string temporary_;  // empty if there is none
  size_t slot_ = 0;        // of temporary_ in the table that signals look into
  Descriptor root_;
  std::mutex mutex_;
  std::set<std::string> made_;
};

class ArchiveTarget : public ZarrTarget {
 public:
  explicit ArchiveTarget(std::unique_ptr<Output> output) : output_(std::move(output)) {}

  void put(const std::string& key, std::string_view bytes) override {
    ZipMember member;
    member.name = key;
    member.bytes = member.stored_bytes = bytes.size();
    member.crc = static_cast<uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
    const std::lock_guard guard(mutex_);
    headers_.push_back(output_->position());
    const std::string header = make_zip_local_header(member, output_->position());
    output_->write(header.data(), header.size());
    output_->write(bytes.data(), bytes.size());
    members_.push_back(std::move(member));
    bytes_ = output_->position();
  }

  void commit() override {
    const std::string directory = make_zip_directory(members_, headers_, output_->position());
    output_->write(directory.data(), directory.size());
    output_->commit();
  }

  bool keeps_order() const override { return true; }

 private:
  const std::unique_ptr<Output> output_;
  std::mutex mutex_;
  std::vector<ZipMember> members_;
  std::vector<uint64_t> headers_;
};

}  // namespace

std::unique_ptr<ZarrTarget> make_folder_target(const std::string& path, bool sync) {
  return std::make_unique<FolderTarget>(path, sync);
}

std::unique_ptr<ZarrTarget> make_archive_target(std::unique_ptr<Output> output) {
  return std::make_unique<ArchiveTarget>(std::move(output));
}

}  // namespace tamis::io
