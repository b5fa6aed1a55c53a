// Summary: the windows of a stream joined, and quantiles.
#include "summary.h"

#include "partial.h"
#include "quantiles.h"
#include "runner.h"

namespace tamis::cli {

Summary summarize(const Runner& runner, const Stream& stream, std::span<const Quantile> quantiles) {
  Partial all;
  runner.run(
      "statistics", stream.shape, itemsize(stream.dtype),
      [&](const Box& box, int) { return partial_of(stream.window(box)); },
      [&](std::span<const Partial> parts) {
        for (const Partial& p : parts) join(all, p);
      });
  Summary summary = finish(all, !is_floating_point(stream.dtype)).front();
  summary.quantiles = find_quantiles(runner, stream, summary.count, quantiles);
  return summary;
}

}  // namespace tamis::cli
