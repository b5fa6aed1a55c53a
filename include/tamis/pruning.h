// Masks from values: pruning of weights, and which tokens to sample from. True keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "tamis/tensor.h"

/// All of these are bool tensors of the shape of their first argument, without gradients. Where
/// equal elements compete, those with the lowest index are kept, so that numbers are exact.
namespace tamis::masks {

// ---- pruning ------------------------------------------------------------------------------------

/// How much to prune or to keep: a share of the elements from 0 to 1 (0.5, a double), rounded to
/// the nearest number of them, halves to even, as torch.nn.utils.prune does; or their number (3).
using Amount = std::variant<int64_t, double>;

/// True for all but the `amount` elements of smallest magnitude, among all elements or among those
/// of each row along dim: the mask of torch.nn.utils.prune.l1_unstructured. Magnitude is that of
/// abs, also where the dtype cannot hold it (-128 as int8); NaN counts as infinite. x is of any
/// dtype. An amount that is negative or more than there is is an error of kind value.
///
///     masks::prune_magnitude(tensor({3., -1., 0.5, -4.}), 0.5)   // true, false, false, true
Tensor prune_magnitude(const Tensor& x, Amount amount, std::optional<int64_t> dim = {});
/// The same with the amount that is kept: true for the `amount` elements of largest magnitude.
Tensor keep_magnitude(const Tensor& x, Amount amount, std::optional<int64_t> dim = {});
/// N:M sparsity: true for the n elements of largest magnitude of every m along dim, which begin at
/// index 0. The size must be a multiple of m (kind shape), n from 0 to m (kind value).
///
///     masks::n_of_m(weight, 2, 4)   // what sparse tensor cores take
Tensor n_of_m(const Tensor& x, int64_t n, int64_t m, int64_t dim = -1);

// ---- sampling -----------------------------------------------------------------------------------
// Which tokens to sample from, given floating point logits with the tokens along dim; the others
// are ruled out by logits.masked_fill(~mask, -INFINITY). Logits of -infinity or NaN are never kept,
// so a row of nothing else keeps none; if some are infinite, they share all probability. k, p and
// min_p are a number, or a tensor with one for each row: of the logits' shape without dim, or with
// size 1 there. Values out of range are errors of kind value.

/// True for the k largest logits along dim, k >= 1 (a number, or one for each row); for all if
/// there are no more than k. Those of -infinity and NaN are never kept. Of logits that equal the
/// k-th, the first are kept, where Hugging Face keeps all.
Tensor top_k(const Tensor& logits, const Tensor& k, int64_t dim = -1);
/// True for the smallest set of most probable tokens whose probabilities add up to p (0 to 1) or
/// more: nucleus sampling. At least min_tokens_to_keep (>= 1) are kept; a p of 1 keeps all. p is a
/// number, or one for each row. Logits of -infinity and NaN are never kept, and have no
/// probability.
///
///     masks::top_p(tensor({.6, .3, .1}).log(), 0.7)   // true, true, false
Tensor top_p(const Tensor& logits, const Tensor& p, int64_t dim = -1,
             int64_t min_tokens_to_keep = 1);
/// True for tokens whose probability is at least min_p (0 to 1) times that of the most probable
/// one, and for the min_tokens_to_keep (>= 1) most probable ones. min_p is a number, or one for
/// each row. Logits of -infinity and NaN are never kept.
Tensor min_p(const Tensor& logits, const Tensor& min_p, int64_t dim = -1,
             int64_t min_tokens_to_keep = 1);

}  // namespace tamis::masks
