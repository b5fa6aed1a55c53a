// The header of .npy: a magic number, a length, and a dict literal of Python, of which only what
// NumPy writes is understood.
#include "io/npy.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "core/check.h"
#include "io/sizes.h"

namespace tamis::io {

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr bool kLittleEndian = std::endian::native == std::endian::little;

struct ElementType {
  std::string_view code;  // kind and bytes, as in '<f4'
  std::optional<DType> dtype;
};
constexpr ElementType kTypes[] = {{"b1", DType::boolean},
                                  {"u1", DType::uint8},
                                  {"u2", DType::uint16},
                                  {"u4", DType::uint32},
                                  {"u8", DType::uint64},
                                  {"i1", DType::int8},
                                  {"i2", DType::int16},
                                  {"i4", DType::int32},
                                  {"i8", DType::int64},
                                  {"f2", DType::float16},
                                  {"f4", DType::float32},
                                  {"f8", DType::float64},
                                  {"c8", DType::complex64},
                                  {"c16", DType::complex128},
                                  // NumPy has these, Tamis does not.
                                  {"f12", {}},
                                  {"f16", {}},
                                  {"c24", {}},
                                  {"c32", {}}};

/// Steps through the dict; every method throws kind format where the text is not what it expects.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, size_t start, const std::string& where)
      : text_(text), start_(start), where_(where) {}

  void parse(ArrayInfo& info, int64_t& itemsize) {
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = string();
      expect(':');
      bool& seen = key == "descr" ? has_descr : key == "fortran_order" ? has_order : has_shape;
      require(&seen != &has_shape || key == "shape", "unknown key '{}'", key);
      require(!seen, "duplicate key '{}'", key);
      seen = true;
      if (&seen == &has_descr) descr(info, itemsize);
      if (&seen == &has_order) info.fortran_order = boolean();
      if (&seen == &has_shape) info.shape = shape();
      if (take(',')) continue;
      expect('}');
      break;
    }
    skip_space();
    require(at_ == text_.size(), "unexpected text after the dict");
    require(has_descr && has_order && has_shape,
            "the keys descr, fortran_order and shape are all required");
  }

 private:
  template <class... Args>
  void require(bool ok, fmt::format_string<Args...> text, Args&&... args) const {
    if (!ok) {
      raise(ErrorKind::format,
            fmt::format("{}: malformed .npy header at byte {}: {}", where_, start_ + at_,
                        fmt::format(text, std::forward<Args>(args)...)));
    }
  }
  /// A valid header of an array that is not supported.
  template <class... Args>
  void require_type(bool ok, fmt::format_string<Args...> text, Args&&... args) const {
    if (ok) return;
    raise(ErrorKind::format,
          fmt::format("{}: {}", where_, fmt::format(text, std::forward<Args>(args)...)));
  }
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) { require(take(c), "expected '{}'", c); }

  std::string_view string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    require(quote == '\'' || quote == '"', "expected a string");
    const size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != quote) {
      require(text_[at_] >= ' ' && text_[at_] <= '~' && text_[at_] != '\\',
              "invalid character in a string");
      ++at_;
    }
    require(at_ < text_.size(), "unterminated string");
    return text_.substr(begin, at_++ - begin);
  }

  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    }
    require(false, "expected True or False");
    return false;
  }

  int64_t size() {
    skip_space();
    require(at_ == text_.size() || text_[at_] != '-', "negative size");
    const size_t begin = at_;
    int64_t value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      require(!__builtin_mul_overflow(value, 10, &value) &&
                  !__builtin_add_overflow(value, text_[at_] - '0', &value),
              "size exceeds 63 bits");
      ++at_;
    }
    require(at_ > begin, "expected a size");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // as Python 2 wrote long integers
    return value;
  }

  Shape shape() {
    Shape sizes;
    expect('(');
    while (!take(')')) {
      require(sizes.size() < kMaxRank, "more than {} dimensions", kMaxRank);
      sizes.push_back(size());
      if (take(',')) continue;
      require(sizes.size() > 1, "the shape is not a tuple");
      expect(')');
      break;
    }
    return sizes;
  }

  void descr(ArrayInfo& info, int64_t& itemsize) {
    skip_space();
    const char first = at_ < text_.size() ? text_[at_] : '\0';
    require_type(first != '[' && first != '(' && first != '{',
                 "structured dtypes (records) are not supported; only arrays of numbers are");
    const std::string_view text = string();
    const bool has_order = !text.empty() && std::string_view("<>|=").find(text[0]) != text.npos;
    const char order = has_order ? text[0] : '=';
    const std::string_view code = text.substr(has_order ? 1 : 0);
    require_type(!code.starts_with('O'),
                 "pickled Python objects are never loaded, because they can run arbitrary code");
    require_type(code.find_first_of("SaUVMm") != 0,
                 "element type '{}' is not supported; only arrays of numbers are", text);
    for (const ElementType& type : kTypes) {
      if (type.code != code) continue;
      info.dtype = type.dtype;
      info.dtype_text = text;
      itemsize = 0;
      for (const char digit : code.substr(1)) itemsize = itemsize * 10 + (digit - '0');
      require(order != '|' || itemsize == 1, "'{}' does not specify a byte order", text);
      info.byte_swapped = itemsize > 1 && (kLittleEndian ? order == '>' : order == '<');
      return;
    }
    require(false, "unknown element type '{}'", text);
  }

  const std::string_view text_;
  const size_t start_;
  const std::string& where_;
  size_t at_ = 0;
};

