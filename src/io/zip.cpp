// The directory of an untrusted zip archive.
#include "io/zip.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/check.h"
#include "io/utf8.h"

namespace tamis::io {

namespace {

constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kCentralSignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEnd64Signature = 0x06064b50;
constexpr uint32_t kLocator64Signature = 0x07064b50;
constexpr size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56,
                 kLocator64Bytes = 20;
constexpr uint64_t kMaxDirectoryBytes = 64 << 20;
constexpr uint16_t kMore16 = 0xffff;      // the number is in a zip64 record
constexpr uint32_t kMore32 = 0xffffffff;  // likewise
constexpr uint16_t kZip64Extra = 1;
constexpr uint16_t kStored = 0, kDeflated = 8;
constexpr uint16_t kEncrypted = 1 << 0, kSizesBehind = 1 << 3, kUtf8Name = 1 << 11;
// Bits 1 and 2 tell how hard the compressor tried.
constexpr uint16_t kKnownFlags = 1 << 1 | 1 << 2 | kSizesBehind | kUtf8Name;
// A deflated stream cannot grow by more: a match of 258 bytes takes at least 2 bits.
constexpr uint64_t kMaxRatio = 1032;

/// Little-endian numbers, taken from the front of some bytes. The caller has checked the length.
class Fields {
 public:
  explicit Fields(std::span<const char> bytes) : bytes_(bytes) {}
  uint16_t u16() { return static_cast<uint16_t>(take(2)); }
  uint32_t u32() { return static_cast<uint32_t>(take(4)); }
  uint64_t u64() { return take(8); }
  void skip(size_t n) { bytes_ = bytes_.subspan(n); }
  std::string_view text(size_t n) {
    const std::string_view result(bytes_.data(), n);
    skip(n);
    return result;
  }
  size_t left() const { return bytes_.size(); }

 private:
  uint64_t take(size_t n) {
    uint64_t value = 0;
    for (size_t i = n; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes_[i]);
    skip(n);
    return value;
  }
  std::span<const char> bytes_;
};

class DirectoryReader {
 public:
  explicit DirectoryReader(const File& file) : file_(file) {}

  std::vector<ZipMember> read() {
    find_directory();
    const std::string bytes = fetch(offset_, size_);
    Fields fields(bytes);
    for (uint64_t i = 0; i < count_; ++i) read_entry(fields);
    require(fields.left() == 0, "extra bytes after the last entry of the directory");
    check_apart();
    std::vector<ZipMember> members;
    for (Entry& entry : entries_) members.push_back(std::move(entry.member));
    return members;
  }

 private:
  struct Entry {
    ZipMember member;
    uint64_t begin = 0;  // its local header
  };

  template <class... Args>
  void require(bool ok, fmt::format_string<Args...> text, Args&&... args) const {
    if (!ok) {
      raise(ErrorKind::format, fmt::format("{}: malformed zip archive: {}", file_.name(),
                                           fmt::format(text, std::forward<Args>(args)...)));
    }
  }
  /// The caller has compared with the size of the file.
  std::string fetch(uint64_t offset, uint64_t bytes) const {
    std::string result(bytes, '\0');
    file_.read(offset, result.data(), bytes);
    return result;
  }

  void find_directory() {
    require(file_.size() >= kEndBytes, "it is truncated");
    uint64_t end = file_.size() - kEndBytes;
    const std::string bytes = fetch(end, kEndBytes);
    Fields fields(bytes);
    require(fields.u32() == kEndSignature,
            "no end record: the file is truncated or has trailing data");
    const uint16_t disk = fields.u16(), directory_disk = fields.u16(), here = fields.u16();
    const uint16_t count = fields.u16();
    const uint32_t size = fields.u32(), offset = fields.u32();
    require(fields.u16() == 0, "archive comments are not supported");
    count_ = count, size_ = size, offset_ = offset;
    require(here == count, "multi-part archives are not supported");
    if (disk == kMore16 || directory_disk == kMore16 || count == kMore16 || size == kMore32 ||
        offset == kMore32) {
      end = read_end64(end, count, size, offset);
    } else {
      require(disk == 0 && directory_disk == 0, "multi-part archives are not supported");
    }
    require(
        offset_ <= end && size_ == end - offset_,
        "the directory of {} bytes at byte {} does not end where the end record begins (byte {})",
        size_, offset_, end);
    require(size_ <= kMaxDirectoryBytes, "a directory of {} bytes is too large", size_);
    require(count_ <= size_ / kCentralBytes, "a directory of {} bytes cannot hold {} entries",
            size_, count_);
  }

