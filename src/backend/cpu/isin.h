// ProbedSet: a set of numbers prepared for looking up many elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "backend/backend.h"

namespace tamis {

namespace cpu {

/// Made by make_isin_set, which chooses the cheapest kind.
class ProbedSet : public IsinSet {
 public:
  /// Bit i of mask (bit i % 64 of word i / 64) = whether x[i] is in the set, for n elements of the
  /// dtype that the set was made for; the bits of the last word beyond n become zero.
  virtual void probe(const void* x, uint64_t* mask, size_t n) const = 0;
};

/// A set of n numbers that elements of dtype `elements` are looked up in.
std::shared_ptr<const ProbedSet> make_isin_set(const void* data, DType dtype, int64_t n,
                                               DType elements);

}  // namespace cpu

}  // namespace tamis
