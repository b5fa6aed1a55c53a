// The header of .npy: parsed from untrusted bytes, and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/array_info.h"

namespace tamis::io {

/// Longer headers are refused. NumPy's own have less than 200 bytes.
inline constexpr size_t kMaxNpyHeader = 64 * 1024;
/// What parse_npy needs to see of the beginning of a file.
inline constexpr size_t kNpyHeadBytes = 12 + kMaxNpyHeader;

/// Whether the bytes begin as a .npy file does.
bool is_npy(std::span<const char> head);

/// The array of a .npy file, or .npz member, of `size` bytes; `head` holds the first min(size,
/// kNpyHeadBytes). `where` begins the messages. Throws kind format.
ArrayInfo parse_npy(std::span<const char> head, uint64_t size, const std::string& where);

/// The dtype that NumPy calls so, without its byte order: "f4". None for any other.
std::optional<DType> dtype_of_numpy(std::string_view code);
/// The reverse; empty if NumPy has no such dtype.
std::string_view numpy_code(DType dtype);

/// The header of a version 1.0 file: at least min_bytes, a multiple of 64. Throws kind dtype if the
/// format has no such element type.
std::string make_npy_header(DType dtype, const Shape& shape, size_t min_bytes);

}  // namespace tamis::io
