// Summary: what passes over all elements of a stream say about them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tamis/tensor.h"
#include "windows.h"

namespace tamis::cli {

/// Elements that come window by window.
struct Stream {
  DType dtype = DType::float32;
  Shape shape;  // the windows are cut from it
  /// Some or all of the elements in a box, in any shape. Any number of threads may call it.
  std::function<Tensor(const Box& box)> window;
};

struct Quantile {
  double p = 0.5;
  bool lower = false;  // between two elements: the lower one, not what lies between them
  bool operator==(const Quantile&) const = default;
};

/// NaN is counted and left out of all else. Of nothing, sum is 0 and the others are NaN.
struct Summary {
  int64_t count = 0;  // elements that are not NaN
  int64_t nan = 0;
  int64_t inf = 0;   // of either sign; they belong to count
  Scalar sum = 0.0;  // int64 for integers and bools, unless it does not fit
  double mean = 0;
  double var = 0;    // with count - 1 as divisor
  double std = 0;    // its root
  Scalar min = 0.0;  // int64 for integers and bools
  Scalar max = 0.0;
  std::vector<Scalar> quantiles;  // as asked for; lower ones of integers are int64
};

}  // namespace tamis::cli
