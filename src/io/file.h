// File: an open file that is read, and sometimes written, at any offset.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace tamis::io {

/// Throws kind io: "<name>: cannot <what>: <what the system says about errno>".
[[noreturn]] void raise_errno(const std::string& name, const char* what);

/// A descriptor that is closed at the end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
  Descriptor& operator=(Descriptor o) noexcept {
    std::swap(fd_, o.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Writes all bytes of all parts at the descriptor's own position; the parts are consumed. False,
/// with errno, if the system refuses.
bool write_all(int fd, std::span<iovec> parts);

class File {
 public:
  /// Opens for reading; "-" is the standard input. What is not a regular file, such as a pipe, is
  /// copied to a temporary one up to its end.
  static File open(const std::string& path);
  /// An empty file without a name, in $TMPDIR, else /var/tmp, else /tmp; `name` is for messages.
  /// Throws kind io if there is not enough space for `bytes` bytes.
  static File temporary(std::string name, uint64_t bytes = 0);
  /// Takes over a descriptor of a regular file.
  File(Descriptor fd, std::string name);

  int fd() const noexcept { return fd_.get(); }
  const std::string& name() const noexcept { return name_; }
  /// The size when it was opened, or up to which write() has written.
  uint64_t size() const noexcept { return size_; }
  /// Throws kind io if the system refuses or the file ends before.
  void read(uint64_t offset, void* to, size_t bytes) const;
  void write(uint64_t offset, const void* from, size_t bytes);
  /// The descriptor, for someone else to close.
  Descriptor release() && noexcept { return std::move(fd_); }
  /// Throws kind io if the file is shorter than size().
  void check_size() const;

 private:
  Descriptor fd_;
  std::string name_;
  uint64_t size_ = 0;
};

}  // namespace tamis::io
