// Printing: what decides how tensors are written as text.
#pragma once

#include <cstdint>
#include <optional>

namespace tamis {

/// What torch.set_printoptions sets, with PyTorch's defaults.
struct PrintOptions {
  int precision = 4;                  ///< digits after the decimal point
  int64_t threshold = 1000;           ///< a tensor with more elements is cut to its edges
  int64_t edgeitems = 3;              ///< how many elements of each dimension an edge has
  int64_t linewidth = 80;             ///< where lines are broken, in characters
  std::optional<bool> sci_mode = {};  ///< scientific notation; not given: the values decide
};

/// Sets how to_string() and << print from now on, on all threads. Refuses a negative precision or
/// threshold, and less than one edge item or character (kind value).
/// `set_printoptions({.precision = 2})` makes `tensor({1.12345})` print as `tensor([1.12])`, and
/// `set_printoptions({})` restores the defaults.
void set_printoptions(const PrintOptions& options);
PrintOptions get_printoptions();

}  // namespace tamis
