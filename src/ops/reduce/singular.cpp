// Singular values by one-sided Jacobi rotations: columns are rotated against each other until all
// are orthogonal; their lengths are the singular values then. Meant for small matrices: the work
// grows with the third power of the size.
#include "ops/reduce/singular.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "autograd/node.h"
#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/reduce/reduce.h"
#include "tamis/complex.h"
#include "tamis/create.h"
#include "tamis/pointwise.h"
#include "tamis/view.h"

namespace tamis {

namespace {

using Column = std::vector<double>;

double dot(const Column& a, const Column& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void rotate(Column& a, Column& b, double cosine, double sine) {
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    a[i] = cosine * x - sine * y;
    b[i] = sine * x + cosine * y;
  }
}

/// A matrix of at least as many rows as columns, made orthogonal: columns[j] = s_j u_j and
/// right[j] = v_j, where the matrix is the sum of all s_j u_j v_j^T.
struct Jacobi {
  std::vector<Column> columns, right;

  explicit Jacobi(std::vector<Column> matrix)
      : columns(std::move(matrix)), right(columns.size(), Column(columns.size())) {
    for (size_t j = 0; j < columns.size(); ++j) right[j][j] = 1;
    constexpr int kMostSweeps = 60;  // it takes about ten
    for (int sweep = 0; sweep < kMostSweeps && !is_orthogonal_after_sweep(); ++sweep) {
    }
  }

  Column lengths() const {
    Column result;
    for (const Column& c : columns) result.push_back(std::sqrt(dot(c, c)));
    return result;
  }

 private:
  bool is_orthogonal_after_sweep() {
    bool orthogonal = true;
    for (size_t p = 0; p < columns.size(); ++p) {
      for (size_t q = p + 1; q < columns.size(); ++q) orthogonal &= !make_orthogonal(p, q);
    }
    return orthogonal;
  }

  /// Whether there was anything to do.
  bool make_orthogonal(size_t p, size_t q) {
    const double a = dot(columns[p], columns[p]), b = dot(columns[q], columns[q]);
    const double c = dot(columns[p], columns[q]);
    // As orthogonal as the rounding of their product can show.
    const double rounding =
        std::numeric_limits<double>::epsilon() * static_cast<double>(columns[p].size());
    if (std::abs(c) <= rounding * std::sqrt(a) * std::sqrt(b)) return false;
    const double zeta = (b - a) / (2 * c);
    const double tangent = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
    const double cosine = 1 / std::hypot(1.0, tangent), sine = cosine * tangent;
    rotate(columns[p], columns[q], cosine, sine);
    rotate(right[p], right[q], cosine, sine);
    return true;
  }
};

/// Matrices as one array, scaled so that no square overflows or vanishes.
struct Batch {
  std::vector<double> values;
  int64_t count, rows, cols;

  explicit Batch(const Tensor& x)
      : values(to_host(x.to(DType::float64)).to_vector<double>()),
        count(x.size(0)),
        rows(x.size(1)),
        cols(x.size(2)) {}

  double largest(int64_t index) const {
    double result = 0;
    for (int64_t i = 0; i < rows * cols; ++i) {
      result = std::max(result, std::abs(values[index * rows * cols + i]));
    }
    return result;
  }

  /// One matrix divided by scale, in columns; of the transpose if there are more columns than rows.
  std::vector<Column> columns(int64_t index, double scale) const {
    const bool wide = cols > rows;
    std::vector<Column> result(std::min(rows, cols), Column(std::max(rows, cols)));
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < cols; ++j) {
        const double v = values[(index * rows + i) * cols + j] / scale;
        (wide ? result[i][j] : result[j][i]) = v;
      }
    }
    return result;
  }
};

/// [batch, rows, cols] to [batch].
Tensor sums_of_singular_values(const Tensor& x) {
  const Batch batch(x);
  std::vector<double> sums;
  for (int64_t k = 0; k < batch.count; ++k) {
    const double scale = batch.largest(k);
    double sum = std::isfinite(scale) ? 0 : std::numeric_limits<double>::quiet_NaN();
    if (scale > 0 && std::isfinite(scale)) {
      for (double s : Jacobi(batch.columns(k, scale)).lengths()) sum += s;
    }
    sums.push_back(sum * scale);
  }
  return to_backend(tensor(sums), backend_of(x));
}

