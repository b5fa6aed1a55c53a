// Mask cases: masks of every pattern, values of every dtype, and comparisons for the tests of the
// masking ops.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/layouts.h"
#include "tamis/tamis.h"

namespace tamis::mask_cases {

inline constexpr DType kDTypes[] = {boolean, uint8,   uint16,   int8,    int16,  int32,
                                    int64,   float16, bfloat16, float32, float64};

/// Around the word, the block, and many blocks.
inline constexpr int64_t kLengths[] = {0, 1, 63, 64, 65, 4095, 4096, 4097, 100003};

inline constexpr const char* kPatterns[] = {"none",   "all",    "alternating", "clustered",
                                            "random", "sparse", "dense"};

/// A repeatable sequence of numbers below 2^15.
class Sequence {
 public:
  explicit Sequence(uint32_t seed) : state_(seed * 2654435761u + 1) {}
  uint32_t next() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 17;
  }

 private:
  uint32_t state_;
};

/// A bool tensor whose trues lie as the name says.
inline Tensor mask_of(const std::string& pattern, const Shape& shape, uint32_t seed = 1) {
  const int64_t n = numel(shape);
  std::vector<uint8_t> bytes(static_cast<size_t>(n) + 1);
  Sequence random(seed);
  bool on = false;
  int64_t run = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (run-- == 0) {
      on = !on;
      run = random.next() % 300;
    }
    const uint32_t pick = random.next() % 100;
    bytes[i] = pattern == "all"           ? true
               : pattern == "alternating" ? i % 2 == 0
               : pattern == "clustered"   ? on
               : pattern == "random"      ? pick < 50
               : pattern == "sparse"      ? pick < 2
               : pattern == "dense"       ? pick < 98
                                          : false;
  }
  return from_data(bytes.data(), shape, boolean);
}

/// Small whole numbers that every dtype holds; bools for bool.
inline Tensor values_of(DType dtype, const Shape& shape, uint32_t seed = 7) {
  std::vector<int64_t> numbers(static_cast<size_t>(numel(shape)));
  Sequence random(seed);
  for (int64_t& v : numbers) v = random.next() % (dtype == boolean ? 2 : 100);
  return tensor(numbers, shape).to(dtype).settle();
}

/// A matrix in one of the layouts of layouts.h.
using Case = testing::LaidOut;
using testing::layouts;

/// Equal dtype, shape and values; NaN equals NaN.
inline void expect_same(const Tensor& got, const Tensor& want, const std::string& what = "") {
  ASSERT_EQ(std::string(name(got.dtype())), name(want.dtype())) << what;
  ASSERT_EQ(got.shape().vec(), want.shape().vec()) << what;
  if (got.dtype() == int64) {
    ASSERT_EQ(got.to_vector<int64_t>(), want.to_vector<int64_t>()) << what;
    return;
  }
  const std::vector<double> a = got.to_vector<double>(), b = want.to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) {
    const bool equal = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
    ASSERT_TRUE(equal) << what << ": element " << i << " is " << a[i] << ", not " << b[i];
  }
}

/// Each element within the tolerance of what is wanted; infinities and NaN as they are.
inline void expect_near(const Tensor& got, const std::vector<double>& want,
                        double tolerance = 1e-6) {
  const std::vector<double> values = got.to_vector<double>();
  ASSERT_EQ(values.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::isfinite(want[i])) {
      EXPECT_NEAR(values[i], want[i], tolerance) << i;
    } else {
      EXPECT_TRUE(values[i] == want[i] || (values[i] != values[i] && want[i] != want[i])) << i;
    }
  }
}

/// f must throw an Error of this kind whose text begins as given.
template <class F>
void expect_error(ErrorKind kind, const std::string& start, F&& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(static_cast<int>(e.kind()), static_cast<int>(kind)) << e.what();
    EXPECT_EQ(std::string(e.what()).substr(0, start.size()), start);
    return;
  }
  ADD_FAILURE() << "no error, expected: " << start;
}

/// What masked_select means: x and mask broadcast, in row-major order.
inline Tensor naive_select(const Tensor& x, const Tensor& mask) {
  const Shape shape = broadcast_shapes(x.shape(), mask.shape());
  const std::vector<double> from = x.expand(shape).to_vector<double>();
  const std::vector<uint8_t> keep = mask.expand(shape).to_vector<uint8_t>();
  std::vector<double> kept;
  for (size_t i = 0; i < from.size(); ++i) {
    if (keep[i]) kept.push_back(from[i]);
  }
  return tensor(kept).to(x.dtype());
}

}  // namespace tamis::mask_cases
