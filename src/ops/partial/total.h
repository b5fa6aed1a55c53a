// Total: exact sums of elements and of their squares, with what NaN and infinities make of them.
#pragma once

#include <optional>
#include <vector>

#include "ops/partial/exact.h"
#include "tamis/tensor.h"

namespace tamis::partial {

/// An exact sum, and which elements were not finite.
struct Total {
  enum Special : uint8_t { nan = 1, infinity = 2, minus_infinity = 4 };

  Exact sum;
  uint8_t special = 0;

  void add_special(double v);
  void add(const Total& other) {
    sum.add(other.sum);
    special |= other.special;
  }
  /// NaN, or an infinity; 0 if all were finite.
  double special_sum() const;
  void write(ByteWriter& out) const;
  static Total read(ByteReader& in);
};

/// Adds n elements that follow each other, of a real dtype, or those of them where keep is not 0.
/// With squares, adds theirs to it too; elements that are not finite only count in `sum`.
void add_elements(DType dtype, const void* elements, const uint8_t* keep, int64_t n, Total& sum,
                  Exact* squares);

/// Writes a number that a floating point dtype can hold.
void store_number(double value, DType dtype, void* to);

/// The sums of elements of dtype `from` as a tensor: rounded once to the given dtype, or to that of
/// sum; integers wrap around. Complex numbers have two totals each.
Tensor sums_of(const std::vector<Total>& totals, DType from, const Shape& shape,
               std::optional<DType> dtype);

/// Refuses (kind format) a total that elements of that dtype cannot have.
void check_total(const Total& total, DType dtype);

}  // namespace tamis::partial
