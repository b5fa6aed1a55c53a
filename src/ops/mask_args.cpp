// Checks of arguments that the masking ops share.
#include "ops/mask_args.h"

#include <algorithm>

#include "core/check.h"
#include "core/convert.h"
#include "core/tensor_impl.h"

namespace tamis {

void check_mask(const Tensor& mask, std::string_view text, std::string_view argument) {
  check(mask.dtype() == DType::boolean, ErrorKind::dtype, "{} {}; write {}.to_bool() or {} != 0",
        text, scalar_type_name(mask.dtype()), argument, argument);
}

void check_broadcasts_to(const Tensor& x, const Shape& shape) {
  const Shape common = broadcast_shapes(x.shape(), shape);
  check(common == x.shape(), ErrorKind::shape,
        "output with shape {} doesn't match the broadcast shape {}", x.shape(), common);
}

Tensor fill_number(const Tensor& value, DType dtype, std::string_view text, std::string_view end) {
  check(value.dim() == 0, ErrorKind::shape, "{} {} {}", text, value.dim(), end);
  const Scalar number = value.item();
  check_fits(number, dtype);
  return value.impl().is_number ? value : Tensor(number);
}

Shape normalize_dims(const Dims& dims, int64_t rank) {
  Shape result;
  if (dims.empty()) {
    for (int64_t d = 0; d < rank; ++d) result.push_back(d);
    return result;
  }
  for (int64_t dim : dims) {
    const int64_t d = wrap_dim(dim, rank);
    check(std::find(result.begin(), result.end(), d) == result.end(), ErrorKind::value,
          "dim {} appears multiple times in the list of dims", d);
    result.push_back(d);
  }
  std::sort(result.begin(), result.end());
  if (rank == 0) result.clear();
  return result;
}

}  // namespace tamis
