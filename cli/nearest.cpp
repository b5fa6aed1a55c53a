// Nearest: the distance between words.
#include "nearest.h"

#include <algorithm>
#include <vector>

namespace tamis::cli {

namespace {

/// How many insertions, deletions, replacements and swaps of neighbours make b from a.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = last;
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  constexpr size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return {};
  std::string best;
  // Words of three letters may differ in one, longer ones in a third.
  size_t limit = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t d = distance(word, candidate);
    if (d < limit && d < candidate.size()) {
      best = candidate;
      limit = d;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string found = nearest(word, candidates);
  return found.empty() ? "" : "; did you mean " + found + "?";
}

}  // namespace tamis::cli
