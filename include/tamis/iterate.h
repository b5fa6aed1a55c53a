// Iteration: `for (Tensor row : x)` goes through the slices of the first dimension.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "tamis/tensor.h"

namespace tamis {

/// The iterator of `for (Tensor row : x)`: `*it` is the view x[i]. It keeps x alive, and is at the
/// end when it equals x.end() or std::default_sentinel.
class RowIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Tensor;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Tensor;

  RowIterator() = default;
  RowIterator(Tensor x, int64_t at) : x_(std::move(x)), at_(at) {}

  Tensor operator*() const { return x_.select(0, at_); }
  RowIterator& operator++() {
    ++at_;
    return *this;
  }
  RowIterator operator++(int) {
    RowIterator before = *this;
    ++at_;
    return before;
  }
  /// Both are of the same tensor.
  friend bool operator==(const RowIterator& a, const RowIterator& b) { return a.at_ == b.at_; }
  friend bool operator==(const RowIterator& a, std::default_sentinel_t) {
    return a.at_ == a.x_.size(0);
  }

 private:
  Tensor x_;
  int64_t at_ = 0;
};

}  // namespace tamis