/// U V^T of each matrix in [batch, rows, cols], over the singular values that are not zero: the
/// slope of their sum.
Tensor polar_factors(const Tensor& x) {
  const Batch batch(x);
  std::vector<double> result(batch.values.size());
  const bool wide = batch.cols > batch.rows;
  for (int64_t k = 0; k < batch.count; ++k) {
    const double scale = batch.largest(k);
    if (scale == 0 || !std::isfinite(scale)) continue;
    const Jacobi found(batch.columns(k, scale));
    const Column lengths = found.lengths();
    const double most = *std::max_element(lengths.begin(), lengths.end());
    const double least = most * std::numeric_limits<double>::epsilon() *
                         static_cast<double>(std::max(batch.rows, batch.cols));
    double* out = result.data() + k * batch.rows * batch.cols;
    for (size_t s = 0; s < lengths.size(); ++s) {
      if (lengths[s] <= least) continue;
      const Column& left = wide ? found.right[s] : found.columns[s];
      const Column& right = wide ? found.columns[s] : found.right[s];
      for (int64_t i = 0; i < batch.rows; ++i) {
        for (int64_t j = 0; j < batch.cols; ++j) {
          out[i * batch.cols + j] += left[i] * right[j] / lengths[s];
        }
      }
    }
  }
  return to_backend(tensor(result).view(x.shape()), backend_of(x));
}

/// A complex matrix as a real one of twice the size, which has each singular value twice.
Tensor as_real_matrices(const Tensor& x) {
  const Tensor re = real(x), im = imag(x);
  return cat({cat({re, -im}, 2), cat({im, re}, 2)}, 1);
}

Tensor without_gradient(const Tensor& matrices, DType dtype) {
  if (is_complex(dtype)) {
    return (sums_of_singular_values(as_real_matrices(matrices)) / 2).to(real_dtype(dtype));
  }
  return sums_of_singular_values(matrices).to(dtype);
}

/// The slope of nuclear_norms at x, in its dtype. That of a complex matrix is in the first columns
/// of that of the real one: its real parts above its imaginary parts.
Tensor slopes_of(const Tensor& x) {
  if (!is_complex(x)) return polar_factors(x).to(x.dtype());
  const Tensor columns = polar_factors(as_real_matrices(x)).narrow(2, 0, x.size(2));
  const Tensor re = columns.narrow(1, 0, x.size(1)), im = columns.narrow(1, x.size(1), x.size(1));
  return complex(re, im).to(x.dtype());
}

/// [batch, rows, cols] to [batch].
Tensor nuclear_norms(const Tensor& matrices) {
  const DType dtype = matrices.dtype();
  const Tensor y = without_gradient(matrices.detach(), dtype);
  if (!is_tracked(matrices)) return y;
  record(y, "norm", Flow::mixes, {matrices}, {matrices},
         [](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
           check(!is_tracked(saved[0]), ErrorKind::unsupported,
                 "norm: the gradient of the nuclear norm has no derivative here; call backward "
                 "without create_graph");
           return {g.unsqueeze(-1).unsqueeze(-1) * slopes_of(saved[0].detach())};
         });
  return y;
}

}  // namespace

Tensor nuclear_norm(const Tensor& x, const Dims& given, bool keepdim) {
  const int64_t rank = x.dim();
  check(!given.empty() || rank == 2, ErrorKind::shape,
        "Expected a tensor with 2 dimensions, but got a tensor with {} dimension{} instead.", rank,
        rank == 1 ? "" : "s");
  check(given.empty() || given.size() == 2, ErrorKind::value,
        "nuclear norm requires a 'dim' argument of size 2");
  const Shape dims = normalize_dims(given, rank);
  const DType dtype = x.dtype();
  check(is_floating_point(dtype) || is_complex(dtype), ErrorKind::dtype,
        "linalg.svd: Expected a floating point or complex tensor as input. Got {}",
        scalar_type_name(dtype));
  check_implemented(itemsize(dtype) > 2 || x.numel() == 0, "linalg_svd_cpu", dtype);
  check(!any_true(isnan(x)), ErrorKind::value,
        "linalg.svd: The algorithm failed to converge because the input matrix contained "
        "non-finite values.");
  const int64_t rows = x.shape()[dims[0]], cols = x.shape()[dims[1]];
  const Tensor matrices = movedim(x, dims, {-2, -1});
  const Shape shape = reduced_shape(x, dims, keepdim);
  return nuclear_norms(matrices.reshape({numel(shape), rows, cols})).view(shape);
}

}  // namespace tamis
