// Masked: what x[mask] and x[rows] give, for reading and for writing.
#pragma once

#include <concepts>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tamis/iterate.h"
#include "tamis/reduce.h"
#include "tamis/tensor.h"

namespace tamis {

/// x[mask], before it is known whether it is read or written. Converts to the selected Tensor.
/// mask is bool and has the leading sizes of x, exactly (no broadcasting); a 0-d mask adds a
/// dimension of 0 or 1. Or it holds int64 or int32 numbers of rows, negative ones from the end.
class Masked {
 public:
  Masked(Tensor x, Tensor mask);

  /// The selected elements (mask of full rank: 1-d) or rows (lower rank: [count, rest of x's
  /// shape]); a copy.
  Tensor get() const;
  operator Tensor() const { return get(); }

  /// Writes value, which must broadcast to the shape of get(), where the mask is true. A tensor is
  /// cast as copy_ does it; a number that the dtype cannot hold is refused.
  void put(const Tensor& value) const;
  /// `x[mask] = value` and `x[mask] += value`; a mask that is computed in the brackets is fused
  /// into the write.
  void operator=(const Tensor& value) &&;
  void operator=(const Masked& value) && { std::move(*this) = value.get(); }
  void operator+=(const Tensor& value) &&;
  void operator-=(const Tensor& value) &&;
  void operator*=(const Tensor& value) &&;
  void operator/=(const Tensor& value) &&;
  Masked(const Masked&) = default;

  // What one most often asks of a selection, so that `x[m].sum()` reads as in Python.
  DType dtype() const { return x_.dtype(); }
  Shape shape() const { return get().shape(); }
  Shape sizes() const { return shape(); }
  int64_t dim() const { return get().dim(); }
  int64_t size(int64_t dim) const { return get().size(dim); }
  int64_t numel() const { return get().numel(); }
  Tensor sum(const Dims& dims = {}, bool keepdim = false) const { return get().sum(dims, keepdim); }
  Tensor mean(const Dims& dims = {}, bool keepdim = false) const {
    return get().mean(dims, keepdim);
  }
  Tensor prod() const { return get().prod(); }
  Tensor amax(const Dims& dims = {}, bool keepdim = false) const {
    return get().amax(dims, keepdim);
  }
  Tensor amin(const Dims& dims = {}, bool keepdim = false) const {
    return get().amin(dims, keepdim);
  }
  Tensor max() const { return get().max(); }
  Tensor min() const { return get().min(); }
  Tensor any(const Dims& dims = {}, bool keepdim = false) const { return get().any(dims, keepdim); }
  Tensor all(const Dims& dims = {}, bool keepdim = false) const { return get().all(dims, keepdim); }
  /// `for (Tensor row : x[mask])`
  RowIterator begin() const;
  std::default_sentinel_t end() const { return {}; }
  template <Number T>
  T item() const {
    return get().item<T>();
  }
  template <Number T>
  std::vector<T> to_vector() const {
    return get().to_vector<T>();
  }
  std::string to_string() const { return get().to_string(); }

 private:
  Tensor x_, mask_;
};

inline RowIterator Masked::begin() const { return get().begin(); }
inline Masked Tensor::operator[](Tensor mask) const { return Masked(*this, std::move(mask)); }
template <Truth T>
Masked Tensor::operator[](T mask) const {
  return Masked(*this, Tensor(static_cast<bool>(mask)));
}

}  // namespace tamis
