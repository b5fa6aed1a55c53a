// Zip archives: members that are read, and the tricks that are refused.
#include "io/zip.h"

#include <zlib.h>

#include <functional>
#include <optional>

#include "io/reader.h"
#include "support/io_files.h"

namespace tamis::io {
namespace {

using namespace tamis::testing;

std::string deflate_bytes(const std::string& data) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, data.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

uint32_t crc_of(const std::string& data) {
  return static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size())));
}

/// A member, whose headers may lie.
struct Member {
  Member(std::string n, const std::string& content, bool deflated = false)
      : name(std::move(n)),
        stored(deflated ? deflate_bytes(content) : content),
        crc(crc_of(content)),
        bytes(content.size()),
        stored_bytes(stored.size()),
        method(deflated ? 8 : 0) {}

  std::string name, stored;
  uint32_t crc;
  uint64_t bytes, stored_bytes;
  uint16_t method, flags = 0, disk = 0;
  std::string extra;                    // in the directory
  std::optional<uint32_t> local_bytes;  // if it differs from the directory's
  std::optional<std::string> local_name;
  std::optional<uint32_t> offset;
};

std::string numbers(const Member& m, bool local) {
  return little_endian(20, 2) + little_endian(m.flags, 2) + little_endian(m.method, 2) +
         little_endian(0, 4) + little_endian(m.crc, 4) + little_endian(m.stored_bytes, 4) +
         little_endian(local ? m.local_bytes.value_or(m.bytes) : m.bytes, 4);
}

struct End {
  uint16_t disk = 0, comment_bytes = 0;
  std::optional<uint16_t> count;
  int64_t size_error = 0, offset_error = 0;
  std::string before;  // between the directory and the end
};

std::string make_zip(const std::vector<Member>& members, const End& end = {}) {
  std::string file, directory;
  for (const Member& m : members) {
    const std::string local_name = m.local_name.value_or(m.name);
    const uint32_t offset = m.offset.value_or(static_cast<uint32_t>(file.size()));
    file += "PK\x03\x04" + numbers(m, true) + little_endian(local_name.size(), 2) +
            little_endian(0, 2) + local_name + m.stored;
    directory += "PK\x01\x02" + little_endian(20, 2) + numbers(m, false) +
                 little_endian(m.name.size(), 2) + little_endian(m.extra.size(), 2) +
                 little_endian(0, 2) + little_endian(m.disk, 2) + little_endian(0, 6) +
                 little_endian(offset, 4) + m.name + m.extra;
  }
  const uint16_t count = end.count.value_or(static_cast<uint16_t>(members.size()));
  return file + directory + end.before + "PK\x05\x06" + little_endian(end.disk, 2) +
         little_endian(end.disk, 2) + little_endian(count, 2) + little_endian(count, 2) +
         little_endian(directory.size() + end.size_error, 4) +
         little_endian(file.size() + end.offset_error, 4) + little_endian(end.comment_bytes, 2);
}

