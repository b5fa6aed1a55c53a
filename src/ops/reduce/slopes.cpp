// Slopes: integrals by the trapezoid rule, and derivatives by differences.
#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/check.h"
#include "core/tensor_impl.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

// ---- integrals ----------------------------------------------------------------------------------

void check_no_bools(const char* op, std::initializer_list<const Tensor*> tensors) {
  for (const Tensor* t : tensors) {
    check(t->dtype() != DType::boolean, ErrorKind::dtype,
          "{}: received a bool input for `x` or `y`, but bool is not supported", op);
  }
}

/// The sum of each two neighbours along dim.
Tensor neighbours(const Tensor& y, int64_t dim) {
  const int64_t n = y.size(dim) - 1;
  return y.narrow(dim, 0, n) + y.narrow(dim, 1, n);
}

/// Distances between positions, of y's rank; they broadcast over it. dim is y's.
Tensor widths(const char* op, const Tensor& y, const Tensor& x, int64_t dim) {
  check_no_bools(op, {&y, &x});
  Tensor at = x;
  if (x.dim() == 1 && y.dim() != 1) {
    check(x.size(0) == y.size(dim), ErrorKind::shape,
          "{}: There must be one `x` value for each sample point", op);
    Shape shape(y.shape().size(), 1);
    shape[dim] = x.size(0);
    at = x.view(shape);
  }
  while (at.dim() < y.dim()) at = at.unsqueeze(0);
  // x may have more dimensions than y.
  return diff(at, 1, dim - y.dim() + at.dim());
}

/// Zeros for a y without samples along dim.
Tensor nothing(const Tensor& y, int64_t dim) {
  Shape shape = y.shape();
  shape.erase(dim);
  return zeros(shape, {float_type(y.dtype()), y.device()});
}

// ---- derivatives --------------------------------------------------------------------------------

Tensor at(const Tensor& x, int64_t dim, int64_t from, int64_t length) {
  return x.narrow(dim, from, length);
}

/// The end of a derivative of second order from the three samples next to it, which are h1 and h2
/// apart.
Tensor end_slope(const Tensor& x0, const Tensor& x1, const Tensor& x2, const Tensor& h1,
                 const Tensor& h2) {
  return x0 * (-(2 * h1 + h2) / (h1 * (h1 + h2))) + x1 * ((h1 + h2) / (h1 * h2)) -
         x2 * (h1 / (h2 * (h1 + h2)));
}

/// For samples at positions whose distances are `widths`, of x's rank.
Tensor slope_between(const Tensor& x, const Tensor& widths, int64_t dim, int64_t edge_order) {
  const int64_t n = x.size(dim);
  const auto w = [&](int64_t from, int64_t length) { return at(widths, dim, from, length); };
  const Tensor h1 = w(0, n - 2), h2 = w(1, n - 2);
  const Tensor middle = at(x, dim, 0, n - 2) * (-h2 / (h1 * (h1 + h2))) +
                        at(x, dim, 1, n - 2) * ((h2 - h1) / (h1 * h2)) +
                        at(x, dim, 2, n - 2) * (h1 / (h2 * (h1 + h2)));
  Tensor first, last;
  if (edge_order == 1) {
    first = (at(x, dim, 1, 1) - at(x, dim, 0, 1)) / w(0, 1);
    last = (at(x, dim, n - 1, 1) - at(x, dim, n - 2, 1)) / w(n - 2, 1);
  } else {
    first = end_slope(at(x, dim, 0, 1), at(x, dim, 1, 1), at(x, dim, 2, 1), w(0, 1), w(1, 1));
    last = -end_slope(at(x, dim, n - 1, 1), at(x, dim, n - 2, 1), at(x, dim, n - 3, 1), w(n - 2, 1),
                      w(n - 3, 1));
  }
  return cat({first, middle, last}, dim);
}

/// For samples that are h (0-d) apart.
Tensor even_slope(const Tensor& x, const Tensor& h, int64_t dim, int64_t edge_order) {
  const int64_t n = x.size(dim);
  const Tensor middle = (at(x, dim, 2, n - 2) - at(x, dim, 0, n - 2)) / h / 2;
  const Tensor first = (at(x, dim, 1, 1) - at(x, dim, 0, 1)) / h;
  const Tensor last = (at(x, dim, n - 1, 1) - at(x, dim, n - 2, 1)) / h;
  if (edge_order == 1) return cat({first, middle, last}, dim);
  return cat({2 * first - at(middle, dim, 0, 1), middle, 2 * last - at(middle, dim, n - 3, 1)},
             dim);
}

