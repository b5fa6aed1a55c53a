// Attention: sums of values, weighted by how well their keys fit the queries.
#pragma once

#include <optional>

#include "tamis/results.h"
#include "tamis/tensor.h"

namespace tamis {

// The scores are never stored as a whole: they are computed for some queries at a time, and for
// gradients again, so it takes memory in O(L + S) beside arguments and result. A structured mask
// (masks.h: causal, sliding_window, from_lengths, documents, and what `&` makes of them) is not
// stored either, and keys that it keeps for none of these queries cost nothing. Only second
// derivatives keep all the weights.
//
//   Tensor y = scaled_dot_product_attention(q, k, v, masks::sliding_window(4096, 256));

/// softmax(query @ key^T * scale) @ value, as in PyTorch 2: query [..., L, E], key [..., S, E],
/// value [..., S, Ev], result [..., L, Ev]. Leading dimensions broadcast. All have one floating
/// point dtype; float16 and bfloat16 are computed in float32 and rounded once. attn_mask broadcasts
/// to [..., L, S]: a bool mask keeps where it is true, a floating point mask is added to the
/// scores, and its -infinity masks out. What is masked out reaches nothing, even if its key or
/// value is NaN; a query of which nothing is kept gives 0. is_causal is the mask masks::causal(L,
/// S), and no other may be given with it. dropout_p sets weights to 0 with that probability and
/// divides the others by 1 - dropout_p, with numbers of default_generator(); there is no mode in
/// which it is ignored. scale is 1 / sqrt(E) unless given. With enable_gqa, key and value may have
/// fewer heads (dimension -3) than query, each of which serves several one after the other.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const std::optional<Tensor>& attn_mask = {},
                                    double dropout_p = 0, bool is_causal = false,
                                    std::optional<double> scale = {}, bool enable_gqa = false);

/// The same for sequences of different lengths, one after the other: values [total, ..., E], whose
/// dimensions in between are heads, and offsets. The queries of sequence i see the keys of sequence
/// i, with is_causal those up to their own position in it. key and value have the same offsets.
/// Nothing is padded. The result has the offsets of query.
Jagged scaled_dot_product_attention(const Jagged& query, const Jagged& key, const Jagged& value,
                                    bool is_causal = false, std::optional<double> scale = {});

}  // namespace tamis
