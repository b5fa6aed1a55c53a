// Any bytes as a .safetensors file: refused, or arrays that fill the data exactly.
#include "fuzz/require.h"
#include "io/safetensors.h"
#include "io/sizes.h"
#include "tamis/error.h"

using namespace tamis;
using namespace tamis::io;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const uint64_t length = safetensors_header_bytes(bytes, size, "input");
    uint64_t end = 8 + length;
    for (const ArrayInfo& info : parse_safetensors(bytes.substr(8, length), size, "input")) {
      require(info.offset == end && info.bytes <= size - end, "arrays follow each other");
      require(info.shape.size() <= kMaxRank, "the rank is bounded");
      end += info.bytes;
      if (!info.dtype) continue;
      const auto width = static_cast<int64_t>(itemsize(*info.dtype));
      require(checked_size(info.shape, width) == info.bytes, "the shape needs those bytes");
    }
    require(end == size, "arrays fill the file");
  } catch (const Error& e) {
    require(e.kind() == ErrorKind::format, "a malformed file is an error of that kind");
  }
  return 0;
}
