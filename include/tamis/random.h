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
/// Numbers of events where x (floating point, not negative) are expected, dtype of x.
Tensor poisson(const Tensor& x, std::optional<Generator> generator = {});
/// How many of count trials succeed, each with the probability prob. Both are of one floating point
/// dtype and broadcast. No trials, and a prob below 0, give 0; above 1 all succeed.
Tensor binomial(const Tensor& count, const Tensor& prob, std::optional<Generator> generator = {});
/// Normal with these means and standard deviations, which broadcast, or are numbers beside a shape.
/// Refuses a negative std.
Tensor normal(const Tensor& mean, const Tensor& std, std::optional<Generator> generator = {});
Tensor normal(double mean, double std, const Shape& shape, const Options& options = {},
              std::optional<Generator> generator = {});
Tensor randint_like(const Tensor& x, int64_t low, int64_t high, const Options& options = {});
Tensor rand_like(const Tensor& x, const Options& options = {});
Tensor randn_like(const Tensor& x, const Options& options = {});

// ---- in place: x's elements replaced by random numbers -------------------------------------------
// Floating point only, except for bernoulli_, geometric_ and random_. Numbers are drawn in x's
// dtype, those of exponential_ and the like by inverting uniform ones.

/// Uniform in [from, to).
Tensor& uniform_(Tensor& x, double from = 0, double to = 1,
                 std::optional<Generator> generator = {});
/// Normal; std is not negative.
Tensor& normal_(Tensor& x, double mean = 0, double std = 1,
                std::optional<Generator> generator = {});
/// exp of a normal number.
Tensor& log_normal_(Tensor& x, double mean = 1, double std = 2,
                    std::optional<Generator> generator = {});
/// With density lambd exp(-lambd x).
Tensor& exponential_(Tensor& x, double lambd = 1, std::optional<Generator> generator = {});
/// Cauchy's distribution around median, half of it within sigma.
Tensor& cauchy_(Tensor& x, double median = 0, double sigma = 1,
                std::optional<Generator> generator = {});
/// The number of trials up to the first success, whose probability p is above 0 and below 1.
Tensor& geometric_(Tensor& x, double p, std::optional<Generator> generator = {});
/// 1 with the probability p (a number, or one for each element, which broadcast), else 0.
Tensor& bernoulli_(Tensor& x, const Tensor& p = 0.5, std::optional<Generator> generator = {});
/// Integers from `from` up to but excluding `to`; without `to` up to the largest that x holds, or
/// all integers that its floating point holds exactly.
Tensor& random_(Tensor& x, int64_t from = 0, std::optional<int64_t> to = {},
                std::optional<Generator> generator = {});

}  // namespace tamis
