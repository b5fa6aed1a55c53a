// CSV: reading, by a state machine that sees one byte at a time.
#include "io/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/check.h"
#include "tamis/half.h"

namespace tamis::io {

namespace {

constexpr size_t kPiece = 1 << 20;
// No number needs as many, and a file that is not text may have no commas.
constexpr size_t kMaxField = 4096;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// from_chars does not accept a plus.
std::string_view without_plus(std::string_view text) {
  const bool has_plus = text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
  return has_plus ? text.substr(1) : text;
}

bool is_integer(std::string_view text) {
  text = without_plus(text);
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// Whether text is the word, in lower or upper case.
bool is_word(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

constexpr const char* kNoNumber = "is not a number";
constexpr const char* kOutOfRange = "is out of range for";  // the dtype follows

/// float or double. None if the text is a number; else what is wrong with it.
template <class T>
const char* parse_float(std::string_view text, T& value) {
  text = without_plus(text);
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (end != last || error == std::errc::invalid_argument) return kNoNumber;
  if (error != std::errc::result_out_of_range) return nullptr;
  // Too small is zero or nearly so; only what is too large has no value.
  const std::string terminated(text);
  if constexpr (std::is_same_v<T, float>) {
    value = std::strtof(terminated.c_str(), nullptr);
  } else {
    value = std::strtod(terminated.c_str(), nullptr);
  }
  return std::isinf(value) ? kOutOfRange : nullptr;
}

template <class T>
const char* parse_as(std::string_view text, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    value = is_word(text, "true") || text == "1";
    const bool known = value || is_word(text, "false") || text == "0";
    return known ? nullptr : "is neither true nor false";
  } else if constexpr (std::is_integral_v<T>) {
    if (text.empty()) return "is empty, and only floats can be NaN";
    const std::string_view digits = without_plus(text);
    if (!is_integer(digits)) return "is not an integer";
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    // from_chars leaves "-1" as an unsigned number where it finds it.
    return error == std::errc() && end == digits.data() + digits.size() ? nullptr : kOutOfRange;
  } else if (text.empty()) {
    value = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
    return nullptr;
  } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
    return parse_float(text, value);
  } else {
    float wide = 0;
    if (const char* fault = parse_float(text, wide)) return fault;
    value = static_cast<T>(wide);
    return std::isinf(static_cast<float>(value)) && !std::isinf(wide) ? kOutOfRange : nullptr;
  }
}

/// A field as messages show it: not all of a long one, and nothing that moves the cursor.
std::string shown(std::string_view text) {
  constexpr size_t kMost = 40;
  std::string result(text.substr(0, kMost));
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  return result + (text.size() > kMost ? "..." : "");
}

/// One attempt at a file, with elements of one dtype.
class CsvParser {
 public:
  /// guessed: another attempt follows if a field is of a wider kind.
  CsvParser(const File& file, DType dtype, bool header, bool guessed)
      : file_(file),
        dtype_(dtype),
        in_header_(header),
        guessed_(guessed),
        elements_(File::temporary(file.name())) {}

  /// None if a field needs another dtype.
  std::optional<CsvTable> run() {
    std::vector<char> piece(kPiece);
    for (uint64_t at = 0; at < file_.size() && !needs_wider_; at += piece.size()) {
      const size_t n = std::min<uint64_t>(piece.size(), file_.size() - at);
      file_.read(at, piece.data(), n);
      const bool has_mark =
          at == 0 && std::string_view(piece.data(), n).starts_with("\xef\xbb\xbf");
      for (size_t i = has_mark ? 3 : 0; i < n && !needs_wider_; ++i) take(piece[i]);
    }
    if (!needs_wider_) end_file();
    if (needs_wider_) return std::nullopt;
    flush();
    const Shape shape = columns_ > 1 ? Shape{rows_, columns_} : Shape{rows_};
    return CsvTable{std::move(elements_), dtype_, shape};
  }

 private:
  enum class State { before, plain, quoted, behind_quote, behind_return };

  template <class... Args>
  void require(bool ok, fmt::format_string<Args...> text, Args&&... args) const {
    if (ok) return;
    raise(ErrorKind::format, fmt::format("{}: line {}: {}", file_.name(), line_,
                                         fmt::format(text, std::forward<Args>(args)...)));
  }

  void take(char c) {
    switch (state_) {
      case State::before:
        if (c == '"') {
          state_ = State::quoted;
          was_quoted_ = true;
          quote_line_ = line_;
          return;
        }
        state_ = State::plain;
        [[fallthrough]];
      case State::plain:
        require(c != '"', "field {} contains a quote but does not start with one", fields_ + 1);
        break;
      case State::quoted:
        if (c == '"') {
          state_ = State::behind_quote;
          return;
        }
        line_ += c == '\n';
        append(c);
        return;
      case State::behind_quote:
        if (c == '"') state_ = State::quoted, append(c);
        if (c == '\r') state_ = State::behind_return;
        if (c == '"' || c == '\r') return;
        [[fallthrough]];
      case State::behind_return:
        require(c == '\n' || (c == ',' && state_ == State::behind_quote),
                "unexpected text after the closing quote of field {}", fields_ + 1);
        break;
    }
    if (c == ',') {
      end_field();
    } else if (c == '\n') {
      end_record();
    } else {
      append(c);
    }
  }

