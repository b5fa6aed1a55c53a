// IsinSet: a set of numbers prepared for looking up many elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "backend/backend.h"

namespace tamis {

/// Made by cpu::make_isin_set, which chooses the cheapest kind. Elements are compared exactly: a
/// value that their dtype cannot represent equals none of them, NaN equals nothing, -0 equals +0.
class IsinSet {
 public:
  virtual ~IsinSet() = default;

  /// Bit i of mask (bit i % 64 of word i / 64) = whether x[i] is in the set, for n elements of the
  /// dtype that the set was made for; the bits of the last word beyond n become zero.
  virtual void probe(const void* x, uint64_t* mask, size_t n) const = 0;
};

namespace cpu {

/// A set of n numbers that elements of dtype `elements` are looked up in.
std::shared_ptr<const IsinSet> make_isin_set(const void* data, DType dtype, int64_t n,
                                             DType elements);

}  // namespace cpu

}  // namespace tamis
