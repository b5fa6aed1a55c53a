// Distances: norms of differences of rows and tensors, angles, and slices cut down to a norm.
#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "core/convert.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// The norm along the last dimension; of nothing it is 0, for every p.
Tensor norm_of_rows(const Tensor& difference, double p) {
  if (difference.size(-1) != 0) return norm(difference, p, {-1});
  return sum(difference, {-1}, false, difference.dtype());
}

}  // namespace

Tensor cdist(const Tensor& a, const Tensor& b, double p,
             const std::optional<std::string>& compute_mode) {
  const std::string mode = compute_mode.value_or("use_mm_for_euclid_dist_if_necessary");
  check(mode == "use_mm_for_euclid_dist_if_necessary" || mode == "use_mm_for_euclid_dist" ||
            mode == "donot_use_mm_for_euclid_dist",
        ErrorKind::value, "{} is not a valid value for compute_mode", mode);
  check(a.dim() >= 2, ErrorKind::shape, "cdist only supports at least 2D tensors, X1 got: {}D",
        a.dim());
  check(b.dim() >= 2, ErrorKind::shape, "cdist only supports at least 2D tensors, X2 got: {}D",
        b.dim());
  check(a.size(-1) == b.size(-1), ErrorKind::shape,
        "X1 and X2 must have the same number of columns. X1: {} X2: {}", a.size(-1), b.size(-1));
  check(is_floating_point(a.dtype()), ErrorKind::dtype,
        "cdist only supports floating-point dtypes, X1 got: {}", scalar_type_name(a.dtype()));
  check(is_floating_point(b.dtype()), ErrorKind::dtype,
        "cdist only supports floating-point dtypes, X2 got: {}", scalar_type_name(b.dtype()));
  check(p >= 0, ErrorKind::value, "cdist only supports non-negative p values");
  return norm_of_rows(a.unsqueeze(-2) - b.unsqueeze(-3), p);
}

Tensor pdist(const Tensor& x, double p) {
  check(x.dim() == 2, ErrorKind::shape, "pdist only supports 2D tensors, got: {}D", x.dim());
  check(is_floating_point(x.dtype()), ErrorKind::dtype,
        "pdist only supports floating-point dtypes");
  check(p >= 0, ErrorKind::value, "pdist only supports non-negative p values");
  const Tensor pairs = triu_indices(x.size(0), x.size(0), 1).to(x.device());
  return norm_of_rows(index_select(x, 0, pairs[0]) - index_select(x, 0, pairs[1]), p);
}

Tensor dist(const Tensor& a, const Tensor& b, double p) { return norm(a - b, p); }

Tensor pairwise_distance(const Tensor& a, const Tensor& b, double p, double eps, bool keepdim) {
  return norm(a - b + eps, p, {-1}, keepdim);
}

Tensor cosine_similarity(const Tensor& a, const Tensor& b, int64_t dim, double eps) {
  const DType dtype = result_type(a, b);
  check(is_floating_point(dtype), ErrorKind::dtype,
        "expected common dtype to be floating point, yet common dtype is {}",
        scalar_type_name(dtype));
  const Shape shape = broadcast_shapes(a.shape(), b.shape());
  const auto unit = [&](const Tensor& x) {
    return normalize(x.to(dtype).expand(shape), 2, dim, eps);
  };
  return sum(unit(a) * unit(b), {dim}, false, dtype);
}

Tensor renorm(const Tensor& x, double p, int64_t dim, double maxnorm) {
  check(p > 0, ErrorKind::value, "renorm: non-positive-norm not supported");
  check(maxnorm >= 0, ErrorKind::value, "renorm: expected maxnorm to be >= 0 but got {}", maxnorm);
  check(x.dim() > 1, ErrorKind::shape,
        "renorm: input needs at least 2 dimensions, got {} dimensions", x.dim());
  const int64_t d = wrap_dim(dim, x.dim());
  Dims others;
  for (int64_t i = 0; i < x.dim(); ++i) {
    if (i != d) others.push_back(i);
  }
  if (x.numel() == 0) return x.clone();
  const Tensor found = norm(x, p, others, true, compute_dtype(x.dtype()));
  const Tensor size = found.is_complex() ? real(found) : found;
  // 1e-7 is PyTorch's: a slice is a little shorter than maxnorm then.
  return where(size > maxnorm, x * (maxnorm / (size + 1e-7)).to(x.dtype()), x);
}

namespace {

/// cdist as Python calls it.
Tensor cdist_op(const Tensor& a, const Tensor& b, double p,
                std::optional<std::string> compute_mode) {
  return cdist(a, b, p, compute_mode);
}

}  // namespace

std::vector<Row> distance_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, -2.f, 3.5f}, {4.f, 0.f, 6.f}}));
  const Tensor y = SAMPLE(tensor({{0.5f, 1.f, 3.f}, {2.f, 0.f, -1.f}, {1.f, 1.f, 4.f}}));
  const Tensor batch = SAMPLE(stack({x, x * 2}));
  const Value none;
  const auto n = [](int64_t v) { return Value(v); };
  return {
      make_row("cdist(Tensor x1, Tensor x2, float p=2, str? compute_mode=None) -> Tensor",
               "The p-norms of the differences between all rows of x1 and all rows of x2.",
               cdist_op,
               SAMPLES({x, y, 2.0, none}, {batch, y, 1.0, none}, {x, y, 1.5, none},
                       {y, x, 3.0, std::string("donot_use_mm_for_euclid_dist")})),
      make_row("pdist(Tensor input, float p=2) -> Tensor",
               "The p-norms of the differences between each two rows of input.", pdist,
               SAMPLES({y, 2.0}, {y, 1.0}, {x, 3.0}))
          .function_only(),
      make_row("dist(Tensor input, Tensor other, float p=2) -> Tensor",
               "The p-norm of the difference of two tensors.", dist,
               SAMPLES({x, x[0], 2.0}, {x, x + 1, 1.0}, {x, y[0], HUGE_VAL})),
      make_row("pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool "
               "keepdim=False) -> Tensor",
               "The p-norm of x1 - x2 + eps along the last dimension.", pairwise_distance,
               SAMPLES({x, x + 1, 2.0, 1e-6, false}, {batch, x, 1.0, 0.0, true})),
      make_row("cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor",
               "The cosine of the angle between x1 and x2 along a dimension.", cosine_similarity,
               SAMPLES({x, x + 1, n(1), 1e-8}, {batch, x, n(-1), 1e-8}, {y, y[0], n(0), 1e-8})),
      make_row("renorm(Tensor input, float p, int dim, float maxnorm) -> Tensor",
               "The slices along a dimension scaled down to a norm of at most maxnorm.", renorm,
               SAMPLES({x, 2.0, n(0), 5.0}, {batch, 1.0, n(-1), 3.0}, {y, 3.0, n(1), 100.0}))
          .with_in_place()
          .with_out(),
  };
}

}  // namespace tamis
