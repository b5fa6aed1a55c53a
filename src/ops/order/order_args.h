// What the ops of order share: a tensor as slices along one dimension.
#pragma once

#include "backend/backend.h"
#include "core/tensor_impl.h"
#include "ops/row.h"

namespace tamis {

/// A tensor as contiguous slices along one dimension. Results are made with that dimension last
/// and then brought into the order of the tensor's dimensions.
class Sliced {
 public:
  /// dim is not negative.
  Sliced(const Tensor& x, int64_t dim);

  int64_t size() const { return x_.shape().back(); }
  int64_t count() const;
  Slices slices() const;
  /// The elements, with the dimension of the slices last.
  const Tensor& elements() const { return x_; }
  /// The backend that orders them. Throws if their device cannot.
  OrderBackend& backend() const;
  /// An uninitialised tensor for `n` results of each slice.
  Tensor make_results(int64_t n, DType dtype) const;
  /// Results in the order of the tensor's dimensions; contiguous.
  Tensor in_place(const Tensor& results) const;
  /// The same for one result per slice, whose dimension stays only with keepdim.
  Tensor reduced(const Tensor& results, bool keepdim) const;

 private:
  Tensor x_;
  int64_t dim_;
  bool is_0d_;
};

/// `"sort" not implemented for 'ComplexFloat'` unless dtype has an order, or for bool if refused.
void check_ordered(const char* kernel, DType dtype, bool takes_bool);

/// Refuses to reduce along a dimension without elements.
void check_not_empty(const char* op, const Tensor& x, int64_t dim);

// The rows of files that belong to the family of sort.cpp.
std::vector<Row> quantile_rows();
std::vector<Row> unique_rows();
std::vector<Row> search_rows();

}  // namespace tamis
