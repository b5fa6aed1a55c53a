// Histogram: counting elements by value.
#include "histogram.h"

#include <cmath>

namespace tamis::web {

Histogram::Histogram(double low, double high, int64_t bins, bool is_integer) {
  if (is_integer && high - low < static_cast<double>(bins)) {
    bins = static_cast<int64_t>(high - low) + 1;
    low -= 0.5;
    high += 0.5;
  }
  if (low == high) {  // as NumPy does
    low -= 0.5;
    high += 0.5;
  }
  const double step = (high - low) / static_cast<double>(bins);
  if (!std::isfinite(step)) return;
  for (int64_t i = 0; i < bins; ++i) edges_.push_back(low + static_cast<double>(i) * step);
  edges_.push_back(high);
  all_.resize(static_cast<size_t>(bins));
  kept_.resize(static_cast<size_t>(bins));
}

void Histogram::add(const Tensor& x, const Tensor& mask) {
  if (edges_.empty()) return;
  const Tensor values = x.to(DType::float64).contiguous().settle();
  const Tensor flags = mask.contiguous().settle();
  const auto* value = values.data<double>();
  const auto* keep = static_cast<const uint8_t*>(flags.data_ptr());
  const double low = edges_.front(), high = edges_.back();
  const auto bins = static_cast<int64_t>(all_.size());
  const double scale = static_cast<double>(bins) / (high - low);
  for (int64_t i = 0, n = values.numel(); i < n; ++i) {
    const double v = value[i];
    if (!(v >= low && v <= high)) continue;
    auto bin = std::min(static_cast<int64_t>((v - low) * scale), bins - 1);
    // Rounding may have led to the neighbour.
    if (v < edges_[bin]) --bin;
    if (bin < bins - 1 && v >= edges_[bin + 1]) ++bin;
    ++all_[bin];
    kept_[bin] += keep[i] != 0;
  }
}

}  // namespace tamis::web