  /// The larger record of zip64, which is before its locator; returns where it begins.
  uint64_t read_end64(uint64_t end, uint16_t count, uint32_t size, uint32_t offset) {
    require(end >= kLocator64Bytes + kEnd64Bytes, "the zip64 end record is missing");
    const uint64_t locator = end - kLocator64Bytes, record = locator - kEnd64Bytes;
    const std::string bytes = fetch(record, kEnd64Bytes + kLocator64Bytes);
    Fields fields(bytes);
    require(fields.u32() == kEnd64Signature && fields.u64() == kEnd64Bytes - 12,
            "the zip64 end record is missing");
    fields.skip(4);
    const uint32_t disk = fields.u32(), directory_disk = fields.u32();
    const uint64_t here = fields.u64();
    count_ = fields.u64(), size_ = fields.u64(), offset_ = fields.u64();
    require(fields.u32() == kLocator64Signature && fields.u32() == 0 && fields.u64() == record &&
                fields.u32() <= 1,
            "the zip64 locator does not point to its record");
    require(disk == 0 && directory_disk == 0 && here == count_,
            "multi-part archives are not supported");
    require((count == kMore16 || count == count_) && (size == kMore32 || size == size_) &&
                (offset == kMore32 || offset == offset_),
            "the two end records differ");
    return record;
  }

  void read_entry(Fields& fields) {
    require(fields.left() >= kCentralBytes && fields.u32() == kCentralSignature,
            "entry {} of the directory is damaged", entries_.size());
    fields.skip(4);  // versions
    const uint16_t flags = fields.u16(), method = fields.u16();
    fields.skip(4);  // time
    Entry entry;
    ZipMember& member = entry.member;
    member.crc = fields.u32();
    member.stored_bytes = fields.u32();
    member.bytes = fields.u32();
    const uint16_t name_bytes = fields.u16(), extra_bytes = fields.u16(),
                   comment_bytes = fields.u16();
    const uint16_t disk = fields.u16();
    fields.skip(6);  // attributes
    entry.begin = fields.u32();
    require(fields.left() >= size_t{name_bytes} + extra_bytes + comment_bytes,
            "entry {} of the directory is truncated", entries_.size());
    member.name = fields.text(name_bytes);
    check_name(member.name);
    read_extra(fields.text(extra_bytes), entry, disk);
    fields.skip(comment_bytes);
    require((flags & kEncrypted) == 0, "member {} is encrypted", member.name);
    require((flags & ~kKnownFlags) == 0, "member {} has unknown flags {:#x}", member.name, flags);
    require(method == kStored || method == kDeflated,
            "member {} uses compression method {}; only stored and deflate are supported",
            member.name, method);
    member.deflated = method == kDeflated;
    check_sizes(member);
    read_local_header(entry, flags, method);
    entries_.push_back(std::move(entry));
  }

  void check_name(const std::string& name) {
    require(!name.empty(), "a member has no name");
    require(is_utf8(name) && name.find_first_of(std::string_view("\0\\:", 3)) == name.npos,
            "the name of member {} contains invalid characters", entries_.size());
    require(name[0] != '/', "member {} has an absolute name", name);
    for (size_t begin = 0; begin <= name.size();) {
      const size_t end = std::min(name.find('/', begin), name.size());
      const std::string_view part = std::string_view(name).substr(begin, end - begin);
      require(part != "..", "the name of member {} points outside its directory", name);
      begin = end + 1;
    }
    require(names_.insert(name).second, "duplicate member name {}", name);
  }

