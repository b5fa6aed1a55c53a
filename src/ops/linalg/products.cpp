// Products of vectors, matrices and batches that are made of those of matrices, and products of
// elements without a sum.
#include <algorithm>
#include <numeric>

#include "core/check.h"
#include "core/convert.h"
#include "ops/linalg/add_product.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// Calls f with halves as float32, so that the result is rounded once.
template <class F>
Tensor widened(const Tensor& input, const Tensor& a, const Tensor& b, F f) {
  const DType wide = compute_dtype(input.dtype());
  if (wide == input.dtype() || input.dtype() != a.dtype() || a.dtype() != b.dtype()) {
    return f(input, a, b);
  }
  return f(input.to(wide), a.to(wide), b.to(wide)).to(input.dtype());
}

/// The dimensions of x that are not in dims, in their order.
Shape others_of(const Tensor& x, const Shape& dims) {
  Shape others;
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) others.push_back(d);
  }
  return others;
}

Shape joined(Shape first, const Shape& second) {
  for (int64_t d : second) first.push_back(d);
  return first;
}

Shape sizes_of(const Tensor& x, const Shape& dims) {
  Shape sizes;
  for (int64_t d : dims) sizes.push_back(x.shape()[d]);
  return sizes;
}

Shape wrapped(const Shape& dims, const Tensor& x) {
  Shape found;
  for (int64_t dim : dims) {
    const int64_t d = wrap_dim(dim, x.dim());
    check(x.dim() > 0 && std::find(found.begin(), found.end(), d) == found.end(), ErrorKind::value,
          "dim {} appears multiple times in the list of dims", d);
    found.push_back(d);
  }
  return found;
}

}  // namespace

Tensor addmv(const Tensor& input, const Tensor& matrix, const Tensor& vector, Scalar beta,
             Scalar alpha) {
  return widened(input, matrix, vector, [&](const Tensor& x, const Tensor& a, const Tensor& b) {
    return add_product(x, mv(a, b), beta, alpha);
  });
}

Tensor addr(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  check(a.dim() == 1, ErrorKind::shape, "addr: Expected 1-D argument vec1, but got {}-D", a.dim());
  check(b.dim() == 1, ErrorKind::shape, "addr: Expected 1-D argument vec2, but got {}-D", b.dim());
  const DType dtype = promote_types(input.dtype(), promote_types(a.dtype(), b.dtype()));
  check(dtype != DType::boolean || (fits(beta, dtype) && fits(alpha, dtype)), ErrorKind::dtype,
        "addr: beta and alpha must be bool for bool tensors");
  const Tensor left = input.to(dtype), right = b.to(dtype);
  return widened(left, a.to(dtype), right, [&](const Tensor& x, const Tensor& y, const Tensor& z) {
    return add_product(x, outer(y, z), beta, alpha);
  });
}

Tensor baddbmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  return widened(input, a, b, [&](const Tensor& x, const Tensor& y, const Tensor& z) {
    return add_product(x, bmm(y, z), beta, alpha);
  });
}

Tensor addbmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  return widened(input, a, b, [&](const Tensor& x, const Tensor& y, const Tensor& z) {
    return add_product(x, sum(bmm(y, z), {0}, false, y.dtype()), beta, alpha);
  });
}

Tensor vdot(const Tensor& a, const Tensor& b) { return dot(a.is_complex() ? conj(a) : a, b); }

Tensor tensordot(const Tensor& a, const Tensor& b, const Shape& dims_a, const Shape& dims_b) {
  check(dims_a.size() == dims_b.size(), ErrorKind::shape,
        "both dimension lists should have same length");
  const Shape over_a = wrapped(dims_a, a), over_b = wrapped(dims_b, b);
  Tensor x = a, y = b;
  for (size_t i = 0; i < over_a.size(); ++i) {
    const int64_t m = a.shape()[over_a[i]], n = b.shape()[over_b[i]];
    // A dimension of size 1 meets the sum of the other.
    if (m == 1 && n != 1) y = sum(y, {over_b[i]}, true, b.dtype());
    if (n == 1 && m != 1) x = sum(x, {over_a[i]}, true, a.dtype());
    check(m == n || m == 1 || n == 1, ErrorKind::shape,
          "contracted dimensions need to match, but first has size {} in dim {} and second has "
          "size {} in dim {}",
          m, over_a[i], n, over_b[i]);
  }
  const Shape left = others_of(x, over_a), right = others_of(y, over_b);
  const Shape rows = sizes_of(x, left), columns = sizes_of(y, right);
  const int64_t inner = numel(sizes_of(x, over_a));
  return mm(x.permute(joined(left, over_a)).reshape({numel(rows), inner}),
            y.permute(joined(over_b, right)).reshape({inner, numel(columns)}))
      .view(joined(rows, columns));
}

