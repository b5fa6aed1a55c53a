// Values: reading a tensor's elements into C++ numbers.
#include <cstring>

#include "core/check.h"
#include "core/tensor_impl.h"
#include "expr/expr.h"
#include "tamis/tensor.h"

namespace tamis {

Scalar Tensor::item() const {
  check(numel() == 1, ErrorKind::value, "a Tensor with {} elements cannot be converted to Scalar",
        numel());
  const Tensor host = to_host(*this);
  const void* data = host.data_ptr();
  return visit_dtype(dtype(), [&](auto type) -> Scalar {
    using T = decltype(type);
    if constexpr (std::is_same_v<T, bool>) {
      return Scalar(*static_cast<const uint8_t*>(data) != 0);
    } else {
      return Scalar(*static_cast<const T*>(data));
    }
  });
}

template <Element T>
std::vector<T> Tensor::to_vector() const {
  const Tensor x = to_host(*this).to(dtype_of<T>).contiguous();
  std::vector<T> values(static_cast<size_t>(numel()));
  if (values.empty()) return values;
  if constexpr (std::is_same_v<T, bool>) {
    const uint8_t* bytes = static_cast<const uint8_t*>(x.data_ptr());
    for (size_t i = 0; i < values.size(); ++i) values[i] = bytes[i] != 0;
  } else {
    std::memcpy(values.data(), x.data_ptr(), values.size() * sizeof(T));
  }
  return values;
}

#define X(constant, type, ...) template std::vector<type> Tensor::to_vector<type>() const;
TAMIS_DTYPES(X)
#undef X

}  // namespace tamis
