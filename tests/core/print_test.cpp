// Printing: the text is PyTorch's, for every case of data/print_cases.txt.
#include <sstream>

#include "support/pointwise_cases.h"
#include "tamis/print.h"

namespace tamis {
namespace {

using namespace testing;

Shape parse_shape(const std::string& text) {
  Shape shape;
  if (text == "-") return shape;
  std::istringstream in(text);
  for (std::string size; std::getline(in, size, ',');) shape.push_back(std::stoll(size));
  return shape;
}

/// Elements of one kind of data/make_print_cases.py.
template <class T>
std::vector<T> elements(const std::string& kind, const std::vector<T>& numbers, int64_t n) {
  std::vector<T> values;
  for (int64_t i = 0; i < n; ++i) {
    if (kind == "cycle") {
      values.push_back(numbers[i % numbers.size()]);
    } else if (kind == "ramp") {
      values.push_back(numbers[0] + static_cast<T>(i) * numbers[1]);
    } else {
      const auto mixed = static_cast<uint32_t>(i * 2654435761u + static_cast<int64_t>(numbers[0]));
      values.push_back(static_cast<T>((mixed / 0x1p32 - 0.5) * static_cast<double>(numbers[1])));
    }
  }
  return values;
}

int64_t parse_number(const std::string& word, int64_t) { return std::stoll(word); }
double parse_number(const std::string& word, double) { return std::strtod(word.c_str(), nullptr); }

template <class T>
Tensor build(DType dtype, const Shape& shape, const std::string& kind, std::istringstream& words) {
  std::vector<T> numbers;
  for (std::string word; words >> word;) numbers.push_back(parse_number(word, T{}));
  return tensor(elements(kind, numbers, numel(shape)), shape).to(dtype);
}

Tensor build(const std::string& description) {
  std::istringstream words(description);
  std::string dtype_text, shape_text, kind;
  words >> dtype_text >> shape_text >> kind;
  const DType dtype = parse_dtype(dtype_text);
  const Shape shape = parse_shape(shape_text);
  if (is_complex(dtype)) {
    Shape parts = shape;
    parts.push_back(2);
    return view_as_complex(build<double>(DType::float64, parts, kind, words)).to(dtype);
  }
  return is_floating_point(dtype) ? build<double>(dtype, shape, kind, words)
                                  : build<int64_t>(dtype, shape, kind, words);
}

TEST(Print, IsPyTorchsTextForEveryCase) {
  std::istringstream lines(read_text("tests/data/print_cases.txt"));
  std::string line, description, want;
  int count = 0;
  const auto compare = [&] {
    if (description.empty()) return;
    EXPECT_EQ(build(description).to_string(), want) << description;
    ++count;
  };
  while (std::getline(lines, line)) {
    if (line[0] != '>') {
      compare();
      description = line;
      want.clear();
    } else {
      if (!want.empty()) want += '\n';
      want += line.size() > 2 ? line.substr(2) : "";
    }
  }
  compare();
  EXPECT_GE(count, 400);
}

TEST(Print, ReadsThroughStrides) {
  const Tensor x = arange(6).reshape({2, 3});
  EXPECT_EQ(x.t().to_string(), "tensor([[0, 3],\n        [1, 4],\n        [2, 5]])");
  EXPECT_EQ(x.select(1, 2).to_string(), "tensor([2, 5])");
  EXPECT_EQ(tensor({1.5}).expand({3}).to_string(), "tensor([1.5000, 1.5000, 1.5000])");
}

TEST(Print, ShowsTheCornersOfATransposedSummary) {
  EXPECT_EQ(arange(2000).reshape({40, 50}).t().to_string(),
            "tensor([[   0,   50,  100,  ..., 1850, 1900, 1950],\n"
            "        [   1,   51,  101,  ..., 1851, 1901, 1951],\n"
            "        [   2,   52,  102,  ..., 1852, 1902, 1952],\n"
            "        ...,\n"
            "        [  47,   97,  147,  ..., 1897, 1947, 1997],\n"
            "        [  48,   98,  148,  ..., 1898, 1948, 1998],\n"
            "        [  49,   99,  149,  ..., 1899, 1949, 1999]])");
}

TEST(Print, ComputesOnlyWhatItShows) {
  // 2^40 elements would not fit into memory.
  EXPECT_EQ(tensor({1.5}).expand({int64_t{1} << 40}).to_string(),
            "tensor([1.5000, 1.5000, 1.5000,  ..., 1.5000, 1.5000, 1.5000])");
  const int64_t n = int64_t{1} << 20;
  EXPECT_EQ(masks::causal(n).to_string(),
            "tensor([[ True, False, False,  ..., False, False, False],\n"
            "        [ True,  True, False,  ..., False, False, False],\n"
            "        [ True,  True,  True,  ..., False, False, False],\n"
            "        ...,\n"
            "        [ True,  True,  True,  ...,  True, False, False],\n"
            "        [ True,  True,  True,  ...,  True,  True, False],\n"
            "        [ True,  True,  True,  ...,  True,  True,  True]])");
}

TEST(Print, StreamsTheSameText) {
  std::ostringstream out;
  out << tensor({10.0, 40.0, 160.0});
  EXPECT_EQ(out.str(), "tensor([ 10.,  40., 160.])");
}

TEST(Print, TakesTheSignOfNaNForNothing) {
  const Tensor x = tensor(std::vector<double>{-std::nan(""), std::nan("")});
  EXPECT_EQ(x.to(float32).to_string(), "tensor([nan, nan])");
}

/// Restores the options at the end of a test.
struct WithOptions {
  explicit WithOptions(const PrintOptions& options) { set_printoptions(options); }
  ~WithOptions() { set_printoptions({}); }
};

// The texts are those of torch 1.13.1 after torch.set_printoptions.
TEST(Print, FollowsTheOptions) {
  const Tensor x = tensor({1.12345, -20.5, 3.0}), large = tensor({1.0, 2.5e9});
  {
    const WithOptions options({.precision = 2});
    EXPECT_EQ(x.to_string(), "tensor([  1.12, -20.50,   3.00])");
    EXPECT_EQ(get_printoptions().precision, 2);
  }
  {
    const WithOptions options({.threshold = 5, .edgeitems = 1});
    EXPECT_EQ(arange(10).to_string(), "tensor([0,  ..., 9])");
    EXPECT_EQ(arange(5).to_string(), "tensor([0, 1, 2, 3, 4])");
  }
  {
    const WithOptions options({.linewidth = 20});
    EXPECT_EQ(arange(8, int32).to_string(),
              "tensor([0, 1, 2, 3,\n        4, 5, 6, 7],\n       dtype=torch.int32)");
  }
  {
    const WithOptions options({.sci_mode = true});
    EXPECT_EQ(x.to_string(), "tensor([1.1235e+00, -2.0500e+01, 3.0000e+00])");
  }
  {
    const WithOptions options({.sci_mode = false});
    EXPECT_EQ(large.to_string(), "tensor([        1., 2500000000.])");
  }
  EXPECT_EQ(large.to_string(), "tensor([1.0000e+00, 2.5000e+09])");
}

TEST(Print, RefusesOptionsThatPrintNothing) {
  EXPECT_THROW(set_printoptions({.precision = -1}), Error);
  EXPECT_THROW(set_printoptions({.threshold = -1}), Error);
  EXPECT_THROW(set_printoptions({.edgeitems = 0}), Error);
  EXPECT_THROW(set_printoptions({.linewidth = 0}), Error);
  EXPECT_EQ(tensor({1.5}).to_string(), "tensor([1.5000])");
}

TEST(Print, RefusesAnUndefinedTensor) { EXPECT_THROW(Tensor().to_string(), Error); }

}  // namespace
}  // namespace tamis
