// Intervals: construction and counting of structured masks.
#include "core/interval.h"

#include <algorithm>
#include <numeric>

namespace tamis {

namespace {

/// How many (i, j) with 0 <= i < rows, 0 <= j < cols have j - i <= d: the sum over i of i + d + 1,
/// cut to [0, cols].
int64_t count_below(int64_t rows, int64_t cols, int64_t d) {
  const int64_t rise = std::max<int64_t>(0, -d);  // the first row that has any
  if (rise >= rows) return 0;
  const int64_t full = std::clamp(cols - d - 1, rise, rows);  // the first row that has all
  // One of the two factors is even; halving it first keeps the product within 64 bits.
  int64_t steps = full - rise, ends = rise + full + 2 * d + 1;
  (steps % 2 == 0 ? steps : ends) /= 2;
  return steps * ends + (rows - full) * cols;
}

}  // namespace

Intervals::Intervals(int64_t cols, std::vector<int64_t> lo, std::vector<int64_t> hi)
    : Recipe(Kind::intervals),
      rows_(static_cast<int64_t>(lo.size())),
      cols_(cols),
      lo_(std::move(lo)),
      hi_(std::move(hi)) {}

// Diagonals outside the matrix are moved to its corners, so that row() cannot overflow.
Intervals::Intervals(int64_t rows, int64_t cols, int64_t lower, int64_t upper)
    : Recipe(Kind::intervals),
      rows_(rows),
      cols_(cols),
      lower_(std::clamp(lower, -cols, rows)),
      upper_(std::clamp(upper, -rows, cols)) {}

int64_t Intervals::count() const {
  if (lower_ == kListed) {
    return std::accumulate(hi_.begin(), hi_.end(), int64_t{0}) -
           std::accumulate(lo_.begin(), lo_.end(), int64_t{0});
  }
  if (upper_ < -lower_) return 0;
  return count_below(rows_, cols_, upper_) - count_below(rows_, cols_, -lower_ - 1);
}

}  // namespace tamis
