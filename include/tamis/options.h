// Options: the dtype and the device of a tensor that is to be made.
#pragma once

#include <optional>
#include <utility>

#include "tamis/device.h"
#include "tamis/dtype.h"

namespace tamis {

/// Both are optional, and a dtype or a device alone converts: `zeros({2, 3}, float64)`,
/// `zeros({2, 3}, device("cpu"))`, `zeros({2, 3}, {float64, "cpu"})`. What is not given is the
/// function's default; the default device is the CPU, or for the `_like` functions that of the
/// tensor.
struct Options {
  Options() = default;
  Options(DType d) : dtype(d) {}
  Options(std::optional<DType> d) : dtype(d) {}
  Options(Device where) : device(std::move(where)) {}
  Options(std::optional<DType> d, Device where) : dtype(d), device(std::move(where)) {}

  std::optional<DType> dtype;
  std::optional<Device> device;
};

/// Options with this device.
inline Options device(Device where) { return Options(std::move(where)); }

}  // namespace tamis
