// What the indexing ops share: integer index tensors, checked, and the elements they name.
#pragma once

#include <functional>
#include <vector>

#include "backend/indexed.h"
#include "tamis/tensor.h"

namespace tamis {

/// The integers of an index tensor as int64 in memory, without the repeats of an expanded one.
class Indices {
 public:
  /// Of x, which must be on the same device.
  Indices(const Tensor& index, const Tensor& x);

  /// Calls refuse(i), which throws, with the first integer i that is not in [low, high).
  void check_within(int64_t low, int64_t high, const std::function<void(int64_t)>& refuse) const;
  /// "index 5 is out of bounds for dimension 0 with size 3", of kind index, unless all of them are
  /// in [-size, size).
  void check_within(int64_t size, int64_t dim) const;

  /// Broadcast to `shape`, for a dimension of this size and stride. Valid as long as this object.
  IndexColumn column(const Shape& shape, int64_t size, int64_t step) const;

 private:
  Tensor numbers_;  // int64, contiguous; repeated dimensions have size 1
};

/// The elements of a vector that a few integers in the CPU's memory name, without the preparations
/// that many are worth. Undefined if it is not as simple, or if one is out of range: what raises
/// errors is elsewhere. Negative ones count from the end, or are out of range, too.
Tensor take_few(const Tensor& x, const Tensor& index, bool counts_from_end);

/// The indexed elements of x, counted from its element at `first`, in a new tensor of their shape.
Tensor take_elements(const Tensor& x, const IndexedElements& indexed, int64_t first = 0);
/// Combines value, cast to target's dtype and broadcast, into the indexed elements of target.
/// Everything has been checked: value and the indices share no memory with target, which has no
/// internal overlap.
void put_elements(const Tensor& target, const IndexedElements& indexed, const Tensor& value,
                  Combine combine);

/// value without its leading dimensions of size 1, as PyTorch takes it in assignments.
Tensor without_leading_ones(Tensor value);
bool broadcasts_to(const Shape& from, const Shape& to);

/// Refuses a mask or index tensor of another dtype than bool, int64 or int32 (0-d: any signed
/// integers).
void check_index_dtype(const Tensor& index);
/// Refuses a mask whose sizes are not those of x from dimension `first` on.
void check_mask_sizes(const Tensor& x, const Tensor& mask, int64_t first);
/// Refuses what x[index] refuses for a single mask or index tensor.
void check_single_index(const Tensor& x, const Tensor& index);
/// x[mask] for a mask of the leading dimensions.
Tensor take_masked(const Tensor& x, const Tensor& mask);
/// x[mask] = value for a mask of the leading dimensions. A mask that no one else holds is moved in,
/// and runs fused into the write.
void put_masked(const Tensor& x, Tensor mask, const Tensor& value);

}  // namespace tamis
