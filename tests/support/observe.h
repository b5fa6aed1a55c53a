// Observe: what a caller can see of a tensor, as bytes that can be compared.
#pragma once

#include <cmath>
#include <string>

#include "support/layouts.h"
#include "tamis/tamis.h"

namespace tamis::testing {

/// Dtype, shape and values. All NaNs look alike: which one an operation makes is not promised.
inline std::string observe(const Tensor& x) {
  std::string seen = std::string(name(x.dtype())) + to_string(x.shape()) + ":";
  std::vector<char> bytes = detail::bytes_of(x);
  visit_dtype(x.dtype(), [&](auto type) {
    using T = decltype(type);
    for (size_t i = 0; i < bytes.size(); i += sizeof(T)) {
      if constexpr (is_floating_point(dtype_of<T>)) {
        T v;
        std::memcpy(&v, &bytes[i], sizeof v);
        if (std::isnan(static_cast<double>(v))) std::memset(&bytes[i], 0xff, sizeof v);
      } else if constexpr (is_complex(dtype_of<T>)) {
        T v;
        std::memcpy(&v, &bytes[i], sizeof v);
        if (std::isnan(v.real())) std::memset(&bytes[i], 0xff, sizeof v / 2);
        if (std::isnan(v.imag())) std::memset(&bytes[i] + sizeof v / 2, 0xff, sizeof v / 2);
      } else if constexpr (std::is_same_v<T, bool>) {
        bytes[i] = bytes[i] != 0;
      }
    }
  });
  seen.append(bytes.begin(), bytes.end());
  return seen;
}

/// Repeatable values of any dtype, from a seed. Floating point has zeros of either sign, infinities
/// and NaN among them.
inline Tensor random_values(const Shape& shape, DType dtype, uint32_t seed) {
  const Tensor x = empty(shape, {dtype, "cpu"});
  visit_dtype(dtype, [&](auto type) {
    using T = decltype(type);
    T* data = x.mutable_data<T>();
    for (int64_t i = 0; i < x.numel(); ++i) {
      seed = seed * 1664525u + 1013904223u;
      const int pick = static_cast<int>(seed >> 10) % 1009;
      if constexpr (std::is_same_v<T, bool>) {
        data[i] = pick % 3 == 0;
      } else if constexpr (std::is_integral_v<T>) {
        data[i] = static_cast<T>(pick % 23 - (std::is_signed_v<T> ? 11 : 0));
      } else {
        constexpr float kInf = HUGE_VALF;
        constexpr float kSpecial[] = {0.0f, -0.0f, kInf, -kInf, NAN};
        data[i] = pick < 5 ? T(kSpecial[pick]) : T(static_cast<float>(pick - 500) * 0.37f);
        if constexpr (is_complex(dtype_of<T>)) data[i] = {data[i].real(), pick % 7 - 3.25f};
      }
    }
  });
  return x.to(device());
}

/// A mask of one of five kinds: random at three densities, alternating, in long runs.
inline Tensor random_mask(const Shape& shape, uint32_t seed) {
  const Tensor mask = empty(shape, {DType::boolean, "cpu"});
  bool* data = mask.mutable_data<bool>();
  const uint32_t pattern = seed % 6, density = pattern == 0 ? 500 : pattern == 1 ? 20 : 980;
  for (int64_t i = 0; i < mask.numel(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = pattern == 3   ? i % 2 == 0
              : pattern == 4 ? i / 300 % 2 == 0
                             : (seed >> 10) % 1000 < density;
  }
  return mask.to(device());
}

}  // namespace tamis::testing
