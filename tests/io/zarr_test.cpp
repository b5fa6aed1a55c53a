// Zarr stores: windows of every kind, layouts that are written, and stores that nobody should
// trust.
#include <sys/resource.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <thread>

#include "io/reader.h"
#include "io/writer.h"
#include "io/zarr_codecs.h"
#include "io/zarr_grid.h"
#include "io/zarr_metadata.h"
#include "support/io_files.h"
#include "tamis/runtime.h"

namespace tamis::io {
namespace {

using namespace tamis::testing;
namespace fs = std::filesystem;

class Zarr : public ::testing::Test {
 protected:
  /// Writes 0, 1, 2, ... in that layout, and returns it.
  Tensor write(const Shape& shape, const ZarrLayout& layout, DType dtype = DType::int32) {
    const Tensor x = arange(0, numel(shape), 1, dtype).view(shape);
    Writer writer(path_, Format::zarr, {{"", dtype, shape, {}, layout}});
    writer.append(x);
    writer.commit();
    return x;
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_ / "x.zarr";
};

TEST(ZarrGrids, SlabsCoverTheArrayOnceAndInOrder) {
  for (const auto& [shape, chunk] :
       std::vector<std::pair<Shape, Shape>>{{{10}, {3}},
                                            {{5, 4}, {2, 3}},
                                            {{3, 5, 4}, {1, 2, 4}},
                                            {{2, 3, 4}, {1, 1, 1}},
                                            {{2, 3, 4}, {5, 5, 5}},
                                            {{2, 2, 3, 5}, {1, 1, 2, 2}},
                                            {{}, {}}}) {
    SCOPED_TRACE(to_string(shape));
    const ZarrGrid grid(shape, chunk);
    int64_t at = 0;
    for (int64_t slab = 0; at < numel(shape); ++slab) {
      EXPECT_EQ(grid.begin(slab), at);
      EXPECT_EQ(grid.slab_of(at), slab);
      int64_t elements = 0;
      for (int64_t i = 0; i < grid.chunks_per_slab(); ++i) {
        const Shape size = grid.clipped(grid.index(slab, i));
        for (const int64_t s : size) EXPECT_GT(s, 0);
        elements += numel(size);
      }
      EXPECT_EQ(elements, grid.elements(slab));
      at += grid.elements(slab);
      EXPECT_EQ(grid.slab_of(at - 1), slab);
    }
    EXPECT_EQ(at, numel(shape));
  }
}

TEST_F(Zarr, GivesTheSameWindowsWhateverTheChunks) {
  const Shape shape = {7, 9, 5};
  for (const Shape& chunks : {Shape{7, 9, 5}, Shape{2, 4, 3}, Shape{1, 9, 5}, Shape{1, 1, 2},
                              Shape{3, 1, 1}, Shape{10, 2, 10}, Shape{1, 4, 5}}) {
    for (const Shape& shards : {Shape{}, Shape{chunks[0] * 2, chunks[1] * 3, chunks[2]}}) {
      SCOPED_TRACE(to_string(chunks) + to_string(shards));
      const Tensor x = write(shape, {.chunks = chunks, .shards = shards});
      const Reader reader(path_);
      EXPECT_EQ(reader.format(), Format::zarr);
      EXPECT_EQ(reader.arrays()[0].zarr->chunks, chunks);
      EXPECT_EQ(reader.arrays()[0].zarr->shards, shards);
      EXPECT_TRUE(equal(reader.read(0), x));
      const Tensor flat = x.view({-1});
      for (int64_t first = 0; first < x.numel(); first += 17) {
        for (const int64_t count : {int64_t{1}, int64_t{4}, int64_t{46}, x.numel() - first}) {
          if (first + count > x.numel()) continue;
          EXPECT_TRUE(equal(reader.window(0, first, count), flat.narrow(0, first, count)))
              << first << " " << count;
        }
      }
    }
  }
}

TEST_F(Zarr, ThreadsShareTheirWork) {
  const Shape shape = {301, 257};
  const Tensor x = write(shape, {.chunks = {8, 32}});
  const Tensor flat = x.view({-1});
  const Reader reader(path_);
  std::atomic<int64_t> next{0};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  constexpr int64_t kWindow = 1009;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int64_t at = next.fetch_add(kWindow); at < x.numel(); at = next.fetch_add(kWindow)) {
        const int64_t count = std::min(kWindow, x.numel() - at);
        wrong += !equal(reader.window(0, at, count), flat.narrow(0, at, count));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Zarr, AllThreadsFindADamagedChunk) {
  write({64, 64}, {.chunks = {16, 16}});
  put_file(folder_ / "x.zarr/c/2/1", "damaged");
  const Reader reader(path_);
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      try {
        reader.window(0, 40 * 64, 64);
      } catch (const Error& e) {
        refused += e.kind() == ErrorKind::format;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused, 4);
  EXPECT_EQ(reader.window(0, 0, 1).item<int32_t>(), 0);  // what is sound can be read
}

TEST_F(Zarr, WritesArraysOfUnknownLength) {
  for (const int64_t rows : {0, 1, 5, 4096, 100000}) {
    for (const Shape& chunks : {Shape{}, Shape{1000, 2}}) {
      Writer writer(path_, Format::zarr, {{"", DType::float64, {-1, 3}, {}, {.chunks = chunks}}});
      const Tensor x = arange(0, rows * 3, 1, DType::float64).view({rows, 3});
      for (int64_t at = 0; at < rows; at += 777) {
        writer.append(x.narrow(0, at, std::min<int64_t>(777, rows - at)));
      }
      writer.commit();
      EXPECT_TRUE(equal(load(path_), x)) << rows;
    }
  }
  Writer writer(path_, Format::zarr, {{"", DType::int8, {-1, 3}}});
  writer.append(zeros({4}, DType::int8));
  expect_error(ErrorKind::shape, "do not fill whole rows", [&] { writer.commit(); });
}

TEST_F(Zarr, LeavesOutChunksOfZeros) {
  Tensor x = zeros({100, 100}, DType::float32);
  x.index({0, 0}) = -0.0;  // is not 0 bit by bit
  Writer writer(path_, Format::zarr, {{"", DType::float32, {100, 100}, {}, {.chunks = {50, 50}}}});
  writer.append(x);
  writer.commit();
  EXPECT_TRUE(fs::exists(path_ + "/c/0/0") && !fs::exists(path_ + "/c/0/1"));
  EXPECT_FALSE(fs::exists(path_ + "/c/1"));
  EXPECT_TRUE(std::signbit(load(path_).index({0, 0}).item<float>()));
}

TEST_F(Zarr, KeepsBitsOfEveryCodec) {
  for (const Compression compression :
       {Compression::none, Compression::zstd, Compression::gzip, Compression::blosc}) {
    for (const int version : {2, 3}) {
      for (const DType dtype : {DType::uint8, DType::int32, DType::float64}) {
        const Tensor x = write(
            {100, 30}, {.version = version, .chunks = {33, 7}, .compression = compression}, dtype);
        EXPECT_TRUE(equal(load(path_), x));
      }
    }
  }
}

TEST_F(Zarr, DefaultChunksAreOfModerateSize) {
  const auto chunks_of = [&](const Shape& shape, DType dtype) {
    Writer writer(path_, Format::zarr, {{"", dtype, shape}});
    for (int64_t left = numel(shape); left > 0; left -= 1 << 20) {
      writer.append(zeros({std::min<int64_t>(left, 1 << 20)}, dtype));
    }
    writer.commit();
    return Reader(path_).arrays()[0].zarr->chunks;
  };
  EXPECT_EQ(chunks_of({1000}, DType::int8), Shape{1000});
  EXPECT_EQ(chunks_of({4096, 4096}, DType::float32), (Shape{1024, 1024}));
  EXPECT_EQ(chunks_of({1 << 22}, DType::float64), Shape{1 << 19});
  EXPECT_EQ(chunks_of({0, 5}, DType::float64), (Shape{1, 5}));
}

TEST_F(Zarr, RefusesLayoutsThatDoNotFit) {
  const auto refuse = [&](const Shape& shape, const ZarrLayout& layout, ErrorKind kind,
                          const std::string& text, DType dtype = DType::int32) {
    expect_error(kind, text, [&] {
      Writer(path_, Format::zarr, {{"", dtype, shape, {}, layout}});
    });
  };
  refuse({4, 4}, {.chunks = {4}}, ErrorKind::shape, "do not fit an array of 2 dimensions");
  refuse({4, 4}, {.chunks = {4, 0}}, ErrorKind::shape, "at least 1");
  refuse({4, 4}, {.chunks = {1 << 20, 1 << 20}}, ErrorKind::shape, "less than 2 GiB");
  refuse({4, 4}, {.chunks = {2, 2}, .shards = {4, 3}}, ErrorKind::shape, "whole chunks");
  refuse({4, 4}, {.version = 2, .chunks = {2, 2}, .shards = {4, 4}}, ErrorKind::value, "shards");
  refuse({4, 4}, {.version = 4}, ErrorKind::value, "version 4");
  refuse({4, 4}, {.level = 23}, ErrorKind::value, "from 1 to 22");
  refuse({4, 4}, {.dimension_names = {"a"}}, ErrorKind::value, "1 names for 2 dimensions");
  refuse({4}, {.version = 2}, ErrorKind::dtype, "does not support bfloat16", DType::bfloat16);
  EXPECT_EQ(folder_.files(), 0u);
}

TEST_F(Zarr, NothingStaysOfWhatWasNotFinished) {
  const Tensor old = write({10}, {});
  {
    Writer writer(path_, Format::zarr, {{"", DType::int32, {1 << 20}, {}, {.chunks = {1 << 12}}}});
    writer.append(arange(0, 1 << 19, 1, DType::int32));
  }
  EXPECT_TRUE(equal(load(path_), old));
  EXPECT_EQ(folder_.files(), 1u);
  Writer writer(path_, Format::zarr, {{"", DType::int32, {20}}});
  writer.append(arange(0, 10, 1, DType::int32));
  expect_error(ErrorKind::shape, "has 20 elements, not 10", [&] { writer.commit(); });
}

TEST_F(Zarr, ArchivesOfEqualArraysAreEqual) {
  const std::string a = folder_ / "a.zip", b = folder_ / "b.zip";
  const Tensor x = arange(0, 500000, 1, DType::int32).view({500, 1000});
  for (const std::string& path : {a, b}) {
    Writer writer(path, Format::zarr,
                  {{"", DType::int32, {500, 1000}, {}, {.chunks = {10, 100}, .threads = 4}}});
    writer.append(x);
    writer.commit();
  }
  EXPECT_EQ(get_file(a), get_file(b));
  EXPECT_TRUE(equal(load(a), x));
}

TEST_F(Zarr, SlabsBeyondMemoryGoToAFile) {
  // 300 MB side by side, in chunks that each hold one column.
  const Shape shape = {300 << 10, 1 << 10};
  fs::create_directories(path_);
  put_file(path_ + "/.zarray",
           R"({"zarr_format": 2, "shape": [307200, 1024], "chunks": [307200, 512], "dtype": "|u1",
               "compressor": null, "fill_value": 7, "order": "C", "filters": null})");
  put_file(path_ + "/0.1", std::string(size_t{307200} * 512, '\3'));
  const Reader reader(path_);
  const Tensor x = reader.window(0, (int64_t{300 << 10} - 1) << 10, 1 << 10);
  EXPECT_EQ(x.narrow(0, 0, 512).sum().item<int64_t>(), 7 * 512);
  EXPECT_EQ(x.narrow(0, 512, 512).sum().item<int64_t>(), 3 * 512);
}

TEST(ZarrMetadata, FillValuesHaveManyForms) {
  const auto fill = [](const std::string& dtype, const std::string& value) {
    return parse_zarr_v2(R"({"zarr_format": 2, "shape": [], "chunks": [], "dtype": ")" + dtype +
                             R"(", "compressor": null, "order": "C", "fill_value": )" + value + "}",
                         "", "test")
        .fill;
  };
  EXPECT_EQ(fill("<i2", "-2"), little_endian(0xfffe, 2));
  EXPECT_EQ(fill("<i2", "3.0"), little_endian(3, 2));
  EXPECT_EQ(fill("<i2", "null"), little_endian(0, 2));
  EXPECT_EQ(fill("<u8", "18446744073709551615"), little_endian(UINT64_MAX, 8));
  EXPECT_EQ(fill("<f4", "\"NaN\""), little_endian(0x7fc00000, 4));
  EXPECT_EQ(fill("<f4", "NaN"), little_endian(0x7fc00000, 4));
  EXPECT_EQ(fill("<f4", "-Infinity"), little_endian(0xff800000, 4));
  EXPECT_EQ(fill("<f8", "\"0x7ff8000000000001\""), little_endian(0x7ff8000000000001, 8));
  EXPECT_EQ(fill("<f2", "0.1"), little_endian(0x2e66, 2));
  EXPECT_EQ(fill("|b1", "true"), std::string(1, '\1'));
  EXPECT_EQ(fill("<c8", "[1.0, \"Infinity\"]"),
            little_endian(0x3f800000, 4) + little_endian(0x7f800000, 4));
  for (const auto& [dtype, value] :
       std::vector<std::pair<std::string, std::string>>{{"|i1", "128"},
                                                        {"|i1", "-129"},
                                                        {"|u1", "-1"},
                                                        {"<u8", "18446744073709551616"},
                                                        {"<i4", "0.5"},
                                                        {"<i4", "\"NaN\""},
                                                        {"<f4", "\"nan\""},
                                                        {"<f4", "\"0x7fc0\""},
                                                        {"<f4", "[1, 2]"},
                                                        {"<c8", "[1]"},
                                                        {"|b1", "2"},
                                                        {"|b1", "\"\""}}) {
    expect_error(ErrorKind::format, "not a fill value",
                 [&, &d = dtype, &v = value] { fill(d, v); });
  }
}

