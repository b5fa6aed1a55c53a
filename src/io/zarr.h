// Zarr stores, as Reader and Writer see them: folders, or zip archives, of arrays in chunks.
// WebAssembly does not have them, as wasm/zarr.cpp says.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/array_info.h"
#include "io/file.h"
#include "io/output.h"
#include "io/writer.h"
#include "io/zip.h"
#include "tamis/tensor.h"

namespace tamis::io {

/// The arrays of a store, open for reading. Any number of threads may use it at once.
class ZarrSource {
 public:
  virtual ~ZarrSource() = default;

  const std::vector<ArrayInfo>& arrays() const { return arrays_; }

  /// All of an array, in memory of its own; chunks are decoded on get_num_threads() threads.
  virtual Tensor read(size_t array) const = 0;
  /// Elements [first, first + count) in row-major order, count > 0. Decodes the chunks that they
  /// touch and have not been decoded for a recent window. Threads that call it for windows near
  /// each other share this work. The result may be read-only.
  virtual Tensor window(size_t array, int64_t first, int64_t count) const = 0;

 protected:
  std::vector<ArrayInfo> arrays_;
};

/// Whether the path is a folder.
bool is_folder(const std::string& path);
/// The store in a folder. Throws kind io if there is none.
std::unique_ptr<ZarrSource> open_zarr_folder(const std::string& path);

/// Whether an archive with such members is a store.
bool is_zarr(const std::vector<ZipMember>& members);
/// The store in an archive, which must outlive it.
std::unique_ptr<ZarrSource> open_zarr_archive(const File& file, std::vector<ZipMember> members);

/// The arrays of a store on their way to a folder or an archive, which appears whole or not at all.
class ZarrSink {
 public:
  virtual ~ZarrSink() = default;

  /// More elements of the current array, in row-major order, little endian.
  virtual void append(const void* data, size_t bytes) = 0;
  /// Ends the current array, which has this shape, and begins the next.
  virtual void end_array(const Shape& shape) = 0;
  virtual void commit() = 0;
  /// Bytes written so far.
  virtual uint64_t bytes() const = 0;
};

/// Names must have been checked. Throws kind value or shape for layouts that a store cannot have.
std::unique_ptr<ZarrSink> make_zarr_folder(const std::string& path, std::vector<ArrayPlan> plans,
                                           bool sync);
std::unique_ptr<ZarrSink> make_zarr_archive(std::unique_ptr<Output> output,
                                            std::vector<ArrayPlan> plans);

}  // namespace tamis::io
