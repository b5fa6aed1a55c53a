// Linalg: products of matrices and vectors: the rules of shapes, and how operands reach the
// backend.
#include <climits>

#include "autograd/node.h"
#include "core/check.h"
#include "core/convert.h"
#include "ops/linalg/add_product.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

void check_operands(const char* kernel, const Tensor& a, const Tensor& b) {
  check(a.dtype() == b.dtype(), ErrorKind::dtype, "expected scalar type {} but found {}",
        scalar_type_name(a.dtype()), scalar_type_name(b.dtype()));
  check_implemented(a.dtype() != DType::boolean, kernel, a.dtype());
}

bool is_blas(const Tensor& x, int64_t rows, int64_t cols) {
  const int64_t row = x.strides()[1], col = x.strides()[2];
  const bool by_rows = (cols == 1 || col == 1) && (rows == 1 || row >= cols);
  const bool by_cols = (rows == 1 || row == 1) && (cols == 1 || col >= rows);
  return (by_rows || by_cols) && std::max(row, col) <= INT_MAX;
}

/// x [batches, rows, cols] as the backend takes it.
Tensor prepared(const Tensor& x, DType dtype, bool by_rows) {
  const Tensor as = x.to(dtype);
  return by_rows || !is_blas(as, x.size(1), x.size(2)) ? as.contiguous() : as;
}

MatrixBatch matrices_of(const Tensor& x) {
  return {buffer_of(x), x.strides()[0], x.strides()[1], x.strides()[2]};
}

/// [batches, m, k] times [batches, k, n]; everything has been checked.
Tensor product(const Tensor& a, const Tensor& b) {
  const int64_t batches = a.size(0), m = a.size(1), k = a.size(2), n = b.size(2);
  const DType dtype = compute_dtype(a.dtype());
  const Shape shape{batches, m, n};
  Backend& backend = common_backend({a, b});
  require(backend, Feature::matmul, dtype);
  if (numel(shape) == 0 || k == 0) return zeros_on(backend, shape, a.dtype());
  check(k <= INT_MAX && n <= INT_MAX, ErrorKind::unsupported,
        "matmul: sizes of 2^31 and more are not supported, but got {} and {}", a.shape(),
        b.shape());
  const bool by_rows = backend.matmul_needs_rows(dtype, m, k, n);
  const Tensor x = prepared(a, dtype, by_rows), y = prepared(b, dtype, by_rows);
  const Tensor result = allocate(shape, dtype, backend);
  backend.matmul(matrices_of(x), matrices_of(y), dtype, batches, m, k, n, buffer_of(result));
  return result.to(a.dtype());
}

Tensor multiply(const Tensor& a, const Tensor& b) {
  const Tensor result = product(a, b);
  const bool want_a = is_tracked(a), want_b = is_tracked(b);
  if (carries_gradient(result.dtype()) && (want_a || want_b)) {
    // Each factor is what the gradient of the other one reads.
    record(result, "bmm", Flow::products, {a, b}, {want_b ? a : Tensor(), want_a ? b : Tensor()},
           [](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
             Gradients found(2);
             if (saved[1].defined()) found[0] = multiply(g, conj(saved[1]).transpose(1, 2));
             if (saved[0].defined()) found[1] = multiply(conj(saved[0]).transpose(1, 2), g);
             return found;
           });
  }
  return result;
}

/// The sum of a * b over one dimension. This is fused, and its order of additions depends on the
/// shape alone, which BLAS does not promise for vectors.
Tensor sum_of_products(const Tensor& a, const Tensor& b, int64_t dim) {
  const DType dtype = compute_dtype(a.dtype());
  return sum(a.to(dtype) * b.to(dtype), {dim}, false, dtype).to(a.dtype());
}

Shape batch_of(const Tensor& x) {
  Shape batch = x.shape();
  batch.erase(batch.size() - 1);
  batch.erase(batch.size() - 1);
  return batch;
}

Shape with(Shape shape, std::initializer_list<int64_t> more) {
  for (int64_t size : more) shape.push_back(size);
  return shape;
}

