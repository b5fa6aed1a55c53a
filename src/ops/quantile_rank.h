// Ranks of quantiles: between which elements a quantile lies, and where.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/check.h"
#include "core/tensor_impl.h"

namespace tamis {

enum class Interpolation { linear, lower, higher, midpoint, nearest };

inline Interpolation interpolation_of(const std::string& text) {
  constexpr const char* kNames[] = {"linear", "lower", "higher", "midpoint", "nearest"};
  for (int i = 0; i < 5; ++i) {
    if (text == kNames[i]) return static_cast<Interpolation>(i);
  }
  raise(ErrorKind::value,
        "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but "
        "got " +
            text);
}

/// The values of q, checked, for elements of that dtype.
inline std::vector<double> probabilities(const Tensor& q, DType dtype) {
  check(q.dim() <= 1, ErrorKind::shape, "quantile() q must be a scalar or 1D tensor");
  const bool is_number = q.impl().is_number;
  check(is_number || q.dtype() == dtype, ErrorKind::dtype,
        "quantile() q tensor must be same dtype as the input tensor");
  const std::vector<double> values = q.to_vector<double>();
  for (double v : values) {
    if (is_number) {
      check(v >= 0 && v <= 1, ErrorKind::value,
            "quantile() q must be in the range [0, 1] but got {}", v);
    }
    check(v >= 0 && v <= 1, ErrorKind::value, "quantile() q values must be in the range [0, 1]");
  }
  return values;
}

/// The rank of a quantile: the whole ranks below and above, and how far it is between them.
struct FractionalRank {
  int64_t below = 0, above = 0;
  double weight = 0;
  double slope = 0;  // of the weight, as q grows
};

/// PyTorch computes ranks in the dtype of the elements. Beyond 2^24 that is too coarse for float32.
inline FractionalRank rank_of(double q, int64_t last, DType dtype, Interpolation interpolation) {
  const bool coarse = dtype == DType::float32 && last < (1 << 24);
  double rank =
      coarse ? static_cast<float>(q) * static_cast<float>(last) : q * static_cast<double>(last);
  if (interpolation == Interpolation::lower) rank = std::floor(rank);
  if (interpolation == Interpolation::higher) rank = std::ceil(rank);
  if (interpolation == Interpolation::nearest) rank = std::nearbyint(rank);
  const double below = std::floor(rank);
  const bool midpoint = interpolation == Interpolation::midpoint;
  const bool linear = interpolation == Interpolation::linear;
  return {static_cast<int64_t>(below), static_cast<int64_t>(std::ceil(rank)),
          midpoint ? 0.5 : rank - below, linear ? static_cast<double>(last) : 0};
}

/// a + weight * (b - a), from the nearer end; an element itself where there is nothing between.
template <class T>
T between(T a, T b, T weight) {
  if (weight == 0 || a == b) return a;
  return weight < T{0.5} ? a + weight * (b - a) : b - (b - a) * (T{1} - weight);
}

}  // namespace tamis
