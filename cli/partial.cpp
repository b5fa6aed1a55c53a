// Partial: counts, sums, moments and extremes of windows.
#include "partial.h"

#include <algorithm>
#include <limits>

#include "tamis/tamis.h"

namespace tamis::cli {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The sums of integers that 64 bits can hold, as such; others as the nearest double.
std::vector<Scalar> sums_of(const partial::Moments& moments, bool is_integer) {
  std::vector<Scalar> sums;
  const std::vector<double> rounded = moments.sum(DType::float64).to_vector<double>();
  const std::vector<int64_t> wrapped =
      is_integer ? moments.sum(DType::int64).to_vector<int64_t>() : std::vector<int64_t>{};
  for (size_t i = 0; i < rounded.size(); ++i) {
    sums.emplace_back(rounded[i]);
    if (!is_integer) continue;
    // One that does not fit is far from what is left of it.
    if (rounded[i] < 0) {
      if (static_cast<double>(wrapped[i]) == rounded[i]) sums[i] = Scalar(wrapped[i]);
    } else {
      const auto bits = static_cast<uint64_t>(wrapped[i]);
      if (static_cast<double>(bits) == rounded[i]) sums[i] = Scalar(bits);
    }
  }
  return sums;
}

/// Elements as numbers: bools as integers.
std::vector<Scalar> numbers_of(const Tensor& x) {
  std::vector<Scalar> numbers;
  const Tensor flat = (x.dtype() == DType::boolean ? x.to_long() : x).reshape({-1});
  for (int64_t i = 0; i < flat.numel(); ++i) numbers.push_back(flat[i].item());
  return numbers;
}

/// The extremes of each slice. Where they are is not asked for, so every slice counts as the
/// beginning of one that never ends, whatever its place in the windows.
partial::Extremes extremes_of(const Tensor& x, const Tensor& mask, const Dims& dims) {
  Shape order, whole;
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (dims.empty() || std::find(dims.begin(), dims.end(), d) != dims.end()) continue;
    order.push_back(d);
    whole.push_back(x.shape()[d]);
  }
  const auto left = static_cast<int64_t>(order.size());
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (std::find(order.begin(), order.end(), d) == order.end()) order.push_back(d);
  }
  Shape rows = whole;
  rows.push_back(x.numel() / std::max<int64_t>(numel(whole), 1));
  whole.push_back(std::numeric_limits<int64_t>::max() / std::max<int64_t>(numel(whole), 1));
  const auto as_rows = [&](const Tensor& t) {
    return t.defined() ? t.broadcast_to(x.shape()).permute(order).reshape(rows) : t;
  };
  return partial::Extremes(as_rows(x), as_rows(mask), {.dims = {left}, .shape = whole});
}

}  // namespace

std::vector<int64_t> Partial::counts() const {
  return states ? states->moments.count().to_vector<int64_t>() : std::vector<int64_t>{0};
}

Partial partial_of(const Tensor& window, const Tensor& mask, const Dims& dims) {
  const partial::Part part{.dims = dims};
  const Tensor x = window.settle();
  Tensor keep = mask, odd = zeros({}, DType::boolean).expand(x.shape());
  if (!is_floating_point(x.dtype())) {
    const partial::Count none(odd, mask, part);
    return {
        Partial::States{none, none, partial::Moments(x, mask, part), extremes_of(x, mask, dims)}};
  }
  odd = isnan(x).settle();
  const partial::Count nans(odd, mask, part);
  if (nans.nonzero().any().item<bool>()) {
    keep = (mask.defined() ? mask.bitwise_and(~odd) : ~odd).settle();
  }
  return {Partial::States{nans, partial::Count(isinf(x), mask, part),
                          partial::Moments(x, keep, part), extremes_of(x, keep, dims)}};
}

void join(Partial& a, const Partial& b) {
  if (!b.states) return;
  if (!a.states) {
    a = b;
    return;
  }
  a.states->nans.merge(b.states->nans);
  a.states->infs.merge(b.states->infs);
  a.states->moments.merge(b.states->moments);
  a.states->extremes.merge(b.states->extremes);
}

std::vector<Summary> finish(const Partial& p, bool is_integer) {
  if (!p.states) {
    Summary none;
    if (is_integer) none.sum = Scalar(uint64_t{0});
    none.mean = none.var = none.std = kNan;
    none.min = none.max = Scalar(kNan);
    return {none};
  }
  const Partial::States& s = *p.states;
  const std::vector<int64_t> counts = p.counts(), nans = s.nans.nonzero().to_vector<int64_t>(),
                             infs = s.infs.nonzero().to_vector<int64_t>();
  const std::vector<Scalar> sums = sums_of(s.moments, is_integer),
                            least = numbers_of(s.extremes.amin()),
                            greatest = numbers_of(s.extremes.amax());
  const std::vector<double> means = s.moments.mean(DType::float64).to_vector<double>(),
                            vars = s.moments.var(1, DType::float64).to_vector<double>(),
                            stds = s.moments.std(1, DType::float64).to_vector<double>();
  std::vector<Summary> all(counts.size());
  for (size_t i = 0; i < all.size(); ++i) {
    const Scalar none(kNan);
    all[i] = {counts[i],
              nans[i],
              infs[i],
              sums[i],
              means[i],
              vars[i],
              stds[i],
              counts[i] > 0 ? least[i] : none,
              counts[i] > 0 ? greatest[i] : none,
              {}};
  }
  return all;
}

}  // namespace tamis::cli
