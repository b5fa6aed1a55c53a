// MaskedTensor: a tensor with a mask that goes along with it.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tamis/index.h"
#include "tamis/masked.h"
#include "tamis/tensor.h"

namespace tamis::masked {

/// Elements of which some are missing: data, and a bool mask of its shape; true keeps. What is
/// masked out holds anything, NaN too, and reaches no kept element, also in gradients, which flow
/// to data. As numpy.ma, whose masks mean the opposite.
///
///     MaskedTensor x(tensor({1.f, NAN, 3.f}), tensor({true, false, true}));
///     std::cout << x * 2;         // masked_tensor([2., --, 6.])
///     x.mean().filled(0)          // tensor(2.)
class MaskedTensor {
 public:
  /// Keeps all.
  explicit MaskedTensor(Tensor data);
  /// mask broadcasts to the shape of data. Throws kind dtype unless it is bool.
  MaskedTensor(Tensor data, Tensor mask);
  /// Elements are masked out where they are NaN.
  static MaskedTensor from_nan(const Tensor& data);

  const Tensor& data() const { return data_; }
  const Tensor& mask() const { return mask_; }
  DType dtype() const { return data_.dtype(); }
  const Shape& shape() const { return data_.shape(); }
  int64_t dim() const { return data_.dim(); }
  int64_t numel() const { return data_.numel(); }
  int64_t size(int64_t d) const { return data_.size(d); }

  /// A tensor with value (0-d, or broadcast; dtypes promote) where an element is masked out.
  Tensor filled(const Tensor& value) const;
  /// The kept elements in row-major order, 1-d.
  Tensor compressed() const;
  /// `masked_tensor([1, --, 3])`; of many elements those at the ends.
  std::string to_string() const;

  // ---- elements and views -----------------------------------------------------------------------
  /// Both tensors by the same function, which moves elements or shares memory, as views do:
  /// `x.moved([](const Tensor& t) { return t.transpose(0, 1); })`.
  MaskedTensor moved(const std::function<Tensor(const Tensor&)>& f) const {
    return {f(data_), f(mask_)};
  }
  /// Row i.
  MaskedTensor operator[](int64_t i) const { return {data_[i], mask_[i]}; }
  /// The elements or rows that a bool or an integer tensor names.
  MaskedTensor operator[](const Tensor& where) const;
  MaskedTensor index(const std::vector<Index>& indices) const {
    return {data_.index(indices), mask_.index(indices)};
  }
  MaskedTensor view(const Shape& s) const { return {data_.view(s), mask_.view(s)}; }
  MaskedTensor reshape(const Shape& s) const { return {data_.reshape(s), mask_.reshape(s)}; }
  MaskedTensor to(DType dtype) const { return {data_.to(dtype), mask_}; }
  MaskedTensor to(const Device& device) const { return {data_.to(device), mask_.to(device)}; }

  // ---- pointwise --------------------------------------------------------------------------------
  /// A pointwise function of the elements: `x.map(exp)`.
  MaskedTensor map(const std::function<Tensor(const Tensor&)>& f) const {
    return {f(data_), mask_};
  }
  /// One of two, which broadcast: kept where both are. `x.map(maximum, y)`
  MaskedTensor map(const std::function<Tensor(const Tensor&, const Tensor&)>& f,
                   const MaskedTensor& other) const;

  // ---- reductions -------------------------------------------------------------------------------
  // Of the kept elements, as the functions of masked.h. Where nothing is kept, the result is masked
  // out.
  MaskedTensor sum(const Dims& dims = {}, bool keepdim = false,
                   std::optional<DType> dtype = {}) const;
  MaskedTensor prod(const Dims& dims = {}, bool keepdim = false,
                    std::optional<DType> dtype = {}) const;
  MaskedTensor mean(const Dims& dims = {}, bool keepdim = false,
                    std::optional<DType> dtype = {}) const;
  MaskedTensor amin(const Dims& dims = {}, bool keepdim = false) const;
  MaskedTensor amax(const Dims& dims = {}, bool keepdim = false) const;
  MaskedTensor any(const Dims& dims = {}, bool keepdim = false) const;
  MaskedTensor all(const Dims& dims = {}, bool keepdim = false) const;
  /// Masked out where no more than `correction` elements are kept.
  MaskedTensor var(const Dims& dims = {}, double correction = 1, bool keepdim = false) const;
  MaskedTensor std(const Dims& dims = {}, double correction = 1, bool keepdim = false) const;
  MaskedTensor argmin(std::optional<int64_t> dim = {}, bool keepdim = false) const;
  MaskedTensor argmax(std::optional<int64_t> dim = {}, bool keepdim = false) const;
  /// The lower one of two, as in PyTorch. Of all elements, unless dim is given.
  MaskedTensor median(std::optional<int64_t> dim = {}, bool keepdim = false) const;
  /// How many are kept: int64, nothing of it is masked out.
  Tensor count(const Dims& dims = {}, bool keepdim = false) const {
    return masked::count(data_, mask_, dims, keepdim);
  }

 private:
  Tensor data_, mask_;
};

// ---- operators: a number or a tensor keeps all ----------------------------------------------------

#define TAMIS_MASKED_OPERATORS(X) \
  X(+, add)                       \
  X(-, sub)                       \
  X(*, mul)                       \
  X(/, div)                       \
  X(%, remainder)                 \
  X(&, bitwise_and)               \
  X(|, bitwise_or)                \
  X(^, bitwise_xor)               \
  X(==, eq)                       \
  X(!=, ne)                       \
  X(<, lt)                        \
  X(<=, le)                       \
  X(>, gt)                        \
  X(>=, ge)

#define X(symbol, name)                                                       \
  MaskedTensor operator symbol(const MaskedTensor& a, const MaskedTensor& b); \
  MaskedTensor operator symbol(const MaskedTensor& a, const Tensor& b);       \
  MaskedTensor operator symbol(const Tensor& a, const MaskedTensor& b);
TAMIS_MASKED_OPERATORS(X)
#undef X

MaskedTensor operator-(const MaskedTensor& x);
MaskedTensor operator~(const MaskedTensor& x);

/// As to_string.
std::ostream& operator<<(std::ostream& out, const MaskedTensor& x);

}  // namespace tamis::masked
