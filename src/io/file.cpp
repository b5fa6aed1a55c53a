// Files by offset; pipes become temporary files.
#include "io/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "core/check.h"
#include "io/system.h"

namespace tamis::io {

namespace {

constexpr size_t kCopyBytes = 1 << 20;
// One call transfers at most 2 GiB on Linux; smaller pieces keep signals deliverable.
constexpr size_t kMaxTransfer = size_t{1} << 30;

struct stat status_of(int fd, const std::string& name) {
  struct stat status;
  if (fstat(fd, &status) != 0) raise_errno(name, "stat the file");
  return status;
}

/// All that can still be read from fd, in a temporary file.
File spool(int fd, const std::string& name) {
  File copy = File::temporary(name);
  std::vector<char> buffer(kCopyBytes);
  for (;;) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n == 0) return copy;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) raise_errno(name, "read");
    copy.write(copy.size(), buffer.data(), static_cast<size_t>(n));
  }
}

/// A file may claim far more than it holds, so nothing is written before it is known to fit, and a
/// tenth is left free.
void check_room(int fd, uint64_t bytes, const std::string& name) {
  const std::optional<uint64_t> room = bytes == 0 ? std::nullopt : free_bytes(fd);
  if (!room) return;
  const uint64_t available = *room / 10 * 9;
  check(bytes <= available, ErrorKind::io,
        "{}: a temporary file of {} bytes is needed, but only {} bytes are available (set TMPDIR "
        "to use "
        "another directory)",
        name, bytes, available);
}

}  // namespace

void raise_errno(const std::string& name, const char* what) {
  const int error = errno;
  raise(ErrorKind::io, fmt::format("{}: cannot {}: {}", name, what, std::strerror(error)));
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

bool write_all(int fd, std::span<iovec> parts) {
  while (!parts.empty()) {
    iovec& first = parts[0];
    const size_t count = std::min<size_t>(parts.size(), IOV_MAX);
    const ssize_t n = first.iov_len > kMaxTransfer
                          ? ::write(fd, first.iov_base, kMaxTransfer)
                          : writev(fd, parts.data(), static_cast<int>(count));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    auto written = static_cast<size_t>(n);
    while (!parts.empty() && written >= parts[0].iov_len) {
      written -= parts[0].iov_len;
      parts = parts.subspan(1);
    }
    if (written > 0) {
      parts[0].iov_base = static_cast<char*>(parts[0].iov_base) + written;
      parts[0].iov_len -= written;
    }
  }
  return true;
}

File::File(Descriptor fd, std::string name) : fd_(std::move(fd)), name_(std::move(name)) {
  size_ = static_cast<uint64_t>(status_of(fd_.get(), name_).st_size);
}

File File::open(const std::string& path) {
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "standard input" : path;
  Descriptor fd = standard_input ? duplicate(STDIN_FILENO)
                                 : Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) raise_errno(name, "open for reading");
  const struct stat status = status_of(fd.get(), name);
  check(!S_ISDIR(status.st_mode), ErrorKind::io, "{}: cannot read: it is a directory", name);
  // A shell may have read from a redirected file before us.
  const bool from_start = !standard_input || lseek(fd.get(), 0, SEEK_CUR) == 0;
  if (!S_ISREG(status.st_mode) || !from_start) return spool(fd.get(), name);
  return File(std::move(fd), name);
}

File File::temporary(std::string name, uint64_t bytes) {
  const char* chosen = std::getenv("TMPDIR");
  Descriptor fd;
  if (chosen != nullptr && *chosen != '\0') {
    fd = open_unnamed(chosen);
  } else {
    // /tmp is memory on many systems, and what comes here may be larger than that.
    fd = open_unnamed("/var/tmp");
    if (!fd) fd = open_unnamed("/tmp");
  }
  if (!fd) raise_errno(name, "create a temporary file (set TMPDIR to use another directory)");
  check_room(fd.get(), bytes, name);
  return File(std::move(fd), std::move(name));
}

void File::read(uint64_t offset, void* to, size_t bytes) const {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t n = pread(fd(), at, std::min(bytes, kMaxTransfer), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) raise_errno(name_, "read");
    check(n > 0, ErrorKind::io, "{}: the file was truncated: it now ends at byte {}", name_,
          offset);
    at += n;
    offset += static_cast<uint64_t>(n);
    bytes -= static_cast<size_t>(n);
  }
}

void File::write(uint64_t offset, const void* from, size_t bytes) {
  const char* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t n = pwrite(fd(), at, std::min(bytes, kMaxTransfer), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      raise_errno(name_, "write to a temporary file (set TMPDIR to use another directory)");
    at += n;
    offset += static_cast<uint64_t>(n);
    bytes -= static_cast<size_t>(n);
  }
  size_ = std::max(size_, offset);
}

void File::check_size() const {
  const auto now = static_cast<uint64_t>(status_of(fd(), name_).st_size);
  check(now >= size_, ErrorKind::io,
        "{}: the file was truncated while being read: {} bytes instead of {}", name_, now, size_);
}

}  // namespace tamis::io
