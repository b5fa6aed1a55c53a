// MaskedTensor: pairs of data and mask over the functions of masked.h.
#include "tamis/masked_tensor.h"

#include <ostream>

#include "core/check.h"
#include "core/print.h"
#include "ops/mask_args.h"
#include "tamis/tamis.h"

namespace tamis::masked {

namespace {

/// The mask with all rows kept of which nothing is: for functions that need an element.
Tensor without_empty_rows(const MaskedTensor& x, const Dims& dims) {
  return logical_or(x.mask(), logical_not(output_mask(x.data(), x.mask(), dims, true)));
}

}  // namespace

MaskedTensor::MaskedTensor(Tensor data)
    : data_(std::move(data)), mask_(ones_like(data_.detach(), DType::boolean)) {}

MaskedTensor::MaskedTensor(Tensor data, Tensor mask) : data_(std::move(data)) {
  check_mask(mask, "MaskedTensor: expected BoolTensor for mask, but got");
  check_broadcasts_to(data_, mask.shape());
  mask_ = mask.shape() == data_.shape() ? std::move(mask) : mask.expand(data_.shape());
}

MaskedTensor MaskedTensor::from_nan(const Tensor& data) {
  return {data, logical_not(isnan(data.detach()))};
}

Tensor MaskedTensor::filled(const Tensor& value) const { return where(mask_, data_, value); }

Tensor MaskedTensor::compressed() const { return masked_select(data_, mask_); }

std::string MaskedTensor::to_string() const { return text_of("masked_tensor(", data_, mask_); }

MaskedTensor MaskedTensor::operator[](const Tensor& where) const {
  return {data_[where], mask_[where]};
}

MaskedTensor MaskedTensor::map(const std::function<Tensor(const Tensor&, const Tensor&)>& f,
                               const MaskedTensor& other) const {
  const Tensor result = f(data_, other.data_);
  return {result, logical_and(mask_, other.mask_)};
}

MaskedTensor MaskedTensor::sum(const Dims& dims, bool keepdim, std::optional<DType> dtype) const {
  return {masked::sum(data_, mask_, dims, keepdim, dtype),
          output_mask(data_, mask_, dims, keepdim)};
}

MaskedTensor MaskedTensor::prod(const Dims& dims, bool keepdim, std::optional<DType> dtype) const {
  return {masked::prod(data_, mask_, dims, keepdim, dtype),
          output_mask(data_, mask_, dims, keepdim)};
}

MaskedTensor MaskedTensor::mean(const Dims& dims, bool keepdim, std::optional<DType> dtype) const {
  return {masked::mean(data_, mask_, dims, keepdim, dtype),
          output_mask(data_, mask_, dims, keepdim)};
}

MaskedTensor MaskedTensor::amin(const Dims& dims, bool keepdim) const {
  return {masked::amin(data_, mask_, dims, keepdim), output_mask(data_, mask_, dims, keepdim)};
}

MaskedTensor MaskedTensor::amax(const Dims& dims, bool keepdim) const {
  return {masked::amax(data_, mask_, dims, keepdim), output_mask(data_, mask_, dims, keepdim)};
}

MaskedTensor MaskedTensor::any(const Dims& dims, bool keepdim) const {
  return {masked::any(data_, mask_, dims, keepdim), output_mask(data_, mask_, dims, keepdim)};
}

MaskedTensor MaskedTensor::all(const Dims& dims, bool keepdim) const {
  return {masked::all(data_, mask_, dims, keepdim), output_mask(data_, mask_, dims, keepdim)};
}

MaskedTensor MaskedTensor::var(const Dims& dims, double correction, bool keepdim) const {
  return {masked::var(data_, mask_, dims, correction, keepdim), count(dims, keepdim) > correction};
}

MaskedTensor MaskedTensor::std(const Dims& dims, double correction, bool keepdim) const {
  return {masked::std(data_, mask_, dims, correction, keepdim), count(dims, keepdim) > correction};
}

MaskedTensor MaskedTensor::argmin(std::optional<int64_t> dim, bool keepdim) const {
  const Tensor found = masked::argmin(data_, mask_, dim, keepdim);
  return {found, found >= 0};
}

MaskedTensor MaskedTensor::argmax(std::optional<int64_t> dim, bool keepdim) const {
  const Tensor found = masked::argmax(data_, mask_, dim, keepdim);
  return {found, found >= 0};
}

MaskedTensor MaskedTensor::median(std::optional<int64_t> dim, bool keepdim) const {
  if (!dim) {
    const MaskedTensor found = reshape({-1}).median(0);
    return keepdim ? found.reshape(Shape(shape().size(), 1)) : found;
  }
  const Dims dims = {*dim};
  return {masked::median(data_, without_empty_rows(*this, dims), *dim, keepdim),
          output_mask(data_, mask_, dims, keepdim)};
}

#define X(symbol, name)                                                           \
  MaskedTensor operator symbol(const MaskedTensor& a, const MaskedTensor& b) {    \
    return a.map(static_cast<Tensor (*)(const Tensor&, const Tensor&)>(name), b); \
  }                                                                               \
  MaskedTensor operator symbol(const MaskedTensor& a, const Tensor& b) {          \
    return a symbol MaskedTensor(b);                                              \
  }                                                                               \
  MaskedTensor operator symbol(const Tensor& a, const MaskedTensor& b) {          \
    return MaskedTensor(a) symbol b;                                              \
  }
TAMIS_MASKED_OPERATORS(X)
#undef X

MaskedTensor operator-(const MaskedTensor& x) { return {neg(x.data()), x.mask()}; }
MaskedTensor operator~(const MaskedTensor& x) { return {bitwise_not(x.data()), x.mask()}; }

std::ostream& operator<<(std::ostream& out, const MaskedTensor& x) { return out << x.to_string(); }

}  // namespace tamis::masked
