// Builders: masks with a shape of their own, one window at a time.
#pragma once

#include <functional>
#include <span>

#include "language/functions.h"
#include "windows.h"

namespace tamis::cli {

struct Builder {
  Shape shape;
  std::function<Tensor(const Box&)> window;
};

/// The builder of that function for arguments as its row takes them. Throws tamis::Error for those
/// that it refuses.
Builder make_builder(const Function& function, std::span<const Value> args);

}  // namespace tamis::cli
