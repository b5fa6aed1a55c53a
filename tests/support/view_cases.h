// View cases: small tensors to look at, and checks of what a view shows.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tamis/tamis.h"

namespace tamis::testing {

inline Tensor grid() { return arange(6).reshape({2, 3}); }
inline Tensor number() { return tensor(5); }

inline void expect_values(const Tensor& x, const Shape& shape, const std::vector<int64_t>& values) {
  EXPECT_EQ(x.shape().vec(), shape.vec());
  EXPECT_EQ(x.to_vector<int64_t>(), values);
}

inline void expect_layout(const Tensor& x, const Shape& shape, const Shape& strides) {
  EXPECT_EQ(x.shape().vec(), shape.vec());
  EXPECT_EQ(x.strides().vec(), strides.vec());
}

/// The element at the given position, read through the layout.
inline int64_t element(const Tensor& x, const std::vector<int64_t>& at) {
  int64_t offset = 0;
  for (size_t i = 0; i < at.size(); ++i) offset += at[i] * x.strides()[i];
  return x.data<int64_t>()[offset];
}

}  // namespace tamis::testing