Tensor tensordot(const Tensor& a, const Tensor& b, int64_t dims) {
  check(dims >= 0, ErrorKind::value, "tensordot expects dims >= 0, but got dims={}", dims);
  check(dims <= a.dim() && dims <= b.dim(), ErrorKind::shape,
        "tensordot: dims={} is more than the dimensions of tensors of shapes {} and {}", dims,
        a.shape(), b.shape());
  Shape last, first;
  for (int64_t d = 0; d < dims; ++d) {
    last.push_back(a.dim() - dims + d);
    first.push_back(d);
  }
  return tensordot(a, b, last, first);
}

Tensor inner(const Tensor& a, const Tensor& b) {
  if (a.dim() == 0 || b.dim() == 0) return a * b;
  check(a.size(-1) == b.size(-1), ErrorKind::shape,
        "inner() the last dimension must match on both input tensors but got shapes {} and {}",
        a.shape(), b.shape());
  if (a.dim() == 1 && b.dim() == 1) return dot(a, b);
  return tensordot(a, b, Shape{-1}, Shape{-1});
}

Tensor kron(const Tensor& a, const Tensor& b) {
  const int64_t rank = std::max(a.dim(), b.dim());
  Shape left, right, shape;
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t i = d - (rank - a.dim()), j = d - (rank - b.dim());
    const int64_t m = i < 0 ? 1 : a.shape()[i], n = j < 0 ? 1 : b.shape()[j];
    left.push_back(m);
    left.push_back(1);
    right.push_back(1);
    right.push_back(n);
    shape.push_back(m * n);
  }
  return (a.reshape(left) * b.reshape(right)).reshape(shape);
}

Tensor trace(const Tensor& x) {
  check(x.dim() == 2, ErrorKind::shape, "trace: expected a matrix, but got tensor with dim {}",
        x.dim());
  check_implemented(x.dtype() != DType::boolean, "trace", x.dtype());
  return sum(x.diagonal());
}

Tensor cross(const Tensor& a, const Tensor& b, std::optional<int64_t> dim) {
  check(a.dim() == b.dim(), ErrorKind::shape, "inconsistent tensors dimensions input: {} other: {}",
        a.dim(), b.dim());
  check(a.dtype() == b.dtype(), ErrorKind::dtype, "expected scalar type {} but found {}",
        scalar_type_name(a.dtype()), scalar_type_name(b.dtype()));
  check_implemented(a.dtype() != DType::boolean, "cross", a.dtype());
  int64_t d = 0;
  if (dim) {
    d = wrap_dim(*dim, a.dim());
  } else {
    while (d < a.dim() && a.shape()[d] != 3) ++d;
    check(d < a.dim(), ErrorKind::shape, "no dimension of size 3 in input");
  }
  check(a.dim() > 0 && a.shape()[d] == 3 && b.shape()[d] == 3, ErrorKind::shape,
        "linalg.cross: inputs dimension {} must have length 3. Got {} and {}", d,
        a.dim() > 0 ? a.shape()[d] : 1, b.dim() > 0 ? b.shape()[d] : 1);
  const auto turned = [d](const Tensor& x, int64_t by) { return roll(x, {-by}, {d}); };
  return turned(a, 1) * turned(b, 2) - turned(a, 2) * turned(b, 1);
}

Tensor vander(const Tensor& x, std::optional<int64_t> n, bool increasing) {
  check(x.dim() == 1, ErrorKind::shape, "x must be a one-dimensional tensor.");
  const int64_t columns = n.value_or(x.numel());
  check(columns >= 0, ErrorKind::value, "N must be non-negative.");
  const DType dtype = promote_types(x.dtype(), DType::int64);
  const Shape shape{x.numel(), columns};
  if (numel(shape) == 0) return empty(shape, {dtype, x.device()});
  const Tensor one = ones({x.numel(), 1}, {dtype, x.device()});
  const Tensor rest = x.to(dtype).unsqueeze(1).expand({x.numel(), columns - 1});
  const Tensor powers = cumprod(cat({one, rest}, 1), 1);
  return increasing ? powers : flip(powers, {1});
}

