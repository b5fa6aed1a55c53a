// Partial: what some of the elements say, to be joined with what others say; by the states of the
// library (tamis/partial.h), so the order of joining makes no difference.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "summary.h"
#include "tamis/partial.h"

namespace tamis::cli {

/// Of one slice or of several. NaN is left out of all but the count of NaNs.
struct Partial {
  struct States {
    partial::Count nans, infs;
    partial::Moments moments;
    partial::Extremes extremes;
  };
  std::optional<States> states;  // none: of no elements

  /// How many elements other than NaN there are in each slice.
  std::vector<int64_t> counts() const;
};

/// What a window of real elements says: about all of them, or about each slice along `dims` of
/// those that the mask keeps.
Partial partial_of(const Tensor& window, const Tensor& mask = {}, const Dims& dims = {});

/// Adds b, which is about as many slices.
void join(Partial& a, const Partial& b);

/// All but the quantiles, for each slice; of no elements, for one.
std::vector<Summary> finish(const Partial& p, bool is_integer);

}  // namespace tamis::cli
