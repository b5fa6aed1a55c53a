// Quantiles along dimensions: those of every slice of a stream that need not fit into memory.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "runner.h"
#include "slices.h"

namespace tamis::cli {

/// The elements in a box, and which of them are kept; all, if the mask is undefined.
struct KeptElements {
  Tensor elements, mask;
};

/// Elements that come box by box, of a real dtype. Any number of threads may call `window`.
struct KeptStream {
  DType dtype = DType::float32;
  Shape shape;
  size_t bytes = 0;  // of input per element
  std::function<KeptElements(const Box& box)> window;
};

/// x with the dimensions that are left first, so that each slice is a row.
Tensor rows_of_slices(const Tensor& x, const Slices& slices);

/// For each slice its quantiles, ignoring NaN; NaN if nothing is left. Slices are read together as
/// far as their elements fit into memory, one pass for each such group; a slice that is too large
/// by itself is searched by find_quantiles. counts[i] is how many elements other than NaN are kept
/// in slice i.
std::vector<std::vector<Scalar>> find_slice_quantiles(const Runner& runner, const Slices& slices,
                                                      const KeptStream& stream,
                                                      std::span<const int64_t> counts,
                                                      std::span<const double> quantiles);

}  // namespace tamis::cli
