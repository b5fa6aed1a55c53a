// Results: selections whose size depends on data, in other forms than one exact tensor: later,
// padded to a size, row by row, in two parts.
#pragma once

#include <optional>
#include <utility>

#include "tamis/future.h"
#include "tamis/tensor.h"

namespace tamis {

// ---- later --------------------------------------------------------------------------------------
// The result is computed on the pool while the caller goes on. It is what it would have been at the
// call: a write to an input waits until the work is done. Arguments are checked at the call.
//
//   Future<Tensor> found = masked_select_async(x, x > 0);
//   Future<double> total = found.then([](const Tensor& t) { return t.sum().item<double>(); });
//   x.zero_();                            // waits if it must
//   std::cout << total.get();

/// masked_select(x, mask)
Future<Tensor> masked_select_async(const Tensor& x, const Tensor& mask);
/// x[mask]
Future<Tensor> masked_index_async(const Tensor& x, const Tensor& mask);
Future<Tensor> nonzero_async(const Tensor& x);

// ---- padded to a size ---------------------------------------------------------------------------
// The shape of the result is known beforehand. What is kept comes first, then `fill`; if more than
// `size` are kept, the result holds the first `size` of them. count, a 0-d int64 tensor, is the
// number of all that the mask keeps, so `count > size` tells. size must not be negative; fill must
// fit the dtype.

/// masked_select(x, mask) as [size], and the count.
std::pair<Tensor, Tensor> masked_select_padded(const Tensor& x, const Tensor& mask, int64_t size,
                                               Scalar fill = 0);
/// x[mask] as [size, rest of x's shape], and the count.
std::pair<Tensor, Tensor> masked_index_padded(const Tensor& x, const Tensor& mask, int64_t size,
                                              Scalar fill = 0);
/// nonzero(x) as [size, x.dim()], as in PyTorch.
Tensor nonzero_static(const Tensor& x, int64_t size, int64_t fill_value = -1);

// ---- row by row ---------------------------------------------------------------------------------

/// Rows of different lengths: row i is values[offsets[i]], ..., values[offsets[i + 1] - 1].
struct Jagged {
  Tensor values;   ///< [total, ...]
  Tensor offsets;  ///< int64 [rows + 1], from 0 to total, never decreasing
};

/// What mask keeps of each row along dim of the shape that x and mask broadcast to. The rows are in
/// row-major order of the other dimensions; values is 1-d.
Jagged masked_select_rows(const Tensor& x, const Tensor& mask, int64_t dim = -1);
/// The rows one below the other: [rows, size, rest of values' shape], short ones filled up with
/// fill, long ones cut. size defaults to the longest row. Refuses offsets that do not describe
/// values.
Tensor to_padded(const Tensor& values, const Tensor& offsets, std::optional<int64_t> size = {},
                 Scalar fill = 0);
inline Tensor to_padded(const Jagged& x, std::optional<int64_t> size = {}, Scalar fill = 0) {
  return to_padded(x.values, x.offsets, size, fill);
}
/// Where to_padded has values: bool [rows, size], structured (see masks.h).
Tensor jagged_mask(const Tensor& offsets, std::optional<int64_t> size = {});

// ---- in two parts -------------------------------------------------------------------------------

/// masked_select(x, mask) and masked_select(x, ~mask), in one pass over x.
std::pair<Tensor, Tensor> partition(const Tensor& x, const Tensor& mask);

}  // namespace tamis