/// The dimensions to differentiate along, checked.
Shape slope_dims(const Tensor& x, const Dims& dims, int64_t edge_order) {
  check(edge_order == 1 || edge_order == 2, ErrorKind::value,
        "torch.gradient only supports edge_order=1 and edge_order=2.");
  Shape found;
  for (int64_t dim : dims) {
    const int64_t d = wrap_dim(dim, x.dim());
    check(std::find(found.begin(), found.end(), d) == found.end(), ErrorKind::value,
          "dim {} appears multiple times in the list of dims", d);
    found.push_back(d);
  }
  if (dims.empty()) {
    for (int64_t d = 0; d < x.dim(); ++d) found.push_back(d);
  }
  for (int64_t d : found) {
    check(x.dim() > 0 && x.shape()[d] >= edge_order + 1, ErrorKind::shape,
          "torch.gradient expected each dimension size to be at least edge_order+1");
  }
  check(x.dtype() != DType::uint8, ErrorKind::dtype,
        "torch.gradient does not support uint8 input.");
  check(x.dtype() != DType::boolean, ErrorKind::dtype,
        "torch.gradient does not support bool input.");
  return found;
}

}  // namespace

Tensor trapezoid(const Tensor& y, double dx, int64_t dim) {
  const int64_t d = wrap_dim(dim, y.dim());
  check(y.dim() > 0, ErrorKind::shape, "trapezoid: expected a tensor with dimensions");
  check_no_bools("trapezoid", {&y});
  if (y.size(d) == 0) return nothing(y, d);
  return (sum(y, {d}) - (y.select(d, 0) + y.select(d, -1)) * 0.5) * dx;
}

Tensor trapezoid(const Tensor& y, const Tensor& x, int64_t dim) {
  const int64_t d = wrap_dim(dim, y.dim());
  check(y.dim() > 0, ErrorKind::shape, "trapezoid: expected a tensor with dimensions");
  if (y.size(d) == 0) return nothing(y, d);
  const Tensor parts = neighbours(y, d) * widths("trapezoid", y, x, d);
  return sum(parts, {d - y.dim()}) / 2;
}

Tensor cumulative_trapezoid(const Tensor& y, double dx, int64_t dim) {
  const int64_t d = wrap_dim(dim, y.dim());
  check(y.dim() > 0, ErrorKind::shape, "cumulative_trapezoid: expected a tensor with dimensions");
  check_no_bools("cumulative_trapezoid", {&y});
  if (y.size(d) == 0) return nothing(y, d);
  return cumsum(neighbours(y, d) * (dx / 2), d);
}

Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, int64_t dim) {
  const int64_t d = wrap_dim(dim, y.dim());
  check(y.dim() > 0, ErrorKind::shape, "cumulative_trapezoid: expected a tensor with dimensions");
  if (y.size(d) == 0) return nothing(y, d);
  const Tensor parts = neighbours(y, d) * widths("cumulative_trapezoid", y, x, d);
  return cumsum(parts, d - y.dim()) / 2;
}

std::vector<Tensor> gradient(const Tensor& x, const Tensor& spacing, const Dims& dims,
                             int64_t edge_order) {
  const Shape along = slope_dims(x, dims, edge_order);
  check(spacing.dim() == 0 ||
            (spacing.dim() == 1 && spacing.numel() == static_cast<int64_t>(along.size())),
        ErrorKind::value,
        "torch.gradient expected spacing to be unspecified, a scalar or a list of length equal to "
        "'self.dim() if dim is not given, else len(dim)'; got {} values for {} dimensions",
        spacing.numel(), along.size());
  std::vector<Tensor> slopes;
  for (size_t i = 0; i < along.size(); ++i) {
    Tensor h = spacing.dim() == 0 ? spacing : spacing[static_cast<int64_t>(i)];
    if (spacing.impl().is_number) h = Tensor(h.item());  // a list of numbers is as weak as they are
    slopes.push_back(even_slope(x, h, along[i], edge_order));
  }
  return slopes;
}

