// Linear algebra: products of matrices and vectors, as PyTorch names and shapes them.
#pragma once

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

inline Tensor Tensor::matmul(const Tensor& other) const { return tamis::matmul(*this, other); }
inline Tensor Tensor::mm(const Tensor& mat2) const { return tamis::mm(*this, mat2); }
inline Tensor Tensor::bmm(const Tensor& mat2) const { return tamis::bmm(*this, mat2); }
inline Tensor Tensor::mv(const Tensor& vec) const { return tamis::mv(*this, vec); }
inline Tensor Tensor::dot(const Tensor& other) const { return tamis::dot(*this, other); }
inline Tensor Tensor::outer(const Tensor& vec2) const { return tamis::outer(*this, vec2); }

}  // namespace tamis
