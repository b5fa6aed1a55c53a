// Comparing tensors with numbers by value, where the operators convert the number first.
#pragma once

#include <optional>

#include "tamis/tensor.h"

namespace tamis {

enum class Comparison { eq, ne, lt, le, gt, ge };

/// x compared with y by the operator of that name.
Tensor compare_by_operator(Comparison how, const Tensor& x, const Tensor& y);

/// x compared with a number as the numbers that they are: of a uint8 x all elements are < 300 and
/// > -1, and x < 2.5 is x <= 2. The operators convert the number to x's dtype, as PyTorch does, so
/// that 300 becomes 44 there. A floating point number is only rounded to a floating point dtype
/// that it is compared with (see rounded_for). Deferred. Of complex numbers the same as the
/// operators.
Tensor compare_by_value(Comparison how, const Tensor& x, Scalar number);

/// Whether one is uint64 and the other a signed integer: they promote to float64, which does not
/// hold all of either, so that they are compared by the next two instead.
bool lack_common_integer(DType a, DType b);
/// a < b and a == b of such tensors, as the numbers that they are. Deferred.
Tensor less_by_value(const Tensor& a, const Tensor& b);
Tensor equal_by_value(const Tensor& a, const Tensor& b);

/// The element of a real dtype that a number equals in that sense, if there is one: none of uint8
/// for 2.5 or 300.
std::optional<Scalar> element_by_value(Scalar number, DType dtype);

/// The number that is meant where elements of dtype are compared with a number: a 0.1 among float32
/// is float32's 0.1. Integers, numbers among integers, and those beyond the dtype's range are meant
/// as they are.
Scalar rounded_for(Scalar number, DType dtype);

}  // namespace tamis
