// Writer: arrays into a .npy, .npz, .safetensors, raw or CSV file or a Zarr store that appears
// whole or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/array_info.h"
#include "io/file.h"
#include "tamis/io.h"
#include "tamis/tensor.h"

namespace tamis::io {

/// An array that is going to be written.
struct ArrayPlan {
  std::string name;  ///< .npz, .safetensors and Zarr groups; empty in others
  DType dtype = DType::float32;
  /// The first size may be -1: it is known when all elements have been written.
  Shape shape;
  std::vector<std::string> columns = {};  ///< CSV: names for a first line, or none
  ZarrLayout zarr = {};                   ///< Zarr: chunks, compression and so on
};

/// Writes arrays one after the other, elements in row-major order, little endian. A CSV file has a
/// line for each row of a matrix or each element of a vector.
///
/// Everything goes to a temporary file in the folder of `path`, which commit() syncs and renames.
/// If anything fails before, or the Writer is destroyed without commit(), the temporary file is
/// removed and a file that was there before is as it was. A file that is replaced keeps its
/// permissions; a link is followed; what is not a regular file (/dev/null, a pipe) is written to
/// directly.
///
/// A Zarr store is a folder, or a zip archive if the path ends in .zip. A folder is written beside
/// the one that it replaces, and the two change places; a folder that is not a store is refused. An
/// array without a name is the store; arrays with names are in a group, or in several, if their
/// names have slashes.
///
/// "-" is the standard output. It gets all bytes by commit() if a size is not known beforehand or
/// the format is .npz, and by the way otherwise.
///
/// Throws kind io if the system refuses to write, kind value for plans that the format does not
/// allow: several arrays in .npy, raw and CSV, names that are empty, repeated or no plain file
/// names; kind shape for more than two dimensions in CSV and for chunks that do not fit; and kind
/// dtype for an element type that the format has not (bfloat16 in .npy and version 2 of Zarr,
/// complex128 in .safetensors, complex numbers in CSV).
class Writer {
 public:
  /// Without sync, commit() does not wait for the disk: what a crash of the machine leaves of the
  /// file is then up to the file system.
  Writer(const std::string& path, Format format, std::vector<ArrayPlan> plans, bool sync = true);
  /// Into an open regular file, straight away and from its start on; `name` is for messages.
  Writer(Descriptor fd, std::string name, Format format, std::vector<ArrayPlan> plans);
  ~Writer();
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;

  /// Appends all elements of x, in row-major order, to the current array; at first, that is the
  /// first. Throws kind dtype unless x has the planned dtype, kind shape if there are more than
  /// planned.
  void append(const Tensor& x) { append(std::span(&x, 1)); }
  /// The same for several tensors, one after the other, at once.
  void append(std::span<const Tensor> tensors);

  /// Ends the current array and goes on to the next. Throws kind shape unless the elements fill the
  /// planned shape; with an unknown size, unless they make whole rows.
  void next();

  /// next() for the array that is open, then makes the file appear. Throws kind value if planned
  /// arrays are missing. Nothing may be called after it.
  void commit();

  /// Bytes written so far.
  uint64_t bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A temporary file without a name that holds the tensors; `name` is for messages.
File write_temporary(const std::string& name, Format format, const NamedTensors& tensors);
/// The name that a tensor has in such a file if it was given none.
const char* default_name(Format format);

/// From now on SIGINT, SIGTERM and SIGHUP remove the temporary files of all Writers before they end
/// the process as they would have. A signal that is ignored stays ignored. For programs; a library
/// leaves signals alone.
void remove_temporary_files_on_signals();

}  // namespace tamis::io
