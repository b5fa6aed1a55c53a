// Intervals: the recipe of a structured mask, a matrix of rows that are each true in one interval
// of columns.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/storage.h"

namespace tamis {

/// Row r of the mask is true in columns [lo, hi). Rows follow the leading dimensions in row-major
/// order.
class Intervals final : public Recipe {
 public:
  /// Rows with given ends (padding, documents). Both lists have `rows` entries, 0 <= lo <= hi <=
  /// cols.
  Intervals(int64_t cols, std::vector<int64_t> lo, std::vector<int64_t> hi);
  /// Row i is true where -lower <= j - i <= upper (causal, band, window); one matrix of rows x
  /// cols.
  Intervals(int64_t rows, int64_t cols, int64_t lower, int64_t upper);

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  /// Whether it was made from these two instead of lists of ends.
  bool is_band() const { return lower_ != kListed; }
  int64_t lower() const { return lower_; }
  int64_t upper() const { return upper_; }
  std::pair<int64_t, int64_t> row(int64_t r) const {
    if (!is_band()) return {lo_[r], hi_[r]};
    const int64_t lo = clip(r - lower_), hi = clip(r + upper_ + 1);
    return {lo, lo < hi ? hi : lo};
  }
  /// The number of true elements: O(rows) for listed ends, O(1) for a band.
  int64_t count() const;

 private:
  static constexpr int64_t kListed = INT64_MIN;
  int64_t clip(int64_t c) const { return c < 0 ? 0 : c > cols_ ? cols_ : c; }

  int64_t rows_, cols_;
  int64_t lower_ = kListed, upper_ = 0;
  std::vector<int64_t> lo_, hi_;
};
/// The same recipe, null unless it is that of a structured mask. The caller keeps the recipe alive.
inline const Intervals* as_intervals(const Recipe* recipe) {
  const bool is_one = recipe && recipe->kind == Recipe::Kind::intervals;
  return is_one ? static_cast<const Intervals*>(recipe) : nullptr;
}

}  // namespace tamis
