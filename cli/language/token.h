// Token: a number, name or symbol of a condition.
#pragma once

#include <string_view>
#include <vector>

#include "language/error.h"
#include "tamis/scalar.h"

namespace tamis::cli {

struct Token {
  enum class Kind { number, name, symbol, end };
  Kind kind = Kind::end;
  std::string_view text;  // of the condition, which must outlive it
  TextSpan span;
  Scalar number = 0;
  bool is_two_63 = false;  // 2^63: with a minus before it, the smallest int64
};

/// Throws the error of an integer that is too large.
[[noreturn]] void refuse_integer(TextSpan span);

/// The tokens of a condition, and a last one of kind end. Throws ConditionError.
std::vector<Token> tokenize(std::string_view text);

}  // namespace tamis::cli
