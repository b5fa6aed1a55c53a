// Quantiles: elements of wanted ranks, found by passes that count elements (tamis/partial.h).
#include "quantiles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "tamis/partial.h"

namespace tamis::cli {

namespace {

/// The elements of those ranks, which are in order and distinct, among those that are not NaN.
Tensor find_ranks(const Runner& runner, const Stream& stream, const std::vector<int64_t>& ranks) {
  std::optional<partial::Search> found;
  do {
    // A state for each thread, and one of all of them in the end.
    std::vector<std::optional<partial::Histogram>> own(static_cast<size_t>(runner.threads()));
    runner.run(
        "quantiles", stream.shape, itemsize(stream.dtype),
        [&](const Box& box, int worker) {
          const Tensor window = stream.window(box);
          std::optional<partial::Histogram>& state = own[static_cast<size_t>(worker)];
          if (state) {
            state->add(window);
          } else if (found) {
            state.emplace(window, Tensor(), *found);
          } else {
            state.emplace(window);
          }
          return 0;
        },
        [](std::span<const int>) {});
    std::optional<partial::Histogram> all;
    for (const std::optional<partial::Histogram>& state : own) {
      if (!state) continue;
      if (all) {
        all->merge(*state);
      } else {
        all = state;
      }
    }
    found = found ? all->search() : all->ranks(ranks);
  } while (!found->done());
  return found->finish();
}

/// Where a quantile lies: at an element, or between it and the next.
struct Position {
  int64_t rank = 0;
  double fraction = 0;

  Position(const Quantile& q, int64_t count) {
    if (q.lower) {
      rank = (count - 1) / 2;
      return;
    }
    const double at = q.p * static_cast<double>(count - 1);
    rank = static_cast<int64_t>(std::floor(at));
    fraction = at - std::floor(at);
  }
};

double between_two(double a, double b, double fraction) {
  if (a == b) return a;  // infinities too
  // From the nearer end, so that it is exact at both.
  return fraction < 0.5 ? a + (b - a) * fraction : b - (b - a) * (1 - fraction);
}

}  // namespace

double quantile_of_sorted(std::span<const double> sorted, double p) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const Position at({p, false}, static_cast<int64_t>(sorted.size()));
  const double low = sorted[at.rank];
  return at.fraction > 0 ? between_two(low, sorted[at.rank + 1], at.fraction) : low;
}

std::vector<Scalar> find_quantiles(const Runner& runner, const Stream& stream, int64_t count,
                                   std::span<const Quantile> quantiles) {
  if (quantiles.empty()) return {};
  if (count == 0) {
    return std::vector<Scalar>(quantiles.size(), Scalar(std::numeric_limits<double>::quiet_NaN()));
  }
  std::vector<int64_t> ranks;
  for (const Quantile& q : quantiles) {
    const Position at(q, count);
    ranks.push_back(at.rank);
    if (at.fraction > 0) ranks.push_back(at.rank + 1);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  Tensor elements = find_ranks(runner, stream, ranks);
  if (elements.dtype() == DType::boolean) elements = elements.to_byte();
  const auto element = [&](int64_t rank) {
    const auto at = std::lower_bound(ranks.begin(), ranks.end(), rank);
    return elements[at - ranks.begin()].item();
  };
  std::vector<Scalar> results;
  for (const Quantile& q : quantiles) {
    const Position at(q, count);
    const Scalar low = element(at.rank);
    if (q.lower) {
      results.push_back(low);
    } else if (at.fraction > 0) {
      results.emplace_back(
          between_two(low.to_double(), element(at.rank + 1).to_double(), at.fraction));
    } else {
      results.emplace_back(low.to_double());
    }
  }
  return results;
}

}  // namespace tamis::cli
