// The bytes of a zip member: stored or deflated, counted and checked.
#include <zlib.h>

#include <algorithm>

#include "core/check.h"
#include "io/zip.h"

namespace tamis::io {

namespace {

constexpr size_t kPiece = 1 << 18;

class MemberReader {
 public:
  MemberReader(const File& file, const ZipMember& member, const TakeBytes& take, uint64_t enough)
      : file_(file), member_(member), take_(take), enough_(enough) {}

  void run() {
    std::vector<char> piece(std::min({uint64_t{kPiece}, member_.stored_bytes, enough_}));
    uint64_t at = 0;
    while (at < member_.stored_bytes && taken_ < enough_) {
      const size_t n = std::min<uint64_t>(piece.size(), member_.stored_bytes - at);
      file_.read(member_.offset + at, piece.data(), n);
      at += n;
      if (member_.deflated) {
        inflate_piece({piece.data(), n});
      } else {
        deliver({piece.data(), n});
      }
    }
    if (taken_ >= enough_ && taken_ < member_.bytes) return;
    require(!member_.deflated || ended_, "has a truncated stream");
    require(taken_ == member_.bytes, "inflates to fewer bytes than it claims");
    require(crc_ == member_.crc, "is damaged: checksum (CRC) mismatch");
  }

 private:
  /// Zlib's state, which must be given back.
  struct Inflater {
    Inflater() : ok(inflateInit2(&stream, -MAX_WBITS) == Z_OK) {}
    ~Inflater() {
      if (ok) inflateEnd(&stream);
    }
    z_stream stream = {};
    const bool ok;
  };

  void require(bool ok, const char* what) const {
    check(ok, ErrorKind::format, "{}: member {} {}", file_.name(), member_.name, what);
  }

  void deliver(std::span<const char> bytes) {
    require(bytes.size() <= member_.bytes - taken_, "inflates to more bytes than it claims");
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    taken_ += bytes.size();
    take_(bytes);
  }

  void inflate_piece(std::span<char> piece) {
    if (out_.empty()) out_.resize(kPiece);
    check(inflater_.ok, ErrorKind::memory, "{}: not enough memory to decompress", file_.name());
    require(!ended_, "has trailing bytes after its stream");
    z_stream& stream = inflater_.stream;
    stream.next_in = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_in = static_cast<uInt>(piece.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream.avail_out = static_cast<uInt>(out_.size());
      const int status = inflate(&stream, Z_NO_FLUSH);
      ended_ = status == Z_STREAM_END;
      require(ended_ || status == Z_OK || status == Z_BUF_ERROR, "has a corrupt stream");
      deliver({out_.data(), out_.size() - stream.avail_out});
    } while (!ended_ && stream.avail_out == 0 && taken_ < enough_);
    require(!ended_ || stream.avail_in == 0, "has trailing bytes after its stream");
  }

  const File& file_;
  const ZipMember& member_;
  const TakeBytes& take_;
  const uint64_t enough_;
  Inflater inflater_;
  std::vector<char> out_;
  uint64_t taken_ = 0;
  uLong crc_ = crc32(0, nullptr, 0);
  bool ended_ = false;
};

}  // namespace

void read_zip_member(const File& file, const ZipMember& member, const TakeBytes& take,
                     uint64_t enough) {
  MemberReader(file, member, take, enough).run();
}

}  // namespace tamis::io
