// Maker: what the module has that makes the package, and the package's own has not.
#pragma once

#include <string>

#include "exports.h"
#include "functions.h"

namespace tamis::web {

/// The table of all functions as JSON, from which the functions of the package and their types are
/// made.
std::string describe();

/// What dtypes they take and give, as JSON, from which the types are made. Takes seconds.
std::string probe();

}  // namespace tamis::web
