// Sequences: padding, packing and unpacking of rows that have different lengths.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tamis/results.h"

namespace tamis {

/// Sequences [length, ...] of one list in one tensor [longest, count, ...] ([count, longest, ...]
/// with batch_first), with padding_value after ("right") or before ("left") the shorter ones. The
/// dtype is that of the first sequence, and so are the sizes after the length.
Tensor pad_sequence(const std::vector<Tensor>& sequences, bool batch_first = false,
                    Scalar padding_value = 0.0, const std::string& padding_side = "right");

/// The kept steps of a padded batch [..., time, rest], one sequence after the other: values [total,
/// rest], and where each sequence begins. mask is bool [..., time] and need not be contiguous runs.
Jagged pack(const Tensor& padded, const Tensor& mask);
/// The same for sequences that fill the first `lengths` steps; lengths is of shape [...].
Jagged pack_padded(const Tensor& padded, const Tensor& lengths);
/// The way back: [rows, size, rest of values' shape] filled up with fill, and the mask [rows, size]
/// of what is not filling. size defaults to the longest row; longer rows are cut.
std::pair<Tensor, Tensor> unpack(const Tensor& values, const Tensor& offsets,
                                 std::optional<int64_t> size = {}, Scalar fill = 0);
inline std::pair<Tensor, Tensor> unpack(const Jagged& x, std::optional<int64_t> size = {},
                                        Scalar fill = 0) {
  return unpack(x.values, x.offsets, size, fill);
}

/// x with pad[0] elements before and pad[1] after in the last dimension, pad[2] and pad[3] in the
/// one before it, and so on; negative numbers cut off. mode "constant" pads with value (default 0);
/// "reflect", "replicate" and "circular" take no value, and pad the last one to three dimensions of
/// an x that has one or two more, as in PyTorch. Always a copy.
Tensor pad(const Tensor& x, const Shape& pad, const std::string& mode = "constant",
           std::optional<Scalar> value = {});

}  // namespace tamis
