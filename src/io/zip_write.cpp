// Writing zip archives of stored members.
#include "core/check.h"
#include "io/zip.h"

namespace tamis::io {

namespace {

constexpr size_t kLocalBytes = 30;
constexpr size_t kZip64ExtraBytes = 20, kBlockBytes = 4;
constexpr uint64_t kAlignment = 64;
constexpr uint16_t kZip64Extra = 1;
// The block of extra data by which Android's zipalign pads; readers skip what they do not know.
constexpr uint16_t kPaddingExtra = 0xd935;
constexpr uint16_t kZip64Version = 45;
constexpr uint16_t kUtf8Name = 1 << 11;
constexpr uint16_t kDate1980 = 1 << 5 | 1;  // 1980-01-01, so that equal arrays make equal files
constexpr uint32_t kMore32 = 0xffffffff;
constexpr uint16_t kMore16 = 0xffff;

/// Consecutive little-endian numbers.
class Fields {
 public:
  Fields& u16(uint16_t v) { return put(v, 2); }
  Fields& u32(uint32_t v) { return put(v, 4); }
  Fields& u64(uint64_t v) { return put(v, 8); }
  Fields& text(const std::string& s) {
    bytes_ += s;
    return *this;
  }
  std::string take() { return std::move(bytes_); }
  size_t size() const { return bytes_.size(); }

 private:
  Fields& put(uint64_t v, int n) {
    for (int i = 0; i < n; ++i) bytes_ += static_cast<char>(v >> (8 * i) & 0xff);
    return *this;
  }
  std::string bytes_;
};

}  // namespace

std::string make_zip_local_header(const ZipMember& member, uint64_t header_offset) {
  // Sizes are always in the zip64 block, so that they can be filled in when they are known.
  const uint64_t unpadded =
      header_offset + kLocalBytes + member.name.size() + kZip64ExtraBytes + kBlockBytes;
  const auto padding = static_cast<uint16_t>((kAlignment - unpadded % kAlignment) % kAlignment);
  Fields out;
  out.u32(0x04034b50).u16(kZip64Version).u16(kUtf8Name).u16(0).u16(0).u16(kDate1980);
  out.u32(member.crc).u32(kMore32).u32(kMore32);
  out.u16(static_cast<uint16_t>(member.name.size()));
  out.u16(static_cast<uint16_t>(kZip64ExtraBytes + kBlockBytes + padding)).text(member.name);
  out.u16(kZip64Extra).u16(16).u64(member.bytes).u64(member.stored_bytes);
  out.u16(kPaddingExtra).u16(padding).text(std::string(padding, '\0'));
  return out.take();
}

std::string make_zip_directory(const std::vector<ZipMember>& members,
                               const std::vector<uint64_t>& header_offsets, uint64_t offset) {
  Fields out;
  for (size_t i = 0; i < members.size(); ++i) {
    const ZipMember& member = members[i];
    out.u32(0x02014b50).u16(kZip64Version).u16(kZip64Version).u16(kUtf8Name);
    out.u16(0).u16(0).u16(kDate1980).u32(member.crc).u32(kMore32).u32(kMore32);
    out.u16(static_cast<uint16_t>(member.name.size())).u16(4 + 24).u16(0);
    out.u16(0).u16(0).u32(0).u32(kMore32).text(member.name);
    out.u16(kZip64Extra).u16(24).u64(member.bytes).u64(member.stored_bytes).u64(header_offsets[i]);
  }
  const uint64_t size = out.size(), count = members.size(), end = offset + size;
  const bool large = count >= kMore16 || size >= kMore32 || offset >= kMore32;
  if (large) {
    out.u32(0x06064b50).u64(44).u16(kZip64Version).u16(kZip64Version).u32(0).u32(0);
    out.u64(count).u64(count).u64(size).u64(offset);
    out.u32(0x07064b50).u32(0).u64(end).u32(1);
  }
  const uint16_t count16 = large ? kMore16 : static_cast<uint16_t>(count);
  out.u32(0x06054b50).u16(0).u16(0).u16(count16).u16(count16);
  out.u32(large ? kMore32 : static_cast<uint32_t>(size));
  out.u32(large ? kMore32 : static_cast<uint32_t>(offset)).u16(0);
  return out.take();
}

}  // namespace tamis::io
