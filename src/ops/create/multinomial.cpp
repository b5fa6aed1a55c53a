// Drawing indices with given probabilities.
#include <optional>

#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

using Source = std::optional<Generator>;

void check_probabilities(const Tensor& p, int64_t num_samples, bool replacement) {
  check(is_floating_point(p.dtype()), ErrorKind::dtype,
        "multinomial only supports floating-point dtypes for input, got: {}",
        scalar_type_name(p.dtype()));
  check(p.dim() == 1 || p.dim() == 2, ErrorKind::shape, "prob_dist must be 1 or 2 dim");
  check(num_samples > 0, ErrorKind::value, "cannot sample n_sample <= 0 samples");
  check(replacement || num_samples <= p.size(-1), ErrorKind::value,
        "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  check(!any(~((p >= 0) & isfinite(p))).item<bool>(), ErrorKind::value,
        "probability tensor contains either `inf`, `nan` or element < 0");
  const Tensor possible = count_nonzero(p, {-1});
  check(!any(possible == 0).item<bool>(), ErrorKind::value,
        "invalid multinomial distribution (sum of probabilities <= 0)");
  check(replacement || !any(possible < num_samples).item<bool>(), ErrorKind::value,
        "invalid multinomial distribution (with replacement=False, not enough non-negative "
        "category to sample)");
}

/// Each draw is the first index whose running sum is above a random share of the total.
Tensor with_replacement(const Tensor& p, int64_t num_samples, const Source& source) {
  const Tensor sums = cumsum(p, -1);
  const Tensor total = sums.narrow(-1, sums.size(-1) - 1, 1);
  Shape shape = p.shape();
  shape.back() = num_samples;
  const Tensor found =
      searchsorted(sums, rand(shape, {p.dtype(), p.device()}, source) * total, false, true);
  // A share that was rounded up to the total belongs to the last index that adds to it.
  return minimum(found, searchsorted(sums, total));
}

/// If each index waits for a random time, exponentially distributed with its probability as the
/// rate, the first ones to come are a draw without replacement. Probability 0 never comes.
Tensor without_replacement(const Tensor& p, int64_t num_samples, const Source& source) {
  const Tensor waits = -log1p(-rand(p.shape(), {p.dtype(), p.device()}, source));
  return topk(where(p > 0, p / waits, -1), num_samples).second;
}

}  // namespace

Tensor multinomial(const Tensor& p, int64_t num_samples, bool replacement, Source generator) {
  NoGradGuard guard;
  check_probabilities(p, num_samples, replacement);
  const Tensor wide = p.to(wide_dtype(p));
  const Tensor rates = (wide / wide.amax({-1}, true)).contiguous();  // so that no sum overflows
  return replacement ? with_replacement(rates, num_samples, generator)
                     : without_replacement(rates, num_samples, generator);
}

}  // namespace tamis
