// Writing beside the target, syncing and renaming.
#include "io/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <random>
#include <vector>

#include "core/check.h"
#include "io/system.h"

namespace tamis::io {

namespace {

/// Bytes after which writing to disk starts, so that it is nearly done when everything is written.
constexpr uint64_t kWriteBack = uint64_t{4} << 20;

iovec make_part(const void* data, size_t bytes) { return {const_cast<void*>(data), bytes}; }

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Output::Output(const std::string& path, bool will_patch, bool sync)
    : name_(path == "-" ? "standard output" : path), sync_(sync) {
  struct stat status;
  const bool exists = path != "-" && stat(path.c_str(), &status) == 0;
  check(!exists || !S_ISDIR(status.st_mode), ErrorKind::io, "{}: cannot write: it is a directory",
        name_);
  if (path != "-" && (!exists || S_ISREG(status.st_mode))) {
    // Renaming would bypass the protection of a read-only file.
    if (exists && access(path.c_str(), W_OK) != 0) raise_errno(name_, "write");
    open_replacement(path);
    return;
  }
  Descriptor direct = path == "-" ? duplicate(STDOUT_FILENO)
                                  : Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!direct) raise_errno(name_, "open for writing");
  if (!will_patch) {
    fd_ = std::move(direct);
    return;
  }
  direct_ = std::move(direct);
  fd_ = File::temporary(name_).release();
}

void Output::open_replacement(const std::string& path) {
  target_ = follow_links(path);
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary_ = fmt::format("{}.{:08x}.tmp", target_, random());
    // Before the file exists: a signal right after open must find its name.
    slot_ = remember(temporary_);
    fd_ = Descriptor(::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd_) break;
    const int code = errno;
    forget(slot_);
    errno = code;
    if (code != EEXIST) break;
  }
  if (!fd_) {
    temporary_.clear();
    raise_errno(name_, ("write to the directory " + folder_of(target_)).c_str());
  }
  struct stat old;
  if (stat(target_.c_str(), &old) == 0) copy_permissions(fd_.get(), old);
}

Output::~Output() { remove_temporary(); }

void Output::remove_temporary() noexcept {
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  forget(slot_);
  temporary_.clear();
}

void Output::write(const void* data, size_t bytes) {
  iovec part = make_part(data, bytes);
  write({&part, 1});
}

void Output::write(std::span<iovec> parts) {
  uint64_t bytes = 0;
  for (const iovec& part : parts) bytes += part.iov_len;
  if (!write_all(fd_.get(), parts)) raise_errno(name_, "write");
  position_ += bytes;
  if (sync_ && !target_.empty()) start_write_back();
}

void Output::start_write_back() noexcept {
  // A page that is still being filled would be written twice.
  const uint64_t end = position_ / kWriteBack * kWriteBack;
  if (end == started_) return;
  io::start_write_back(fd_.get(), started_, end);
  started_ = end;
}

void Output::patch(uint64_t offset, const void* data, size_t bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = pwrite(fd_.get(), from, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) raise_errno(name_, "write");
    from += n;
    offset += static_cast<uint64_t>(n);
    bytes -= static_cast<size_t>(n);
  }
}

void Output::copy_to_target() {
  std::vector<char> buffer(1 << 20);
  const File waiting(std::move(fd_), name_);
  for (uint64_t at = 0; at < waiting.size(); at += buffer.size()) {
    const size_t n = std::min<uint64_t>(buffer.size(), waiting.size() - at);
    waiting.read(at, buffer.data(), n);
    iovec part = make_part(buffer.data(), n);
    if (!write_all(direct_.get(), {&part, 1})) raise_errno(name_, "write");
  }
}

void Output::commit() {
  if (direct_) copy_to_target();
  if (target_.empty()) {
    fd_ = {}, direct_ = {};  // whoever reads the other end of a pipe waits for this
    return;
  }
  if (sync_ && fsync(fd_.get()) != 0) raise_errno(name_, "write");
  if (rename(temporary_.c_str(), target_.c_str()) != 0) raise_errno(name_, "rename into place");
  forget(slot_);
  temporary_.clear();
  if (!sync_) return;
  // The new name must be on the disk as well. Some file systems cannot sync a folder; the file
  // exists all the same.
  const Descriptor folder(::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) fsync(folder.get());
}

}  // namespace tamis::io
