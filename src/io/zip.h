// The zip archives that .npz files are: the directory, checked, and the bytes of a member.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/file.h"

namespace tamis::io {

struct ZipMember {
  std::string name;
  bool deflated = false;      ///< else stored
  uint32_t crc = 0;           ///< of the inflated bytes
  uint64_t offset = 0;        ///< of its bytes in the file
  uint64_t stored_bytes = 0;  ///< in the file
  uint64_t bytes = 0;         ///< inflated
};

/// Whether the bytes begin as a zip archive does.
bool is_zip(std::span<const char> head);

/// The members of an archive, in the order of its directory. Refused (kind format): encryption,
/// methods other than stored and deflated, archives in several parts or with something before or
/// after them, names that are repeated, absolute or lead out of a folder, members that overlap,
/// that reach out of the file or whose two headers differ, sizes that no deflated stream can have.
/// Nothing is allocated that the file is not large enough for.
std::vector<ZipMember> read_zip_directory(const File& file);

/// Hands the inflated bytes of a member to `take`, piece by piece, and stops early once it has
/// taken `enough`. Throws kind format if the stream is damaged or does not have the claimed size
/// or, if it was read to its end, the claimed CRC.
using TakeBytes = std::function<void(std::span<const char>)>;
void read_zip_member(const File& file, const ZipMember& member, const TakeBytes& take,
                     uint64_t enough = UINT64_MAX);

/// What goes before a member's bytes, and the directory after the last one. Members are stored;
/// their bytes begin at a multiple of 64.
std::string make_zip_local_header(const ZipMember& member, uint64_t header_offset);
std::string make_zip_directory(const std::vector<ZipMember>& members,
                               const std::vector<uint64_t>& header_offsets, uint64_t offset);

}  // namespace tamis::io
