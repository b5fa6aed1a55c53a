// Any bytes as a .npy file: refused, or described in a way that fits them.
#include <algorithm>

#include "fuzz/require.h"
#include "io/npy.h"
#include "io/sizes.h"
#include "tamis/error.h"

using namespace tamis;
using namespace tamis::io;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const char> bytes(reinterpret_cast<const char*>(data), size);
  try {
    const ArrayInfo info = parse_npy(bytes.first(std::min(size, kNpyHeadBytes)), size, "input");
    require(info.offset <= size && info.bytes == size - info.offset, "the array is in the file");
    require(info.shape.size() <= kMaxRank, "the rank is bounded");
    if (!info.dtype) return 0;
    const auto width = static_cast<int64_t>(itemsize(*info.dtype));
    require(checked_size(info.shape, width) == info.bytes, "the shape needs those bytes");
    const std::string header = make_npy_header(*info.dtype, info.shape, 0);
    const ArrayInfo again = parse_npy(header, header.size() + info.bytes, "again");
    require(again.shape == info.shape && again.dtype == info.dtype, "a new header says the same");
  } catch (const Error& e) {
    require(e.kind() == ErrorKind::format, "a malformed file is an error of that kind");
  }
  return 0;
}
