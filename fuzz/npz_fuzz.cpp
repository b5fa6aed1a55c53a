// Any bytes as a zip archive: refused, or members that are in the file and do not overlap.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "fuzz/require.h"
#include "io/npy.h"
#include "io/zip.h"
#include "tamis/error.h"

using namespace tamis;
using namespace tamis::io;
using fuzz::require;

namespace {

constexpr uint64_t kMostInflated = 1 << 20;

void read_member(const File& file, const ZipMember& member) {
  require(member.offset <= file.size() && member.stored_bytes <= file.size() - member.offset,
          "the member is in the file");
  std::string content;
  read_zip_member(
      file, member, [&](std::span<const char> b) { content.append(b.data(), b.size()); },
      kMostInflated);
  require(content.size() <= member.bytes, "no more bytes than claimed");
  require(content.size() == member.bytes || content.size() >= kMostInflated, "no fewer bytes");
  content.resize(std::min(content.size(), kNpyHeadBytes));
  const ArrayInfo info = parse_npy(content, member.bytes, member.name);
  require(info.offset + info.bytes == member.bytes, "the array is in the member");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int memory = memfd_create("input", 0);
  require(ftruncate(memory, 0) == 0, "memory");
  require(pwrite(memory, data, size, 0) == static_cast<ssize_t>(size), "memory");
  const File file(Descriptor(dup(memory)), "input");
  try {
    for (const ZipMember& member : read_zip_directory(file)) {
      try {
        read_member(file, member);
      } catch (const Error& e) {
        require(e.kind() == ErrorKind::format, "a malformed member is an error of that kind");
      }
    }
  } catch (const Error& e) {
    require(e.kind() == ErrorKind::format, "a malformed archive is an error of that kind");
  }
  return 0;
}
