// Value: an argument or a result of an op that is called through its row.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tamis/generator.h"
#include "tamis/options.h"
#include "tamis/tensor.h"

namespace tamis {

/// std::monostate means "not given". A function that takes Options also takes a dtype.
using Value = std::variant<std::monostate, Tensor, Scalar, int64_t, double, bool, DType, Shape,
                           std::vector<Tensor>, std::string, Generator, Options>;

using Args = std::vector<Value>;

}  // namespace tamis
