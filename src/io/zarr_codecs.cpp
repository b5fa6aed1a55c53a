// Decompressing what nobody vouches for, and compressing.
#include "io/zarr_codecs.h"

#include <blosc.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "core/check.h"

namespace tamis::io {

namespace {

constexpr size_t kCrcBytes = 4;
/// Scratch memory that a thread keeps, and in how many pieces.
constexpr size_t kMostKept = 16 << 20, kMostPieces = 3;
// What zlib's windows are called: 15 bits, with the header of gzip.
constexpr int kGzipWindow = 15 + 16, kZlibWindow = 15;

constexpr const char* kNames[] = {"gzip", "zlib", "zstd", "blosc", "crc32c"};

template <class... Args>
void require(bool ok, CodecKind kind, const std::string& where, fmt::format_string<Args...> text,
             Args&&... args) {
  if (ok) return;
  raise(ErrorKind::format, fmt::format("{}: {}: {}", where, kNames[static_cast<size_t>(kind)],
                                       fmt::format(text, std::forward<Args>(args)...)));
}

/// The number of bytes, at most `room`, that it inflates to. Several streams may follow each other.
size_t inflate_all(CodecKind kind, std::string_view from, char* to, size_t room,
                   const std::string& where) {
  z_stream stream = {};
  check(inflateInit2(&stream, kind == CodecKind::gzip ? kGzipWindow : kZlibWindow) == Z_OK,
        ErrorKind::memory, "{}: not enough memory to decompress", where);
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, inflateEnd);
  constexpr size_t kMost = size_t{1} << 30;  // zlib counts in 32 bits
  size_t taken = 0, made = 0;
  for (;;) {
    const size_t in = std::min(from.size() - taken, kMost), out = std::min(room - made, kMost);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data() + taken));
    stream.avail_in = static_cast<uInt>(in);
    char beyond;  // so that a full buffer is not taken for the end of the stream
    stream.next_out = reinterpret_cast<Bytef*>(out > 0 ? to + made : &beyond);
    stream.avail_out = static_cast<uInt>(std::max<size_t>(out, 1));
    const size_t space = stream.avail_out;
    const int status = inflate(&stream, Z_NO_FLUSH);
    const size_t consumed = in - stream.avail_in, produced = space - stream.avail_out;
    require(out > 0 || produced == 0, kind, where, "more than {} bytes come out", room);
    taken += consumed, made += produced;
    if (status == Z_STREAM_END) {
      if (taken == from.size()) return made;
      require(kind == CodecKind::gzip && inflateReset(&stream) == Z_OK, kind, where,
              "{} bytes follow the stream", from.size() - taken);
      continue;
    }
    require(status == Z_OK || status == Z_BUF_ERROR, kind, where, "the stream is corrupt");
    require(consumed + produced > 0, kind, where, "the stream is truncated");
  }
}

size_t unpack_zstd(std::string_view from, char* to, size_t room, const std::string& where) {
  thread_local const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                                ZSTD_freeDCtx);
  check(context != nullptr, ErrorKind::memory, "{}: not enough memory to decompress", where);
  const size_t made = ZSTD_decompressDCtx(context.get(), to, room, from.data(), from.size());
  require(!ZSTD_isError(made), CodecKind::zstd, where, "{}", ZSTD_getErrorName(made));
  return made;
}

size_t unpack_blosc(std::string_view from, char* to, size_t room, const std::string& where) {
  constexpr size_t kHeader = 16;
  size_t bytes = 0;
  require(from.size() >= kHeader && blosc_cbuffer_validate(from.data(), from.size(), &bytes) == 0,
          CodecKind::blosc, where, "the header is damaged");
  require(bytes <= room, CodecKind::blosc, where, "{} bytes come out, more than {}", bytes, room);
  const int made = blosc_decompress_ctx(from.data(), to, bytes, 1);
  require(made >= 0 && static_cast<size_t>(made) == bytes, CodecKind::blosc, where,
          "the block is corrupt, or compressed by a method that is not known here");
  return bytes;
}

std::string_view checked_crc(std::string_view from, const std::string& where) {
  require(from.size() >= kCrcBytes, CodecKind::crc32c, where, "the checksum is missing");
  const std::string_view plain = from.substr(0, from.size() - kCrcBytes);
  uint32_t claimed = 0;
  for (size_t i = kCrcBytes; i-- > 0;) {
    claimed = claimed << 8 | static_cast<uint8_t>(from[plain.size() + i]);
  }
  require(crc32c(plain) == claimed, CodecKind::crc32c, where, "the checksum is wrong");
  return plain;
}

size_t unpack(const ByteCodec& codec, std::string_view from, char* to, size_t room,
              const std::string& where) {
  switch (codec.kind) {
    case CodecKind::gzip:
    case CodecKind::zlib:
      return inflate_all(codec.kind, from, to, room, where);
    case CodecKind::zstd:
      return unpack_zstd(from, to, room, where);
    case CodecKind::blosc:
      return unpack_blosc(from, to, room, where);
    case CodecKind::crc32c:
      break;
  }
  return 0;
}

