// Arrays in memory for tests of the command line.
#pragma once

#include <string>
#include <vector>

#include "array.h"
#include "language/expression.h"
#include "runner.h"
#include "tamis/create.h"

namespace tamis::cli {

inline Array array_of(std::string name, const Tensor& x) {
  const Tensor flat = x.contiguous().view({-1});
  return {std::move(name), x.dtype(), x.shape(),
          [flat](int64_t first, int64_t count) { return flat.narrow(0, first, count); }};
}

/// The value of an expression over all of its shape, computed in boxes of at most `elements`.
inline Tensor evaluate(const std::string& text, const std::vector<Array>& arrays,
                       int64_t elements = 1 << 20, int threads = 1) {
  Progress progress(false);
  const Runner runner(threads, progress);
  Expression expression(text, arrays, arrays.empty() ? Shape{} : arrays[0].shape);
  expression.resolve([&](const Stream& stream, std::span<const Quantile> quantiles) {
    return summarize(runner, stream, quantiles);
  });
  const Windows windows(expression.shape(), elements);
  const Tensor result = empty({numel(expression.shape())}, expression.dtype());
  for (int64_t n = 0, at = 0; n < windows.count(); ++n) {
    const Box box = windows[n];
    BoxOfArrays inputs(arrays, box);
    const Tensor part = expression.evaluate(inputs).broadcast_to(box.size);
    EXPECT_EQ(part.dtype(), expression.dtype());
    result.narrow(0, at, box.numel()) = part.to(expression.dtype()).reshape({-1});
    at += box.numel();
  }
  return result.view(expression.shape());
}

}  // namespace tamis::cli
