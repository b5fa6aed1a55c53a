// Order cases: elements that are hard to sort, and what the tests of order share.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "support/mask_cases.h"
#include "tamis/tamis.h"

namespace tamis::order_cases {

inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInf = std::numeric_limits<float>::infinity();

inline void expect_pair(const std::pair<Tensor, Tensor>& got, const Tensor& values,
                        const Tensor& indices) {
  mask_cases::expect_same(got.first, values);
  mask_cases::expect_same(got.second, indices);
}

/// Puts the number of threads back at its end.
class Threads {
 public:
  explicit Threads(int n) : before_(get_num_threads()) { set_num_threads(n); }
  ~Threads() { set_num_threads(before_); }

 private:
  int before_;
};

/// n elements of a dtype, many of them equal; NaNs, infinities and both zeros among floats.
inline Tensor numbers(DType dtype, int64_t n, uint32_t seed) {
  mask_cases::Sequence random(seed);
  std::vector<double> values(static_cast<size_t>(n));
  for (double& v : values) {
    const uint32_t pick = random.next() % 1000;
    v = static_cast<double>(random.next()) - 16000;
    if (pick < 200) v = pick % 7;
    if (is_floating_point(dtype) && pick >= 990) {
      v = pick < 993 ? kNaN : pick < 995 ? kInf : pick < 997 ? -kInf : pick < 999 ? -0.0 : 0.0;
    }
  }
  return tensor(values).to(dtype).settle();
}

}  // namespace tamis::order_cases
