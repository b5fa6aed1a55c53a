// ArrayInfo: what a file says about an array in it, before any element is read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/zarr_layout.h"
#include "tamis/dtype.h"
#include "tamis/shape.h"

namespace tamis::io {

enum class Format : uint8_t { npy, npz, safetensors, zarr, raw, csv };

/// All of them, for lists.
inline constexpr Format kFormats[] = {Format::npy,  Format::npz, Format::safetensors,
                                      Format::zarr, Format::raw, Format::csv};

/// "npy", "npz", "safetensors", "zarr", "raw" or "csv".
const char* name(Format format);

/// The format that a file name's extension means: .npy, .npz, .safetensors, .csv; .zarr and .zip
/// are Zarr, .raw and .bin raw. None for any other.
std::optional<Format> format_of(std::string_view path);

/// Whether a file of that format can hold several arrays, which have names.
inline bool has_names(Format format) {
  return format == Format::npz || format == Format::safetensors || format == Format::zarr;
}

/// The largest number of dimensions that a file may claim.
inline constexpr size_t kMaxRank = 64;

/// An array of a file. All numbers have been compared with the size of the file: there are
/// `bytes` bytes from `offset` on, exactly what dtype and shape need. Those of a CSV file are of
/// its numbers in binary form; those of a Zarr store are of its elements, which are elsewhere.
struct ArrayInfo {
  /// Empty in .npy, raw and CSV files; that of an .npz member is without its ".npy". In a Zarr
  /// store it is a path, and empty if the store is one array.
  std::string name;
  /// None: Tamis does not have this element type. The array can be described, not read.
  std::optional<DType> dtype;
  std::string dtype_text;  ///< as the file has it: "<f4", "BF16"
  Shape shape;
  bool fortran_order = false;  ///< the first index runs fastest, and that makes a difference
  bool byte_swapped = false;   ///< in the byte order that this machine does not have
  bool compressed = false;  ///< a deflated member of an .npz: offset counts in what it inflates to
  uint64_t offset = 0;      ///< of the first element, in bytes from the beginning of the file
  uint64_t bytes = 0;       ///< of all elements
  std::string problem;  ///< what else is not supported; if there is something, it cannot be read
  std::shared_ptr<const ZarrInfo> zarr;  ///< of arrays in Zarr stores
};

}  // namespace tamis::io
