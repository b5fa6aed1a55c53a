// Parts: arguments of states, checked; tensors as rows of elements that are reduced together; and
// positions in the whole array.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/check.h"
#include "tamis/partial.h"

namespace tamis::partial {

/// A part's elements on the host, with one row for every element of the result. A complex number
/// has two: its real parts, then its imaginary parts.
struct Rows {
  Tensor elements;  // [rows, columns], contiguous, real
  Tensor mask;      // the same shape, contiguous; undefined if all are kept
  Shape result;     // the shape of the result
  int64_t rows = 0, columns = 0;
  int parts = 1;  // rows per element of the result

  const void* row(int64_t i) const {
    return static_cast<const char*>(elements.data_ptr()) +
           static_cast<size_t>(i * columns) * elements.itemsize();
  }
  const uint8_t* row_mask(int64_t i) const {
    return mask.defined() ? static_cast<const uint8_t*>(mask.data_ptr()) + i * columns : nullptr;
  }
};
Rows rows_of(const char* state, const Tensor& x, const Tensor& mask, const Part& part);

/// mask, checked, with x's shape; undefined if it is.
Tensor mask_for(const char* state, const Tensor& x, const Tensor& mask);
/// Throws unless x is on the CPU. What it is computed from is computed.
void check_host(const char* state, const Tensor& x);
/// Throws kind dtype for complex numbers.
void check_real(const char* state, const Tensor& x);

/// Moments(x, mask, part).mean(dtype), without the squares.
Tensor mean_alone(const Tensor& x, const Tensor& mask, const Part& part, DType dtype);

/// Where a box of elements lies in a larger array.
class Place {
 public:
  /// Checks part.shape and part.offset against the part's own shape.
  Place(const char* state, const Shape& own, const Part& part);
  const Shape& whole() const { return whole_; }
  bool is_whole() const { return is_whole_; }
  /// The row-major number in the whole of the part's element of that number.
  int64_t position(int64_t element) const { return is_whole_ ? element : position_in(element); }
  /// The same, of these dimensions alone.
  Place along(const Shape& dims) const;

 private:
  Place() = default;
  int64_t position_in(int64_t element) const;
  Shape own_, whole_, offset_;
  bool is_whole_ = true;
};

/// What may be written to: a copy if others share it.
template <class Data>
Data& own(std::shared_ptr<Data>& data) {
  if (data.use_count() > 1) data = std::make_shared<Data>(*data);
  return *data;
}

/// Throws kind value unless what two states have in common agrees.
template <class A>
void check_same(const char* state, const char* what, const A& a, const A& b) {
  check(a == b, ErrorKind::value, "{}: states that are merged must have the same {}", state, what);
}
inline void check_same_dtype(const char* state, DType a, DType b) {
  check(a == b, ErrorKind::value,
        "{}: states that are merged must be of the same dtype, but got {} and {}", state, name(a),
        name(b));
}
inline void check_same_shape(const char* state, const Shape& a, const Shape& b) {
  check(a == b, ErrorKind::value,
        "{}: states that are merged must be of the same shape, but got {} and {}", state, a, b);
}

/// A new int64 tensor with these elements.
Tensor integers(const std::vector<int64_t>& values, const Shape& shape);

}  // namespace tamis::partial
