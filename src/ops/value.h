// Value: an argument or a result of an op that is called through its row.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tamis/generator.h"
#include "tamis/ops.h"

namespace tamis {

/// std::monostate stands for "not given".
using Value = std::variant<std::monostate, Tensor, Scalar, int64_t, double, bool, DType, Shape,
                           std::vector<Tensor>, std::string, Generator>;

using Args = std::vector<Value>;

}  // namespace tamis
