// Nearest: the known word that a mistyped one was probably meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tamis::cli {

/// The candidate with the fewest changed, missing, extra or swapped characters; the first of
/// several. Empty if none is near.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean isnan?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace tamis::cli
