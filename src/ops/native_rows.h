// Native rows: families of ops that are not in the JavaScript package.
#pragma once

#include <span>

#include "ops/row.h"

namespace tamis {

/// The last ones of all families, which a page should not have to load. Empty in WebAssembly.
std::span<const Family> native_families();

}  // namespace tamis
