// Quantiles along dimensions: groups of slices are gathered and sorted.
#include "slice_quantiles.h"

#include <algorithm>
#include <cmath>

#include "quantiles.h"
#include "tamis/mask.h"

namespace tamis::cli {

namespace {

constexpr int64_t kGroupElements = int64_t{1} << 22;

/// The box of all elements of some slices, which are a box of `slices.sizes`.
Box box_of(const Box& group, const Slices& slices, const Shape& shape) {
  Box box = whole_box(shape);
  for (size_t i = 0; i < slices.left.size(); ++i) {
    box.start[slices.left[i]] = group.start[i];
    box.size[slices.left[i]] = group.size[i];
  }
  return box;
}

/// A box within another as one of the whole.
Box shifted(Box box, const Box& outer) {
  for (size_t d = 0; d < box.start.size(); ++d) box.start[d] += outer.start[d];
  return box;
}

/// The elements other than NaN that each slice in a box keeps.
struct Gathered {
  Box part;
  std::vector<std::vector<double>> rows;
};

Gathered gather(const KeptElements& kept, const Box& box, const Slices& slices) {
  Gathered result{slices.part(box), {}};
  result.rows.resize(static_cast<size_t>(result.part.numel()));
  const Tensor rows = rows_of_slices(kept.elements, slices);
  const Tensor mask = kept.mask.defined() ? rows_of_slices(kept.mask, slices) : Tensor();
  const bool* keep = mask.defined() ? mask.data<bool>() : nullptr;
  const int64_t columns = rows.numel() / result.part.numel();
  visit_real(rows.dtype(), [&]<class T>(T) {
    const T* element = rows.template data<T>();
    for (std::vector<double>& row : result.rows) {
      for (int64_t i = 0; i < columns; ++i, ++element) {
        const auto value = static_cast<double>(*element);
        // + 0.0, so that both zeros print the same.
        if ((keep == nullptr || *keep++) && !std::isnan(value)) row.push_back(value + 0.0);
      }
    }
  });
  return result;
}

/// Searches the slices of a group that fit into memory together.
void search_group(const Runner& runner, const Slices& slices, const KeptStream& stream,
                  const Box& group, std::span<const double> quantiles,
                  std::vector<std::vector<Scalar>>& results) {
  const Box outer = box_of(group, slices, stream.shape);
  const std::vector<int64_t> numbers = slices.numbers(group);
  std::vector<std::vector<double>> rows(numbers.size());
  runner.run(
      "quantiles", outer.size, stream.bytes,
      [&](const Box& box, int) {
        const Box own = shifted(box, outer);
        return gather(stream.window(own), own, slices);
      },
      [&](std::span<const Gathered> parts) {
        for (const Gathered& part : parts) {
          const std::vector<int64_t> own = slices.numbers(part.part);
          for (size_t i = 0; i < own.size(); ++i) {
            const auto at = std::lower_bound(numbers.begin(), numbers.end(), own[i]);
            std::vector<double>& row = rows[at - numbers.begin()];
            row.insert(row.end(), part.rows[i].begin(), part.rows[i].end());
          }
        }
      });
  for (size_t i = 0; i < rows.size(); ++i) {
    std::sort(rows[i].begin(), rows[i].end());
    for (double p : quantiles) {
      results[numbers[i]].emplace_back(quantile_of_sorted(rows[i], p));
    }
  }
}

}  // namespace

Tensor rows_of_slices(const Tensor& x, const Slices& slices) {
  Shape order;
  for (size_t d : slices.left) order.push_back(static_cast<int64_t>(d));
  for (int64_t d : slices.along) order.push_back(d);
  return x.permute(order).contiguous().settle();
}

std::vector<std::vector<Scalar>> find_slice_quantiles(const Runner& runner, const Slices& slices,
                                                      const KeptStream& stream,
                                                      std::span<const int64_t> counts,
                                                      std::span<const double> quantiles) {
  std::vector<std::vector<Scalar>> results(counts.size());
  if (quantiles.empty() || counts.empty()) return results;
  std::vector<Quantile> wanted;
  for (double p : quantiles) wanted.push_back({p, false});
  const bool fits = slices.numel <= kGroupElements;
  const Windows groups(slices.sizes,
                       fits ? kGroupElements / std::max<int64_t>(slices.numel, 1) : 1);
  for (int64_t g = 0; g < groups.count(); ++g) {
    const Box group = groups[g];
    if (fits) {
      search_group(runner, slices, stream, group, quantiles, results);
      continue;
    }
    const Box outer = box_of(group, slices, stream.shape);
    const Stream alone{stream.dtype, outer.size, [&](const Box& box) {
                         const KeptElements kept = stream.window(shifted(box, outer));
                         if (!kept.mask.defined()) return kept.elements;
                         return masked_select(kept.elements, kept.mask);
                       }};
    results[g] = find_quantiles(runner, alone, counts[g], wanted);
  }
  return results;
}

}  // namespace tamis::cli
