// Reader: the arrays of a .npy, .npz, .safetensors, raw or CSV file or a Zarr store, described,
// whole, or window by window.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/array_info.h"
#include "io/csv.h"
#include "io/file.h"
#include "tamis/tensor.h"

namespace tamis::io {

/// What a raw file does not say about itself.
struct RawLayout {
  DType dtype = DType::uint8;
  /// One size may be -1 and follows from the size of the file. Without a shape, the file is 1-d.
  std::optional<Shape> shape;
};

/// A file of arrays, open for reading. Opening reads and checks the headers only, but all of a CSV
/// file, since nothing in it says how many numbers follow.
///
/// The format is detected by the content, except that a RawLayout makes it a raw file and a
/// CsvLayout a CSV file. A folder is a Zarr store, or an array or a group of one. Faults in the
/// content throw kind format, errors of the system kind io; the text names the file, and the
/// position in it.
///
/// What cannot be used where it is goes into an unlinked file in $TMPDIR (else /var/tmp, else /tmp)
/// at its first use: what comes through a pipe, deflated members, the numbers of CSV files, and
/// arrays in Fortran order that are read by windows. Memory stays bounded by the windows that are
/// alive. Of Zarr arrays the chunks are decoded that windows touch, and kept for those that follow:
/// up to 256 MiB in memory, and in a temporary file if the chunks side by side need more.
///
/// Any number of threads may use a Reader at once.
class Reader {
 public:
  /// "-" is the standard input.
  explicit Reader(const std::string& path, const std::optional<RawLayout>& raw = {});
  Reader(const std::string& path, const CsvLayout& csv, const std::optional<Shape>& shape = {});
  /// Of an open file.
  explicit Reader(File file, const std::optional<RawLayout>& raw = {});
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  /// For messages: the path as given, or "standard input".
  const std::string& path() const;
  Format format() const;
  /// In the order of the file.
  const std::vector<ArrayInfo>& arrays() const;
  /// The number of the array with that name. Throws kind value, listing the names, if there is
  /// none.
  size_t find(const std::string& name) const;
  /// The number of the only array. Throws kind value, listing the names, if there are several.
  size_t only() const;

  /// Throws kind dtype if Tamis has no such elements.
  DType dtype(size_t array) const;

  /// All of an array, in memory of its own, row-major.
  Tensor read(size_t array) const;

  /// Elements [first, first + count) in row-major order, whatever the order in the file, as a 1-d
  /// tensor of `count` elements. It may be read-only, and may be in the mapped file. If so, a file
  /// that is shortened meanwhile gives zeros: call check_intact when you have used the elements,
  /// before you trust the results. The tensor may outlive the Reader.
  Tensor window(size_t array, int64_t first, int64_t count) const;

  /// All of an array as a read-only tensor over the mapped file, without reading it; a copy where
  /// that is impossible (deflated, byte-swapped or unaligned arrays). Whatever reads the tensor
  /// calls check_intact first.
  Tensor map(size_t array) const;

  /// Throws kind io if the file has become shorter than it was when it was opened, or if a page of
  /// it could not be read.
  void check_intact() const;

 private:
  friend class MappedReads;
  struct State;
  std::shared_ptr<State> state_;
};

/// Notes the files whose tensors (of Reader::map) this thread begins to read while the object
/// lives, since a file may be shortened after it was found intact.
class MappedReads {
 public:
  MappedReads() : outer_(std::exchange(current_, this)) {}
  ~MappedReads() { current_ = outer_; }
  MappedReads(const MappedReads&) = delete;
  MappedReads& operator=(const MappedReads&) = delete;

  /// Throws kind io if one of them is not intact any more: what was computed from it is wrong.
  void check() const;

 private:
  friend class Reader;
  static thread_local MappedReads* current_;
  MappedReads* outer_;
  std::vector<std::shared_ptr<const Reader::State>> files_;
};

}  // namespace tamis::io