  /// Blocks of extra data; that of zip64 has the numbers that did not fit.
  void read_extra(std::string_view extra, Entry& entry, uint16_t disk) {
    ZipMember& member = entry.member;
    const bool wanted = member.bytes == kMore32 || member.stored_bytes == kMore32 ||
                        entry.begin == kMore32 || disk == kMore16;
    bool found = false;
    Fields fields(extra);
    while (fields.left() > 0) {
      require(fields.left() >= 4, "member {} has damaged extra data", member.name);
      const uint16_t id = fields.u16(), bytes = fields.u16();
      require(fields.left() >= bytes, "member {} has damaged extra data", member.name);
      Fields block(fields.text(bytes));
      if (id != kZip64Extra) continue;
      require(!found, "member {} has duplicate zip64 sizes", member.name);
      found = true;
      for (uint64_t* number : {&member.bytes, &member.stored_bytes, &entry.begin}) {
        if (*number != kMore32) continue;
        require(block.left() >= 8, "the zip64 sizes of member {} are truncated", member.name);
        *number = block.u64();
      }
      if (disk == kMore16) {
        require(block.left() >= 4, "the zip64 sizes of member {} are truncated", member.name);
        disk = block.u32() == 0 ? 0 : 1;
      }
    }
    require(found || !wanted, "the zip64 sizes of member {} are missing", member.name);
    require(disk == 0, "multi-part archives are not supported");
  }

  void check_sizes(const ZipMember& member) const {
    require(member.stored_bytes <= file_.size(),
            "member {} claims {} bytes, more than the file has", member.name, member.stored_bytes);
    require(member.deflated ? member.bytes / kMaxRatio <= member.stored_bytes
                            : member.bytes == member.stored_bytes,
            "member {} claims to inflate {} bytes to {}, which is impossible", member.name,
            member.stored_bytes, member.bytes);
  }

  void read_local_header(Entry& entry, uint16_t flags, uint16_t method) {
    ZipMember& member = entry.member;
    require(entry.begin <= offset_ && offset_ - entry.begin >= kLocalBytes,
            "member {} begins at byte {}, where no member can be", member.name, entry.begin);
    const std::string head = fetch(entry.begin, kLocalBytes);
    Fields fields(head);
    require(fields.u32() == kLocalSignature, "no member {} at byte {}", member.name, entry.begin);
    fields.skip(2);
    const bool same_kind = fields.u16() == flags && fields.u16() == method;
    fields.skip(4);
    const uint32_t crc = fields.u32(), stored_bytes = fields.u32(), bytes = fields.u32();
    const uint16_t name_bytes = fields.u16(), extra_bytes = fields.u16();
    member.offset = entry.begin + kLocalBytes + name_bytes + extra_bytes;
    require(member.offset <= offset_ && member.stored_bytes <= offset_ - member.offset,
            "member {} of {} bytes at byte {} extends into the directory", member.name,
            member.stored_bytes, member.offset);
    const std::string rest = fetch(entry.begin + kLocalBytes, name_bytes + size_t{extra_bytes});
    Entry local;
    local.member = {.name = member.name, .stored_bytes = stored_bytes, .bytes = bytes};
    if (stored_bytes == kMore32 || bytes == kMore32) {
      read_extra(std::string_view(rest).substr(name_bytes), local, 0);
    }
    const bool same_sizes = crc == member.crc && local.member.bytes == member.bytes &&
                            local.member.stored_bytes == member.stored_bytes;
    // Sizes that were not known before the bytes were written follow them.
    require(same_kind && rest.substr(0, name_bytes) == member.name &&
                (same_sizes || (flags & kSizesBehind) != 0),
            "the two headers of member {} differ", member.name);
  }

  /// No byte belongs to two members.
  void check_apart() const {
    std::vector<const Entry*> order;
    for (const Entry& entry : entries_) order.push_back(&entry);
    std::sort(order.begin(), order.end(),
              [](const Entry* a, const Entry* b) { return a->begin < b->begin; });
    uint64_t end = 0;
    for (const Entry* entry : order) {
      require(entry->begin >= end, "member {} overlaps another", entry->member.name);
      end = entry->member.offset + entry->member.stored_bytes;
    }
    require(order.empty() || order[0]->begin == 0, "unexpected data before the first member");
  }

  const File& file_;
  uint64_t count_ = 0, size_ = 0, offset_ = 0;
  std::vector<Entry> entries_;
  std::set<std::string> names_;
};

}  // namespace

bool is_zip(std::span<const char> head) {
  const std::string_view text(head.data(), head.size());
  return text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06");
}

std::vector<ZipMember> read_zip_directory(const File& file) { return DirectoryReader(file).read(); }

}  // namespace tamis::io
