// Elements of states that are ordered.
#include "ops/partial/elements.h"

#include "expr/expr.h"
#include "tamis/mask.h"

namespace tamis::partial {

Tensor from_bits(const std::vector<uint64_t>& bits, DType dtype, const Shape& shape) {
  const Tensor values = allocate_on_host(shape, dtype);
  auto* to = static_cast<char*>(values.mutable_data_ptr());
  for (uint64_t b : bits) {
    std::memcpy(to, &b, itemsize(dtype));
    to += itemsize(dtype);
  }
  return values;
}

Kept::Kept(const char* state, const Tensor& x, const Tensor& given, const Part& part)
    : place_(state, x.shape(), part) {
  check_host(state, x);
  check_real(state, x);
  const Tensor mask = mask_for(state, x, given), values = x.detach();
  if (mask.defined()) {
    values_ = masked_select(values, mask).settle();
    // The numbers of the kept elements, in the same order.
    indices_ = nonzero(mask.reshape({-1})).reshape({-1}).contiguous().settle();
  } else {
    values_ = values.reshape({-1}).contiguous().settle();
  }
}

}  // namespace tamis::partial
