// Quantiles: elements of given ranks of a stream that need not fit into memory.
#pragma once

#include <span>
#include <vector>

#include "runner.h"

namespace tamis::cli {

/// The quantiles of a stream that has `count` elements other than NaN; exact. Up to four passes
/// over the stream, mostly two; memory is bounded.
std::vector<Scalar> find_quantiles(const Runner& runner, const Stream& stream, int64_t count,
                                   std::span<const Quantile> quantiles);

/// The p-quantile of numbers in order, linear between neighbours; NaN of none.
double quantile_of_sorted(std::span<const double> sorted, double p);

}  // namespace tamis::cli
