// Histogram: how many elements, and how many of the kept, lie between edges.
#pragma once

#include <cstdint>
#include <vector>

#include "tamis/tensor.h"

namespace tamis::web {

/// Bins of equal width, as NumPy's histogram counts: each holds its lower edge, and the last one
/// both. Elements outside, and NaN, are in none.
class Histogram {
 public:
  /// Of elements from low to high. Integers that are few have a bin each, with the edges halfway
  /// between them; otherwise there are `bins` of them, or none if the range is not finite.
  Histogram(double low, double high, int64_t bins, bool is_integer);

  /// A window of real elements, and a mask of as many, row-major.
  void add(const Tensor& x, const Tensor& mask);

  const std::vector<double>& edges() const { return edges_; }
  const std::vector<int64_t>& all() const { return all_; }
  const std::vector<int64_t>& kept() const { return kept_; }

 private:
  std::vector<double> edges_;
  std::vector<int64_t> all_, kept_;
};

}  // namespace tamis::web