std::vector<Tensor> gradient(const Tensor& x, const std::vector<Tensor>& spacing, const Dims& dims,
                             int64_t edge_order) {
  const Shape along = slope_dims(x, dims, edge_order);
  check(spacing.size() == along.size(), ErrorKind::value,
        "torch.gradient expected spacing to have a tensor for each of {} dimensions, but got {}",
        along.size(), spacing.size());
  for (size_t i = 0; i < along.size(); ++i) {
    check(spacing[i].dim() == 1 && spacing[i].size(0) == x.size(along[i]), ErrorKind::shape,
          "torch.gradient expected each spacing tensor to be 1-d with a position for each sample, "
          "but got a tensor of shape {} for a dimension of size {}",
          spacing[i].shape(), x.size(along[i]));
  }
  std::vector<Tensor> slopes;
  for (size_t i = 0; i < along.size(); ++i) {
    Shape shape(x.shape().size(), 1);
    shape[along[i]] = x.size(along[i]) - 1;
    slopes.push_back(slope_between(x, diff(spacing[i]).view(shape), along[i], edge_order));
  }
  return slopes;
}

namespace {

/// gradient as Python calls it, by one number.
std::vector<Tensor> gradient_evenly(const Tensor& x, Scalar spacing, const Dims& dims,
                                    int64_t edge_order) {
  return gradient(x, Tensor(spacing), dims, edge_order);
}

using Integral = Tensor (*)(const Tensor&, double, int64_t);
using IntegralOver = Tensor (*)(const Tensor&, const Tensor&, int64_t);
using Slopes = std::vector<Tensor> (*)(const Tensor&, const Tensor&, const Dims&, int64_t);
using SlopesAt = std::vector<Tensor> (*)(const Tensor&, const std::vector<Tensor>&, const Dims&,
                                         int64_t);

}  // namespace

std::vector<Row> slope_rows() {
  const Tensor y = SAMPLE(tensor({{1.f, -2.f, 3.5f}, {4.f, 0.f, 6.f}, {0.5f, 1.f, 2.f}}));
  const Tensor x = SAMPLE(tensor({0.f, 0.5f, 2.f})),
               ints = SAMPLE(tensor({{1, 2, 4}, {0, 3, 1}, {5, 5, 2}}));
  const auto n = [](int64_t v) { return Value(v); };
  const Shape all;
  const std::string over = "(Tensor y, Tensor x, *, int dim=-1) -> Tensor";
  const std::string evenly = "(Tensor y, *, float dx=1, int dim=-1) -> Tensor";
  const std::vector<Args> over_samples = SAMPLES({y, x, n(-1)}, {y, x, n(0)}, {ints, y, n(1)});
  const std::vector<Args> even_samples = SAMPLES({y, 1.0, n(-1)}, {ints, 0.5, n(0)});
  return {
      make_row("trapezoid" + over,
               "The area under y along a dimension by the trapezoid rule, for samples at x.",
               static_cast<IntegralOver>(trapezoid), over_samples)
          .also({"trapz"}),
      make_row("trapezoid" + evenly,
               "The area under y along a dimension by the trapezoid rule, for samples that are dx "
               "apart.",
               static_cast<Integral>(trapezoid), even_samples)
          .also({"trapz"}),
      make_row("cumulative_trapezoid" + over,
               "The running area under y along a dimension, for samples at x.",
               static_cast<IntegralOver>(cumulative_trapezoid), over_samples),
      make_row("cumulative_trapezoid" + evenly,
               "The running area under y along a dimension, for samples that are dx apart.",
               static_cast<Integral>(cumulative_trapezoid), even_samples),
      make_row("gradient(Tensor input, *, Scalar spacing=1, int[] dim=[], int edge_order=1) -> "
               "Tensor[]",
               "The slopes along each dimension by differences, for samples that are spacing "
               "apart.",
               gradient_evenly,
               SAMPLES({y, Scalar(1), all, n(1)}, {y, Scalar(0.5), Shape{1}, n(2)},
                       {ints, Scalar(2), all, n(1)}))
          .function_only(),
      make_row("gradient(Tensor input, *, Tensor[] spacing, int[] dim=[], int edge_order=1) -> "
               "Tensor[]",
               "The slopes along each dimension by differences, for samples at these positions.",
               static_cast<SlopesAt>(gradient),
               SAMPLES({y, std::vector<Tensor>{x, x + x * x}, all, n(1)},
                       {y, std::vector<Tensor>{x}, Shape{-1}, n(2)}))
          .function_only(),
      make_row("gradient(Tensor input, *, Tensor|float[] spacing, int[] dim=[], int edge_order=1) "
               "-> Tensor[]",
               "The slopes along each dimension by differences, with a distance for each.",
               static_cast<Slopes>(gradient),
               SAMPLES({y, tensor({0.5f, 2.f}), all, n(1)}, {y, tensor({2.f}), Shape{0}, n(2)}))
          .function_only(),
  };
}

}  // namespace tamis
