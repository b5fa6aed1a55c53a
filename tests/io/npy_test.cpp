// The header of .npy: what is understood, and what is refused with which words.
#include "io/npy.h"

#include "support/io_files.h"

namespace tamis::io {
namespace {

using namespace tamis::testing;

ArrayInfo parse(const std::string& file) { return parse_npy(file, file.size(), "x.npy"); }

TEST(Npy, DescribesWhatNumPyWrites) {
  const ArrayInfo info = parse(npy_file(npy_header("<f4", "(2, 3)"), std::string(24, 'x')));
  EXPECT_EQ(info.dtype, DType::float32);
  EXPECT_EQ(info.dtype_text, "<f4");
  EXPECT_EQ(info.shape, (Shape{2, 3}));
  EXPECT_FALSE(info.fortran_order);
  EXPECT_FALSE(info.byte_swapped);
  EXPECT_EQ(info.offset, 10 + npy_header("<f4", "(2, 3)").size());
  EXPECT_EQ(info.bytes, 24u);
}

TEST(Npy, HasThreeVersions) {
  for (const int major : {1, 2, 3}) {
    const ArrayInfo info = parse(npy_file(npy_header("|u1", "(5,)"), "12345", major));
    EXPECT_EQ(info.dtype, DType::uint8);
    EXPECT_EQ(info.shape, Shape{5});
  }
  expect_error(ErrorKind::format, "unknown .npy version 4.0",
               [] { parse(npy_file(npy_header("|u1", "(5,)"), "12345", 4)); });
}

TEST(Npy, KnowsElementTypesAndBothOrdersOfBytes) {
  const std::pair<const char*, DType> types[] = {
      {"b1", DType::boolean},   {"u1", DType::uint8},      {"i1", DType::int8},
      {"u2", DType::uint16},    {"u4", DType::uint32},     {"u8", DType::uint64},
      {"i2", DType::int16},     {"i4", DType::int32},      {"i8", DType::int64},
      {"f2", DType::float16},   {"f4", DType::float32},    {"f8", DType::float64},
      {"c8", DType::complex64}, {"c16", DType::complex128}};
  for (const auto& [code, dtype] : types) {
    const size_t width = itemsize(dtype);
    for (const char order : {'<', '>', '='}) {
      const ArrayInfo info =
          parse(npy_file(npy_header(order + std::string(code), "()"), std::string(width, 0)));
      EXPECT_EQ(info.dtype, dtype) << code;
      EXPECT_EQ(info.byte_swapped, order == '>' && width > 1) << order << code;
    }
  }
}

TEST(Npy, DescribesTypesThatTamisLacks) {
  const ArrayInfo info = parse(npy_file(npy_header("<f16", "(2,)"), std::string(32, 0)));
  EXPECT_FALSE(info.dtype.has_value());
  EXPECT_EQ(info.dtype_text, "<f16");
  EXPECT_EQ(info.bytes, 32u);
}

TEST(Npy, ReadsHeadersAsPythonWould) {
  const std::string data(16, 0);
  for (const char* header :
       {"{\"shape\":(4,),\"fortran_order\":False,\"descr\":\"<i4\"}",
        "{'descr':'<i4','fortran_order':True,'shape':(4L,),}   \n\n",
        " { 'fortran_order' : False , 'descr' : '<i4' , 'shape' : ( 4 , ) } "}) {
    const ArrayInfo info = parse(npy_file(header, data));
    EXPECT_EQ(info.shape, Shape{4}) << header;
    EXPECT_FALSE(info.fortran_order) << "1-d has one order only";
  }
}

TEST(Npy, FortranOrderCountsWhereItMakesADifference) {
  const auto fortran = [](const char* shape, size_t bytes) {
    return parse(npy_file(npy_header("|u1", shape, "True"), std::string(bytes, 0))).fortran_order;
  };
  EXPECT_TRUE(fortran("(2, 3)", 6));
  EXPECT_TRUE(fortran("(2, 1, 3)", 6));
  EXPECT_FALSE(fortran("(6,)", 6));
  EXPECT_FALSE(fortran("(1, 6, 1)", 6));
  EXPECT_FALSE(fortran("()", 1));
}

struct Refused {
  const char* header;
  const char* text;
};

TEST(Npy, RefusesMalformedHeaders) {
  const Refused cases[] = {
      {"", "expected '{'"},
      {"{", "expected a string"},
      {"{}", "are all required"},
      {"{'descr': '<f4', 'fortran_order': False}", "are all required"},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}", "duplicate key"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (), 'evil': 1}", "unknown key 'evil'"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", "expected True or False"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': 4}", "expected '('"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4)}", "not a tuple"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "negative"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}", "not a tuple"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "63 bits"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "unexpected text after the dict"},
      {"{'descr': '<f4, 'fortran_order': False, 'shape': ()}", "unknown element type '<f4, '"},
      {"{'descr': '\\x3c', 'fortran_order': False, 'shape': ()}", "invalid character"},
      {"{'descr': '|O', 'fortran_order': False, 'shape': ()}", "pickled Python objects"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", "structured"},
      {"{'descr': '<U3', 'fortran_order': False, 'shape': ()}", "only arrays of numbers"},
      {"{'descr': '|S3', 'fortran_order': False, 'shape': ()}", "only arrays of numbers"},
      {"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': ()}", "only arrays of numbers"},
      {"{'descr': '|V4', 'fortran_order': False, 'shape': ()}", "only arrays of numbers"},
      {"{'descr': '<f5', 'fortran_order': False, 'shape': ()}", "unknown element type"},
      {"{'descr': '|f4', 'fortran_order': False, 'shape': ()}", "byte order"},
      {"{'descr': '', 'fortran_order': False, 'shape': ()}", "unknown element type"},
  };
  for (const Refused& c : cases) {
    SCOPED_TRACE(c.header);
    expect_error(ErrorKind::format, c.text, [&] { parse(npy_file(c.header, "1234")); });
  }
}