uint32_t little_endian(std::span<const char> bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

/// Where Fortran order and C order differ: more than one size is above 1.
bool has_two_orders(const Shape& shape) {
  int wide = 0;
  for (const int64_t size : shape) wide += size > 1;
  return wide > 1;
}

}  // namespace

bool is_npy(std::span<const char> head) {
  return std::string_view(head.data(), head.size()).starts_with(kMagic);
}

ArrayInfo parse_npy(std::span<const char> head, uint64_t size, const std::string& where) {
  check(is_npy(head), ErrorKind::format, "{}: not a .npy file (bad magic bytes)", where);
  check(head.size() >= 8, ErrorKind::format, "{}: the .npy header is truncated", where);
  const int major = static_cast<uint8_t>(head[6]), minor = static_cast<uint8_t>(head[7]);
  check(major >= 1 && major <= 3 && minor == 0, ErrorKind::format, "{}: unknown .npy version {}.{}",
        where, major, minor);
  const size_t length_bytes = major == 1 ? 2 : 4;
  const size_t start = 8 + length_bytes;
  check(head.size() >= start, ErrorKind::format, "{}: the .npy header is truncated", where);
  const uint64_t length = little_endian(head.subspan(8, length_bytes));
  check(length <= kMaxNpyHeader, ErrorKind::format,
        "{}: the .npy header claims {} bytes; the limit is {}", where, length, kMaxNpyHeader);
  check(head.size() - start >= length, ErrorKind::format,
        "{}: the .npy header claims {} bytes, but the file ends before that", where, length);

  ArrayInfo info;
  int64_t itemsize = 0;
  HeaderParser({head.data() + start, static_cast<size_t>(length)}, start, where)
      .parse(info, itemsize);
  info.fortran_order = info.fortran_order && has_two_orders(info.shape);
  const auto bytes = checked_size(info.shape, itemsize);
  check(bytes.has_value(), ErrorKind::format,
        "{}: an array of shape {} is too large: its byte count exceeds 63 bits", where, info.shape);
  info.offset = start + length;
  info.bytes = *bytes;
  check(info.bytes == size - info.offset, ErrorKind::format,
        "{}: shape {} with element type '{}' needs {} bytes, but {} follow the header", where,
        info.shape, info.dtype_text, info.bytes, size - info.offset);
  return info;
}

std::optional<DType> dtype_of_numpy(std::string_view code) {
  for (const ElementType& type : kTypes) {
    if (type.code == code) return type.dtype;
  }
  return std::nullopt;
}

std::string_view numpy_code(DType dtype) {
  for (const ElementType& type : kTypes) {
    if (type.dtype == dtype) return type.code;
  }
  return {};
}

std::string make_npy_header(DType dtype, const Shape& shape, size_t min_bytes) {
  const std::string_view code = numpy_code(dtype);
  check(!code.empty(), ErrorKind::dtype,
        "the .npy format does not support {}; use .safetensors, or convert to float32",
        name(dtype));
  std::string sizes;
  for (const int64_t size : shape) sizes += fmt::format("{}, ", size);
  if (shape.size() > 1) sizes.resize(sizes.size() - 2);
  if (shape.size() == 1) sizes.pop_back();
  const char order = itemsize(dtype) == 1 ? '|' : kLittleEndian ? '<' : '>';
  std::string dict = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                 order, code, sizes);
  const size_t total = (std::max(10 + dict.size() + 1, min_bytes) + 63) / 64 * 64;
  dict.append(total - 10 - dict.size() - 1, ' ');
  dict += '\n';
  std::string header(kMagic);
  header +=
      {'\x01', '\x00', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return header + dict;
}

}  // namespace tamis::io