namespace {

/// PyTorch's dims=([...], [...]), as a tensor of two rows.
Tensor tensordot_over(const Tensor& a, const Tensor& b, const Tensor& dims) {
  check(dims.dim() == 2 && dims.size(0) == 2, ErrorKind::value,
        "tensordot expects dims to be int or two lists of the same length, but got a tensor of "
        "shape {}",
        dims.shape());
  check(is_integral(dims.dtype()), ErrorKind::dtype, "tensordot: dims must be integers");
  return tensordot(a, b, Shape(dims[0].to_vector<int64_t>()), Shape(dims[1].to_vector<int64_t>()));
}

Row with_factors(const char* name, const char* operands, const char* product,
                 Tensor (*f)(const Tensor&, const Tensor&, const Tensor&, Scalar, Scalar),
                 std::vector<Args> samples) {
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i].emplace_back(Scalar(i == 0 ? 1 : 2));
    samples[i].emplace_back(Scalar(i == 0 ? 1 : -1));
  }
  return make_row(std::string(name) + "(Tensor input, " + operands +
                      ", *, Scalar beta=1, Scalar alpha=1) -> Tensor",
                  std::string("beta * input + alpha * ") + product + ".", f, std::move(samples))
      .with_in_place()
      .with_out();
}

}  // namespace

std::vector<Row> product_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, -2.f, 3.5f}, {4.f, 0.f, 6.f}}));
  const Tensor y = SAMPLE(tensor({{2.f, 0.5f}, {-1.f, 1.f}, {0.f, 3.f}}));
  const Tensor row = SAMPLE(tensor({1.f, 2.f, -1.f})), two = SAMPLE(tensor({0.5f, -2.f})),
               number = SAMPLE(tensor(2.5f));
  const Tensor ints = SAMPLE(tensor({{1, 2, 3}, {-4, 0, 6}})),
               cube = SAMPLE(arange(24).view({2, 3, 4}));
  const Tensor batch = SAMPLE(stack({x, x + 1})), others = SAMPLE(stack({y, y - 1}));
  const Value none;
  const auto n = [](int64_t v) { return Value(v); };
  return {
      with_factors("addmv", "Tensor mat, Tensor vec", "(mat times vec)", addmv,
                   SAMPLES({two, x, row}, {tensor({1, 2}), ints, tensor({1, -1, 2})})),
      with_factors("addr", "Tensor vec1, Tensor vec2", "all products of vec1 and vec2", addr,
                   SAMPLES({x, two, row}, {ints, tensor({1, 2}), tensor({1, -1, 2})})),
      with_factors("baddbmm", "Tensor batch1, Tensor batch2", "(batch1 times batch2)", baddbmm,
                   SAMPLES({ones({2, 2, 2}), batch, others},
                           {arange(18).view({2, 3, 3}), cube, cube.transpose(1, 2)})),
      with_factors("addbmm", "Tensor batch1, Tensor batch2",
                   "the sum of the products of batch1 and batch2", addbmm,
                   SAMPLES({ones({2, 2}), batch, others},
                           {arange(9).view({3, 3}), cube, cube.transpose(1, 2)})),
      make_row("vdot(Tensor input, Tensor other) -> Tensor",
               "The sum of the products of two vectors' elements, the first conjugated.", vdot,
               SAMPLES({row, row}, {arange(4), arange(4)}))
          .with_out(),
      make_row("inner(Tensor input, Tensor other) -> Tensor",
               "The sum of products over the last dimension of both.", inner,
               SAMPLES({row, row}, {x, row}, {x, x}, {cube, arange(4)}, {number, x}))
          .with_out(),
      make_row("tensordot(Tensor a, Tensor b, int dims=2) -> Tensor",
               "The sum of products over the last dims dimensions of a and the first of b.",
               static_cast<Tensor (*)(const Tensor&, const Tensor&, int64_t)>(tensordot),
               SAMPLES({x, x, n(0)}, {x, y, n(1)}, {batch, x, n(2)}, {cube, cube[0], n(2)}))
          .with_out(),
      make_row("tensordot(Tensor a, Tensor b, Tensor|int[] dims) -> Tensor",
               "The sum of products over dims[0] of a and dims[1] of b.", tensordot_over,
               SAMPLES({x, x, tensor({{0, 1}, {0, 1}})}, {batch, x, tensor({{1}, {0}})}))
          .with_out(),
      make_row("kron(Tensor input, Tensor other) -> Tensor",
               "Each element of input replaced by other times that element.", kron,
               SAMPLES({x, two}, {ints, ints}, {number, x}, {two, batch}))
          .with_out(),
      make_row("trace(Tensor input) -> Tensor", "The sum of the diagonal of a matrix.", trace,
               SAMPLES({x}, {ints}, {zeros({0, 2})})),
      make_row("cross(Tensor input, Tensor other, int? dim=None) -> Tensor",
               "The vector product along a dimension of size 3, by default the first one.", cross,
               SAMPLES({row, row + 1, none}, {x, x * x, n(1)}, {y, y + y * y, none},
                       {ints, ints, n(-1)}))
          .with_out(),
      make_row("vander(Tensor x, int? N=None, bool increasing=False) -> Tensor",
               "The powers of a vector's elements as columns, the highest first.", vander,
               SAMPLES({row, none, false}, {arange(4), n(3), true}, {two, n(0), false})),
  };
}

}  // namespace tamis
