// Pruning: masks of the weights that are largest by magnitude.
#include <cmath>
#include <limits>

#include "core/check.h"
#include "expr/expr.h"
#include "ops/mask/largest.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

Tensor keep_from(const Tensor& x, const Tensor& least, const Tensor& count, int64_t dim) {
  const Tensor above = x > least, equal = x == least;
  const Tensor missing = count - above.sum(dim, true);
  return above | (equal & (cumsum(equal, dim) <= missing));
}

Tensor keep_largest(const Tensor& x, int64_t k, int64_t dim) {
  const int64_t n = x.size(dim);
  if (k <= 0 || k >= n || x.numel() == 0) {
    return full_on(backend_of(x), x.shape(), k > 0, DType::boolean);
  }
  return keep_from(x, kthvalue(x, n - k + 1, dim, true).first, Tensor(k), dim);
}

namespace {

/// Numbers in the order of the magnitudes of x, NaN as infinity.
Tensor magnitudes(const Tensor& x) {
  const DType dtype = x.dtype();
  if (dtype == DType::boolean) return x.to(DType::uint8);
  if (is_integral(dtype)) {
    // -abs(x) is in every signed dtype, where abs(x) is not; the complement reverses the order.
    return is_signed(dtype) ? bitwise_not(where(x > 0, -x, x)) : x;
  }
  const Tensor size = abs(x);
  return where(isnan(size), std::numeric_limits<double>::infinity(), size);
}

/// keep_largest of rows that are so short that comparing each element with all others of its row is
/// less work than selecting: an element is kept if fewer than k come before it.
Tensor keep_largest_of_few(const Tensor& x, int64_t k, int64_t dim) {
  const std::vector<Tensor> columns = unbind(x, dim);
  std::vector<Tensor> kept;
  for (size_t j = 0; j < columns.size(); ++j) {
    Tensor before = zeros_like(columns[j], DType::uint8);
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i == j) continue;
      const Tensor wins = i < j ? columns[i] >= columns[j] : columns[i] > columns[j];
      before = before + wins.to(DType::uint8);
    }
    kept.push_back(before < k);
  }
  return stack(kept, dim);
}

constexpr int64_t kFew = 8;

/// How many of n elements an amount is.
int64_t number_of(const char* op, masks::Amount amount, int64_t n) {
  if (const auto* count = std::get_if<int64_t>(&amount)) {
    check(
        *count >= 0 && *count <= n, ErrorKind::value,
        "{}: amount must be from 0 to the {} elements that there are, or a share such as 0.5, but "
        "got {}",
        op, n, *count);
    return *count;
  }
  const double share = std::get<double>(amount);
  check(share >= 0 && share <= 1, ErrorKind::value,
        "{}: amount must be a share from 0.0 to 1.0, or an integer for a number of elements, but "
        "got {}",
        op, share);
  return static_cast<int64_t>(std::nearbyint(share * static_cast<double>(n)));
}

/// True for the largest elements, of all or along dim.
Tensor by_magnitude(const char* op, const Tensor& x, masks::Amount amount,
                    std::optional<int64_t> dim, bool prunes) {
  const int64_t along = dim ? wrap_dim(*dim, x.dim()) : 0;
  const bool is_row = !dim || x.dim() == 0;
  const Tensor rows = is_row ? x.detach().reshape({-1}) : x.detach();
  const int64_t n = rows.size(along), given = number_of(op, amount, n);
  return keep_largest(magnitudes(rows), prunes ? n - given : given, along).reshape(x.shape());
}

}  // namespace

namespace masks {

Tensor prune_magnitude(const Tensor& x, Amount amount, std::optional<int64_t> dim) {
  return by_magnitude("prune_magnitude", x, amount, dim, true);
}

Tensor keep_magnitude(const Tensor& x, Amount amount, std::optional<int64_t> dim) {
  return by_magnitude("keep_magnitude", x, amount, dim, false);
}

Tensor n_of_m(const Tensor& x, int64_t n, int64_t m, int64_t dim) {
  const int64_t along = wrap_dim(dim, x.dim());
  check(x.dim() > 0, ErrorKind::shape, "n_of_m: expected at least one dimension, but got a number");
  check(m >= 1 && n >= 0 && n <= m, ErrorKind::value,
        "n_of_m: expected 0 <= n <= m and m >= 1, but got n = {} and m = {}", n, m);
  check(x.size(along) % m == 0, ErrorKind::shape,
        "n_of_m: the size of dimension {} must be a multiple of m, but {} is not one of {}; pad x "
        "first",
        along, x.size(along), m);
  const Tensor groups = x.detach().unflatten(along, {x.size(along) / m, m});
  const Tensor sizes = magnitudes(groups).settle();
  const auto keep = m <= kFew ? keep_largest_of_few : keep_largest;
  return keep(sizes, n, along + 1).flatten(along, along + 1);
}

}  // namespace masks

std::vector<Row> prune_rows() {
  const Tensor x =
      SAMPLE(tensor({{0.5f, -3.f, 1.f, -0.25f, 2.f, 0.f}, {-1.f, 1.f, 1.f, -1.f, 6.f, -7.f}}));
  const Tensor ints = SAMPLE(tensor({{3, -4, 0, 4}, {-1, 1, -9, 2}}));
  const Value none;
  const auto n = [](int64_t v) { return Value(v); };
  const std::vector<Args> amounts = SAMPLES({x, 0.5, none}, {x, n(2), n(1)}, {x, 0.5, n(0)},
                                            {ints, n(3), none}, {ints, 1.0, n(-1)});
  return {
      make_row(
          "masks.prune_magnitude(Tensor|Scalar[] x, int|float amount, *, int? dim=None) -> Tensor",
          "True keeps all but the `amount` (a share, or a number) elements of smallest magnitude.",
          masks::prune_magnitude, amounts),
      make_row(
          "masks.keep_magnitude(Tensor|Scalar[] x, int|float amount, *, int? dim=None) -> Tensor",
          "True keeps the `amount` (a share, or a number) elements of largest magnitude.",
          masks::keep_magnitude, amounts),
      make_row("masks.n_of_m(Tensor|Scalar[] x, int n, int m, int dim=-1) -> Tensor",
               "True keeps the n elements of largest magnitude of every m along a dimension.",
               masks::n_of_m,
               SAMPLES({ints, n(2), n(4), n(-1)}, {x, n(1), n(3), n(1)}, {x, n(1), n(2), n(0)},
                       {ints, n(0), n(2), n(-1)})),
  };
}

}  // namespace tamis
