// Activations: the pointwise functions of neural networks, as in torch.nn.functional. All are
// deferred.
#pragma once

#include <cstdint>
#include <string>

#include "tamis/tensor.h"

namespace tamis {

// They take floating point numbers and keep dtype and shape. Where nothing else is said, other
// dtypes are refused.

/// x times the share of a normal distribution below x; "tanh" approximates it by that function.
Tensor gelu(const Tensor& x, const std::string& approximate = "none");
/// x * sigmoid(x). Takes complex numbers too.
Tensor silu(const Tensor& x);
/// x * tanh(softplus(x)).
Tensor mish(const Tensor& x);
/// log(sigmoid(x)), without overflow.
Tensor logsigmoid(const Tensor& x);
/// x, or negative_slope * x where it is not positive.
Tensor leaky_relu(const Tensor& x, double negative_slope = 0.01);
/// x, or alpha * (exp(x) - 1) where it is not positive.
Tensor elu(const Tensor& x, double alpha = 1);
/// x, or alpha * (exp(x / alpha) - 1) where it is not positive; alpha is not 0.
Tensor celu(const Tensor& x, double alpha = 1);
/// elu with the scale and alpha that keep mean 0 and variance 1.
Tensor selu(const Tensor& x);
/// log(1 + exp(beta * x)) / beta; x itself where beta * x exceeds threshold.
Tensor softplus(const Tensor& x, double beta = 1, double threshold = 20);
/// x limited to [min_val, max_val]. Takes integers too.
Tensor hardtanh(const Tensor& x, double min_val = -1, double max_val = 1);
/// x limited to [0, 6]. Takes integers too.
Tensor relu6(const Tensor& x);
/// x, or 0 where |x| <= lambd; softshrink moves the others toward 0 by lambd.
Tensor hardshrink(const Tensor& x, double lambd = 0.5);
Tensor softshrink(const Tensor& x, double lambd = 0.5);
/// x / 6 + 1/2 limited to [0, 1], and x times that.
Tensor hardsigmoid(const Tensor& x);
Tensor hardswish(const Tensor& x);
/// x, or value where it is not above threshold. Takes integers too.
Tensor threshold(const Tensor& x, double threshold, double value);
/// x, or weight * x where it is not positive; weight has one element, or one for each index of x's
/// dimension 1 (0, if there is no other).
Tensor prelu(const Tensor& x, const Tensor& weight);
/// The first half of x along dim times the sigmoid of the second.
Tensor glu(const Tensor& x, int64_t dim = -1);
/// x / (1 + |x|), and x - tanh(x). Both take numbers of every kind.
Tensor softsign(const Tensor& x);
Tensor tanhshrink(const Tensor& x);

}  // namespace tamis