/// All leading dimensions as one, also if one of them has no elements.
Tensor flat_batch(const Tensor& x, const Shape& batch) {
  const Shape matrix{x.size(-2), x.size(-1)};
  return x.expand(with(batch, {matrix[0], matrix[1]}))
      .reshape({numel(batch), matrix[0], matrix[1]});
}

/// Matrices times one matrix: the rows of all of them are rows of one.
Tensor fold_left(const Tensor& a, const Tensor& b) {
  Shape shape = a.shape();
  shape.back() = b.size(1);
  const Shape batch = batch_of(a);
  return mm(a.reshape({numel(batch) * a.size(-2), a.size(-1)}), b).view(shape);
}

Tensor batched(const Tensor& a, const Tensor& b) {
  const Shape batch = broadcast_shapes(batch_of(a), batch_of(b));
  return bmm(flat_batch(a, batch), flat_batch(b, batch))
      .view(with(batch, {a.size(-2), b.size(-1)}));
}

/// Matrices times a vector.
Tensor times_vector(const Tensor& a, const Tensor& v) {
  const int64_t rows = a.numel() / std::max<int64_t>(a.size(-1), 1);
  check(a.size(-1) == v.size(0), ErrorKind::shape, "size mismatch, got {}, {}x{},{}",
        a.size(-1) == 0 ? a.size(-2) : rows, a.size(-1) == 0 ? a.size(-2) : rows, a.size(-1),
        v.size(0));
  check_operands("addmv_impl_cpu", a, v);
  return sum_of_products(a, v, -1);
}

}  // namespace

Tensor dot(const Tensor& a, const Tensor& b) {
  check(a.dim() == 1 && b.dim() == 1, ErrorKind::shape,
        "1D tensors expected, but got {}D and {}D tensors", a.dim(), b.dim());
  check(a.dtype() == b.dtype(), ErrorKind::dtype,
        "dot : expected both vectors to have same dtype, but found {} and {}",
        scalar_type_name(a.dtype()), scalar_type_name(b.dtype()));
  check(a.numel() == b.numel(), ErrorKind::shape,
        "inconsistent tensor size, expected tensor {} and src {} to have the same number of "
        "elements, but got {} and {} elements respectively",
        a.shape(), b.shape(), a.numel(), b.numel());
  check_operands("dot", a, b);
  return sum_of_products(a, b, 0);
}

Tensor mv(const Tensor& matrix, const Tensor& vector) {
  check(matrix.dim() == 2 && vector.dim() == 1, ErrorKind::shape,
        "vector + matrix @ vector expected, got 1, {}, {}", matrix.dim(), vector.dim());
  return times_vector(matrix, vector);
}

Tensor mm(const Tensor& a, const Tensor& b) {
  check(a.dim() == 2, ErrorKind::shape, "self must be a matrix");
  check(b.dim() == 2, ErrorKind::shape, "mat2 must be a matrix");
  check(a.size(1) == b.size(0), ErrorKind::shape,
        "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})", a.size(0), a.size(1),
        b.size(0), b.size(1));
  check_operands("addmm_impl_cpu_", a, b);
  return multiply(a.unsqueeze(0), b.unsqueeze(0)).select(0, 0);
}

Tensor bmm(const Tensor& a, const Tensor& b) {
  check(a.dim() == 3, ErrorKind::shape, "batch1 must be a 3D tensor");
  check(b.dim() == 3, ErrorKind::shape, "batch2 must be a 3D tensor");
  check(a.size(0) == b.size(0) && a.size(2) == b.size(1), ErrorKind::shape,
        "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, "
        "{}].",
        a.size(0), a.size(2), b.size(0), b.size(1));
  check_operands("bmm", a, b);
  return multiply(a, b);
}

Tensor matmul(const Tensor& a, const Tensor& b) {
  check(a.dim() > 0 && b.dim() > 0, ErrorKind::shape,
        "both arguments to matmul need to be at least 1D, but they are {}D and {}D", a.dim(),
        b.dim());
  if (a.dim() == 1 && b.dim() == 1) return dot(a, b);
  if (b.dim() == 1) return times_vector(a, b);
  if (a.dim() == 1) {
    if (b.dim() == 2) return mm(a.unsqueeze(0), b).select(0, 0);
    return times_vector(b.transpose(-1, -2), a);
  }
  if (a.dim() == 2 && b.dim() == 2) return mm(a, b);
  return b.dim() == 2 ? fold_left(a, b) : batched(a, b);
}

