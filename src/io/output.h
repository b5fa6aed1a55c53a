// Output: a file that appears whole or not at all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "io/file.h"

namespace tamis::io {

/// Bytes on their way to a file: into a temporary one beside it, which commit() syncs and renames;
/// or straight to what cannot be replaced (standard output, pipes, devices).
class Output {
 public:
  /// "-" is the standard output. If bytes will be patched and it cannot be, all of them wait for
  /// commit() in a temporary file. Without sync, commit() does not wait for the disk.
  Output(const std::string& path, bool will_patch, bool sync);
  /// Straight to an open regular file.
  Output(Descriptor fd, std::string name) : name_(std::move(name)), fd_(std::move(fd)) {}
  /// Removes the temporary file unless commit() was called.
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(const void* data, size_t bytes);
  /// All parts, in one call of the system if it takes them; they are consumed.
  void write(std::span<iovec> parts);
  /// Overwrites bytes that were written before. Only if will_patch.
  void patch(uint64_t offset, const void* data, size_t bytes);
  uint64_t position() const noexcept { return position_; }
  void commit();

 private:
  void open_replacement(const std::string& path);
  void remove_temporary() noexcept;
  void copy_to_target();
  void start_write_back() noexcept;

  std::string name_;       // for messages
  std::string target_;     // the path that commit renames to; empty if it is written directly
  std::string temporary_;  // empty if there is none
  size_t slot_ = 0;        // of temporary_ in the table that signals look into
  Descriptor fd_;          // what write() writes to
  Descriptor direct_;      // where commit() copies what waited
  uint64_t position_ = 0;
  uint64_t started_ = 0;  // the disk was told to write what is before
  bool sync_ = true;
};

}  // namespace tamis::io
