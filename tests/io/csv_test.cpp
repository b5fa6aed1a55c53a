// CSV: what is written is read back to the same bits, however it is cut into pieces.
#include "io/csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "io/reader.h"
#include "io/writer.h"
#include "support/io_files.h"

namespace tamis::io {
namespace {

using namespace tamis::testing;

class Csv : public ::testing::Test {
 protected:
  Tensor parsed(const std::string& text, const CsvLayout& layout = {}) {
    std::ofstream(path_, std::ios::binary) << text;
    return Reader(path_, layout).read(0);
  }

  std::string written(const Tensor& x, std::vector<std::string> columns = {}) {
    Writer writer(path_, Format::csv, {{"", x.dtype(), x.shape(), std::move(columns)}});
    writer.append(x);
    writer.commit();
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_ / "x.csv";
};

TEST_F(Csv, RoundTripsEveryRealDType) {
  for (int d = 0; d < kDTypeCount; ++d) {
    const auto dtype = static_cast<DType>(d);
    if (is_complex(dtype)) continue;
    for (const Shape& shape : {Shape{0}, Shape{7}, Shape{3, 4}}) {
      const Tensor x = (arange(0, numel(shape)).remainder(3)).to(dtype).view(shape);
      const Tensor y = parsed(written(x), {dtype, false});
      EXPECT_EQ(y.dtype(), dtype);
      EXPECT_EQ(y.shape(), shape) << name(dtype);
      EXPECT_TRUE(equal(x, y)) << name(dtype);
    }
  }
}

TEST_F(Csv, ReadsRandomFloatsBackToTheSameBits) {
  std::mt19937_64 random(5);
  std::vector<double> values(20000);
  for (double& value : values) {
    do {
      const uint64_t bits = random();
      std::memcpy(&value, &bits, sizeof value);
    } while (value != value);
  }
  const Tensor x = tensor(values);
  const Tensor y = parsed(written(x));
  ASSERT_EQ(y.dtype(), float64);
  EXPECT_EQ(std::memcmp(x.data_ptr(), y.data_ptr(), values.size() * sizeof(double)), 0);
}

TEST_F(Csv, DoesNotDependOnWhereItIsCutIntoPieces) {
  // A field, a quote and a line end at the border between two pieces of a megabyte, one after the
  // other.
  const std::string record = "\"12345\",-6.25\r\n";
  for (size_t shift = 0; shift < record.size(); ++shift) {
    std::string text(shift, ' ');
    int64_t rows = 0;
    for (; text.size() < (1 << 20) + 64; ++rows) text += rows == 0 ? "12345,-6.25\r\n" : record;
    const Tensor x = parsed(text);
    ASSERT_EQ(x.shape(), (Shape{rows, 2})) << shift;
    EXPECT_TRUE(equal(x, tensor({12345., -6.25}).to_double().expand({rows, 2}))) << shift;
  }
}

TEST_F(Csv, WritesRowsAndNames) {
  EXPECT_EQ(written(tensor({{1, 2}, {3, 4}}), {"a", "b \"c\",d"}),
            "a,\"b \"\"c\"\",d\"\n1,2\n3,4\n");
  EXPECT_EQ(written(tensor({1.f, 0.1f, -0.f})), "1.0\n0.1\n-0.0\n");
  EXPECT_EQ(written(tensor({true, false})), "true\nfalse\n");
  EXPECT_EQ(written(tensor(3)), "3\n");
  EXPECT_EQ(written(tensor({{1, 2}, {3, 4}}).t()), "1,3\n2,4\n");
}

TEST_F(Csv, SkipsALineOfNames) {
  EXPECT_TRUE(equal(parsed("\"a\nb\",c\n1,2\n", {{}, true}), tensor({{1, 2}})));
  EXPECT_EQ(parsed("a,b\n", {{}, true}).shape(), (Shape{0, 2}));
}

TEST_F(Csv, RefusesWhatItCannotHold) {
  const auto plan = [&](DType dtype, const Shape& shape) {
    Writer(path_, Format::csv, {{"", dtype, shape}});
  };
  expect_error(ErrorKind::shape, "[2, 3, 4]", [&] { plan(float32, {2, 3, 4}); });
  expect_error(ErrorKind::shape, "[2, 0]", [&] { plan(float32, {2, 0}); });
  expect_error(ErrorKind::dtype, "complex64", [&] { plan(complex64, {2}); });
  expect_error(ErrorKind::dtype, "complex64", [&] { parsed("1\n", {complex64, false}); });
  expect_error(ErrorKind::format, "more than 4096", [&] { parsed(std::string(5000, '1')); });
  // The public functions are for formats that keep dtype and shape.
  expect_error(ErrorKind::value, "unknown file extension", [&] { save(path_, ones({2})); });
}

}  // namespace
}  // namespace tamis::io
