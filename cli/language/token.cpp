// Token: cutting a condition into numbers, names and symbols.
#include "language/token.h"

#include <charconv>
#include <cstdint>
#include <string>

namespace tamis::cli {

namespace {

// ASCII only, whatever the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Symbols that other languages have, and what stands for them here.
struct Foreign {
  std::string_view symbol, hint;
};
constexpr Foreign kForeign[] = {
    {"&&", "write & or and"}, {"||", "write | or or"}, {"=<", "write <="},
    {"=>", "write >="},       {"<>", "write !="},      {"===", "write =="},
};
// Longer ones first.
constexpr std::string_view kSymbols[] = {"**", "//", "<=", ">=", "==", "!=", "+", "-",
                                         "*",  "/",  "%",  "<",  ">",  "&",  "|", "^",
                                         "~",  "(",  ")",  "[",  "]",  ",",  "="};

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    do {
      tokens.push_back(next());
    } while (tokens.back().kind != Token::Kind::end);
    return tokens;
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Token finish(Token::Kind kind, size_t begin) const {
    return {kind, text_.substr(begin, at_ - begin), {begin, at_}};
  }

  Token next() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    const size_t begin = at_;
    if (at_ == text_.size()) return {Token::Kind::end, {}, {begin, begin}};
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
    if (is_letter(peek())) {
      while (is_letter(peek()) || is_digit(peek())) ++at_;
      return finish(Token::Kind::name, begin);
    }
    for (const Foreign& f : kForeign) {
      if (text_.substr(at_).starts_with(f.symbol)) {
        throw ConditionError(
            "unknown operator '" + std::string(f.symbol) + "'; " + std::string(f.hint),
            {begin, begin + f.symbol.size()});
      }
    }
    for (std::string_view symbol : kSymbols) {
      if (text_.substr(at_).starts_with(symbol)) {
        at_ += symbol.size();
        return finish(Token::Kind::symbol, begin);
      }
    }
    refuse(begin);
  }

  [[noreturn]] void refuse(size_t begin) const {
    const TextSpan span{begin, begin + 1};
    const char c = text_[begin];
    if (c == '!') throw ConditionError("unknown operator '!'; write ~ or not", span);
    if (c < ' ' || c > '~') throw ConditionError("unexpected character", span);
    throw ConditionError("unexpected character '" + std::string(1, c) + "'", span);
  }

  Token number() {
    const size_t begin = at_;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) return hexadecimal();
    bool is_integer = true;
    while (is_digit(peek())) ++at_;
    if (peek() == '.') {
      is_integer = false;
      do {
        ++at_;
      } while (is_digit(peek()));
    }
    const size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(sign))) {
      is_integer = false;
      at_ += sign;
      while (is_digit(peek())) ++at_;
    }
    Token token = finish_number(begin);
    if (is_integer) {
      set_integer(token, token.text, 10);
    } else {
      double value = 0;
      const auto [end, error] =
          std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
      if (error == std::errc::result_out_of_range) {
        throw ConditionError("this number is out of range for float64", token.span);
      }
      token.number = value;
    }
    return token;
  }

  Token hexadecimal() {
    const size_t begin = at_;
    at_ += 2;
    while (is_digit(peek()) || (is_letter(peek()) && peek() != '_')) ++at_;
    Token token = finish_number(begin);
    set_integer(token, token.text.substr(2), 16);
    return token;
  }

  Token finish_number(size_t begin) {
    if (is_letter(peek()) || peek() == '.') {
      while (is_letter(peek()) || is_digit(peek()) || peek() == '.') ++at_;
      throw ConditionError("this is neither a number nor a name", {begin, at_});
    }
    return finish(Token::Kind::number, begin);
  }

  static void set_integer(Token& token, std::string_view digits, int base) {
    uint64_t value = 0;
    const char* last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, value, base);
    if (error == std::errc::result_out_of_range) refuse_integer(token.span);
    if (error != std::errc() || end != last) {
      throw ConditionError("this is neither a number nor a name", token.span);
    }
    token.is_two_63 = value == uint64_t{1} << 63;
    token.number = value;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

void refuse_integer(TextSpan span) {
  throw ConditionError("this number does not fit in 64 bits; add .0 to make it a float", span);
}

std::vector<Token> tokenize(std::string_view text) { return Tokenizer(text).run(); }

}  // namespace tamis::cli
