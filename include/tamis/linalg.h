// Linear algebra: products of matrices and vectors, contractions and distances, as PyTorch names
// and shapes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tamis/tensor.h"

namespace tamis {

/// The product by rank: two vectors give their dot product, a matrix and a vector (or a vector and
/// a matrix) a vector, two matrices a matrix; of more dimensions the leading ones are batches,
/// which broadcast. Both have the same dtype, not bool. Integers wrap around. float16 and bfloat16
/// are computed in float32 and rounded once. Throws kind shape if inner sizes differ.
Tensor matmul(const Tensor& a, const Tensor& b);
/// [m, k] times [k, n].
Tensor mm(const Tensor& a, const Tensor& b);
/// [b, m, k] times [b, k, n], batch by batch.
Tensor bmm(const Tensor& a, const Tensor& b);
/// [m, k] times [k].
Tensor mv(const Tensor& matrix, const Tensor& vector);
/// The sum of the products of two vectors' elements; neither is conjugated.
Tensor dot(const Tensor& a, const Tensor& b);
/// All products of an element of a with one of b, [a's size, b's size]; deferred. dtypes promote.
Tensor outer(const Tensor& a, const Tensor& b);
/// beta * input + alpha * mm(a, b); input broadcasts to the product. With beta 0 input is ignored,
/// NaN or not.
Tensor addmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta = 1,
             Scalar alpha = 1);

/// The same for other products, which input broadcasts to: a matrix and a vector; two vectors (all
/// products of their elements); two batches of matrices; and those, added up.
Tensor addmv(const Tensor& input, const Tensor& matrix, const Tensor& vector, Scalar beta = 1,
             Scalar alpha = 1);
Tensor addr(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta = 1,
            Scalar alpha = 1);
Tensor baddbmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta = 1,
               Scalar alpha = 1);
Tensor addbmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta = 1,
              Scalar alpha = 1);

// ---- contractions -------------------------------------------------------------------------------

/// The sum of the products of two vectors' elements, those of a conjugated.
Tensor vdot(const Tensor& a, const Tensor& b);
/// The sum of products over the last dimension of both, [rest of a, rest of b]; of a 0-d tensor,
/// the product.
Tensor inner(const Tensor& a, const Tensor& b);
/// The sum of products over the last `dims` dimensions of a and the first of b.
Tensor tensordot(const Tensor& a, const Tensor& b, int64_t dims = 2);
/// The same over dims_a[i] of a and dims_b[i] of b: [rest of a, rest of b].
Tensor tensordot(const Tensor& a, const Tensor& b, const Shape& dims_a, const Shape& dims_b);
/// Einstein's summation: each operand's dimensions are named by letters, equal letters are one
/// dimension, and those that are not after "->" are summed over: "bij,bjk->bik". "..." stands for
/// dimensions that broadcast. Without "->" the result has the letters that occur once, in
/// alphabetical order.
Tensor einsum(const std::string& equation, const std::vector<Tensor>& operands);
/// Each element of a replaced by b times that element.
Tensor kron(const Tensor& a, const Tensor& b);
/// The sum of the diagonal of a matrix.
Tensor trace(const Tensor& x);
/// The vector product along a dimension of size 3, by default the first one; other dimensions
/// broadcast.
Tensor cross(const Tensor& a, const Tensor& b, std::optional<int64_t> dim = {});
/// The powers of a 1-d x as rows, [size of x, n]: the last column is the power 0, or with
/// `increasing` the first.
Tensor vander(const Tensor& x, std::optional<int64_t> n = {}, bool increasing = false);

// ---- distances ----------------------------------------------------------------------------------

/// The p-norms of the differences between the rows of a [..., n, k] and those of b [..., m, k]:
/// [..., n, m]. Floating point only; batches broadcast. The gradient where rows are equal is 0.
/// compute_mode is PyTorch's: how the result is computed, which is always exact here.
Tensor cdist(const Tensor& a, const Tensor& b, double p = 2,
             const std::optional<std::string>& compute_mode = {});
/// The same for each pair of different rows of x [n, k]: 1-d, in the order of the upper triangle.
Tensor pdist(const Tensor& x, double p = 2);
/// The p-norm of all elements of a - b.
Tensor dist(const Tensor& a, const Tensor& b, double p = 2);
/// The p-norm of a - b + eps along the last dimension.
Tensor pairwise_distance(const Tensor& a, const Tensor& b, double p = 2, double eps = 1e-6,
                         bool keepdim = false);
/// The cosine of the angle between a and b along a dimension; norms below eps count as eps.
Tensor cosine_similarity(const Tensor& a, const Tensor& b, int64_t dim = 1, double eps = 1e-8);
/// x with each slice along dim whose p-norm is above maxnorm scaled down to it.
Tensor renorm(const Tensor& x, double p, int64_t dim, double maxnorm);

inline Tensor Tensor::vdot(const Tensor& other) const { return tamis::vdot(*this, other); }
inline Tensor Tensor::inner(const Tensor& other) const { return tamis::inner(*this, other); }
inline Tensor Tensor::kron(const Tensor& other) const { return tamis::kron(*this, other); }
inline Tensor Tensor::trace() const { return tamis::trace(*this); }
inline Tensor Tensor::cross(const Tensor& other, std::optional<int64_t> dim) const {
  return tamis::cross(*this, other, dim);
}
inline Tensor Tensor::dist(const Tensor& other, double p) const {
  return tamis::dist(*this, other, p);
}
inline Tensor Tensor::renorm(double p, int64_t dim, double maxnorm) const {
  return tamis::renorm(*this, p, dim, maxnorm);
}
inline Tensor Tensor::matmul(const Tensor& other) const { return tamis::matmul(*this, other); }
inline Tensor Tensor::mm(const Tensor& mat2) const { return tamis::mm(*this, mat2); }
inline Tensor Tensor::bmm(const Tensor& mat2) const { return tamis::bmm(*this, mat2); }
inline Tensor Tensor::mv(const Tensor& vec) const { return tamis::mv(*this, vec); }
inline Tensor Tensor::dot(const Tensor& other) const { return tamis::dot(*this, other); }
inline Tensor Tensor::outer(const Tensor& vec2) const { return tamis::outer(*this, vec2); }

}  // namespace tamis
