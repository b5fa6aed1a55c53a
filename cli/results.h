// Results: numbers as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tamis/scalar.h"
#include "tamis/shape.h"

namespace tamis::cli {

using Json = nlohmann::ordered_json;

/// Seven digits; NaN has no sign.
std::string to_text(const Scalar& v);
/// All digits. NaN is null; JSON has no infinities, so they are strings.
Json to_json(const Scalar& v);
/// Values in row-major order as lists of lists; of no dimensions, the value itself.
Json nested(const std::vector<Json>& values, const Shape& shape);
/// One line. Names that are no UTF-8 do not make it invalid.
std::string dump(const Json& json);

}  // namespace tamis::cli
