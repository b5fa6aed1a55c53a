// The header of .safetensors: what is understood, and what is refused with which words.
#include "io/safetensors.h"

#include "io/writer.h"
#include "support/io_files.h"

namespace tamis::io {
namespace {

using namespace tamis::testing;

/// The arrays of a file with that JSON text and so many bytes of data.
std::vector<ArrayInfo> parse(const std::string& json, uint64_t data_bytes) {
  return parse_safetensors(json, 8 + json.size() + data_bytes, "x.safetensors");
}

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

TEST(Safetensors, DescribesArraysInTheOrderOfTheData) {
  const std::string json =
      " {" + entry("b", "F32", "[2,3]", "[2,26]") + "," + "\"__metadata__\":{\"format\":\"pt\"}," +
      entry("a", "BF16", "[]", "[0,2]") + "," + entry("none", "I64", "[0,5]", "[2,2]") + "}  ";
  const std::vector<ArrayInfo> arrays = parse(json, 26);
  ASSERT_EQ(arrays.size(), 3u);
  EXPECT_EQ(arrays[0].name, "a");
  EXPECT_EQ(arrays[0].dtype, DType::bfloat16);
  EXPECT_EQ(arrays[0].shape, Shape{});
  EXPECT_EQ(arrays[0].offset, 8 + json.size());
  EXPECT_EQ(arrays[1].name, "none");
  EXPECT_EQ(arrays[1].bytes, 0u);
  EXPECT_EQ(arrays[2].name, "b");
  EXPECT_EQ(arrays[2].shape, (Shape{2, 3}));
  EXPECT_EQ(arrays[2].offset, 8 + json.size() + 2);
  EXPECT_EQ(arrays[2].bytes, 24u);
  EXPECT_TRUE(parse("{}", 0).empty());
}

TEST(Safetensors, DescribesTypesThatTamisLacks) {
  const auto arrays = parse(
      "{" + entry("f8", "F8_E4M3", "[3]", "[0,3]") + "," + entry("f4", "F4", "[4]", "[3,5]") + "}",
      5);
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_FALSE(arrays[0].dtype.has_value());
  EXPECT_EQ(arrays[1].dtype_text, "F4");
}

TEST(Safetensors, RefusesWhatIsMalformed) {
  struct Case {
    std::string json;
    uint64_t bytes;
    const char* text;
  };
  const std::string whole = entry("a", "U8", "[4]", "[0,4]");
  std::string deep(100000, '[');
  const Case cases[] = {
      {"", 0, "invalid JSON"},
      {"[]", 0, "unexpected list"},
      {"{", 0, "invalid JSON"},
      {"{" + whole, 4, "invalid JSON"},
      {"{" + whole + "} x", 4, "invalid JSON"},
      {std::string("{}\0{}", 5), 0, "zero byte"},
      {"{\"a\":" + deep, 0, "unexpected list"},
      {"{\"a\":1}", 0, "unexpected number"},
      {"{\"a\":null}", 0, "unexpected null"},
      {"{\"a\":true}", 0, "unexpected boolean"},
      {"{\"a\":\"x\"}", 0, "unexpected string"},
      {"{\"\xff\":1}", 0, "invalid JSON"},
      {"{\"__metadata__\":{\"a\":{}}}", 0, "unexpected object"},
      {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", 0, "duplicate key in __metadata__"},
      {"{" + whole + "," + whole + "}", 4, "duplicate name 'a'"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[4]}}", 4, "are all required"},
      {"{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}", 4, "duplicate key dtype"},
      {"{\"a\":{\"evil\":1}}", 4, "unknown key"},
      {"{" + entry("a", "Q8", "[4]", "[0,4]") + "}", 4, "unknown dtype"},
      {"{" + entry("a", "U8", "[-4]", "[0,4]") + "}", 4, "negative"},
      {"{" + entry("a", "U8", "[4.0]", "[0,4]") + "}", 4, "not an integer"},
      {"{" + entry("a", "U8", "[1e999]", "[0,4]") + "}", 4, "invalid JSON"},
      {"{" + entry("a", "U8", "[[4]]", "[0,4]") + "}", 4, "unexpected list"},
      {"{" + entry("a", "U8", "[4]", "[0]") + "}", 4, "two data_offsets"},
      {"{" + entry("a", "U8", "[4]", "[0,4,4]") + "}", 4, "more than two"},
      {"{" + entry("a", "U8", "[4]", "[4,0]") + "}", 4, "are outside"},
      {"{" + entry("a", "U8", "[4]", "[0,5]") + "}", 4, "are outside"},
      {"{" + entry("a", "U8", "[4]", "[0,3]") + "}", 3, "does not match the 3 bytes"},
      {"{" + entry("a", "F4", "[3]", "[0,2]") + "}", 2, "does not match"},
      {"{" + entry("a", "U8", "[4294967296,4294967296]", "[0,0]") + "}", 0, "does not match"},
      {"{" + entry("a", "U8", "[0,4294967296,4294967296]", "[0,0]") + "}", 0, "does not match"},
      {"{" + entry("a", "U8", "[18446744073709551615]", "[0,0]") + "}", 0, "63 bits"},
      {"{" + whole + "," + entry("b", "U8", "[4]", "[2,6]") + "}", 6, "'b' begins at byte 2"},
      {"{" + whole + "," + entry("b", "U8", "[4]", "[5,9]") + "}", 9, "'b' begins at byte 5"},
      {"{" + whole + "}", 5, "1 of them belong to no array"},
      {"{}", 5, "5 of them belong to no array"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.json.substr(0, 100));
    expect_error(ErrorKind::format, c.text, [&] { parse(c.json, c.bytes); });
  }
  std::string many = "[1";
  for (int i = 0; i < 64; ++i) many += ",1";
  expect_error(ErrorKind::format, "64 dimensions",
               [&] { parse("{" + entry("a", "U8", many + "]", "[0,1]") + "}", 1); });
}

TEST(Safetensors, RefusesLengthsThatTheFileHasNot) {
  expect_error(ErrorKind::format, "too short", [] { safetensors_header_bytes("1234567", 7, "x"); });
  expect_error(ErrorKind::format, "the limit is 100000000",
               [] { safetensors_header_bytes(little_endian(100'000'001, 8), 1'000'000'000, "x"); });
  expect_error(ErrorKind::format, "the limit is 100000000",
               [] { safetensors_header_bytes(std::string(8, '\xff'), 100, "x"); });
  expect_error(ErrorKind::format, "ends before",
               [] { safetensors_header_bytes(little_endian(93, 8), 100, "x"); });
  EXPECT_EQ(safetensors_header_bytes(little_endian(92, 8), 100, "x"), 92u);
}

TEST(Safetensors, WritesHeadersThatItReads) {
  const std::string header = make_safetensors_header(
      {{"w\"1\n\xc3\xa9", DType::float16, {2, 2}}, {"m", DType::boolean, {}}}, 0);
  EXPECT_EQ(header.size() % 64, 0u);
  const auto arrays = parse(header.substr(8), 9);
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays[0].name, "w\"1\n\xc3\xa9");
  EXPECT_EQ(arrays[0].shape, (Shape{2, 2}));
  EXPECT_EQ(arrays[1].dtype, DType::boolean);
  EXPECT_EQ(arrays[1].offset, header.size() + 8);
  expect_error(ErrorKind::dtype, "does not support complex128", [] {
    make_safetensors_header({{"a", DType::complex128, {1}}}, 0);
  });
}

}  // namespace
}  // namespace tamis::io
