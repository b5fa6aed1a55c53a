// Fill values of Zarr: the many ways in which JSON says what an element is.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tamis/dtype.h"

namespace tamis::io {

/// The bytes of an element with that value: a number, a bool, "NaN", "Infinity", "-Infinity", the
/// bits as "0x7fc00000", or a list of two of these for complex numbers; null is 0. False if it is
/// none of them, or does not fit.
bool parse_fill_value(const nlohmann::json& json, DType dtype, std::string& bytes);

}  // namespace tamis::io