Tensor outer(const Tensor& a, const Tensor& b) {
  check(a.dim() == 1, ErrorKind::shape, "outer: Expected 1-D argument self, but got {}-D", a.dim());
  check(b.dim() == 1, ErrorKind::shape, "outer: Expected 1-D argument vec2, but got {}-D", b.dim());
  return a.unsqueeze(1) * b;
}

Tensor add_product(const Tensor& input, Tensor product, Scalar beta, Scalar alpha) {
  check(input.dtype() == product.dtype(), ErrorKind::dtype, "expected scalar type {} but found {}",
        scalar_type_name(input.dtype()), scalar_type_name(product.dtype()));
  const Tensor added = input.expand(product.shape());
  for (Scalar factor : {beta, alpha}) check_fits(factor, input.dtype());
  if (!(alpha.to_complex() == 1.0)) product = product * alpha;
  if (!beta.to_bool()) return product;
  return beta.to_complex() == 1.0 ? added + product : added * beta + product;
}

Tensor addmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  const DType wide = compute_dtype(input.dtype());
  if (wide != input.dtype() && input.dtype() == a.dtype() && a.dtype() == b.dtype()) {
    return addmm(input.to(wide), a.to(wide), b.to(wide), beta, alpha).to(input.dtype());
  }
  return add_product(input, mm(a, b), beta, alpha);
}

std::vector<Row> linalg_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, -2.f, 3.5f}, {4.f, 0.f, 6.f}}));
  const Tensor y = SAMPLE(tensor({{2.f, 0.5f}, {-1.f, 1.f}, {0.f, 3.f}}));
  const Tensor row = SAMPLE(tensor({1.f, 2.f, -1.f}));
  const Tensor ints = SAMPLE(tensor({{1, 2, 3}, {-4, 0, 6}}));
  const Tensor cube = SAMPLE(arange(24).view({2, 3, 4}));
  return {
      make_row("matmul(Tensor input, Tensor other) -> Tensor",
               "The product of vectors and matrices, by rank; leading dimensions are batches and "
               "broadcast.",
               matmul,
               SAMPLES({x, y}, {row, row}, {x, row}, {row, y}, {cube, cube.transpose(1, 2)},
                       {cube, arange(4)}, {ints, cube[0]}))
          .with_out(),
      make_row("mm(Tensor input, Tensor mat2) -> Tensor", "The product of two matrices.", mm,
               SAMPLES({x, y}, {y.t(), x.t()}, {ints, ints.t()}))
          .with_out(),
      make_row("bmm(Tensor input, Tensor mat2) -> Tensor",
               "The products of two batches of matrices.", bmm,
               SAMPLES({cube, cube.transpose(1, 2)}))
          .with_out(),
      make_row("mv(Tensor input, Tensor vec) -> Tensor", "The product of a matrix and a vector.",
               mv, SAMPLES({x, row}, {ints, tensor({1, -1, 2})}))
          .with_out(),
      make_row("dot(Tensor input, Tensor other) -> Tensor",
               "The sum of the products of two vectors' elements.", dot,
               SAMPLES({row, row}, {arange(4), arange(4)}))
          .with_out(),
      make_row("outer(Tensor input, Tensor vec2) -> Tensor",
               "All products of an element of input with one of vec2.", outer,
               SAMPLES({row, row}, {arange(4), row}))
          .also({"ger"})
          .with_out(),
      make_row("addmm(Tensor input, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> "
               "Tensor",
               "beta * input + alpha * (mat1 times mat2).", addmm,
               SAMPLES({tensor({1.f, 2.f}), x, y, Scalar(1), Scalar(1)},
                       {tensor({{1, 2}, {3, 4}}), ints, ints.t(), Scalar(2), Scalar(-1)}))
          .with_in_place()
          .with_out(),
  };
}

}  // namespace tamis