class Zip : public ::testing::Test {
 protected:
  std::vector<ZipMember> directory(const std::string& content) {
    put_file(path_, content);
    return read_zip_directory(File::open(path_));
  }
  std::string content_of(const std::string& zip, size_t member = 0) {
    put_file(path_, zip);
    const File file = File::open(path_);
    std::string content;
    read_zip_member(file, read_zip_directory(file).at(member),
                    [&](std::span<const char> b) { content.append(b.data(), b.size()); });
    return content;
  }
  void refuse(const std::string& content, const char* text) {
    expect_error(ErrorKind::format, text, [&] { directory(content); });
  }
  /// One member, changed.
  void refuse(const std::function<void(Member&)>& change, const char* text) {
    SCOPED_TRACE(text);
    Member m("a.npy", "content");
    change(m);
    refuse(make_zip({m}), text);
  }
  void refuse_end(const std::function<void(End&)>& change, const char* text) {
    SCOPED_TRACE(text);
    End end;
    change(end);
    refuse(make_zip({Member("a.npy", "content")}, end), text);
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_ / "x.npz";
};

TEST_F(Zip, HasStoredAndDeflatedMembers) {
  const std::string zeros(100000, '\0');
  const std::string zip =
      make_zip({Member("a.npy", "content"), Member("dir/b.npy", zeros, true), Member("e", "")});
  const auto members = directory(zip);
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(members[0].name, "a.npy");
  EXPECT_FALSE(members[0].deflated);
  EXPECT_EQ(members[0].offset, 35u);
  EXPECT_EQ(members[1].name, "dir/b.npy");
  EXPECT_TRUE(members[1].deflated);
  EXPECT_EQ(members[1].bytes, zeros.size());
  EXPECT_EQ(content_of(zip, 0), "content");
  EXPECT_EQ(content_of(zip, 1), zeros);
  EXPECT_EQ(content_of(zip, 2), "");
  EXPECT_TRUE(directory(make_zip({})).empty());
}

TEST_F(Zip, IsRefusedWhenItIsCutOffOrContinued) {
  const std::string zip = make_zip({Member("a.npy", "content"), Member("b.npy", "more", true)});
  for (size_t n = 0; n < zip.size(); ++n) {
    EXPECT_THROW(directory(zip.substr(0, n)), Error) << n;
  }
  refuse(zip + "x", "trailing data");
  refuse("x" + zip, "does not end where the end record begins");
}

TEST_F(Zip, RefusesNamesThatLeadElsewhere) {
  refuse([](Member& m) { m.name = "../a.npy"; }, "points outside");
  refuse([](Member& m) { m.name = "a/../../b.npy"; }, "points outside");
  refuse([](Member& m) { m.name = ".."; }, "points outside");
  refuse([](Member& m) { m.name = "/etc/passwd"; }, "absolute");
  refuse([](Member& m) { m.name = ""; }, "no name");
  refuse([](Member& m) { m.name = "a\\b"; }, "invalid characters");
  refuse([](Member& m) { m.name = "C:b"; }, "invalid characters");
  refuse([](Member& m) { m.name = std::string("a\0b", 3); }, "invalid characters");
  refuse([](Member& m) { m.name = "\xc0\xaf"; }, "invalid characters");
  refuse(make_zip({Member("a.npy", "1"), Member("a.npy", "2")}), "duplicate member name a.npy");
}

TEST_F(Zip, RefusesWhatItCannotRead) {
  refuse([](Member& m) { m.flags = 1; }, "encrypted");
  refuse([](Member& m) { m.flags = 1 << 5; }, "unknown flags");
  refuse([](Member& m) { m.method = 12; }, "method 12");
  refuse([](Member& m) { m.disk = 1; }, "multi-part");
  refuse_end([](End& e) { e.disk = 1; }, "multi-part");
  refuse_end([](End& e) { e.comment_bytes = 3; }, "comment");
}

TEST_F(Zip, RefusesHeadersThatLie) {
  refuse([](Member& m) { m.bytes = 8; }, "impossible");
  refuse([](Member& m) { m.bytes = m.stored_bytes = 100000; }, "more than the file has");
  refuse([](Member& m) { m.local_bytes = 9; }, "two headers of member a.npy differ");
  refuse([](Member& m) { m.local_name = "b.npy"; }, "two headers of member a.npy differ");
  refuse([](Member& m) { m.offset = 1; }, "no member a.npy at byte 1");
  refuse([](Member& m) { m.offset = 1000; }, "where no member can be");
  refuse([](Member& m) { m.bytes = m.stored_bytes = 20; }, "extends into the directory");
  refuse_end([](End& e) { e.count = 2; }, "cannot hold 2 entries");
  refuse_end([](End& e) { e.count = 0; }, "extra bytes after the last entry");
  refuse_end([](End& e) { e.size_error = 1; }, "does not end where");
  refuse_end([](End& e) { e.offset_error = 1; }, "does not end where");
  // More than deflate can do: a bomb, or a lie.
  Member bomb("a.npy", "content", true);
  bomb.bytes = 1 << 20;
  refuse(make_zip({bomb}), "impossible");
}

TEST_F(Zip, RefusesMembersThatOverlap) {
  Member inner("b.npy", "1");
  const std::string local = make_zip({inner}).substr(0, 36);
  Member outer("a.npy", local);
  inner.offset = 35;  // in the bytes of the outer one
  refuse(make_zip({outer, inner}), "overlaps");
  Member first("a.npy", "1"), second("b.npy", "1");
  second.offset = 0;
  second.local_name = "a.npy";
  refuse(make_zip({first, second}), "two headers of member b.npy differ");
}

TEST_F(Zip, RefusesLiesOfZip64) {
  const std::string more = little_endian(0xffffffff, 4);
  refuse([](Member& m) { m.bytes = 0xffffffff; }, "zip64 sizes of member a.npy are missing");
  refuse(
      [](Member& m) {
        m.bytes = 0xffffffff;
        m.extra = little_endian(1, 2) + little_endian(4, 2) + little_endian(7, 4);
      },
      "truncated");
  refuse([](Member& m) { m.extra = "\x01"; }, "damaged extra data");
  refuse([](Member& m) { m.extra = little_endian(1, 2) + little_endian(9, 2); },
         "damaged extra data");
  refuse(
      [](Member& m) {
        m.bytes = 0xffffffff;
        m.extra = little_endian(1, 2) + little_endian(8, 2) + little_endian(UINT64_MAX, 8);
      },
      "impossible");
  refuse_end([](End& e) { e.count = 0xffff; }, "zip64 end record is missing");
  refuse_end(
      [](End& e) {
        e.count = 0xffff;
        e.before = std::string(76, 'x');
      },
      "zip64 end record is missing");
}

TEST_F(Zip, RefusesDamagedStreams) {
  const auto damaged = [&](const std::function<void(Member&)>& change, const char* text,
                           bool deflated = true) {
    SCOPED_TRACE(text);
    Member m("a.npy", std::string(5000, 'x') + "end", deflated);
    change(m);
    expect_error(ErrorKind::format, text, [&] { content_of(make_zip({m})); });
  };
  damaged([](Member& m) { m.crc ^= 1; }, "checksum");
  damaged([](Member& m) { m.crc ^= 1; }, "checksum", false);
  damaged([](Member& m) { m.bytes -= 1; }, "more bytes than it claims");
  damaged([](Member& m) { m.bytes += 1; }, "fewer bytes than it claims");
  damaged([](Member& m) { m.stored += "x", m.stored_bytes += 1; }, "trailing bytes");
  damaged([](Member& m) { m.stored.pop_back(), m.stored_bytes -= 1; }, "truncated");
  damaged([](Member& m) { m.stored[0] = '\xff'; }, "corrupt stream");
}

TEST_F(Zip, OfArraysHoldsOnlyArrays) {
  put_file(path_, make_zip({Member("data.pkl", "content")}));
  expect_error(ErrorKind::format, "not an .npz archive", [&] { Reader reader(path_); });
  put_file(path_, make_zip({Member("a.npy", "content")}));
  expect_error(ErrorKind::format, "member a.npy: not a .npy file", [&] { Reader reader(path_); });
  // The sizes in the member's own header are compared with what it inflates to.
  const std::string big = npy_file(npy_header("<f8", "(1000000000000,)"), "12345678");
  put_file(path_, make_zip({Member("a.npy", big, true)}));
  expect_error(ErrorKind::format, "needs 8000000000000 bytes", [&] { Reader reader(path_); });
}

TEST_F(Zip, WritesWhatItReads) {
  std::vector<ZipMember> members;
  std::vector<uint64_t> offsets;
  std::string file;
  for (const char* content : {"first", "", "third"}) {
    ZipMember m;
    m.name = "member" + std::to_string(members.size());
    m.bytes = m.stored_bytes = std::string(content).size();
    m.crc = crc_of(content);
    offsets.push_back(file.size());
    file += make_zip_local_header(m, file.size());
    EXPECT_EQ(file.size() % 64, 0u);
    file += content;
    members.push_back(m);
  }
  file += make_zip_directory(members, offsets, file.size());
  EXPECT_EQ(content_of(file, 0), "first");
  EXPECT_EQ(content_of(file, 1), "");
  EXPECT_EQ(content_of(file, 2), "third");
}

TEST_F(Zip, HasSixtyFourBitEndRecordsForManyMembers) {
  std::vector<ZipMember> members(70000);
  std::vector<uint64_t> offsets;
  std::string file;
  for (size_t i = 0; i < members.size(); ++i) {
    members[i].name = std::to_string(i);
    offsets.push_back(file.size());
    file += make_zip_local_header(members[i], file.size());
  }
  file += make_zip_directory(members, offsets, file.size());
  EXPECT_EQ(directory(file).size(), members.size());
  // The two end records must agree.
  std::string lie = file;
  lie[lie.size() - 22 + 12] = 1;
  lie[lie.size() - 22 + 13] = lie[lie.size() - 22 + 14] = lie[lie.size() - 22 + 15] = 0;
  refuse(lie, "two end records differ");
}

}  // namespace
}  // namespace tamis::io
