// Random numbers: counter-based (Philox), so equal for any number of threads.
#pragma once

#include <cstdint>
#include <optional>

#include "tamis/generator.h"
#include "tamis/options.h"
#include "tamis/tensor.h"

namespace tamis {

/// Restarts the stream that all random functions of the process draw from, unless they are given a
/// generator (generator.h).
void manual_seed(uint64_t seed);
/// Uniform in [0, 1); float32 unless another dtype is given.
Tensor rand(const Shape& shape, const Options& options = {},
            std::optional<Generator> generator = {});
/// Standard normal; float32 unless another dtype is given.
Tensor randn(const Shape& shape, const Options& options = {},
             std::optional<Generator> generator = {});
/// low <= x < high; int64 unless another dtype is given.
Tensor randint(int64_t low, int64_t high, const Shape& shape, const Options& options = {},
               std::optional<Generator> generator = {});
Tensor randint(int64_t high, const Shape& shape, const Options& options = {},
               std::optional<Generator> generator = {});
/// 0 to n - 1 in random order; int64 unless another dtype is given.
Tensor randperm(int64_t n, const Options& options = {}, std::optional<Generator> generator = {});
/// 1 with the probability that p gives for each element, else 0; dtype of p.
Tensor bernoulli(const Tensor& p, std::optional<Generator> generator = {});
/// The indices of num_samples elements of each row of p (floating point, [n] or [rows, n]), drawn
/// with probabilities in proportion to the elements, int64 [num_samples] or [rows, num_samples].
/// Without replacement no index is drawn twice; a row that has fewer elements above zero than that
/// needs is refused, as are elements that are negative or not finite.
Tensor multinomial(const Tensor& p, int64_t num_samples, bool replacement = false,
                   std::optional<Generator> generator = {});
Tensor rand_like(const Tensor& x, const Options& options = {});
Tensor randn_like(const Tensor& x, const Options& options = {});

}  // namespace tamis