  void append(char c) {
    require(field_.size() < kMaxField, "field {} has more than {} characters", fields_ + 1,
            kMaxField);
    field_ += c;
  }

  void end_field() {
    if (!in_header_) take_element(trimmed(field_));
    ++fields_;
    field_.clear();
    was_quoted_ = false;
    state_ = State::before;
  }

  void end_record() {
    if (!was_quoted_ && field_.ends_with('\r')) field_.pop_back();
    if (fields_ == 0 && field_.empty() && !was_quoted_) {
      if (empty_line_ == 0) empty_line_ = line_;
      state_ = State::before;
      ++line_;
      return;
    }
    require(empty_line_ == 0,
            "line {} is empty but more numbers follow; write nan for a missing number",
            empty_line_);
    end_field();
    if (needs_wider_) return;
    if (columns_ == 0) {
      columns_ = fields_;
      first_line_ = line_;
    }
    require(fields_ == columns_, "{0} fields, but line {2} has {1}", fields_, columns_,
            first_line_);
    rows_ += !in_header_;
    in_header_ = false;
    fields_ = 0;
    ++line_;
  }

  void end_file() {
    require(state_ != State::quoted, "the file ends inside the quotes that open on line {}",
            quote_line_);
    if (state_ != State::before || fields_ > 0) end_record();
  }

  void take_element(std::string_view text) {
    visit_real(dtype_, [&]<class T>(T value) {
      const char* fault = parse_as(text, value);
      const bool is_word = dtype_ != DType::boolean || !guessed_ || !is_integer(text);
      if (fault == nullptr && is_word) {
        const size_t size = buffer_.size();
        buffer_.resize(size + sizeof value);
        std::memcpy(buffer_.data() + size, &value, sizeof value);
        if (buffer_.size() >= kPiece) flush();
        return;
      }
      // An integer of more than 64 bits would lose digits as a float.
      const bool is_too_large = fault == kOutOfRange && dtype_ == DType::int64;
      needs_wider_ = guessed_ && !is_too_large;  // 0 and 1 are bools only on request
      if (!needs_wider_) refuse(text, fault, is_too_large);
    });
  }

  [[noreturn]] void refuse(std::string_view text, std::string_view fault, bool is_too_large) const {
    std::string what = text.empty()
                           ? fmt::format("field {} {}", fields_ + 1, fault)
                           : fmt::format("field {}: '{}' {}", fields_ + 1, shown(text), fault);
    if (fault == kOutOfRange) what += fmt::format(" {}", name(dtype_));
    if (is_too_large && guessed_)
      what +=
          "; use --dtype uint64 if all are below 2^64, or float64 to read it with less precision";
    if (line_ == 1 && fault == kNoNumber) what += "; if this line holds column names, use --header";
    require(false, "{}", what);
    __builtin_unreachable();
  }

  void flush() {
    elements_.write(elements_.size(), buffer_.data(), buffer_.size());
    buffer_.clear();
  }

  const File& file_;
  const DType dtype_;
  bool in_header_;
  const bool guessed_;
  File elements_;
  std::vector<char> buffer_;  // of elements, not yet written
  State state_ = State::before;
  std::string field_;
  bool was_quoted_ = false;  // the field
  bool needs_wider_ = false;
  int64_t line_ = 1, quote_line_ = 0, first_line_ = 0, empty_line_ = 0;
  int64_t fields_ = 0;  // of the record so far
  int64_t rows_ = 0, columns_ = 0;
};

std::string with_point(std::string text) {
  const bool is_whole = text.find_first_not_of("-0123456789") == text.npos;
  return is_whole ? text + ".0" : text;
}

template <class T>
std::string text_of(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return fmt::format("{}", value);
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return std::isnan(value) ? "nan" : with_point(fmt::format("{}", value));
  } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return text_of(static_cast<float>(value));
  } else {
    const std::string imaginary = text_of(value.imag());
    return text_of(value.real()) + (imaginary.starts_with('-') ? "" : "+") + imaginary + "j";
  }
}

}  // namespace

CsvTable read_csv(const File& file, const CsvLayout& layout) {
  check(!layout.dtype || !is_complex(*layout.dtype), ErrorKind::dtype,
        "{}: CSV files hold real numbers; cannot read {}", file.name(),
        layout.dtype ? name(*layout.dtype) : "");
  if (layout.dtype) return *CsvParser(file, *layout.dtype, layout.header, false).run();
  for (DType guess : {DType::boolean, DType::int64}) {
    std::optional<CsvTable> table = CsvParser(file, guess, layout.header, true).run();
    // A file without any number could be of every dtype.
    if (table && numel(table->shape) > 0) return std::move(*table);
  }
  return *CsvParser(file, DType::float64, layout.header, false).run();
}

void append_element(std::string& text, DType dtype, const void* element) {
  visit_dtype(dtype, [&]<class T>(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = *static_cast<const uint8_t*>(element) != 0;  // any byte but 0 is true
    } else {
      std::memcpy(&value, element, sizeof value);
    }
    text += text_of(value);
  });
}

std::string csv_header(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ',';
    if (name.find_first_of(",\"\r\n") == name.npos && !name.empty()) {
      text += name;
      continue;
    }
    text += '"';
    for (char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    text += '"';
  }
  return text + "\n";
}

}  // namespace tamis::io
