// ArrayInfo: what a file says about an array in it, before any element is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tamis/dtype.h"
#include "tamis/shape.h"

namespace tamis::io {

enum class Format : uint8_t { npy, npz, safetensors, raw, csv };

/// All of them, for lists.
inline constexpr Format kFormats[] = {Format::npy, Format::npz, Format::safetensors, Format::raw,
                                      Format::csv};

/// "npy", "npz", "safetensors", "raw" or "csv".
const char* name(Format format);

/// The format that a file name's extension means: .npy, .npz, .safetensors, .csv; .raw and .bin are
/// raw. None for any other.
std::optional<Format> format_of(std::string_view path);

/// The largest number of dimensions that a file may claim.
inline constexpr size_t kMaxRank = 64;

/// An array of a file. All numbers have been compared with the size of the file: there are
/// `bytes` bytes from `offset` on, exactly what dtype and shape need. Those of a CSV file are of
/// its numbers in binary form.
struct ArrayInfo {
  /// Empty in .npy, raw and CSV files; that of an .npz member is without its ".npy".
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
};

}  // namespace tamis::io
