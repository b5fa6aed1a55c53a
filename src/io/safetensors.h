// The header of .safetensors: parsed from untrusted bytes, and written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/array_info.h"

namespace tamis::io {

/// Longer headers are refused, as by the reference implementation.
inline constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;

/// The number of bytes of the JSON text, from the first 8 bytes of a file of `size` bytes. Throws
/// kind format if it is more than allowed or than there is. `where` begins the messages.
uint64_t safetensors_header_bytes(std::string_view head, uint64_t size, const std::string& where);

/// The arrays that the JSON text describes, by their offsets. Throws kind format unless their bytes
/// follow each other from the end of the text to the end of the file, without holes or overlaps.
std::vector<ArrayInfo> parse_safetensors(std::string_view json, uint64_t size,
                                         const std::string& where);

struct ArrayPlan;

/// All before the first element: at least min_bytes, a multiple of 64. Throws kind dtype if the
/// format has no such element type.
std::string make_safetensors_header(const std::vector<ArrayPlan>& plans, size_t min_bytes);

}  // namespace tamis::io
