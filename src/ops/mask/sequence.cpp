// Sequences: padding lists of sequences, packing padded batches, and back.
#include <algorithm>

#include "autograd/node.h"
#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/jagged.h"
#include "ops/mask_args.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

Tensor pad_sequence(const std::vector<Tensor>& sequences, bool batch_first, Scalar padding_value,
                    const std::string& padding_side) {
  check(!sequences.empty(), ErrorKind::value, "received an empty list of sequences");
  check(padding_side == "left" || padding_side == "right", ErrorKind::value,
        "Expected padding_side to be one of left or right, but got {}.", padding_side);
  int64_t longest = 0;
  for (const Tensor& x : sequences) {
    check(x.dim() > 0, ErrorKind::shape,
          "pad_sequence: expected sequences of at least one dimension, but got a 0-d tensor");
    longest = std::max(longest, x.size(0));
  }
  Shape shape = sequences[0].shape();
  for (const Tensor& x : sequences) {
    Shape expected = shape;
    expected[0] = x.size(0);
    check(broadcast_shapes(x.shape(), expected) == expected, ErrorKind::shape,
          "pad_sequence: a sequence of shape {} does not fit the first one, of shape {}", x.shape(),
          shape);
  }
  shape[0] = longest;
  shape.insert(batch_first ? 0 : 1, static_cast<int64_t>(sequences.size()));
  const DType dtype = sequences[0].dtype();
  check_fits(padding_value, dtype);
  const Tensor result = full_on(backend_of(sequences[0]), shape, padding_value, dtype);
  std::vector<int64_t> lengths;
  for (const Tensor& x : sequences) lengths.push_back(x.size(0));
  const auto part = [batch_first, left = padding_side == "left", longest, lengths](
                        const Tensor& whole, size_t i) {
    const Tensor row = whole.select(batch_first ? 0 : 1, static_cast<int64_t>(i));
    return row.narrow(0, left ? longest - lengths[i] : 0, lengths[i]);
  };
  for (size_t i = 0; i < sequences.size(); ++i) store(part(result, i), sequences[i]);
  if (carries_gradient(result.dtype()) && is_tracked(sequences)) {
    record(result, "pad_sequence", Flow::moves, sequences, {},
           [part, n = sequences.size()](const Tensor& g, std::span<const Tensor>) {
             Gradients parts;
             for (size_t i = 0; i < n; ++i) parts.push_back(part(g, i));
             return parts;
           });
  }
  return result;
}

Jagged pack(const Tensor& padded, const Tensor& mask) {
  check_mask(mask, "pack: expected BoolTensor for mask, but got");
  check(mask.dim() > 0, ErrorKind::shape, "pack: mask must have at least one dimension");
  const Tensor values = padded[mask];
  return {values, offsets_of(mask)};
}

Jagged pack_padded(const Tensor& padded, const Tensor& lengths) {
  check(padded.dim() > lengths.dim(), ErrorKind::shape,
        "pack_padded: padded must have more dimensions than lengths, but got {} and {}",
        padded.shape(), lengths.shape());
  return pack(padded, masks::from_lengths(lengths, padded.size(lengths.dim())));
}

std::pair<Tensor, Tensor> unpack(const Tensor& values, const Tensor& offsets,
                                 std::optional<int64_t> size, Scalar fill) {
  return {to_padded(values, offsets, size, fill), jagged_mask(offsets, size)};
}

std::vector<Row> sequence_rows() {
  const Tensor batch = SAMPLE(arange(12.f).view({2, 3, 2}));
  const Tensor offsets = SAMPLE(tensor({0, 2, 2, 5}));
  const std::vector<Tensor> list =
      SAMPLE(std::vector<Tensor>{tensor({1.f, 2.f, 3.f}), tensor({4.f}), tensor({5.f, 6.f})});
  const std::vector<Tensor> pairs =
      SAMPLE(std::vector<Tensor>{tensor({{1, 2}}), tensor({{3, 4}, {5, 6}})});
  const Value none;
  return {
      make_row("pad_sequence(Tensor[] sequences, bool batch_first=False, Scalar padding_value=0.0, "
               "str padding_side='right') -> Tensor",
               "Sequences of different lengths in one tensor, the shorter ones filled up.",
               pad_sequence,
               SAMPLES({list, false, Scalar(0.), std::string("right")},
                       {list, true, Scalar(-1.), std::string("left")},
                       {pairs, true, Scalar(7), std::string("right")},
                       {pairs, false, Scalar(0), std::string("left")})),
      make_row(
          "pack(Tensor padded, Tensor|bool[] mask) -> (Tensor values, Tensor offsets)",
          "The steps of a padded batch that mask keeps, one sequence after the other, and where "
          "each begins.",
          +[](const Tensor& padded, const Tensor& mask) {
            const Jagged rows_of = pack(padded, mask);
            return std::pair(rows_of.values, rows_of.offsets);
          },
          SAMPLES({batch, tensor({{true, false, true}, {false, true, false}})},
                  {tensor({1, 2, 3}), tensor({true, false, true})})),
      make_row(
          "pack_padded(Tensor padded, Tensor|int[] lengths) -> (Tensor values, Tensor offsets)",
          "The first `lengths` steps of a padded batch, one sequence after the other, and where "
          "each begins.",
          +[](const Tensor& padded, const Tensor& lengths) {
            const Jagged rows_of = pack_padded(padded, lengths);
            return std::pair(rows_of.values, rows_of.offsets);
          },
          SAMPLES({batch, tensor({1, 3})}, {batch, tensor({0, 0})})),
      make_row(
          "unpack(Tensor values, Tensor|int[] offsets, int? size=None, Scalar fill=0) -> "
          "(Tensor padded, Tensor mask)",
          "Packed sequences as a padded batch, and the mask of what is not padding.",
          +[](const Tensor& values, const Tensor& at, std::optional<int64_t> size, Scalar fill) {
            return unpack(values, at, size, fill);
          },
          SAMPLES({tensor({1.f, 2.f, 3.f, 4.f, 5.f}), offsets, none, Scalar(0)},
                  {arange(10).view({5, 2}), offsets, int64_t{4}, Scalar(7)})),
  };
}

}  // namespace tamis