TEST(ZarrMetadata, NumbersOfPythonInAttributesDoNoHarm) {
  const ZarrArray array = parse_zarr_v2(
      R"({"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<f4", "compressor": null,
          "order": "C", "fill_value": 0})",
      R"({"_ARRAY_DIMENSIONS": ["NaN \" time"], "_FillValue": NaN, "range": [-Infinity, 1]})", "x");
  EXPECT_EQ(array.dimension_names, std::vector<std::string>{"NaN \" time"});
}

TEST(ZarrCodecs, ChecksumsAreCastagnolis) {
  // RFC 3720, B.4.
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
}

TEST(ZarrCodecs, ShardsMustNotOverlap) {
  const auto index = [](std::vector<ShardEntry> entries) {
    return std::string(make_shard_index(entries).view());
  };
  const auto parse = [](const std::string& text, uint64_t bytes) {
    return parse_shard_index({}, 2, text, bytes, "shard").size();
  };
  constexpr uint64_t kNone = ShardEntry::kMissing;
  const uint64_t tail = 36;
  EXPECT_EQ(parse(index({{0, 5}, {5, 5}}), 10 + tail), 2u);
  EXPECT_EQ(parse(index({{5, 5}, {0, 5}}), 10 + tail), 2u);
  EXPECT_EQ(parse(index({{kNone, kNone}, {0, 0}}), 10 + tail), 2u);
  for (const ShardEntry& bad :
       {ShardEntry{4, 5}, ShardEntry{6, 5}, ShardEntry{5, 6}, ShardEntry{kNone, 5},
        ShardEntry{5, kNone}, ShardEntry{kNone - 1, 2}, ShardEntry{0, 5}}) {
    expect_error(ErrorKind::format, "chunk 1 of the shard", [&] {
      parse(index({{0, 5}, bad}), 10 + tail);
    });
  }
  std::string damaged = index({{0, 5}, {5, 5}});
  damaged[0] ^= 1;
  expect_error(ErrorKind::format, "checksum is wrong", [&] { parse(damaged, 10 + tail); });
}

}  // namespace
}  // namespace tamis::io
