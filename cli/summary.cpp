// Summary: counts, sums, moments and extremes of windows, and quantiles.
#include "summary.h"

#include "partial.h"
#include "quantiles.h"
#include "runner.h"
#include "tamis/tamis.h"

namespace tamis::cli {

namespace {

/// int64 for what has no fractions.
Scalar plain(const Scalar& v) { return v.is_floating_point() ? v : Scalar(v.to_int64()); }

__int128 sum_of_integers(const Tensor& x) {
  // Smaller ones cannot overflow within a window.
  if (x.dtype() != DType::int64) return x.sum().item().to_int64();
  __int128 sum = 0;
  const Tensor flat = x.contiguous();
  const int64_t* data = flat.data<int64_t>();
  for (int64_t i = 0, n = flat.numel(); i < n; ++i) sum += data[i];
  return sum;
}

Partial partial_of(const Tensor& window) {
  Partial p;
  Tensor x = window;
  if (is_floating_point(x.dtype())) {
    x.settle();
    p.nan = count(isnan(x));
    if (p.nan > 0) x = masked_select(x, ~isnan(x));
    p.inf = count(isinf(x));
  }
  p.count = x.numel();
  if (p.count == 0) return p;
  const Tensor values = x.to_double();
  if (is_floating_point(x.dtype())) {
    p.sum = values.sum().item().to_double();
  } else {
    p.whole = sum_of_integers(x);
    p.sum = static_cast<double>(p.whole);
  }
  p.mean = p.sum / static_cast<double>(p.count);
  p.m2 = square(values - p.mean).sum().item().to_double();
  p.min = plain(x.amin().item());
  p.max = plain(x.amax().item());
  return p;
}

}  // namespace

Summary summarize(const Runner& runner, const Stream& stream, std::span<const Quantile> quantiles) {
  Partial all;
  runner.run(
      "statistics", stream.shape, itemsize(stream.dtype),
      [&](const Box& box, int) { return partial_of(stream.window(box)); },
      [&](std::span<const Partial> parts) {
        for (const Partial& p : parts) join(all, p);
      });
  Summary summary = finish(all, !is_floating_point(stream.dtype));
  summary.quantiles = find_quantiles(runner, stream, all.count, quantiles);
  return summary;
}

}  // namespace tamis::cli