TEST(Npy, RefusesSizesThatDoNotFitTheFile) {
  const auto refuse = [](const char* shape, const char* text) {
    SCOPED_TRACE(shape);
    expect_error(ErrorKind::format, text,
                 [&] { parse(npy_file(npy_header("<f8", shape), std::string(16, 0))); });
  };
  refuse("(1,)", "needs 8 bytes, but 16 follow");
  refuse("(3,)", "needs 24 bytes, but 16 follow");
  refuse("(4294967296, 4294967296)", "exceeds 63 bits");
  refuse("(2305843009213693952,)", "exceeds 63 bits");
  // One 0 must not hide the others.
  refuse("(0, 4294967296, 4294967296)", "exceeds 63 bits");
  refuse("(0,)", "needs 0 bytes, but 16 follow");
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1, ";
  refuse((many + ")").c_str(), "more than 64 dimensions");
}

TEST(Npy, RefusesHeadersThatAreCutOffOrHuge) {
  const std::string whole = npy_file(npy_header("<f8", "(2,)"), std::string(16, 0));
  for (size_t n = 0; n < whole.size(); ++n) {
    EXPECT_THROW(parse(whole.substr(0, n)), Error) << n;
  }
  const std::string claim = std::string("\x93NUMPY\x02\0", 8) + little_endian(0xffffffff, 4);
  expect_error(ErrorKind::format, "the limit is 65536", [&] { parse(claim + "{}"); });
  expect_error(ErrorKind::format, "ends before",
               [&] { parse(std::string("\x93NUMPY\x01\0", 8) + little_endian(100, 2) + "{}"); });
}

TEST(Npy, WritesHeadersThatItReads) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{7}, Shape{2, 0, 3}, Shape{1, 2, 3}}) {
    const std::string header = make_npy_header(DType::int16, shape, 0);
    EXPECT_EQ(header.size() % 64, 0u);
    EXPECT_EQ(header.back(), '\n');
    const ArrayInfo info = parse(header + std::string(2 * static_cast<size_t>(numel(shape)), 0));
    EXPECT_EQ(info.shape, shape);
    EXPECT_EQ(info.dtype, DType::int16);
    EXPECT_EQ(info.offset, header.size());
  }
  EXPECT_EQ(make_npy_header(DType::boolean, {3}, 0).substr(10, 58),
            "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), } ");
  EXPECT_EQ(make_npy_header(DType::boolean, {3}, 200).size(), 256u);
  expect_error(ErrorKind::dtype, "does not support bfloat16",
               [] { make_npy_header(DType::bfloat16, {1}, 0); });
}

}  // namespace
}  // namespace tamis::io
