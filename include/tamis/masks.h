// Mask builders: bool tensors from lengths, indices, token ids, diagonals, ranges and document ids.
// True keeps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tamis/tensor.h"

/// Those marked *structured* take no memory per element: each row is an interval that is known from
/// the arguments, so they are counted in closed form, and selections by them copy whole runs. They
/// are ordinary bool tensors otherwise.
namespace tamis::masks {

/// Padding mask. lengths: integers of any shape [...]; result [..., max_len], true at position j <
/// length. Structured. max_len defaults to the largest length. A negative length, or one above
/// max_len, is an error of kind value.
Tensor from_lengths(const Tensor& lengths, std::optional<int64_t> max_len = {});

/// 1-d mask of size n that is `value` at the given positions and `!value` elsewhere. Negative
/// indices count from the end; the list may be empty; out of range is an error of kind index.
Tensor from_indices(int64_t n, const std::vector<int64_t>& indices, bool value = true);
/// The same for a shape: indices are flat, row-major positions.
Tensor from_indices(const Shape& shape, const std::vector<int64_t>& indices, bool value = true);
/// indices as a tensor: 1-d of flat positions, or [count, shape.size()] coordinates as `nonzero`
/// gives them.
Tensor from_indices(const Shape& shape, const Tensor& indices, bool value = true);

/// True where tokens holds one of ids; an empty list keeps nothing.
Tensor keep_token_ids(const Tensor& tokens, const std::vector<int64_t>& ids);
/// True where tokens holds none of ids; an empty list drops nothing.
Tensor drop_token_ids(const Tensor& tokens, const std::vector<int64_t>& ids);

/// [n, m] (m defaults to n): query i sees keys j <= i + offset. offset 0 aligns the upper left
/// corner, as PyTorch does; m - n aligns the lower right one, as a cache of past keys needs.
/// Structured.
Tensor causal(int64_t n, std::optional<int64_t> m = {}, int64_t offset = 0);
/// [n, m]: true where -lower <= j - i <= upper. Structured.
Tensor band(int64_t n, int64_t m, int64_t lower, int64_t upper);
/// [n, n]: query i sees the last `window` keys up to itself, i - window < j <= i; and window - 1
/// after it unless causal. Structured.
Tensor sliding_window(int64_t n, int64_t window, bool causal = true);

/// lo <= x <= hi, both ends included; NaN is outside. lo and hi broadcast. Numbers are compared by
/// value, where the operators convert them to x's dtype: between(x, -1, 300) is true for every
/// uint8. Deferred.
Tensor between(const Tensor& x, const Tensor& lo, const Tensor& hi);

/// ids: integers [n] (document of each position); result [n, n], true where both positions are of
/// the same document. Structured if equal ids are adjacent.
Tensor documents(const Tensor& ids);

/// The mask of `count` elements (by default all) whose bits are in bytes (uint8, row-major):
/// "little", bit i % 8 of byte i / 8 is element i, as in Arrow's bitmaps and
/// numpy.packbits(bitorder="little"); "big" begins with the highest bit, as numpy.packbits does by
/// default. A little one on the CPU shares the memory, and stays bits until someone asks for its
/// bytes. Errors of kind dtype for other bits, of kind value for a count that there are not enough
/// of.
///
///     masks::from_bits(tensor({5}).to(uint8), 3)   // true, false, true
Tensor from_bits(const Tensor& bits, std::optional<int64_t> count = {},
                 const std::string& bitorder = "little");
/// The reverse: the elements of a mask of any shape, row-major, as uint8 [(numel + 7) / 8]; bits
/// after the last are zero. A mask that is kept as bits shares them.
Tensor to_bits(const Tensor& mask, const std::string& bitorder = "little");

}  // namespace tamis::masks
