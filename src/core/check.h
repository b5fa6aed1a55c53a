// check: the only function that raises errors.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "tamis/error.h"
#include "tamis/shape.h"

namespace tamis {

/// Throws Error(kind, text). Everything that the library refuses goes through here.
[[noreturn]] void raise(ErrorKind kind, std::string text);

/// Throws unless ok; the text is only formatted then.
template <class... Args>
void check(bool ok, ErrorKind kind, fmt::format_string<Args...> text, Args&&... args) {
  if (!ok) [[unlikely]]
    raise(kind, fmt::format(text, std::forward<Args>(args)...));
}

/// dim in [0, rank), counting negative ones from the end; a rank of 0 counts as 1. Throws kind
/// index, as PyTorch does.
int64_t wrap_dim(int64_t dim, int64_t rank);

}  // namespace tamis

template <>
struct fmt::formatter<tamis::Shape> {
  constexpr auto parse(fmt::format_parse_context& ctx) { return ctx.begin(); }
  template <class Context>
  auto format(const tamis::Shape& s, Context& ctx) const {
    const std::string text = tamis::to_string(s);
    return std::copy(text.begin(), text.end(), ctx.out());
  }
};
