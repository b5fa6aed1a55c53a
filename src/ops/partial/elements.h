// Elements of states that are ordered: their bits, keys and positions.
#pragma once

#include <bit>
#include <cstring>
#include <vector>

#include "core/keys.h"
#include "ops/partial/bytes.h"
#include "ops/partial/part.h"

namespace tamis::partial {

/// The bits of an element in memory.
inline uint64_t bits_at(const char* element, size_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, size);
  return bits;
}

/// The key of an element with these bits.
template <class T>
uint64_t key_of_bits(uint64_t bits) {
  using K = Keys<T>;
  return K::of(std::bit_cast<typename K::Element>(static_cast<typename K::Key>(bits)));
}
inline uint64_t key_of_bits(DType dtype, uint64_t bits) {
  return visit_real(dtype, [&]<class T>(T) { return key_of_bits<T>(bits); });
}
inline bool is_nan_key(DType dtype, uint64_t key) {
  return visit_real(
      dtype, [&]<class T>(T) { return Keys<T>::is_nan(static_cast<typename Keys<T>::Key>(key)); });
}
inline bool bits_fit(DType dtype, uint64_t bits) {
  return itemsize(dtype) == 8 || bits >> 8 * itemsize(dtype) == 0;
}

/// A 1-d tensor of elements with these bits.
Tensor from_bits(const std::vector<uint64_t>& bits, DType dtype, const Shape& shape);

/// The kept elements of a part, 1-d, contiguous, and where each of them is.
class Kept {
 public:
  Kept(const char* state, const Tensor& x, const Tensor& mask, const Part& part);
  const Tensor& values() const { return values_; }
  const Shape& whole() const { return place_.whole(); }
  /// The index in the whole of one of the values.
  int64_t position(int64_t value) const {
    return place_.position(indices_.defined() ? indices_.data<int64_t>()[value] : value);
  }

 private:
  Place place_;
  Tensor values_, indices_;
};

}  // namespace tamis::partial
