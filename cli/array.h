// Array: an input of a command, read window by window, whatever it comes from.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tamis/tensor.h"
#include "windows.h"

namespace tamis::cli {

struct Array {
  std::string name;  // in conditions
  DType dtype = DType::float32;
  Shape shape;
  /// Elements [first, first + count) in row-major order, 1-d. Any number of threads may call it.
  std::function<Tensor(int64_t first, int64_t count)> window;

  /// All of it, in memory.
  Tensor read() const { return window(0, numel(shape)).view(shape); }
};

/// The parts of arrays that line up with a box; each is read when it is first asked for, once.
class BoxOfArrays {
 public:
  BoxOfArrays(std::span<const Array> arrays, const Box& box)
      : arrays_(arrays), box_(box), read_(arrays.size()) {}

  const Box& box() const { return box_; }
  /// As many dimensions as the array has; it broadcasts to the box.
  const Tensor& operator[](size_t number) {
    Tensor& x = read_[number];
    if (!x.defined()) {
      const Array& array = arrays_[number];
      const Box own = restrict_to(box_, array.shape);
      x = array.window(first_element(own, array.shape), own.numel()).view(own.size);
    }
    return x;
  }

 private:
  std::span<const Array> arrays_;
  Box box_;
  std::vector<Tensor> read_;
};

}  // namespace tamis::cli