Bytes deflate_all(const ByteCodec& codec, std::string_view from) {
  z_stream stream = {};
  const int window = codec.kind == CodecKind::gzip ? kGzipWindow : kZlibWindow;
  check(deflateInit2(&stream, codec.level, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) == Z_OK,
        ErrorKind::memory, "not enough memory to compress");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, deflateEnd);
  Bytes out(deflateBound(&stream, from.size()));
  // A chunk has less than 2 GiB, so what zlib counts fits.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
  stream.avail_in = static_cast<uInt>(from.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data.get());
  stream.avail_out = static_cast<uInt>(out.size);
  check(deflate(&stream, Z_FINISH) == Z_STREAM_END, ErrorKind::memory, "compressing failed");
  out.size -= stream.avail_out;
  return out;
}

Bytes pack_zstd(const ByteCodec& codec, std::string_view from) {
  thread_local const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                                ZSTD_freeCCtx);
  check(context != nullptr, ErrorKind::memory, "not enough memory to compress");
  Bytes out(ZSTD_compressBound(from.size()));
  const size_t made = ZSTD_compressCCtx(context.get(), out.data.get(), out.size, from.data(),
                                        from.size(), codec.level);
  check(!ZSTD_isError(made), ErrorKind::memory, "compressing failed: {}", ZSTD_getErrorName(made));
  out.size = made;
  return out;
}

Bytes pack_blosc(const ByteCodec& codec, std::string_view from) {
  Bytes out(from.size() + BLOSC_MAX_OVERHEAD);
  const int made = blosc_compress_ctx(codec.level, codec.blosc_shuffle, codec.blosc_typesize,
                                      from.size(), from.data(), out.data.get(), out.size,
                                      codec.blosc_compressor.c_str(), 0, 1);
  check(made > 0, ErrorKind::value, "blosc cannot compress by '{}' here", codec.blosc_compressor);
  out.size = static_cast<size_t>(made);
  return out;
}

Bytes with_crc(std::string_view from) {
  Bytes out(from.size() + kCrcBytes);
  std::copy(from.begin(), from.end(), out.data.get());
  const uint32_t crc = crc32c(from);
  for (size_t i = 0; i < kCrcBytes; ++i) {
    out.data[from.size() + i] = static_cast<char>(crc >> 8 * i & 0xff);
  }
  return out;
}

Bytes pack(const ByteCodec& codec, std::string_view from) {
  switch (codec.kind) {
    case CodecKind::gzip:
    case CodecKind::zlib:
      return deflate_all(codec, from);
    case CodecKind::zstd:
      return pack_zstd(codec, from);
    case CodecKind::blosc:
      return pack_blosc(codec, from);
    case CodecKind::crc32c:
      return with_crc(from);
  }
  return {};
}

}  // namespace

namespace {

std::vector<Bytes>& kept_scratch() {
  thread_local std::vector<Bytes> kept;
  return kept;
}

}  // namespace

Scratch::Scratch(size_t bytes) {
  std::vector<Bytes>& kept = kept_scratch();
  const auto fits = [&](const Bytes& b) { return b.size >= bytes && b.size / 4 <= bytes; };
  const auto found = std::find_if(kept.begin(), kept.end(), fits);
  if (found == kept.end()) {
    held_ = Bytes(bytes);
    return;
  }
  held_ = std::move(*found);
  kept.erase(found);
}

Scratch::~Scratch() {
  std::vector<Bytes>& kept = kept_scratch();
  if (held_.size > kMostKept) return;
  if (kept.size() == kMostPieces) kept.erase(kept.begin());
  kept.push_back(std::move(held_));
}

uint64_t most_encoded(std::span<const ByteCodec> codecs, uint64_t bytes) {
  for (const ByteCodec& codec : codecs) {
    // No compressor makes much more of bytes that it cannot compress.
    bytes += codec.kind == CodecKind::crc32c ? kCrcBytes : bytes / 8 + 65536;
  }
  return bytes;
}

void decode_bytes(std::span<const ByteCodec> codecs, std::string_view encoded, char* to,
                  size_t bytes, const std::string& where) {
  Bytes held;
  for (size_t i = codecs.size(); i-- > 0;) {
    const std::span<const ByteCodec> before = codecs.first(i);
    if (codecs[i].kind == CodecKind::crc32c) {
      encoded = checked_crc(encoded, where);
      continue;
    }
    // The last step goes where the result belongs.
    if (before.empty()) {
      const size_t made = unpack(codecs[i], encoded, to, bytes, where);
      require(made == bytes, codecs[i].kind, where, "{} bytes come out instead of {}", made, bytes);
      return;
    }
    Bytes next(most_encoded(before, bytes));
    next.size = unpack(codecs[i], encoded, next.data.get(), next.size, where);
    held = std::move(next);
    encoded = held.view();
  }
  check(encoded.size() == bytes, ErrorKind::format, "{}: it has {} bytes instead of {}", where,
        encoded.size(), bytes);
  std::memcpy(to, encoded.data(), bytes);
}

Bytes encode_bytes(std::span<const ByteCodec> codecs, std::string_view plain) {
  Bytes held;
  for (const ByteCodec& codec : codecs) {
    held = pack(codec, plain);
    plain = held.view();
  }
  if (codecs.empty()) {
    held = Bytes(plain.size());
    std::copy(plain.begin(), plain.end(), held.data.get());
  }
  return held;
}

}  // namespace tamis::io
