// Order: the part of a backend that compares elements with each other.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "backend/buffer.h"
#include "tamis/dtype.h"

namespace tamis {

/// The element types that have an order: all except complex numbers.
template <class T>
inline constexpr bool kOrdered =
    std::is_arithmetic_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

inline bool has_order(DType dtype) {
  return visit_dtype(dtype, [](auto v) { return kOrdered<decltype(v)>; });
}

/// `count` contiguous slices of `size` elements, one after the other.
struct Slices {
  Buffer buffer;
  DType dtype{};
  int64_t count = 0, size = 0;
};

/// The order is that of numbers, with NaN last and the two zeros equal; among equal elements the
/// one with the smaller index comes first, in descending order too. Indices count within a slice.
/// Arguments have been checked; nothing throws except allocation.
class OrderBackend {
 public:
  virtual ~OrderBackend() = default;

  /// Every slice in order; values have x's dtype, indices are int64 here and below.
  virtual void sort(const Slices& x, bool descending, const Buffer& values,
                    const Buffer& indices) = 0;
  /// The first k of what sort gives, k >= 1.
  virtual void top(const Slices& x, int64_t k, bool descending, const Buffer& values,
                   const Buffer& indices) = 0;
  /// The elements at `ranks` of each slice in ascending order: ranks (the host's), values and
  /// indices are [x.count, per_slice]. The index is the smallest among equals; indices may be null.
  virtual void select(const Slices& x, std::span<const int64_t> ranks, int64_t per_slice,
                      const Buffer& values, const Buffer& indices) = 0;
  /// The most frequent element of each slice, the smallest one among several; NaNs are all
  /// different. The index is the smallest.
  virtual void mode(const Slices& x, const Buffer& values, const Buffer& indices) = 0;
  /// Where each of `per_slice` values (of x's dtype) of each slice belongs in the sorted slice:
  /// before (right: after) the elements equal to it. A single slice of x serves all; sorter, if
  /// not null, has x's shape and says at which index each sorted element is.
  virtual void search(const Slices& x, const Buffer& sorter, const Buffer& values, int64_t slices,
                      int64_t per_slice, bool right, const Buffer& out) = 0;
};

}  // namespace tamis
