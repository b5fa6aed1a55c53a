// CSV: numbers as text, rows of fields between commas (RFC 4180), read and written.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "io/file.h"
#include "tamis/dtype.h"
#include "tamis/shape.h"

namespace tamis::io {

/// What a CSV file does not say about itself.
struct CsvLayout {
  /// Of its elements. Without it they are bool if all fields are true or false, int64 if all are
  /// whole numbers, else float64.
  std::optional<DType> dtype;
  /// Whether the first record holds names, which are left out.
  bool header = false;
};

/// The numbers of a CSV file in binary form, row by row.
struct CsvTable {
  File elements;  ///< temporary
  DType dtype = DType::float64;
  Shape shape;  ///< [rows, columns], or [rows] if there is one column
};

/// Reads a CSV file in pieces, whatever its size; a byte order mark is skipped, and spaces around
/// numbers are. An empty field is NaN, and an empty file an array of shape [0]. Throws kind format,
/// with line and field, for what is not a number, does not fit the dtype, or violates RFC 4180
/// (lines may end without CR), for rows of different lengths and for empty lines before the end;
/// kind dtype for complex dtypes.
CsvTable read_csv(const File& file, const CsvLayout& layout);

/// Appends an element as text that is read back to the same bits (of NaN, to some NaN): floats
/// have a point or an exponent, bools are true or false, complex numbers are as in 1.0+2.0j.
void append_element(std::string& text, DType dtype, const void* element);

/// A line of names, each in quotes if it needs them.
std::string csv_header(std::span<const std::string> names);

}  // namespace tamis::io
